# shellcheck shell=bash
# What the scripts share: the project's folder as the current one, a home that can be written to, and one form for
# messages. Sourced by the others, never run by itself.

CDPATH='' cd -- "$(dirname "${BASH_SOURCE[0]}")/.." || exit

say() { printf '== %s\n' "$*"; }

fail() {
    printf '%s: %s\n' "script/${0##*/}" "$*" >&2
    exit 1
}

# The compiler and the package manager keep caches under HOME; with none to write to they get one of the project's own.
if [ -z "${HOME:-}" ] || [ ! -w "$HOME" ]; then
    export HOME="$PWD/.build/home"
    mkdir -p "$HOME" 2>/dev/null || fail "cannot write to $PWD/.build: everything is built there; use a clone of your own"
fi

# Where Swift is written by hand: what is formatted and linted.
# shellcheck disable=SC2034
swift_sources=(Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources)

# Debug builds of every script share these flags: with others the whole package would be built again.
# shellcheck disable=SC2034
debug_build=(-Xswiftc -warnings-as-errors)

# swift_tests ARGUMENT...: runs the tests that are already built and ends with the line `N passed, N failed`.
# Its status is that of `swift test`. The whole output is kept in .build/tests.log; the lines that only say that a test
# has started are not shown.
swift_tests() {
    local log=.build/tests.log status=0 total failed skipped
    swift test --skip-build --disable-xctest "${debug_build[@]}" "$@" 2>&1 | tee "$log" | sed '/^◇/d' || status=$?
    total=$(sed -n 's/.* Test run with \([0-9]*\) tests\{0,1\} .*/\1/p' "$log" | tail -n 1)
    [ -n "$total" ] || fail "the tests did not finish (status $status); .build/tests.log has their output"
    failed=$(sed -n '/ Test run with /d; /^✘ Test .* failed after [0-9.]* seconds/p' "$log" | wc -l)
    skipped=$(sed -n '/^➜ Test .* skipped/p' "$log" | wc -l)
    printf '%d passed, %d failed' $((total - failed - skipped)) "$failed"
    if [ "$skipped" -gt 0 ]; then printf ', %d skipped' "$skipped"; fi
    printf '\n'
    return "$status"
}
