#!/usr/bin/env python3
"""golden.t: the library against what PyTorch computed (golden.npz, made by make_golden.py), and
boxes and regions against loops."""
import os

import tables
import tap

np = tables.numpy
golden = np.load(os.path.join(os.environ["DCL_SRC"], "tests", "stdlib", "golden.npz"))
for name in sorted(key[:-5] for key in golden.files if key.endswith(".text")):
    head = name + ".in."
    tables.run({key[len(head):]: golden[key] for key in golden.files if key.startswith(head)},
               [(golden[name + ".text"].tobytes().decode(), golden[name + ".want"])])

rng = np.random.default_rng(11)


def iou(a, b):
    w = max(min(a[2], b[2]) - max(a[0], b[0]), 0)
    h = max(min(a[3], b[3]) - max(a[1], b[1]), 0)
    return w * h / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - w * h)


corner = rng.random((20, 2)) * 4
boxes = np.concatenate([corner, corner + 1 + rng.random((20, 2)) * 2], 1).astype("f4")
scores = rng.random(20).astype("f4")
kept = np.zeros(20, bool)
for i in np.argsort(-scores):
    kept[i] = all(iou(boxes[i], boxes[j]) <= 0.4 for j in np.flatnonzero(kept))
shared = np.array([[iou(a, b) for b in boxes] for a in boxes], "f4")


def sample(x, y, z):
    h, w = x.shape
    if y < -1 or y > h or z < -1 or z > w:
        return 0
    y, z = min(max(y, 0), h - 1), min(max(z, 0), w - 1)
    i, j = int(y), int(z)
    k, l = min(i + 1, h - 1), min(j + 1, w - 1)
    p, q = y - i, z - j
    return ((1 - p) * (1 - q) * x[i, j] + (1 - p) * q * x[i, l] + p * (1 - q) * x[k, j]
            + p * q * x[k, l])


x = rng.standard_normal((2, 3, 6, 8)).astype("f4")
regions = np.array([[0, 0, 0, 8, 6], [1, 2.5, 1, 6, 5.5], [0, -3, -2, 20, 9]], "f4")
want = np.zeros((3, 3, 2, 3), "f4")
for r, (n, x0, y0, x1, y1) in enumerate(regions * [1, 0.5, 0.5, 0.5, 0.5]):
    wide, high = max(x1 - x0, 1), max(y1 - y0, 1)
    for c in range(3):
        for i in range(2):
            for j in range(3):
                want[r, c, i, j] = np.mean([
                    sample(x[int(n), c], y0 + (i + (a + 0.5) / 2) * high / 2,
                           x0 + (j + (b + 0.5) / 2) * wide / 3) for a in range(2)
                    for b in range(2)])
tables.run({"b": boxes, "s": scores, "x": x, "r": regions}, [
    ("nms(b, s, overlap = 0.4)", kept), ("box_iou(b, b)", shared),
    ("roi_align(x, r, size = [2, 3], scale = 0.5)", want)])
tap.done_testing()
