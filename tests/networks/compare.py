#!/usr/bin/env python3
"""The networks of examples/models beside ONNX Runtime, with random weights, each run in a process
of its own: compare.py [--small] [--rounds N] [--turns N] [--threads N] [NAME ..]. Wants the
libraries that tests/harness/oracles installs. Prints a line for each network; the status is 1 if
one differs by more than 1e-4 of the largest value."""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np
import networks

HERE = os.path.dirname(os.path.abspath(__file__))


def run(program, *args):
    done = subprocess.run([sys.executable, os.path.join(HERE, program), *map(str, args)],
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return [float(word) for word in done.stdout.split()]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--small", action="store_true")
    options.add_argument("--rounds", type=int, default=10)
    options.add_argument("--turns", type=int, default=3)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "big"))
    options.add_argument("names", nargs="*")
    o = options.parse_args()
    bad = 0
    print(f"{o.threads} threads, seed {o.seed}; milliseconds: the median of {o.turns} x {o.rounds} "
          "calls (the least)")
    for name in o.names or networks.NETWORKS:
        with tempfile.TemporaryDirectory() as folder:
            text, signature = networks.make(name, folder, o.small, o.seed)
            path = os.path.join(folder, name)
            ours, theirs, start = [], [], []
            for turn in range(o.turns):
                t = run("run_dcl.py", text, signature, path + ".npy", path + ".dcl.npy", o.rounds,
                        o.threads)
                start.append(t[:2])
                ours += t[3:]
                t = run("run_onnxruntime.py", path + ".onnx", path + ".npy", path + ".ort.npy",
                        o.rounds, o.threads)
                theirs += t[2:]
            got, want = np.load(path + ".dcl.npy"), np.load(path + ".ort.npy")
            error = float(abs(got - want).max() / abs(want).max())
            bad += not error < 1e-4
            a, b = np.median(ours) * 1e3, np.median(theirs) * 1e3
            print(f"{name}: DCL {a:.1f} ({min(ours) * 1e3:.1f}), ONNX Runtime {b:.1f} "
                  f"({min(theirs) * 1e3:.1f}), ratio {a / b:.2f}; first start "
                  f"{sum(start[0]):.2f} s, cached {sum(start[-1]):.2f} s; {error:.1e} apart",
                  flush=True)
    return bad > 0


sys.exit(main())
