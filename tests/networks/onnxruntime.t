#!/bin/sh
# The networks of examples/models at a small size give what ONNX Runtime gives.
# test: full

. "$DCL_SRC/tests/harness/tap.sh"
python=$DCL_BUILD/oracles/bin/python
[ -x "$python" ] || skip_all "tests/harness/oracles has not been run in the build folder"
if "$python" "$DCL_SRC/tests/networks/compare.py" --small --rounds 1 --turns 1 >out 2>&1; then
    pass "networks are within 1e-4"
else
    fail "networks are within 1e-4"
fi
while read -r line; do diag "$line"; done <out
done_testing
