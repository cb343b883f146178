#!/usr/bin/env python3
"""The networks of examples/models beside torchvision, timm, transformers and PyTorch, with random
weights: torch_compare.py [--full] [--seed N] [NAME ..]. Wants the libraries that
`tests/harness/oracles torch` installs. Sizes are small ones drawn by the seed, or the full ones.
Prints TAP: the status is 1 if one differs by more than 1e-4 of the largest value."""
import argparse
import os
import random
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ["DCL_SRC"], "tests", "harness"))
import tap
import torch
import dclpy
import torch_networks

MOST = 1e-4


def apart(got, want):
    """The largest difference, by the largest value."""
    got = torch.from_numpy(got)
    if got.shape != want.shape:
        return float("inf")
    return float((got - want).abs().max() / want.abs().max())


def decode(session, network, rng):
    """GPT-2 word by word, with its cache: the scores that either gives."""
    config, ids = network.model.config, network.inputs["ids"]
    batch, length = ids.shape
    heads = config.n_head
    shape = (config.n_layer, batch, heads, rng.randint(length, config.n_positions),
             config.n_embd // heads)
    keys, values = (torch.full(shape, float("nan")).numpy() for _ in range(2))
    cache, got, want = None, [], []
    next_word = session.compile(f"net.next(ids: i64[{batch}, 1], at: i64, keys: f32{list(shape)}, "
                                f"values: f32{list(shape)})")
    for at in range(length):
        with torch.no_grad():
            y = network.model(ids[:, at:at + 1], past_key_values=cache, use_cache=True)
        cache = y.past_key_values
        want.append(y.logits)
        got.append(torch.from_numpy(
            next_word.call(ids[:, at:at + 1].contiguous().numpy(), at, keys, values)))
    return torch.cat(got, 1).numpy(), torch.cat(want, 1)


def compare(name, seed, full):
    rng = random.Random(f"{name} {seed}")
    torch.manual_seed(rng.randrange(2**32))
    network = torch_networks.make(name, rng, full)
    tap.diag(f"{name}: {network.instance}, {network.signature()}")
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, dclpy.Session() as session:
        session.run(network.text(network.save(folder)))
        got = session.compile(network.signature()).call(
            *(t.numpy() for t in network.inputs.values()))
        took = time.monotonic() - started
        want = network.expected()
        error = apart(got, want)
        tap.ok(error < MOST, f"{name}: within {MOST}", f"{error:.1e} apart, seed {seed}")
        differ = float((want - want.roll(1, 1 if name == "LSTM" else 0)).abs().max()
                       / want.abs().max())
        tap.ok(differ > 20 * MOST, f"{name}: what goes in is seen in what comes out",
               f"{differ:.1e}")
        tap.diag(f"{name}: {error:.1e} apart, {took:.1f} s")
        if name == "GPT-2":
            error = apart(*decode(session, network, rng))
            tap.ok(error < MOST, f"{name} word by word: within {MOST}",
                   f"{error:.1e} apart, seed {seed}")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--full", action="store_true")
    options.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "big"))
    options.add_argument("names", nargs="*", default=torch_networks.NETWORKS)
    o = options.parse_args()
    torch.set_num_threads(1)  # its waiting threads would keep ours from running
    tap.diag(f"seed {o.seed}; PyTorch {torch.__version__}")
    for name in o.names:
        try:
            compare(name, o.seed, o.full)
        except dclpy.Error as error:
            tap.fail(name, f"seed {o.seed}", error)
    tap.done_testing()


main()
