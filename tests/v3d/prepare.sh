# shellcheck shell=sh
# Sourced by what measures shaders; $root is the project's. Gets the driver ready, in V3D_SYSROOT, and
# sets $build, where that is empty, to a build that has the shaders.
V3D_SYSROOT=${V3D_SYSROOT:-${XDG_CACHE_HOME:-$HOME/.cache}/v3d-sysroot}
export V3D_SYSROOT
"$root/tests/v3d/setup.sh" >&2
V3D_SYSROOT=$(cd "$V3D_SYSROOT" && pwd)

if [ -z "$build" ]; then
    build=$root/build-v3d
    [ -e "$build/build.ninja" ] || meson setup "$build" "$root" -Dvulkan=enabled -Dtests=disabled \
        -Dtools=disabled -Dexamples=disabled >&2
fi
build=$(cd "$build" && pwd)
