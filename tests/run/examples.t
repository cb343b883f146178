#!/usr/bin/env python3
"""Each example runs, from any folder, and says what it should."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ["DCL_SRC"], "tests", "harness"))
import tap

EXAMPLES = os.path.join(os.environ["DCL_SRC"], "examples")
WANT = {
    "models/bert.dcl": r"^$",
    "models/dlrm.dcl": r"^$",
    "models/efficientnet.dcl": r"^$",
    "models/gpt2.dcl": r"^$",
    "models/lstm.dcl": r"^$",
    "models/mixer.dcl": r"^$",
    "models/mobilenet_v2.dcl": r"^$",
    "models/resnet.dcl": r"^$",
    "models/unet.dcl": r"^$",
    "models/vit.dcl": r"^$",
    "models/wavenet.dcl": r"^$",
    "digits/digits.dcl": r"accuracy on 360 images: 0\.99",
    "train/train.dcl": r"round 0 loss 2\.\d+\n(.*\n)*accuracy on the 1797 .*: 0\.9[6-9]",
}
found = sorted(os.path.relpath(os.path.join(folder, name), EXAMPLES)
               for folder, _, names in os.walk(EXAMPLES) for name in names
               if name.endswith(".dcl"))
tap.ok(found == sorted(WANT), "every example is tested here", str(found))
for name in found:
    status, output, errors = tap.dcl("run", os.path.join(EXAMPLES, name))
    tap.ok(status == 0 and not errors, name + " runs", output, errors)
    tap.ok(re.search(WANT.get(name, "."), output) is not None, name + " says what it should",
           output)
tap.done_testing()
