#!/bin/sh
# Operators of com.microsoft compute what ONNX Runtime computes.
# test: full

. "$DCL_SRC/tests/harness/tap.sh"
by_oracles "operators of com.microsoft" "$DCL_SRC/tests/onnx/fused.py"
done_testing
