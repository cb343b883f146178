#!/bin/sh
# Operators of com.microsoft compute what ONNX Runtime computes.
# test: full

. "$DCL_SRC/tests/harness/tap.sh"
python=$DCL_BUILD/oracles/bin/python
[ -x "$python" ] || skip_all "tests/harness/oracles has not been run in the build folder"
if "$python" "$DCL_SRC/tests/onnx/fused.py" >out 2>&1; then
    pass "operators of com.microsoft"
else
    fail "operators of com.microsoft"
fi
while read -r line; do diag "$line"; done <out
done_testing
