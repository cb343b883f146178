# tap.sh: tests in sh. Begin with '. "$DCL_SRC/tests/harness/tap.sh"', end with 'done_testing'.
# A failed check prints what came out, and the test goes on.

tap_count=0
tap_failures=0

diag() {
    printf '%s\n' "$*" | sed 's/^/# /' >&2
}

pass() { # NAME
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1"
}

fail() { # NAME
    tap_count=$((tap_count + 1))
    tap_failures=$((tap_failures + 1))
    echo "not ok $tap_count - $1"
    return 1
}

# ok NAME COMMAND...: the command succeeds; its output is shown when it does not.
ok() {
    tap_name=$1
    shift
    if tap_output=$("$@" 2>&1); then
        pass "$tap_name"
    else
        tap_status=$?
        fail "$tap_name"
        diag "status $tap_status: $*"
        diag "$tap_output"
        return 1
    fi
}

# fails NAME COMMAND...: the command fails, but not by a signal or a time limit.
fails() {
    tap_name=$1
    shift
    if tap_output=$("$@" 2>&1); then
        fail "$tap_name"
        diag "succeeded: $*"
        diag "$tap_output"
        return 1
    else
        tap_status=$?
        if [ $tap_status -lt 124 ]; then
            pass "$tap_name"
            return 0
        fi
        fail "$tap_name"
        diag "status $tap_status: $*"
        diag "$tap_output"
        return 1
    fi
}

# is_str GOT WANT NAME
is_str() {
    if [ "$1" = "$2" ]; then
        pass "$3"
    else
        fail "$3"
        diag "   got: $1"
        diag "  want: $2"
        return 1
    fi
}

# is_int GOT WANT NAME
is_int() {
    if [ "$1" -eq "$2" ] 2>/dev/null; then
        pass "$3"
    else
        fail "$3"
        diag "got $1, want $2"
        return 1
    fi
}

# like TEXT PATTERN NAME: some line of the text matches the extended regular expression.
like() {
    if printf '%s\n' "$1" | grep -E -q -e "$2"; then
        pass "$3"
    else
        fail "$3"
        diag "no line matches $2 in:"
        diag "$1"
        return 1
    fi
}

# skip REASON: stands for one check that cannot be made here.
skip() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count # SKIP $1"
}

# skip_all REASON: ends a test none of whose checks can be made here.
skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

done_testing() {
    echo "1..$tap_count"
    [ $tap_failures -eq 0 ] || diag "$tap_failures of $tap_count failed"
    [ $tap_failures -eq 0 ] && [ $tap_count -gt 0 ]
    exit
}

# by_oracles NAME SCRIPT [PACKAGES]: the script of Python, with the libraries of others (oracles),
# succeeds; what it prints is shown. Skips all without them, or without PACKAGES ("torch, timm").
by_oracles() {
    tap_python=$DCL_BUILD/oracles/bin/python
    if ! [ -x "$tap_python" ] || ! "$tap_python" -c "import ${3:-numpy}" 2>import; then
        skip_all "\`tests/harness/oracles${3:+ torch}\` has not been run in the build folder"
    fi
    if "$tap_python" "$2" >by_oracles.out 2>&1; then
        pass "$1"
    else
        fail "$1"
    fi
    while read -r tap_line; do diag "$tap_line"; done <by_oracles.out
}
