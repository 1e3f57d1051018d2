#!/bin/sh
# validated.sh [--expect-message | --independent-dispatches] COMMAND...
#
# Runs a command under Vulkan's validation layer, synchronisation validation included, and fails
# if the layer says anything. --expect-message: fails if it says nothing, to prove that it would.
# Where the layer is not installed the command runs without it, and what expects a message is
# skipped.
#
# --independent-dispatches: what synchronisation validation says of two dispatches that follow one
# another does not count. To it a dispatch uses whole buffers, while those of the picture door
# share the buffers and not the bytes; test_picture_commands shows that by running them in other
# orders. What it says of anything else counts: of the CPU's accesses, of submissions.
expect=
if [ "$1" = --expect-message ]; then
    expect=yes
    shift
fi
heard=cat
if [ "$1" = --independent-dispatches ]; then
    heard=all_but_dispatches
    shift
fi
all_but_dispatches()
{
    grep -v 'vkCmdDispatch: Hazard .*command: vkCmdDispatch'
}

manifest=
for folder in ${VK_LAYER_PATH:-} /usr/local/share/vulkan/explicit_layer.d \
    /usr/share/vulkan/explicit_layer.d /etc/vulkan/explicit_layer.d; do
    for file in "$folder"/*khronos_validation*.json; do
        [ -f "$file" ] && manifest=$file && break 2
    done
done
if [ -z "$manifest" ]; then
    echo "# no validation layer (vulkan-validationlayers): not validated"
    [ -z "$expect" ] || exit 77
    exec "$@"
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Messages go to standard output, among the command's own: to a file they would be lost when
# the command makes a second instance.
{
    echo "khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG"
    echo "khronos_validation.log_filename = stdout"
    echo "khronos_validation.report_flags = error,warn,perf"
    echo "khronos_validation.enable_message_limit = false"
    # The layer of Vulkan 1.3.239 knows the first name, that of 1.4 the second and warns of the first.
    version=$(sed -n 's/.*"api_version" *: *"1\.\([0-9]*\)\.\([0-9]*\)".*/\1 \2/p' "$manifest")
    set_version() { minor=$1 patch=$2; }
    # shellcheck disable=SC2086
    set_version $version
    if [ "${minor:-0}" -le 3 ] && [ "${patch:-0}" -lt 270 ]; then
        echo "khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT"
    else
        echo "khronos_validation.validate_sync = true"
    fi
} >"$work/vk_layer_settings.txt"
export VK_LAYER_SETTINGS_PATH="$work/vk_layer_settings.txt"
export VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation

{ "$@" 2>&1; echo $? >"$work/status"; } | $heard | tee "$work/output"
status=$(cat "$work/status")

if grep -Eq 'VUID-|UNASSIGNED-|SYNC-HAZARD|Validation (Error|Warning|Performance)' "$work/output"; then
    said=yes
else
    said=
fi
if [ -n "$expect" ]; then
    [ -n "$said" ] && exit 0
    [ "$status" = 77 ] && exit 77
    echo "# the validation layer said nothing, status $status"
    exit 1
fi
if [ -n "$said" ]; then
    echo "# the validation layer has something to say, see above"
    exit 1
fi
exit "$status"
