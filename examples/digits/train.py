#!/usr/bin/env python3
"""train.py: makes the data and the weights of digits.dcl. Needs PyTorch and NumPy.

    train.py data DIGITS.CSV.GZ     writes digits.npz from scikit-learn's copy of the data
    train.py                        writes digits.safetensors from digits.npz
    train.py try                    trains without a further fifth, and prints how well that is
                                    recognised: for choosing a network

Images whose index is divisible by 5 are for the test: never trained with, nor looked at for
any choice. The same seed and the same version of PyTorch give the same weights on one machine.
"""

import gzip
import json
import os
import struct
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def make_data(path):
    """One line per image: 64 counts of 0 to 16, and the digit."""
    with gzip.open(path, "rt") as lines:
        rows = np.loadtxt(lines, delimiter=",", dtype=np.int64)
    x = (rows[:, :64].reshape(-1, 1, 8, 8) / 16).astype(np.float32)
    np.savez_compressed(os.path.join(HERE, "digits.npz"), x=x, y=rows[:, 64])


def save_safetensors(path, tensors):
    """The format in full: the header's length, the header in JSON, the bytes."""
    header, at = {}, 0
    for name, value in tensors.items():
        assert value.dtype == np.float32
        header[name] = {"dtype": "F32", "shape": value.shape,
                        "data_offsets": [at, at + value.nbytes]}
        at += value.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for value in tensors.values():
            out.write(np.ascontiguousarray(value).tobytes())


def shifted(x, generator):
    """Each image moved by up to one pixel each way."""
    import torch
    n = len(x)
    padded = torch.nn.functional.pad(x, (1, 1, 1, 1))
    at = torch.randint(0, 3, (2, n), generator=generator)
    rows = at[0][:, None, None] + torch.arange(8)[None, :, None]
    columns = at[1][:, None, None] + torch.arange(8)[None, None, :]
    return padded[torch.arange(n)[:, None, None], 0, rows, columns][:, None]


def train(x, y, epochs=60, batch=32, rate=2e-3):
    import torch
    from torch import nn
    torch.manual_seed(1)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    generator = torch.Generator().manual_seed(2)

    class Net(nn.Module):
        """The same names as in digits.dcl; dropout acts in training only."""

        def __init__(self):
            super().__init__()
            self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
            self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
            self.fc1 = nn.Linear(512, 64)
            self.fc2 = nn.Linear(64, 10)
            self.drop = nn.Dropout(0.25)

        def forward(self, x):
            x = torch.relu(self.conv1(x))
            x = torch.relu(self.conv2(x))
            x = nn.functional.max_pool2d(x, 2).flatten(1)
            return self.fc2(self.drop(torch.relu(self.fc1(self.drop(x)))))

    net = Net()
    adam = torch.optim.Adam(net.parameters(), lr=rate)
    steps = epochs * (len(x) // batch)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(adam, steps)
    for epoch in range(epochs):
        order = torch.randperm(len(x), generator=generator)
        images, total = shifted(x, generator), 0.0
        for at in range(0, len(x) - batch + 1, batch):
            some = order[at:at + batch]
            loss = nn.functional.cross_entropy(net(images[some]), y[some])
            adam.zero_grad()
            loss.backward()
            adam.step()
            schedule.step()
            total += loss.item()
        if epoch % 10 == 9:
            print("epoch %d: loss %.4f" % (epoch + 1, total * batch / len(x)))
    return net.eval()


def main(arguments):
    if arguments[:1] == ["data"]:
        return make_data(arguments[1])
    import torch
    with np.load(os.path.join(HERE, "digits.npz")) as data:
        x, y = torch.from_numpy(data["x"]), torch.from_numpy(data["y"])
    index = torch.arange(len(x))
    mine, other = index % 5 != 0, index % 5 == 0
    if arguments == ["try"]:
        mine, other = (index % 5 > 1), index % 5 == 1
    net = train(x[mine], y[mine])
    with torch.no_grad():
        right = (net(x[other]).argmax(1) == y[other]).sum().item()
    print("%d of %d right" % (right, other.sum()))
    if not arguments:
        save_safetensors(os.path.join(HERE, "digits.safetensors"),
                         {name: value.numpy() for name, value in net.state_dict().items()})
    return None


main(sys.argv[1:])
