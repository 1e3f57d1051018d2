#!/bin/sh
# Builds for another architecture and tests there under qemu, on models of CPU with more features and
# with fewer. Installs what is missing (Debian); the target's libraries are unpacked in the cache.
#
#   cross/run.sh [OPTION...] ARCH...
#     --build DIR   build in DIR/ARCH; default build/cross, or QPEL_BUILD
#     --no-install  never install packages
#   ARCH: aarch64; armhf; x86_64, which is the machine's own, on CPUs that it is not.
set -eu
root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source=../tools/setup.sh
. "$root/tools/setup.sh"

build=${QPEL_BUILD:-$root/build/cross}
install=yes
architectures=
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift ;;
    --no-install) install= ;;
    -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d'; exit 0 ;;
    aarch64 | armhf | x86_64) architectures="$architectures $1" ;;
    *) echo "$0: unknown option or architecture $1, see --help" >&2; exit 2 ;;
    esac
    shift
done
[ -n "$architectures" ] || { echo "$0: which architecture? See --help" >&2; exit 2; }
mkdir -p "$build"
build=$(CDPATH= cd -- "$build" && pwd)
[ -z "$install" ] || ensure_packages cross

suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
passed=0
failed=0

# outcome WHAT COMMAND...: runs it, and counts how it ended.
outcome()
{
    what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
        echo "passed: $what"
    else
        failed=$((failed + 1))
        echo "FAILED: $what"
    fi
}

# sysroot ARCHITECTURE PACKAGE...: sets $sysroot.
sysroot()
{
    sysroot=${XDG_CACHE_HOME:-$HOME/.cache}/qpel-sysroot-$suite-$1
    [ -f "$sysroot/packages" ] || unpack_packages "$sysroot" "$suite" "$@"
}

# configure MESON_OPTION...: in $dir; for $triplet with the sysroot's libraries, or natively.
configure()
{
    set -- --werror -Dvulkan=disabled -Dtests=enabled -Ddocs=disabled "$@"
    if [ -n "$triplet" ]; then
        mkdir -p "$dir"
        cat >"$dir.ini" <<END
[properties]
sys_root = '$sysroot'
pkg_config_libdir = ['$sysroot/usr/lib/$triplet/pkgconfig']
END
        set -- --cross-file "$root/cross/$triplet.ini" --cross-file "$dir.ini" "$@"
        export QEMU_LD_PREFIX="/usr/$triplet"
        export QEMU_SET_ENV="LD_LIBRARY_PATH=$sysroot/usr/lib/$triplet"
    fi
    if [ -f "$dir/build.ninja" ]; then
        ninja -C "$dir"
    else
        meson setup "$dir" "$root" "$@" && ninja -C "$dir"
    fi
}

# All tests, on a model.
whole_suite()
{
    QEMU_CPU=$1 meson test -C "$dir" --no-rebuild --suite cpu --timeout-multiplier 4 \
        --print-errorlogs
}

# test_program CPU NAME [ARG]: one of them, on another model.
test_program()
{
    log=$dir/$2.$1.log
    QPEL_TEST_SLOW=1 QEMU_CPU=$1 "$emulator" "$dir/tests/test_$2" ${3:+"$3"} >"$log" 2>&1 ||
        { tail -n 20 "$log"; return 1; }
}

# The layers that the tests found, weakest first, are those that the model can run.
layers_are()
{
    layers=$(sed -n 's/^# layer //p' "$dir/dsp.$1.log" | tr '\n' ' ')
    [ "$layers" = "$2 " ] || { echo "layers: $layers"; return 1; }
}

# on_model CPU LAYERS: what depends on the CPU.
on_model()
{
    outcome "$arch $1: test_dsp" test_program "$1" dsp
    outcome "$arch $1: layers $2" layers_are "$1" "$2"
    outcome "$arch $1: test_goldens" test_program "$1" goldens
    outcome "$arch $1: test_api_h264" test_program "$1" api_h264 cpu
}

# lacks CPU INSTRUCTION FLAG...: the model stops at an instruction that it should not know. Else
# that the tests pass on it would prove nothing.
lacks()
{
    cpu=$1
    printf 'int main(void) { __asm__ volatile("%s"); return 0; }\n' "$2" >"$dir/lacks.c"
    shift 2
    "${triplet:+$triplet-}gcc" "$@" -static -o "$dir/lacks" "$dir/lacks.c" || return 1
    QEMU_CPU=max "$emulator" "$dir/lacks" || return 1
    # 128 and SIGILL; without a core file, and without the shell's remark.
    status=0
    (ulimit -c 0; QEMU_CPU=$cpu "$emulator" "$dir/lacks"; exit $?) 2>/dev/null || status=$?
    [ "$status" = 132 ] || { echo "status $status"; return 1; }
}

# Streams decoded by libavcodec on our functions. The benchmark knows its clip by the file's name,
# and decodes it again and again for a figure: here it goes by another.
decode()
{
    rm -rf "$dir/data"
    mkdir -p "$dir/data/streams"
    for stream in "$root"/tests/data/streams/*.264; do
        ln -s "$stream" "$dir/data/streams/once_$(basename "$stream")"
    done
    QEMU_CPU=$1 "$emulator" "$dir/bench/qpel-bench" --decode --data "$dir/data" \
        >"$dir/decode.log" || { cat "$dir/decode.log"; return 1; }
    sed -n '/^decode:/,/^$/p' "$dir/decode.log"
    grep -q 'equal, all planes' "$dir/decode.log"
}

aarch64()
{
    triplet=aarch64-linux-gnu emulator=qemu-aarch64-static
    sysroot arm64 libcmocka-dev libcmocka0 libavcodec-dev libavutil-dev libswresample-dev \
        zlib1g-dev zlib1g
    configure -Dneon=enabled -Dbench=enabled
    outcome "aarch64 max: all tests" whole_suite max
    on_model cortex-a72 "c neon"
    on_model cortex-a76 "c neon"
    outcome "aarch64 max: decoding" decode max
}

armhf()
{
    triplet=arm-linux-gnueabihf emulator=qemu-arm-static
    sysroot armhf libcmocka-dev libcmocka0
    configure -Dneon=enabled -Dbench=disabled
    outcome "armhf max: all tests" whole_suite max
    on_model cortex-a15 "c neon"
    outcome "armhf cortex-a15,neon=off: no NEON" \
        lacks cortex-a15,neon=off 'vadd.i8 q0, q0, q0' -mfpu=neon
    on_model cortex-a15,neon=off "c"
}

x86_64()
{
    triplet='' emulator=qemu-x86_64-static
    configure -Dx86=enabled -Dbench=disabled
    on_model max "c ssse3 avx2"
    outcome "x86_64 Nehalem: no AVX2" lacks Nehalem 'vpabsb %ymm0, %ymm0'
    on_model Nehalem "c ssse3"
    outcome "x86_64 qemu64: no SSSE3" lacks qemu64 'pabsb %xmm0, %xmm0'
    on_model qemu64 "c"
}

for arch in $architectures; do
    dir=$build/$arch
    "$arch"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
