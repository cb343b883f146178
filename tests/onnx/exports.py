#!/usr/bin/env python3
"""exports.py: networks as PyTorch exports them (tests/harness/oracles torch), with random weights,
beside ONNX Runtime: nodes of the file, lines of the program, the largest difference relative to
the largest output; and with --times how long making a session and a run takes on either side, each
in a process of its own.

    exports.py [--times] [WORD..]"""

import logging
import os
import subprocess
import sys
import tempfile
import time
import warnings

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import tap  # noqa: E402

LIMIT = 1e-4


# --- the networks ---------------------------------------------------------------------------------


def networks():
    """name -> what makes the module and its inputs, names of the inputs, opset, open sizes."""
    import timm
    import torch
    import torchvision.models as vision
    import transformers as hf
    nn = torch.nn

    class First(nn.Module):
        """What a model of transformers gives first."""

        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def forward(self, *inputs):
            return self.inner(*inputs)[0]

    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(50, 16)
            self.lstm = nn.LSTM(16, 24, num_layers=2, batch_first=True)
            self.out = nn.Linear(24, 50)

        def forward(self, ids):
            return self.out(self.lstm(self.words(ids))[0])

    class UNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.down = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
            self.low = nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU())
            self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)
            self.out = nn.Conv2d(16, 2, 1)

        def forward(self, x):
            y = self.down(x)
            return self.out(torch.cat([y, self.up(self.low(y))], 1))

    small = dict(hidden_size=32, num_hidden_layers=3, num_attention_heads=4, intermediate_size=64)
    ids, ones = torch.randint(0, 90, (1, 12)), torch.ones(1, 12, dtype=torch.int64)
    image = torch.randn(1, 3, 64, 64)
    bert = {kind: hf.BertConfig(vocab_size=100, attn_implementation=kind, **small)
            for kind in ("eager", "sdpa")}
    vit = hf.ViTConfig(image_size=32, patch_size=8, attn_implementation="eager", **small)
    encoder = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, activation="gelu")
    batch = {"x": {0: "N"}}
    return {
        "bert": (lambda: First(hf.BertModel(bert["eager"])), (ids, ones), ["ids", "mask"], 14,
                 None),
        "bert-sdpa": (lambda: First(hf.BertModel(bert["sdpa"])), (ids, ones), ["ids", "mask"], 17,
                      None),
        "vit": (lambda: First(hf.ViTModel(vit)), (torch.randn(1, 3, 32, 32),), ["x"], 14, None),
        "vit-torchvision": (lambda: vision.VisionTransformer(32, 8, 2, 4, 32, 64),
                            (torch.randn(1, 3, 32, 32),), ["x"], 17, None),
        "encoder": (lambda: nn.TransformerEncoder(encoder, 3, enable_nested_tensor=False),
                    (torch.randn(2, 6, 32),), ["x"], 17, None),
        "resnet18": (vision.resnet18, (image,), ["x"], 13, batch),
        "resnet50": (vision.resnet50, (image,), ["x"], 13, None),
        "mobilenet-v2": (vision.mobilenet_v2, (image,), ["x"], 13, None),
        "mobilenet-v3": (vision.mobilenet_v3_small, (image,), ["x"], 17, None),
        "efficientnet": (vision.efficientnet_b0, (image,), ["x"], 17, None),
        "squeezenet": (vision.squeezenet1_1, (image,), ["x"], 17, None),
        "shufflenet": (vision.shufflenet_v2_x0_5, (image,), ["x"], 17, None),
        "densenet": (vision.densenet121, (image,), ["x"], 17, None),
        "convnext": (vision.convnext_tiny, (image,), ["x"], 17, None),
        "swin": (vision.swin_t, (image,), ["x"], 17, None),
        "mixer": (lambda: timm.create_model("mixer_s32_224"), (torch.randn(1, 3, 224, 224),), ["x"],
                  17, None),
        "lstm": (Recurrent, (torch.randint(0, 50, (2, 7)),), ["ids"], 17,
                 {"ids": {0: "N", 1: "S"}}),
        "unet": (UNet, (torch.randn(1, 3, 16, 16),), ["x"], 17, {"x": {0: "N", 2: "H", 3: "W"}}),
    }


def export(name, path):
    """Writes the network NAME with random weights, no two equal, to PATH."""
    import torch
    make, inputs, names, opset, sizes = networks()[name]
    torch.manual_seed(len(name))
    module = make().eval()
    with torch.no_grad():
        for p in module.parameters():
            p.add_(torch.randn_like(p) * 0.02)
        for key, b in module.named_buffers():
            if "running_var" in key:
                b.mul_(torch.rand_like(b) + 0.5)
            elif "running_mean" in key:
                b.add_(torch.randn_like(b) * 0.1)
    torch.onnx.export(module, inputs, path, opset_version=opset, dynamo=False, input_names=names,
                      output_names=["y"], dynamic_axes=sizes)


# --- the two sides, each in a process of its own --------------------------------------------------


def timed(run):
    run()
    times = []
    for _ in range(7):
        begin = time.perf_counter()
        out = run()
        times.append(time.perf_counter() - begin)
    return out, sorted(times)[3]


def side(kind, path, inputs, out):
    begin = time.perf_counter()
    values = [inputs["a%d" % k] for k in range(len(inputs.files))]
    if kind == "ort":
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 2
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        feed = {i.name: v for i, v in zip(session.get_inputs(), values)}

        def run():
            return session.run(None, feed)[0]
    else:
        import dclpy
        session = dclpy.Session("backend=cpu")
        session.run_file(path)

        def run():
            got = session.call("model", *values)
            return got[0] if isinstance(got, tuple) else got
    run()
    ready = time.perf_counter() - begin
    result, took = timed(run)
    numpy.savez(out, y=result, ready=ready, took=took)


def inputs_of(path):
    """Random ones, with 4 for sizes that are open."""
    import onnx
    random = numpy.random.default_rng(3)
    values = []
    for v in onnx.load(path).graph.input:
        shape = [d.dim_value or 4 for d in v.type.tensor_type.shape.dim]
        whole = v.type.tensor_type.elem_type == 7
        values.append(numpy.ones(shape, "i8") if v.name == "mask" else
                      random.integers(0, 50, shape).astype("i8") if whole else
                      random.standard_normal(shape).astype("f4"))
    return values


def compare(name, folder, times):
    import onnx
    model, program = os.path.join(folder, "m.onnx"), os.path.join(folder, "m.dcl")
    export(name, model)
    begin = time.perf_counter()
    done = subprocess.run([tap.DCL, "import", model, "-o", program], capture_output=True, text=True,
                          check=False)
    took = time.perf_counter() - begin
    if done.returncode:
        print("not ok %s: %s" % (name, done.stderr.strip().replace("\n", " | ")[:500]), flush=True)
        return False
    numpy.savez(os.path.join(folder, "in.npz"), **{"a%d" % k: v for k, v in
                                                   enumerate(inputs_of(model))})
    found = {}
    for kind, file in ("ort", model), ("dcl", program):
        subprocess.run([sys.executable, os.path.abspath(__file__), "--side", kind, file,
                        os.path.join(folder, "in.npz"), os.path.join(folder, kind + ".npz")],
                       check=True, cwd=folder)
        found[kind] = numpy.load(os.path.join(folder, kind + ".npz"))
    a, b = found["dcl"]["y"], found["ort"]["y"]
    difference = float(numpy.abs(a - b).max() / numpy.abs(b).max()) if a.shape == b.shape else 9
    with open(program) as file:
        text = file.read()
    good = difference < LIMIT
    line = "%-16s %5d nodes %5d lines %3d layers  %.1e apart, import %.2f s" % (
        name, len(onnx.load(model).graph.node), text.count("\n"), text.count("\nlayer "),
        difference, took)
    if times:
        line += ", ready %.2f s (ONNX Runtime %.2f), a run %.2f ms (%.2f)" % (
            found["dcl"]["ready"], found["ort"]["ready"], 1e3 * found["dcl"]["took"],
            1e3 * found["ort"]["took"])
    print(("" if good else "not ok ") + line, flush=True)
    return good


def main(words):
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    if words[:1] == ["--side"]:
        kind, path, values, out = words[1:]
        side(kind, path, numpy.load(values), out)
        return 0
    times = "--times" in words
    words = [w for w in words if w != "--times"]
    good = True
    for name in networks():
        if words and not any(w in name for w in words):
            continue
        with tempfile.TemporaryDirectory() as folder:
            good = compare(name, folder, times) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
