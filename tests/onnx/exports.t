#!/bin/sh
# Networks as PyTorch exports them compute what ONNX Runtime computes.
# test: full long

. "$DCL_SRC/tests/harness/tap.sh"
python=$DCL_BUILD/oracles/bin/python
"$python" -c 'import torchvision, timm, transformers' 2>import ||
    skip_all "\`tests/harness/oracles torch\` has not been run in the build folder"
if "$python" "$DCL_SRC/tests/onnx/exports.py" >out 2>&1; then
    pass "exports of PyTorch are within 1e-4"
else
    fail "exports of PyTorch are within 1e-4"
fi
while read -r line; do diag "$line"; done <out
done_testing
