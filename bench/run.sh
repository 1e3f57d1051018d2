#!/bin/sh
# The main job: builds the library and qpel-bench, installs first what that needs (Debian, Raspberry
# Pi OS), and runs it. Arguments go to qpel-bench (--help tells them):
#
#     bench/run.sh                     decode, pictures, kernels
#     bench/run.sh --quick             the same in under a minute
#     bench/run.sh FILE.264            a stream of your own
#     bench/run.sh --compare           all 96 functions against FFmpeg's
#
# QPEL_BUILD names another build directory than build-bench.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
build=${QPEL_BUILD:-$root/build-bench}

# shellcheck source=tools/setup.sh
. "$root/tools/setup.sh"
ensure_packages bench

configure()
{
    [ -f "$build/build.ninja" ] || meson setup --buildtype=release -Dbench=enabled \
        -Dtests=disabled -Dtools=disabled -Dexamples=disabled "$build" "$root"
}

log=$(mktemp)
echo "building qpel-bench in $build" >&2
if ! { configure && meson compile -C "$build" qpel-bench; } >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    rm -f "$log"
    echo "the build failed" >&2
    exit 1
fi
rm -f "$log"
exec "$build/bench/qpel-bench" "$@"
