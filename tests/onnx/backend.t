#!/bin/sh
# ONNX's own backend tests: whatever is imported computes what it should, also where all small
# inputs are known when it is imported. COVERAGE.md is what passes.
# test: full timed long

. "$DCL_SRC/tests/harness/tap.sh"
python=$DCL_BUILD/oracles/bin/python
[ -x "$python" ] || skip_all "tests/harness/oracles has not been run in the build folder"
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}

# Runs the tests and takes for wrong what was imported and then was not well.
run() { # NAME FILE OPTIONS...
    name=$1 out=$2
    shift 2
    "$python" "$DCL_SRC/tests/onnx/backend.py" --jobs "$jobs" "$@" >"$out" 2>&1
    diag "$name: $(tail -n 1 "$out")"
    grep -E '^[a-z0-9_A-Z]+: (differs|run|crash):' "$out" >bad.log
    while read -r line; do diag "$line"; done <bad.log
    bad=$(wc -l <bad.log)
    is_int "$bad" 0 "$name: what is imported is right"
}

run "node tests, inputs known" fixed.log --fixed --out fixed.json
run "all tests" all.log --coverage coverage.md --known fixed.json \
    --kind node,simple,pytorch-converted,pytorch-operator
cp coverage.md "$DCL_BUILD/COVERAGE.md"
ok "COVERAGE.md is up to date" cmp "$DCL_SRC/tests/onnx/COVERAGE.md" coverage.md
done_testing
