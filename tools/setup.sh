# Sourced by the run.sh of tests, bench and bench/arm: the packages that they need on Debian and
# Raspberry Pi OS, in one list, and how they are installed. POSIX sh.

# Needed to build at all.
packages_build="meson ninja-build pkg-config python3 gcc libc6-dev"
# The Vulkan backend: to build it, and to run it (Mesa brings V3D and a software device).
packages_vulkan="libvulkan-dev libvulkan-volk-dev glslang-tools spirv-tools libvulkan1
    mesa-vulkan-drivers"
# The decoder that examples/decoder/ is made of and the benchmark compares with, and what its static
# library links with.
packages_avcodec="libavcodec-dev libavutil-dev zlib1g-dev"
packages_tests="libcmocka-dev vulkan-validationlayers g++ locales $packages_avcodec"
packages_bench="$packages_avcodec libavformat-dev gnuplot-nox"
# bench/arm/run.sh; llvm-mca beside them.
packages_arm="gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static"

package_installed()
{
    dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

# Prints those of its arguments that are not installed.
packages_missing()
{
    for package; do
        package_installed "$package" || printf '%s ' "$package"
    done
}

# As root, by sudo where that asks for no password or there is a terminal to ask on; else fails.
as_root()
{
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        sudo "$@"
    else
        return 1
    fi
}

# Installs what is there of a list of packages; names that this release lacks are left out.
packages_install()
{
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q update || true
    known=
    for package; do
        if apt-cache show "$package" >/dev/null 2>&1; then
            known="$known $package"
        else
            echo "note: this system has no package $package" >&2
        fi
    done
    # shellcheck disable=SC2086
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -q -y --no-install-recommends install $known
}

# ensure_packages tests|bench|arm [PACKAGE...]: installs what is missing. Fails, having said what to
# install, where the build can't go on without it; the rest shows as skipped tests or parts.
ensure_packages()
{
    case $1 in
    tests) wanted="$packages_vulkan $packages_tests" ;;
    bench) wanted="$packages_vulkan $packages_bench" ;;
    arm) wanted=$packages_arm ;;
    *) echo "ensure_packages: what is '$1'?" >&2; return 2 ;;
    esac
    shift
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        echo "note: not a Debian system. Needed, by Debian's names:" $packages_build \
            $wanted "$@" >&2
        return 0
    fi
    # shellcheck disable=SC2086
    missing=$(packages_missing $packages_build $wanted "$@")
    [ -n "$missing" ] || return 0
    echo "installing: $missing" >&2
    # shellcheck disable=SC2086
    packages_install $missing >&2 || true
    # shellcheck disable=SC2086
    missing=$(packages_missing $packages_build $wanted "$@")
    [ -n "$missing" ] || return 0
    echo "not installed: $missing" >&2
    echo "to install them: sudo apt-get install $missing" >&2
    # shellcheck disable=SC2086
    [ -z "$(packages_missing $packages_build)" ]
}
