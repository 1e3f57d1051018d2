# Sourced by the run.sh of tests, bench, bench/arm, cross and tests/v3d: the packages that they need
# on Debian and Raspberry Pi OS, in one list, and how they are installed or unpacked. POSIX sh.

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
# cross/run.sh.
packages_cross="gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross
    gcc-arm-linux-gnueabihf g++-arm-linux-gnueabihf libc6-dev-armhf-cross
    qemu-user-static libcmocka-dev"

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

# ensure_packages tests|bench|arm|cross [PACKAGE...]: installs what is missing. Fails, having said
# what to install, where the build can't go on without it; the rest shows as skipped tests or parts.
ensure_packages()
{
    case $1 in
    tests) wanted="$packages_vulkan $packages_tests" ;;
    bench) wanted="$packages_vulkan $packages_bench" ;;
    arm) wanted=$packages_arm ;;
    cross) wanted=$packages_cross ;;
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

# unpack_packages DIR SUITE ARCHITECTURE PACKAGE...: unpacks a Debian release's packages, of any
# architecture, from this machine's own mirror; installs nothing and needs no root. What they
# depend on is not followed. DIR/packages then has a line for each, "name version", and its
# presence tells that all are there.
unpack_packages()
{
    (
        into=$1 suite=$2 architecture=$3
        shift 3
        mkdir -p "$into" && into=$(CDPATH= cd -- "$into" && pwd) || exit 1
        work=$into/.apt
        rm -rf "$work" "$into/packages"
        mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/debs" || exit 1
        : >"$work/status"
        # shellcheck disable=SC2016
        uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
            'Origin: Debian' 'Component: main' | grep -v security | head -n 1)
        [ -n "$uri" ] || { echo "no Debian mirror in apt's configuration" >&2; exit 1; }
        cat >"$work/sources.sources" <<END
Types: deb
URIs: $uri
Suites: $suite
Components: main
Architectures: $architecture
Targets: Packages
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
        own_apt()
        {
            apt-get -qq -oDir::Etc::sourcelist="$work/sources.sources" \
                -oDir::Etc::sourceparts=- -oDir::State::Lists="$work/lists" \
                -oDir::State::status="$work/status" -oDir::Cache="$work/cache" \
                -oAPT::Architecture="$architecture" -oAPT::Architectures="$architecture" \
                -oAPT::Sandbox::User="$(id -un)" "$@"
        }
        own_apt update && cd "$work/debs" && own_apt download "$@" || exit 1
        for package in *.deb; do
            # shellcheck disable=SC2016
            dpkg-deb -x "$package" "$into" && dpkg-deb --show \
                --showformat '${Package} ${Version}\n' "$package" >>"$work/packages" || exit 1
        done
        mv "$work/packages" "$into/packages" && rm -rf "$work"
    )
}
