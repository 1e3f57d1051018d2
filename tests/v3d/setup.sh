#!/bin/sh
# Makes the arm64 sysroot with Mesa's V3D driver and builds the two programs.
# Usage: setup.sh [DIR]     (default: $V3D_SYSROOT or ${XDG_CACHE_HOME:-$HOME/.cache}/v3d-sysroot)
# Needs: apt, dpkg-deb, aarch64-linux-gnu-gcc, qemu-aarch64-static.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../../tools/setup.sh
. "$here/../../tools/setup.sh"
dir=${1:-${V3D_SYSROOT:-${XDG_CACHE_HOME:-$HOME/.cache}/v3d-sysroot}}
suite=${V3D_SUITE:-trixie}
cross=${CROSS_COMPILE:-aarch64-linux-gnu-}

for tool in apt-get dpkg-deb "${cross}gcc" qemu-aarch64-static; do
    command -v "$tool" >/dev/null || {
        echo "setup.sh: $tool is missing (packages: gcc-aarch64-linux-gnu qemu-user-static)" >&2
        exit 1
    }
done

# What libvulkan_broadcom.so is linked with, and headers to build with.  The
# packages are unpacked, never installed, so the other drivers' needs (LLVM)
# are left out.
packages='mesa-vulkan-drivers libvulkan1 libvulkan-dev libdrm2 libdrm-dev
    libc6 libgcc-s1 libstdc++6 zlib1g libzstd1 libexpat1 libffi8
    libwayland-client0 libx11-6 libx11-xcb1 libxau6 libxdmcp6 libbsd0 libmd0
    libxcb1 libxcb-dri3-0 libxcb-present0 libxcb-randr0 libxcb-shm0
    libxcb-sync1 libxcb-xfixes0 libxshmfence1'

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
stamp=$dir/.unpacked-$suite

if [ ! -e "$stamp" ]; then
    rm -rf "${dir:?}/usr" "${dir:?}/etc" "${dir:?}/lib" "$dir"/.unpacked-*
    mkdir -p "$dir/usr/lib"
    ln -s usr/lib "$dir/lib"
    # shellcheck disable=SC2086
    unpack_packages "$dir" "$suite" arm64 $packages
    : >"$stamp"
fi

# -isystem: only libdrm's and Vulkan's headers are in the sysroot.
mkdir -p "$dir/bin"
cflags="-std=c11 -O2 -Wall -Wextra -isystem $dir/usr/include -isystem $dir/usr/include/libdrm"
# shellcheck disable=SC2086
"${cross}gcc" $cflags -fPIC -shared -o "$dir/bin/noop_drm.so" "$here/noop_drm.c" -ldl -pthread
# shellcheck disable=SC2086
"${cross}gcc" $cflags -o "$dir/bin/v3d-cost" \
    "$here/main.c" "$here/driver.c" "$here/info.c" "$here/assembly.c" "$here/measure.c" -ldl
echo "ready: $dir"
