#!/bin/sh
# Models that packages ship, and exports of PyTorch, compute what ONNX Runtime computes.
# test: full

. "$DCL_SRC/tests/harness/tap.sh"
python=$DCL_BUILD/oracles/bin/python
[ -x "$python" ] || skip_all "tests/harness/oracles has not been run in the build folder"
[ -d "$DCL_BUILD/oracles/models" ] || skip_all "tests/harness/oracles models has not been run"
if "$python" "$DCL_SRC/tests/onnx/real.py" >out 2>&1; then
    pass "models of packages are within 1e-4"
else
    fail "models of packages are within 1e-4"
fi
while read -r line; do diag "$line"; done <out
done_testing
