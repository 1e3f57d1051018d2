#!/bin/sh
# test_install.sh SOURCE BUILD CC vulkan|no-vulkan: installs, and builds the example as a user would:
# with nothing but pkg-config, shared and static, and runs it.
source=$1
build=$2
cc=$3
vulkan=$4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fault()
{
    echo "# $*"
    exit 1
}

command -v pkg-config >/dev/null || { echo "# skipped: no pkg-config"; exit 77; }
meson install -C "$build" --no-rebuild --quiet --destdir "$work/root" >"$work/log" 2>&1 ||
    { cat "$work/log"; fault "not installed"; }
pc=$(find "$work/root" -name qpel.pc)
[ -n "$pc" ] || fault "no qpel.pc"
export PKG_CONFIG_PATH="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$work/root"
folder=$(find "$work/root" -name 'libqpel.so' -exec dirname {} \;)

version=$(sed -n 's/^#define QPEL_VERSION_\(MAJOR\|MINOR\|PATCH\) \([0-9]*\)$/\2/p' \
    "$source/include/qpel/version.h" | paste -sd.)
[ "$(pkg-config --modversion qpel)" = "$version" ] || fault "qpel.pc has another version"
for header in "$source"/include/qpel/*.h; do
    case $vulkan/${header##*/} in
    no-vulkan/vulkan.h) continue ;;
    esac
    [ -f "$(pkg-config --variable=includedir qpel)/qpel/${header##*/}" ] ||
        [ -f "$work/root$(pkg-config --variable=includedir qpel)/qpel/${header##*/}" ] ||
        fault "${header##*/} is not installed"
done

# Shared: what the library itself needs is not the program's to name.
[ "$(pkg-config --libs-only-l qpel | tr -d ' ')" = "-lqpel" ] || fault "shared: $(pkg-config --libs qpel)"
cd "$work" || exit 1
# shellcheck disable=SC2046,SC2086
$cc -std=c11 -Wall -Wextra -Werror "$source/examples/predict.c" -o shared \
    $(pkg-config --cflags --libs qpel) || fault "the example does not build"
LD_LIBRARY_PATH=$folder ./shared || fault "the example fails"

# Static: with the static library alone.
rm -f "$folder"/libqpel.so*
# shellcheck disable=SC2046,SC2086
$cc -std=c11 -Wall -Wextra -Werror $(pkg-config --cflags qpel) "$source/examples/predict.c" \
    -o static $(pkg-config --static --libs qpel) || fault "the example does not build statically"
./static || fault "the static example fails"
