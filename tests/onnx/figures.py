#!/usr/bin/env python3
"""figures.py: time and peak memory of imports, and time of compiling, by the size of the model,
which is made here. Times are the processor's, the least of several runs; memory of an import is
above the file's size and what an import of hardly anything takes.

    figures.py [--runs N] [large|many|compile ..]

What is wanted: 100 MB in under 1 s and 50 MB; 40,000 nodes in under 10 s; times in proportion to
the number of nodes. If something is missed the status is 1."""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import tap  # noqa: E402

if sys.argv[1:2] == ["--make"]:  # the process that measures stays small
    import numpy
    from models import block, integer, model, node, tensor, value

F32 = 1
MB = 1e6


def f4(*shape):
    return numpy.random.default_rng(1).standard_normal(shape).astype("f4")


def numbers(name, array):
    """As tensor, but a list of numbers."""
    return (b"".join(integer(1, d) for d in array.shape) + integer(2, F32) +
            block(4, array.tobytes()) + block(8, name))


def matrices(n, size, weight):
    """A chain of N products with matrices of their own."""
    nodes, last = [], "x"
    for k in range(n):
        nodes.append(node("MatMul", [last, "fc%d.weight" % k], ["v%d" % k]))
        nodes.append(node("Relu", ["v%d" % k], ["y" if k + 1 == n else "r%d" % k]))
        last = "r%d" % k
    w = f4(size, size)
    return model(*nodes, inputs=[value("x", F32, ["n", size])],
                 outputs=[value("y", F32, ["n", size])],
                 weights=[weight("fc%d.weight" % k, w) for k in range(n)])


def flat(n):
    """N nodes without scopes, pointwise."""
    nodes, names = [], ["x"]
    for k in range(n):
        operator = ("Add", "Relu", "Mul", "Sigmoid")[k % 4]
        made = "y" if k + 1 == n else "t%d" % k
        others = [names[max(0, len(names) - 5)]] if k % 2 == 0 else []
        nodes.append(node(operator, [names[-1], *others], [made]))
        names.append(made)
    return model(*nodes, inputs=[value("x", F32, ["n", 8])], outputs=[value("y", F32, ["n", 8])])


def blocks(n, size=8):
    """N nodes in blocks as PyTorch exports a transformer's, with weights."""
    nodes, weights, last = [], [], "x"
    for b in range((n + 9) // 10):
        scope, v = "/layers.%d/" % b, []

        def add(operator, inputs, name):
            v.append("%s%s/%s_output_0" % (scope, name, operator))
            nodes.append(node(operator, inputs, [v[-1]], name="%s%s/%s" % (scope, name, operator)))
            return v[-1]

        for name, shape in (("q.weight", (size, size)), ("q.bias", (size,)),
                            ("o.weight", (size, size)), ("o.bias", (size,))):
            weights.append(tensor("layers.%d.%s" % (b, name), f4(*shape) * 0.1))
        q = add("MatMul", [last, "layers.%d.q.weight" % b], "q")
        q = add("Add", ["layers.%d.q.bias" % b, q], "q")
        s = add("Sigmoid", [q], "act")
        s = add("Mul", [q, s], "act")
        o = add("MatMul", [s, "layers.%d.o.weight" % b], "o")
        o = add("Add", ["layers.%d.o.bias" % b, o], "o")
        last = add("Add", [last, o], "sum")
        t = add("Tanh", [last], "gate")
        t = add("Mul", [t, last], "gate")
        last = add("Relu", [t], "out")
    nodes.append(node("Identity", [last], ["y"]))
    return model(*nodes, inputs=[value("x", F32, ["n", size])],
                 outputs=[value("y", F32, ["n", size])], weights=weights)


MAKE = {"raw": lambda n, size: matrices(n, size, tensor),
        "list": lambda n, size: matrices(n, size, numbers), "flat": flat, "blocks": blocks}


def made(kind, folder, *sizes):
    """The bytes of the file m.onnx, which another process has made: a child's peak of memory begins
    with that of the process that has started it."""
    subprocess.run([sys.executable, __file__, "--make", folder, kind, *map(str, sizes)], check=True)
    return os.path.getsize(os.path.join(folder, "m.onnx"))


def measure(runs, folder, command, *options):
    """Least seconds of the processor, least peak of memory in bytes."""
    seconds, peak = [], []
    for _ in range(runs):
        p = subprocess.Popen([tap.DCL, command, "m.onnx", *options], cwd=folder,
                             stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(p.pid, 0)
        if status:
            sys.exit("dcl %s failed" % command)
        seconds.append(used.ru_utime + used.ru_stime)
        peak.append(used.ru_maxrss * 1024)
    return min(seconds), min(peak)


def imports(runs, folder):
    return measure(runs, folder, "import", "--force", "-o", "m.dcl")


def row(what, size, seconds, peak):
    print("%-28s %8.1f MB %8.2f s %8.1f MB" % (what, size / MB, seconds, peak / MB), flush=True)


def holds(condition, what):
    if not condition:
        print("MISSED: " + what, flush=True)
    return condition


def base_of(runs, folder):
    """The memory of an import of hardly anything."""
    made("raw", folder, 1, 8)
    return imports(runs, folder)[1]


def large(runs, folder):
    base, good = base_of(runs, folder), True
    for kind, n in ("raw", 12), ("raw", 25), ("raw", 50), ("list", 25):
        size = made(kind, folder, n, 1000)
        seconds, peak = imports(runs, folder)
        row("import, weights, " + kind, size, seconds, peak - base - size)
        if n == 25:
            good = holds(seconds < 1 and peak - base - size < 50 * MB, "1 s, 50 MB") and good
    return good


def linear(times):
    """Whether the time of 4 n is that of n and three times as much as 2 n take more."""
    return holds(times[2] - times[0] <= 1.4 * 3 * (times[1] - times[0]) + 0.05, "linear time")


def many(runs, folder):
    base, good = base_of(runs, folder), True
    for kind in "flat", "blocks":
        times = []
        for n in 10000, 20000, 40000:
            size = made(kind, folder, n)
            seconds, peak = imports(runs, folder)
            times.append(seconds)
            row("import, %d nodes, %s" % (n, kind), size, seconds, peak - base - size)
        good = linear(times) and holds(times[-1] < 10, "10 s") and good
    return good


def compiles(runs, folder):
    good = True
    for kind, sizes in ("flat", (1000, 2000, 4000)), ("blocks", (250, 500, 1000)):
        times = []
        for n in sizes:
            size = made(kind, folder, n)
            seconds, peak = measure(runs, folder, "run", "--input=x=x.npy", "--cache=off",
                                    "--threads=1")
            times.append(seconds)
            row("run, %d nodes, %s" % (n, kind), size, seconds, peak)
        good = linear(times) and good
    return good


KINDS = {"large": large, "many": many, "compile": compiles}


def main(words):
    if words[:1] == ["--make"]:
        folder, kind, *sizes = words[1:]
        with open(os.path.join(folder, "m.onnx"), "wb") as file:
            file.write(MAKE[kind](*map(int, sizes)))
        numpy.save(os.path.join(folder, "x.npy"), f4(4, 8))
        return 0
    runs = 3
    if words[:1] == ["--runs"]:
        runs, words = int(words[1]), words[2:]
    print("%-28s %11s %10s %11s" % ("", "file", "time", "memory"))
    with tempfile.TemporaryDirectory() as folder:
        good = [KINDS[w](runs, folder) for w in words or KINDS]
    return not all(good)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
