#!/bin/sh
# The modelled issue bound of real pictures on V3D 7.1 and 4.2: luma with all its passes, and chroma.
#
# Usage: picture.sh [--json FILE] [BUILDDIR [TRACE...]]
#
# BUILDDIR is a configured build of this project with the Vulkan backend and the benchmark; without
# it build-v3d is made. tests/v3d/setup.sh keeps the driver's files in the cache (V3D_SYSROOT moves
# them). Traces: those of the test data. Compiling the shaders under emulation takes minutes.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
v3d=$root/tests/v3d
json=
if [ "${1-}" = --json ]; then
    json=$2
    shift 2
fi
build=${1:-}
[ $# -eq 0 ] || shift
# shellcheck source=../../tests/v3d/prepare.sh
. "$v3d/prepare.sh"
ninja -C "$build" shaders/spirv_arrays.h bench/qpel-plan >&2
[ $# -gt 0 ] || set -- "$root"/tests/data/traces/*.qtrace

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What the shaders agree on with their host, asked of the header that both include.
interface() {
    printf '#include "picture_interface.h"\n#define FOUR(type, name) + 4\n%s\n' "$1" |
        "${CC:-cc}" -E -P -I "$root/shaders" - | tail -n 1
}
push=$(($(interface 'QPEL_PICTURE_PUSH_CONSTANTS(FOUR)')))
step=$(interface QPEL_SPEC_STEP)
interleaved=$(interface QPEL_SPEC_INTERLEAVED)
most=$(interface QPEL_SPEC_MOST_ROWS)
families=$(interface QPEL_SPEC_FAMILIES)
chroma=$(interface QPEL_SPEC_CHROMA)

# NAME FILE SAMPLES TRIPS CONSTANTS. Loops: one kernel's luma runs once for each four rows, or
# with weights for each; narrow runs for two rows of two halves; extend for a row's words.
shaders=$build/shaders
for n in 0 1 2; do
    for rows in 4 8 16; do
        for kernel in $("$root/shaders/families.py" "$root/src/positions.h" QPEL_KERNELS); do
            case $kernel in
            COPY | DIAGONAL | CENTRE_V) each=1 ;;
            *) each="1 2" ;;
            esac
            [ $kernel/$n = CENTRE_V/2 ] && trips=$rows || trips=$((rows / 4))
            for family in $each; do
                echo "luma/$kernel/$n/$rows/$family $shaders/picture_$kernel.spv 32 $trips" \
                    "$step=$n $most=$rows $families=$family"
            done
        done
        for pair in 0 1; do
            [ $pair = 1 ] && name=nv12 || name=planar
            echo "$name/$n/$rows $shaders/picture_chroma.spv 32 1 $step=$n $most=$rows" \
                "$interleaved=$pair"
        done
    done
    echo "narrow/$n $shaders/picture_narrow.spv 16 2 $step=$n"
done >"$work/jobs"
{
    echo "extend/luma $shaders/picture_extend.spv 16 4"
    echo "extend/nv12 $shaders/picture_extend.spv 16 4 $chroma=1 $interleaved=1"
    echo "extend/planar $shaders/picture_extend.spv 16 4 $chroma=1 $interleaved=0"
} >>"$work/jobs"

measure() {
    V3D_VER=$1 "$v3d/v3d-cost" --layout s/s/s/s --push "$push" --json --jobs "$work/jobs"
}
measure 71 >"$work/71" &
measure 42 >"$work/42"
wait $!
"$build/bench/qpel-plan" "$@" >"$work/plans"
"$here/picture.py" ${json:+--json "$json"} "$work/plans" "$work/71" "$work/42"
