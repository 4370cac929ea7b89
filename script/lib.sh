# shellcheck shell=bash
# Common parts of the scripts: changes to the project's folder, provides a writable HOME, and formats messages. Sourced by the other
# scripts, never run on its own.

CDPATH='' cd -- "$(dirname "${BASH_SOURCE[0]}")/.." || exit

say() { printf '== %s\n' "$*"; }

fail() {
    printf '%s: %s\n' "script/${0##*/}" "$*" >&2
    exit 1
}

# The compiler and the package manager keep caches under HOME; without a writable one they get a folder of the project.
if [ -z "${HOME:-}" ] || [ ! -w "$HOME" ]; then
    export HOME="$PWD/.build/home"
    mkdir -p "$HOME" 2>/dev/null || fail "cannot write to $PWD/.build: everything is built there; use a clone of your own"
fi

# The Swift sources to format and lint.
# shellcheck disable=SC2034
swift_sources=(
    Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources Fuzzing/Package.swift Fuzzing/Sources/fuzz
)

# All scripts build with the same flags: different ones would rebuild the whole package.
# shellcheck disable=SC2034
debug_build=(-Xswiftc -warnings-as-errors)

# install_packages PACKAGE...: installs them with apt-get, or fails with a list of them. Services are not started: the tests and the
# benchmark start their own.
install_packages() {
    local needs="needs $* (as Debian calls them)" as_root
    command -v apt-get >/dev/null || fail "$needs; there is no apt-get here; install them with your system's package manager"
    if [ "$(id -u)" -eq 0 ]; then
        as_root=(env)
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        as_root=(sudo -n env)
    else
        fail "$needs; run as root: apt-get install $*"
    fi
    say "installing $*"
    as_root+=(RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get -qq)
    { "${as_root[@]}" update && "${as_root[@]}" install -y --no-install-recommends "$@"; } </dev/null >/dev/null ||
        fail "apt-get could not install $*; its own message is above"
}

# install_tools TOOL[:PACKAGE]...: installs the packages of tools that are not on PATH.
install_tools() {
    local tool missing=()
    for tool in "$@"; do
        command -v "${tool%%:*}" >/dev/null || missing+=("${tool##*:}")
    done
    if [ ${#missing[@]} -gt 0 ]; then install_packages "${missing[@]}"; fi
}

# swift_tests [ARGUMENT...]: runs the tests that are already built and prints `N passed, N failed` at the end. Returns 0 only if all
# passed. Without arguments the end-to-end tests run in a second process at the same time, because they mostly wait. The whole
# output is in .build/tests.log (.build/tests-2.log for the second process); lines about starting tests are not shown. Tests that
# have not finished after ASSOCIATED_TEST_MINUTES (default: 25) are listed and killed.
swift_tests() {
    local part arguments log status=0 total failed passed=0 failures=0 skipped=0 runners=() logs=(.build/tests.log)
    local parts=("$*")
    if [ $# -eq 0 ]; then
        parts=("--skip ^EndToEndTests" "--filter ^EndToEndTests")
        logs+=(.build/tests-2.log)
    fi
    # Removed with everything that the tests leave in it. Tests that run as other users write there too.
    TMPDIR=$(mktemp -d)
    export TMPDIR
    chmod 1777 "$TMPDIR"
    for part in "${!parts[@]}"; do
        read -ra arguments <<<"${parts[part]}"
        # To a file, because a process left by a test would keep a pipe open.
        timeout --foreground --signal=INT --kill-after=20 "${ASSOCIATED_TEST_MINUTES:-25}m" swift test --skip-build \
            --ignore-lock --disable-xctest "${debug_build[@]}" "${arguments[@]}" >"${logs[part]}" 2>&1 &
        runners+=($!)
    done
    trap 'kill "${runners[@]}" 2>/dev/null || true; remove_scratch' EXIT
    for part in "${!parts[@]}"; do
        tail --lines=+1 --follow --pid="${runners[part]}" "${logs[part]}" | sed --unbuffered '/^◇/d' &
    done
    for part in "${!parts[@]}"; do wait "${runners[part]}" || status=$?; done
    wait
    trap - EXIT
    remove_scratch
    unset TMPDIR
    for log in "${logs[@]}"; do
        total=$(sed -n 's/.* Test run with \([0-9]*\) tests\{0,1\} .*/\1/p' "$log" | tail -n 1)
        if [ -z "$total" ]; then
            pkill -KILL -f "^$PWD/.build/[^ ]*/(associated|associatedPackageTests.xctest)( |\$)" || true
            unfinished_tests "$log"
            say "the end of the output"
            sed '/^◇/d' "$log" | tail -n 20
            fail "the tests did not finish (status $status); $log has their output"
        fi
        failed=$(sed -n '/ Test run with /d; /^✘ Test .* failed after [0-9.]* seconds/p' "$log" | wc -l)
        skipped=$((skipped + $(sed -n '/^➜ Test .* skipped/p' "$log" | wc -l)))
        failures=$((failures + failed))
        passed=$((passed + total - failed))
    done
    printf '%d passed, %d failed' $((passed - skipped)) "$failures"
    if [ "$skipped" -gt 0 ]; then printf ', %d skipped' "$skipped"; fi
    printf '\n'
    return "$status"
}

# Removes the folder of the tests. A server that a test has killed ends a moment later than the test, and may still write to it.
remove_scratch() {
    local attempt
    for attempt in {1..20}; do
        rm -rf "$TMPDIR" 2>/dev/null && return
        sleep 0.5
    done
    say "could not remove $TMPDIR ($attempt attempts)"
}

# unfinished_tests LOG: the tests that have started and not finished.
unfinished_tests() {
    say "not finished"
    comm -23 <(sed -n 's/^◇ Test \("[^"]*"\|[^ ]*()\) started\.$/\1/p' "$1" | sort) \
        <(sed -n 's/^[✔✘] Test \("[^"]*"\|[^ ]*()\) .*\(passed\|failed\) after .*/\1/p' "$1" | sort)
}
