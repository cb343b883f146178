#!/bin/sh
# Models that packages ship compute what ONNX Runtime computes.
# test: full

. "$DCL_SRC/tests/harness/tap.sh"
[ -d "$DCL_BUILD/oracles/models" ] || skip_all "tests/harness/oracles models has not been run"
by_oracles "models of packages are within 1e-4" "$DCL_SRC/tests/onnx/real.py"
done_testing
