#!/bin/sh
# The test command: installs what is missing (Debian, Raspberry Pi OS), builds and runs all tests.
#
#   tests/run.sh [OPTION...] [TEST...]
#     --build DIR           build there; default build/tests, or QPEL_BUILD
#     --sanitize LIST       with sanitizers: address,undefined or thread
#     --valgrind            under valgrind, the tests of suite cpu
#     --suite NAME          only cpu (needs no device) or gpu
#     -D OPTION=VALUE       for Meson, such as -Dvulkan=disabled
#     --no-install          never install packages
#   TEST: names, as the summary prints them. QPEL_TEST_SEED draws other data.
set -u
root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd) || exit 1

build=${QPEL_BUILD:-}
sanitize=
valgrind=
suite=
install=yes
options=
tests=
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift ;;
    --sanitize) sanitize=$2; shift ;;
    --valgrind) valgrind=yes ;;
    --suite) suite=$2; shift ;;
    --no-install) install= ;;
    -D) options="$options -D$2"; shift ;;
    -D*) options="$options $1" ;;
    -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) echo "$0: unknown option $1, see --help" >&2; exit 2 ;;
    *) tests="$tests $1" ;;
    esac
    shift
done

kind=tests
[ -z "$sanitize" ] || kind=tests-$(echo "$sanitize" | tr ',' '-')
[ -z "$valgrind" ] || kind=tests-valgrind
build=${build:-$root/build/$kind}

if [ -n "$install" ]; then
    # shellcheck source=../tools/setup.sh
    . "$root/tools/setup.sh"
    # shellcheck disable=SC2086
    ensure_packages tests ${valgrind:+valgrind} || exit 1
fi

# ---- configure and build ----

options="$options -Dbench=disabled"
if [ -n "$sanitize" ]; then
    # Mappings and their faults are what tests/guard.c is about; the rest is stopped at.
    options="$options -Db_sanitize=$sanitize -Db_lundef=false -Dbuildtype=debugoptimized"
    suppressions=$root/tests/suppressions
    export ASAN_OPTIONS="detect_stack_use_after_return=1:allocator_may_return_null=1:${ASAN_OPTIONS:-}"
    export LSAN_OPTIONS="suppressions=$suppressions/lsan.txt:print_suppressions=0"
    export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1"
    export TSAN_OPTIONS="suppressions=$suppressions/tsan.txt:halt_on_error=1"
fi
jobs=$(nproc 2>/dev/null || echo 2)
if [ -f "$build/build.ninja" ]; then
    # shellcheck disable=SC2086
    meson configure "$build" $options || exit 1
else
    # shellcheck disable=SC2086
    meson setup "$build" "$root" $options || exit 1
fi
ninja -C "$build" -j "$jobs" || exit 1

# ---- run ----

set -- --print-errorlogs
[ -z "$suite" ] || set -- "$@" --suite "$suite"
if [ -n "$valgrind" ]; then
    [ -n "$suite" ] || set -- "$@" --suite cpu
    export QPEL_TEST_SLOW=1
    set -- "$@" --no-suite script --timeout-multiplier 20 --wrapper \
        "valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite \
--suppressions=$root/tests/suppressions/valgrind.supp"
elif [ -n "$sanitize" ]; then
    set -- "$@" --timeout-multiplier 5
fi
# shellcheck disable=SC2086
meson test -C "$build" --no-rebuild "$@" $tests
status=$?

# ---- the summary ----

exec python3 - "$build/meson-logs" "$status" <<'PYTHON'
import json, pathlib, re, sys

logs, status = pathlib.Path(sys.argv[1]), int(sys.argv[2])
log = max(logs.glob("testlog*.json"), key=lambda p: p.stat().st_mtime, default=None)
counts = {"passed": 0, "failed": 0, "skipped": 0}
backends, seeds, notes = {}, set(), []
for line in log.read_text().splitlines() if log else []:
    test = json.loads(line)
    out = test.get("stdout", "")
    name = test["name"].split(" / ")[-1]
    kind = {"OK": "passed", "EXPECTEDFAIL": "passed", "SKIP": "skipped"}.get(test["result"], "failed")
    counts[kind] += 1
    if kind != "passed":
        why = re.findall(r"^# (?:skipped: )?(.*)", out, re.M)
        notes.append(f"{kind}: {name}" + (f" ({why[-1]})" if why and kind == "skipped" else ""))
    else:
        for why, case in re.findall(r"^# skipped: (.*)\n\[  SKIPPED \] (\S+)", out, re.M):
            notes.append(f"skipped in {name}: {case} ({why})")
    seeds.update(re.findall(r"^# (QPEL_TEST_SEED=\d+)", out, re.M))
    if "not validated" in out:
        notes.append(f"without the validation layer: {name}")
    if name.startswith("api_h264"):
        for exact, tail in re.findall(r"^H\.264 qpel .*\((\S+)%\) \S+ \S+ (.*)$", out, re.M):
            good, total = backends.get(tail, (0, 0))
            backends[tail] = (good + (exact == "100.0000"), total + 1)
print()
for tail, (good, total) in backends.items():
    print(f"{tail}: {good} of {total} kernels bit-exact")
print("\n".join(sorted(set(notes)) + sorted(seeds)))
if not sum(counts.values()):
    print("no test ran")
print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
sys.exit(status or (1 if counts["failed"] or not sum(counts.values()) else 0))
PYTHON
