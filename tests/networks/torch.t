#!/bin/sh
# The networks of examples/models, at small sizes that are drawn anew, give what torchvision, timm,
# transformers and PyTorch give with the same weights.
# test: full long

. "$DCL_SRC/tests/harness/tap.sh"
python=$DCL_BUILD/oracles/bin/python
"$python" -c 'import torchvision, timm, transformers' 2>import ||
    skip_all "\`tests/harness/oracles torch\` has not been run in the build folder"
exec "$python" "$DCL_SRC/tests/networks/torch_compare.py" "$@"
