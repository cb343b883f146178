#!/bin/sh
# Time and memory of imports, and time of compiling, grow as they may with the model.
# test: full timed

. "$DCL_SRC/tests/harness/tap.sh"
by_oracles "imports are fast, small and linear" "$DCL_SRC/tests/onnx/figures.py"
done_testing
