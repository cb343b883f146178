#!/usr/bin/env python3
"""golden.py: writes logits.npy, what PyTorch computes in examples/digits with the same weights for
the test images. Needs PyTorch and NumPy; run it again when the weights change."""

import json
import os
import struct

import numpy as np
import torch
from torch.nn import functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
DIGITS = os.path.join(HERE, "../../../examples/digits")


def read_safetensors(path):
    with open(path, "rb") as file:
        data = file.read()
    size, = struct.unpack("<Q", data[:8])
    header, data = json.loads(data[8:8 + size]), data[8 + size:]
    header.pop("__metadata__", None)
    return {name: torch.from_numpy(np.frombuffer(data[slice(*entry["data_offsets"])], np.float32)
                                   .reshape(entry["shape"]).copy())
            for name, entry in header.items()}


w = read_safetensors(os.path.join(DIGITS, "digits.safetensors"))
with np.load(os.path.join(DIGITS, "digits.npz")) as file:
    x, y = torch.from_numpy(file["x"][::5]), file["y"][::5]

x = F.relu(F.conv2d(x, w["conv1.weight"], w["conv1.bias"], padding=1))
x = F.relu(F.conv2d(x, w["conv2.weight"], w["conv2.bias"], padding=1))
x = F.max_pool2d(x, 2).flatten(1)
x = F.relu(F.linear(x, w["fc1.weight"], w["fc1.bias"]))
logits = F.linear(x, w["fc2.weight"], w["fc2.bias"]).numpy()

np.save(os.path.join(HERE, "logits.npy"), logits)
print("PyTorch %s: %d of %d right" % (torch.__version__, (logits.argmax(1) == y).sum(), len(y)))
