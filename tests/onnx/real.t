#!/bin/sh
# Models that packages ship compute what ONNX Runtime computes, on noise and in examples/onnx.
# test: full

. "$DCL_SRC/tests/harness/tap.sh"
[ -d "$DCL_BUILD/oracles/onnx-models" ] || skip_all "tests/harness/oracles models has not been run"
by_oracles "models of packages are within 1e-4" "$DCL_SRC/tests/onnx/real.py"
[ -d "$DCL_BUILD/oracles/onnx-inputs" ] &&
    by_oracles "examples give the right answers, and ONNX Runtime's" \
        "$DCL_SRC/tests/onnx/examples.py"
done_testing
