#!/bin/sh
# Compares libqpel's NEON kernels with FFmpeg's on a machine that has no Arm: each function is
# called once under qemu, and llvm-mca predicts the cycles of the instructions that it executed.
# Installs what is missing (Debian). What the figures leave out: model.py.
#
#   bench/arm/run.sh [OPTION...]
#     --build DIR    build there; default build/arm, or QPEL_BUILD
#     --cc COMPILER  for AArch64, such as "clang --target=aarch64-linux-gnu"; default gcc
#     --json FILE    the figures, for programs
#     --no-install   never install packages
set -eu
root=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)

build=${QPEL_BUILD:-$root/build/arm}
cc=aarch64-linux-gnu-gcc
json=
install=yes
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift ;;
    --cc) cc=$2; shift ;;
    --json) json=$2; shift ;;
    --no-install) install= ;;
    -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d'; exit 0 ;;
    *) echo "$0: unknown option $1, see --help" >&2; exit 2 ;;
    esac
    shift
done

# llvm's model of the Neoverse N1 came with llvm 16.
find_mca()
{
    for version in 22 21 20 19 18 17 16; do
        if command -v "llvm-mca-$version"; then
            return 0
        fi
    done
    return 1
}

# shellcheck source=../../tools/setup.sh
. "$root/tools/setup.sh"
if [ -n "$install" ]; then
    # shellcheck disable=SC2046
    ensure_packages arm $(find_mca >/dev/null || echo llvm-19)
fi
mca=$(find_mca) || { echo "$0: llvm-mca of llvm 16 or later is missing" >&2; exit 1; }

mkdir -p "$build"
build=$(CDPATH= cd -- "$build" && pwd)
log=$build/log

# The cross file's compiler, or the one asked for.
cross_file()
{
    sed "s|^c = .*|c = [$(printf "'%s'," $cc)]|" "$root/cross/aarch64-linux-gnu.ini" \
        >"$build/cross.ini"
}

make_calls()
{
    libraries=$build/sysroot/usr/lib/aarch64-linux-gnu
    # FFmpeg's static libraries for arm64.
    [ -f "$build/sysroot/packages" ] || unpack_packages "$build/sysroot" \
        "$(. /etc/os-release && echo "$VERSION_CODENAME")" arm64 libavcodec-dev libavutil-dev ||
        return 1
    cross_file
    rm -rf "$build/qpel"
    meson setup "$build/qpel" "$root" --cross-file "$build/cross.ini" --default-library=static \
        -Dvulkan=disabled -Dneon=enabled -Dtests=disabled -Dbench=disabled -Dtools=disabled \
        -Dexamples=disabled || return 1
    ninja -C "$build/qpel" || return 1
    aarch64-linux-gnu-gcc -O2 -static -no-pie -I"$root/include" -o "$build/calls" \
        "$root/bench/arm/calls.c" "$root/bench/arm/measured.c" "$build/qpel/libqpel.a" \
        "$libraries/libavcodec.a" "$libraries/libavutil.a" -lm -lpthread
}

echo "building in $build" >&2
if ! make_calls >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "the build failed" >&2
    exit 1
fi

# An instruction a translated block, each entered by name: the trace is what was executed.
qemu-aarch64-static -singlestep -d exec,nochain -D "$build/trace" "$build/calls" >"$build/names"
echo "$($cc --version | head -n 1); $(grep '^libavcodec-dev ' "$build/sysroot/packages");" \
    "$("$mca" --version | sed -n 's/^ *//; /version/p' | tail -n 1)"
python3 "$root/bench/arm/model.py" --mca "$mca" ${json:+--json "$json"} \
    "$build/calls" "$build/names" "$build/trace"
rm -f "$build/trace"
echo
aarch64-linux-gnu-size "$build"/qpel/src/cpu/libqpel_layer_*.a.p/*.o \
    "$build"/qpel/src/cpu/arm/libqpel_layer_*.a.p/*.o | sed "s|$build/qpel/||"
