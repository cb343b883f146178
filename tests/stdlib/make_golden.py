#!/usr/bin/python3
"""Makes golden.npz, what PyTorch has for expressions of the library; python3-torch is wanted. Each
array NAME.want belongs to the expression in NAME.text over the inputs in NAME.in.*"""
import os

import numpy as np
import torch
import torch.nn.functional as F

torch.manual_seed(3)
out = {}


def case(name, text, want, **inputs):
    out[name + ".text"] = np.frombuffer(text.encode(), "u1")
    out[name + ".want"] = want.detach().numpy()
    for key, value in inputs.items():
        out[name + ".in." + key] = value.detach().numpy()


x = torch.randn(2, 3, 5, 7)
for n, size in enumerate(((5, 7), (10, 14), (3, 4), (1, 9), (13, 2))):
    case(f"nearest{n}", f"resize(x, {list(size)})", F.interpolate(x, size), x=x)
    for mode, ours in ("bilinear", "linear"), ("bicubic", "cubic"):
        case(f"{mode}{n}", f'resize(x, {list(size)}, mode = "{ours}")',
             F.interpolate(x, size, mode=mode), x=x)
        case(f"{mode}{n}c", f'resize(x, {list(size)}, mode = "{ours}", align_corners = true)',
             F.interpolate(x, size, mode=mode, align_corners=True), x=x)
        case(f"{mode}{n}a", f'resize(x, {list(size)}, mode = "{ours}", antialias = true)',
             F.interpolate(x, size, mode=mode, antialias=True), x=x)
line = torch.randn(2, 2, 9)
case("linear1", 'resize(x, [4], mode = "linear")', F.interpolate(line, 4, mode="linear"), x=line)
box = torch.randn(1, 2, 3, 4, 5)
case("linear3", 'resize(x, [2, 6, 7], mode = "linear")',
     F.interpolate(box, (2, 6, 7), mode="trilinear"), x=box)


def attention(q, k, v, mask):
    s = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    return torch.softmax(s.masked_fill(~mask, -torch.inf), -1) @ v


q, k, v = torch.randn(2, 4, 5, 8), torch.randn(2, 4, 7, 8), torch.randn(2, 4, 7, 6)
some = torch.rand(2, 1, 5, 7) > 0.3
some[..., 0] = True
future = torch.ones(5, 7, dtype=torch.bool).tril(2)
case("attention", "attention(q, k, v)", attention(q, k, v, future | True), q=q, k=k, v=v)
case("attention_causal", "attention(q, k, v, causal = true)", attention(q, k, v, future),
     q=q, k=k, v=v)
case("attention_mask", "attention(q, k, v, m)", attention(q, k, v, some), q=q, k=k, v=v, m=some)
few, few_v = k[:, :2].contiguous(), v[:, :2].contiguous()
case("attention_grouped", "grouped_attention(q, k, v)", attention(
    q, few.repeat_interleave(2, 1), few_v.repeat_interleave(2, 1), future | True),
    q=q, k=few, v=few_v)

p = torch.randn(9, 3, 5).log_softmax(-1)
y = torch.tensor([[1, 2, 2, 4], [3, 3, 1, 0], [4, 0, 0, 0]])
inputs, targets = torch.tensor([9, 7, 5]), torch.tensor([4, 3, 1])
case("ctc", "ctc(p, y, n, m)", F.ctc_loss(p, y, inputs, targets, reduction="none"),
     p=p, y=y, n=inputs, m=targets)

lstm = torch.nn.LSTM(4, 3)
x, h, c = torch.randn(6, 2, 4), torch.randn(1, 2, 3), torch.randn(1, 2, 3)
parts = dict(w=lstm.weight_ih_l0, u=lstm.weight_hh_l0, b=lstm.bias_ih_l0 + lstm.bias_hh_l0)
case("lstm", "lstm(x, w, u, b, h, c)[0]", lstm(x, (h, c))[0], x=x, h=h[0], c=c[0], **parts)
gru = torch.nn.GRU(4, 3)
case("gru", "gru(x, w, u, bw, bu, h)[0]", gru(x, h)[0], x=x, h=h[0], w=gru.weight_ih_l0,
     u=gru.weight_hh_l0, bw=gru.bias_ih_l0, bu=gru.bias_hh_l0)

x, w = torch.randn(2, 4, 5, 6), torch.randn(4, 3, 3, 2)
case("conv_transpose", "conv_transpose(x, w, stride = [2, 1], pad = [1, 0], extra = [1, 0])",
     F.conv_transpose2d(x, w, stride=(2, 1), padding=(1, 0), output_padding=(1, 0)), x=x, w=w)
g, b = torch.randn(4), torch.randn(4)
case("group_norm", "group_norm(x, g, b, groups = 2)", F.group_norm(x, 2, g, b), x=x, g=g, b=b)
classes = torch.tensor([1, -100, 4, 0])
scores = torch.randn(4, 5)
case("cross_entropy", "cross_entropy(x, y, smoothing = 0.2)",
     F.cross_entropy(scores, classes, label_smoothing=0.2), x=scores, y=classes)
np.savez_compressed(os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.npz"), **out)
