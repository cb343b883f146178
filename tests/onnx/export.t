#!/bin/sh
# What `dcl export` writes is taken by onnx's checker, and ONNX Runtime computes the same; so does
# what `dcl import` makes of it.
# test: long

. "$DCL_SRC/tests/harness/tap.sh"
by_oracles "exports are within 1e-5" "$DCL_SRC/tests/onnx/export.py" "onnx, onnxruntime"
done_testing
