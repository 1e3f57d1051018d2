#!/bin/sh
# Asks the V3D compiler what each shader costs, and fails where a budget is passed.
#
# Usage: run.sh [--json FILE] [BUILDDIR]
#
# BUILDDIR is a configured build of this project with the Vulkan backend; without it build-v3d is
# made. setup.sh keeps the driver's files in the cache (V3D_SYSROOT moves them). budgets.txt has the
# limits. The last line is "N passed, N failed".
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
json=
if [ "${1-}" = --json ]; then
    json=$2
    shift 2
fi
build=${1:-}
# shellcheck source=prepare.sh
. "$here/prepare.sh"
ninja -C "$build" shaders/spirv_arrays.h >&2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What the shaders agree on with their host, asked of the header that both include.
interface() {
    printf '#include "interface.h"\n#define FOUR(type, name) + 4\n%s\n' "$1" |
        "${CROSS_COMPILE:-aarch64-linux-gnu-}gcc" -E -P -I "$root/shaders" - | tail -n 1
}
push=$(($(interface 'QPEL_PUSH_CONSTANTS(FOUR)')))
columns=$(interface QPEL_STRIP_COLUMNS)
families=$("$root/shaders/families.py" "$root/src/positions.h" QPEL_FAMILIES)

size_id=$(interface QPEL_SPEC_SIZE)
operation_id=$(interface QPEL_SPEC_OPERATION)
aligned_id=$(interface QPEL_SPEC_ALIGNED)

# report.py knows which shaders there must be. Loops, where there are any, run once for each four
# rows.
# shellcheck disable=SC2086
"$here/report.py" --list "$here/budgets.txt" $families >"$work/names"
while IFS=/ read -r family size operation stride; do
    rows=$(($(interface "QPEL_STRIP_ROWS($size)")))
    case $operation in put) avg=0 ;; *) avg=1 ;; esac
    case $stride in aligned) aligned=1 ;; *) aligned=0 ;; esac
    echo "$family/$size/$operation/$stride $build/shaders/$family.spv" \
        "$((rows * columns)) $((rows / 4))" \
        "$size_id=$size $operation_id=$avg $aligned_id=$aligned"
done <"$work/names" >"$work/jobs"

# One set for each kind of buffer, a storage buffer in each.
measure() {
    V3D_VER=$1 "$here/v3d-cost" --layout s/s/s --push "$push" --json --jobs "$2"
}
measure 71 "$work/jobs" >"$work/71" &
measure 42 "$work/jobs" >"$work/42"
wait $!
cat "$work/71" "$work/42" >"$work/measured"

judge() { # BUDGETS LINES [OPTION]...
    budgets=$1
    lines=$2
    shift 2
    # shellcheck disable=SC2086
    "$here/report.py" "$@" "$budgets" $families <"$lines"
}
judge "$here/budgets.txt" "$work/measured" ${json:+--json "$json"} >"$work/report" || true
sed '$d' "$work/report"
tail -n 1 "$work/report" >"$work/summary"
read -r passed _ failed _ <"$work/summary" # "N passed, N failed"

# The suite itself: what must not pass does not.
must_fail() { # WHAT BUDGETS LINES
    if judge "$2" "$3" --quiet >"$work/judged"; then
        echo "FAILED: $1 passes"
        failed=$((failed + 1))
    else
        echo "caught: $1 ($(tail -n 1 "$work/judged"))"
        passed=$((passed + 1))
    fi
}
awk '$1 == "CENTRE" { $2 /= 2 } { print }' "$here/budgets.txt" >"$work/tight"
must_fail 'half the budget of one family' "$work/tight" "$work/measured"
sed 1d "$work/measured" >"$work/short"
must_fail 'a shader that was not measured' "$here/budgets.txt" "$work/short"
glslang=$(command -v glslangValidator || command -v glslang)
"$glslang" -V --quiet --target-env vulkan1.1 -o "$work/spill.spv" "$here/spill.comp"
echo "COPY/4/avg/aligned $work/spill.spv 16 1" >"$work/spill"
measure 71 "$work/spill" 2>/dev/null | cat "$work/measured" - >"$work/spilled"
must_fail 'a shader that spills' "$here/budgets.txt" "$work/spilled"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
