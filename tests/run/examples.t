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
    "photo/photo.dcl": r"^pixels: \[300, 451, 3\] mean brightness: 0\.47\nof 100 .*: 14\.0\n$",
    "small/edges.dcl": r"(?s)\n {12}\n   \+{6}   \n +\+@@@\+\+@@@\+ \n.*edge pixels: 64\.0",
    "small/life.dcl": r"\n \[0 1 1 1 0 0\]\n \[0 0 0 0 0 0\]\n.*  i32\[6, 6\]\n.*24 turns: true",
    "small/lstm.dcl": r"round 0 loss 2\.\d+\n(.*\n)*letters that it gets right: 11 of 11\n$",
    "small/matmul.dcl": r"\[2470\. 2280\. 2090\. 1900\.\].*\nblocked.*: true\nA @ B.*: +true\n$",
    "small/mlp.dcl": r"(?s)round 0 loss 0\.\d+\n.*learned: (\W*true){4}\]\]  bool",
    "small/residual.dcl": r"at first: true\n.*start at 1: false\na state: 0\.0 \[4, 4, 3, 3\]\n$",
    "small/softmax.dcl": r"0\.33333334 0\.33333334 0\.33333334(.*\n)*.*library's softmax: true\n$",
    "small/transformer.dcl": r"0 to 4 unchanged: true\nplace 5 unchanged: false\n$",
    "train/train.dcl": r"round 0 loss 2\.\d+\n(.*\n)*accuracy on the 1797 .*: 0\.9[6-9]",
}
# Those need models and inputs that are fetched (tests/harness/oracles models).
FETCHED = {
    "onnx/line.dcl": r"^Region-based segmentation\nLet us first determine markers of the .* the\n$",
    "onnx/speech.dcl": r"^Front_Center\.wav: speech,.*\nNoise\.wav: no speech,.*\n$",
    "onnx/types.dcl": r"README\.md: markdown .*\nfetch: shell .*\n.*\.py: python .*\n"
                      r".*\.jpg: jpeg .*\n.*\.npz: npz .*\n.*\.h: c .*\n"
                      r".*\.png: png .*\n.*\.wav: wav .*\n$",
}
# The commands beside `dcl run` that the first lines of an example name, and what they say.
SHOWN = (
    ("small/softmax.dcl", "rows", ["x=f32[1000,64]"], [], "in all: reads 256000, writes 256000"),
    ("small/softmax.dcl", "rows", ["x=f32[1000,64]"], ["--after", "lower"], "x: reads 768000"),
    ("small/matmul.dcl", "blocked", ["A=f32[64,64]", "B=f32[64,64]"], [],
     "in all: reads 32768, writes 16384"),
)
found = sorted(os.path.relpath(os.path.join(folder, name), EXAMPLES)
               for folder, _, names in os.walk(EXAMPLES) for name in names
               if name.endswith(".dcl"))
tap.ok(found == sorted([*WANT, *FETCHED]), "every example is tested here", str(found))
oracles = os.path.join(tap.BUILD, "oracles")
if all(os.path.isdir(os.path.join(oracles, "onnx-" + k)) for k in ("models", "inputs")):
    WANT.update(FETCHED)
    for k in "models", "inputs":
        os.symlink(os.path.join(oracles, "onnx-" + k), "onnx-" + k)
else:
    tap.skip("models and inputs of examples/onnx: tests/harness/oracles models has not been run")
for name in sorted(WANT):
    status, output, errors = tap.dcl("run", os.path.join(EXAMPLES, name))
    tap.ok(status == 0 and not errors, name + " runs", output, errors)
    tap.ok(re.search(WANT.get(name, "."), output) is not None, name + " says what it should",
           output)
for name, entry, shapes, options, want in SHOWN:
    path = os.path.join(EXAMPLES, name)
    shape = [word for text in shapes for word in ("--shape", text)]
    status, output, errors = tap.dcl("movement", path, "--entry", entry, *shape, *options)
    tap.ok(status == 0 and want in output, "dcl movement of " + name, output, errors)
    with open(path, encoding="utf-8") as file:
        named = "dcl movement examples/%s --entry %s %s" % (name, entry, " ".join(shape))
        tap.ok(named in file.read(), name + " names this command", named)
# The small ones say how to run them; the reference evaluator, which is slow, agrees on those that
# do not train.
for name in found:
    if name.startswith("small/"):
        path = os.path.join(EXAMPLES, name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        tap.ok("#   dcl run examples/%s\n" % name in text, name + " says how to run it")
        if "minimize" not in text.replace("`minimize`", ""):
            _, output, errors = tap.dcl("run", path, "--backend", "ref")
            tap.ok(re.search(WANT.get(name, "."), output) is not None and not errors,
                   "ref: " + name + " says what it should", output, errors)
tap.done_testing()
