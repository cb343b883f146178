#!/bin/sh
# Networks as PyTorch exports them compute what ONNX Runtime computes.
# test: full long

. "$DCL_SRC/tests/harness/tap.sh"
by_oracles "exports of PyTorch are within 1e-4" "$DCL_SRC/tests/onnx/exports.py" \
    "torchvision, timm, transformers"
done_testing
