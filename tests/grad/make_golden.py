#!/usr/bin/env python3
"""make_golden.py: writes golden.npz beside it: an MLP, its gradients and twenty steps of SGD by
PyTorch (1.13 was used; any will do). Needs PyTorch and NumPy."""
import os

import numpy as np
import torch

torch.manual_seed(4)
torch.set_num_threads(1)
B, I, H, O = 37, 13, 24, 5
net = torch.nn.Sequential(torch.nn.Linear(I, H), torch.nn.ReLU(), torch.nn.Linear(H, H),
                          torch.nn.Tanh(), torch.nn.Linear(H, O))
x = torch.randn(B, I)
y = torch.randint(0, O, (B,))
out = {"x": x.numpy(), "y": y.numpy()}
names = {"0": "l1", "2": "l2", "4": "l3"}
for name, p in net.named_parameters():
    out["w." + names[name.split(".")[0]] + "." + name.split(".")[1]] = p.detach().numpy().copy()
opt = torch.optim.SGD(net.parameters(), lr=0.25)
losses = []
for step in range(20):
    opt.zero_grad()
    loss = torch.nn.functional.cross_entropy(net(x), y)
    loss.backward()
    losses.append(loss.item())
    if step == 0:
        for name, p in net.named_parameters():
            key = names[name.split(".")[0]] + "." + name.split(".")[1]
            out["g." + key] = p.grad.numpy().copy()
    opt.step()
out["losses"] = np.array(losses, dtype=np.float32)
np.savez(os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.npz"), **out)
