#!/usr/bin/env python3
"""ptx.t: code for GPUs. Ours and small kernels are taken by ptxas for three processors, without
spills; emitted twice they are the same; what cannot be done is refused at its place; and run on the
host, on ref and on cpu they give what NumPy gives."""

import os
import re
import sys

import tap

sys.path.insert(0, os.path.join(tap.SRC, "tests", "ptx"))
numpy = tap.need_numpy()

import dclpy  # noqa: E402
import emulate  # noqa: E402

PTXAS = os.environ.get("PTXAS")
KERNELS = os.path.join(tap.SRC, "stdlib", "kernels", "gpu.dcl")
PROCESSORS = 75, 80, 90

SMALL = """
## The sum of each 64 elements, halved again and again.
fn sums(x: f32[N]) -> s: f32[(N + 63)//64] {
  map ib in (N + 63)//64 grid {
    p: f32[64] in shared = 0
    map i in min(64, N - 64*ib) block { p[i] = x[64*ib + i] }
    for h in [32, 16, 8, 4, 2, 1] { map i in h block { p[i] += p[i + h] } }
    s[ib] = p[0]
  }
}
## Two maps of different lengths, of one and two block indices.
fn shapes(x: f32[M, 8]) -> y: f32[M, 8] {
  map m in 0:M grid {
    t: f32[8] in shared
    r: f32[8] in register
    map i in 8 block { r[i] = x[m, i] + 1 }
    map i in 8 block { r[i] >> t[7 - i] }
    map i in 2 block, j in 4 block { y[m, 4*i + j] = t[4*i + j] }
  }
}
## A grid and a block index in one map; a register of the thread, and no shared memory.
fn rows(x: f32[M, N]) -> s: f32[M] {
  map mo in 0:M:32 grid, mi in 0:32 block {
    t: f32 in register = 0
    for k in 0:N { t += x[mo + mi, k, else 0] }
    t >> s[mo + mi, else _]
  }
}
## A sum over shared memory that all threads have, and a loop that leaves at once.
fn centred(x: f32[M, 16]) -> y: f32[M, 16] {
  map m in 0:M grid {
    t: f32[16] in shared
    map i in 16 block { t[i] = x[m, i] }
    mean: f32 in register = 0
    for i in 0:16 { mean += t[i] / 16 }
    for k in 0:2 {
      map i in 16 block { y[m, i] = t[i] - mean }
    }
  }
}
"""

# One function per type: every operator that it has.
OPERATORS = {
    "f32": "exp(a) + log(b) * tanh(a) - sqrt(abs(b)) / floor(a) + round(b) + max(a, b) + min(a, -b)"
           " + select(a < b and not (a == b) or a >= 1, a, b) + max(a, 0)"
           " + f32(f64(a)) + f32(i32(a))"
           " + f32(i64(b)) + f32(bool(a))",
    "i32": "a * b - a // b + a % b + abs(a) + max(a, b) + min(a, b) + select(a <= b, a, -b)"
           " + i32(f32(a)) + i32(f64(b)) + i32(i64(a)) + i32(bool(a)) + a // 3 + a % 8",
    "bool": "(a and b) or not a or (a == b) or (a != b)",
}
OPERATORS["f64"] = re.sub(r"f32\(f64\(a\)\)", "f64(f32(a))", OPERATORS["f32"]).replace(
    "f32(i", "f64(i").replace("f32(b", "f64(b")
OPERATORS["i64"] = OPERATORS["i32"].replace("i32(i64(a))", "i64(i32(a))").replace(
    "i32(f", "i64(f").replace("i32(b", "i64(b")

for half in "f16", "bf16":
    OPERATORS[half] = OPERATORS["f32"].replace("f32(", half + "(") + " + %s(f32(a))" % half
for whole in "i8", "i16", "u8", "u16", "u32", "u64":
    OPERATORS[whole] = (
        "a * b - a // b + a % b + abs(a) + max(a, b) + min(a, b) + select(a <= b, a, -b) + "
        "T(f32(a)) + T(f64(b)) + T(i64(a)) + T(bool(a)) + a // 3 + bit_and(a, b) + bit_or(a, b) + "
        "bit_xor(a, bit_not(b)) + shl(a, b) + shr(a, b)").replace("T(", whole + "(")

REFUSED = [
    ("map i in 0:N { y[i] = x[i] }", "2:3", "its first index is not grid"),
    ("map io in 1 grid { map i in 0:N block { y[i] = x[i] } }", "2:22",
     "block index i has no constant bound on its length"),
    ("map io in 0:N:2048 grid { map i in io:min(N, io + 2048) block { y[i] = x[i] } }", "2:29",
     "block index i is longer than 1024"),
    ("map i in N grid { map k in 1 grid { y[i] = x[i] } }", "2:21",
     "grid index k is not among the first"),
    ("map i in N grid { go: bool = true; while go { go = false }; y[i] = x[i] }", "2:38",
     "a `while`"),
    ("map i in N grid { map k in 0:1 warp { y[i] = x[i] } }", "2:21", "warps are not lowered yet"),
    ("map i in N grid { t: f32[N] in heap = 0; y[i] = x[i] + t[0] }", "2:21",
     "t is declared in a kernel and its size is not constant"),
    ("map i in N grid { t: f32[4] in heap = 0; y[i] = x[i] + t[0] }", "2:21",
     "t is in heap, which a kernel cannot make"),
    ("map i in N grid { t: f32[99999] in shared = 0; y[i] = x[i] + t[0] }", "2:21",
     "the shared containers of a block take more than 49152 bytes"),
    ("map i in N grid { t: f32[8] in stack;  map k in 8 block { t[k] = x[i] };"
     "  map k in 1 block { y[i] = t[k] } }", "2:61", "it must be in shared or in register"),
    ("for k in 0:2 { map i in N grid { y[i] = x[i] } }", "2:3", "a statement outside of a kernel"),
]

OWNERS = [
    ("the owner changes", "map k in 8 block { y[8*i + k] = t[7 - k] }"),
    ("another number of indices", "map k in 8 block, l in 1 block { y[8*i + k + l] = t[k] }"),
    ("all threads read it", "y[8*i] = t[0]"),
    ("it does not begin at 0", "map k in 1:8 block { y[8*i + k] = t[k] }"),
]


def write(name, text):
    with open(name, "w") as f:
        f.write(text)
    return name


def show(file, entry, *options):
    status, text, errors = tap.dcl("show", file, "--entry", entry, "--as", "ptx", *options)
    return text if status == 0 else errors


def assembled(entry, text, sm):
    """ptxas takes it, and its registers suffice."""
    name = "ptxas takes %s for sm_%d" % (entry, sm)
    tap.ok(".target sm_%d" % sm in text, "%s is for sm_%d" % (entry, sm), text)
    if not PTXAS:
        tap.skip("%s: ptxas is not installed (CUDA toolkit)" % name)
        tap.skip("%s without spills: ptxas is not installed (CUDA toolkit)" % entry)
        return
    status, out, errors = tap.run(PTXAS, "-v", "-arch=sm_%d" % sm, write("kernel.ptx", text),
                                  "-o", "kernel.cubin")
    tap.ok(status == 0, name, out + errors)
    tap.ok("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" in out + errors
           or entry.startswith("every_"), "%s has no stack and no spills" % entry, out + errors)


def every_processor(small):
    for file, entries in (KERNELS, ("scale_add", "matmul_shared")), \
                         (small, ("sums", "shapes", "rows", "centred")):
        for entry in entries:
            for sm in PROCESSORS:
                text = show(file, entry, "--sm", str(sm))
                assembled(entry, text, sm)
                tap.ok(text == show(file, entry, "--sm", str(sm)), "... the same bytes again")


def operators():
    for dtype, text in OPERATORS.items():
        file = write("every.dcl", "fn every_%s(x: %s[N], z: %s[N]) -> y: %s[N] {\n"
                     "  map i in N grid {\n    a = x[i];  b = z[i]\n    y[i] = %s\n  }\n}\n"
                     % (dtype, dtype, dtype, dtype, text))
        for sm in PROCESSORS:
            assembled("every_" + dtype, show(file, "every_" + dtype, "--sm", str(sm)), sm)


def refusals():
    for body, place, want in REFUSED:
        text = show(write("refused.dcl", "fn f(x: f32[N]) -> y: f32[N] {\n  %s\n}\n" % body), "f",
                    "--passes", "none")
        tap.ok(text.startswith("refused.dcl:%s: error: no PTX: " % place) and want in text,
               "refused: " + want, text)
    for why, body in OWNERS:
        text = show(write("owner.dcl", "fn f(x: f32[N]) -> y: f32[8*N] {\n  map i in N grid {\n"
                          "    t: f32[8] in register\n    map k in 8 block { t[k] = x[i] }\n"
                          "    %s\n  }\n}\n" % body), "f")
        tap.ok("no one thread" in text, "no owner: " + why, text)
    for half in "f16", "bf16":  # f32 containers around the kernel, and within it
        text = show(write("half.dcl", "fn f(x: %s[N, 4]) -> y: %s[N] {\n  y = 0\n"
                          "  map i in N grid, k in 4 { y[i] += x[i, k] }\n}\n" % (half, half)), "f")
        tap.ok("error: no PTX: " in text, "refused: a sum of %s around a kernel" % half, text)
        text = show(write("half.dcl", "fn f(x: %s[N, 4]) -> y: %s[N] {\n  map i in N grid {\n"
                          "    s: %s = 0\n    map k in 4 { s += x[i, k] }\n    y[i] = s\n  }\n}\n"
                          % (half, half, half)), "f", "--sm", "80")
        assembled("half_sum_" + half, text, 80)
    text = show(KERNELS, "scale_add", "--sm", "74")
    tap.ok("no PTX is made for sm_74" in text, "an unknown processor is refused", text)
    status, _, text = tap.dcl("show", KERNELS, "--entry", "scale_add", "--sm", "80")
    tap.ok(status == 2 and "--sm belongs to --as ptx" in text, "--sm is for PTX", text)


def emulated(text, grid, arrays, integers, want, name):
    got = numpy.full_like(want, numpy.nan)
    kernel = emulate.Kernel(text)
    for which, order in ("", range), (", threads in reverse", lambda n: reversed(range(n))):
        got[...] = numpy.nan
        try:
            kernel.run(grid, arrays + [got], integers, order)
            tap.is_close(got, want, name + which, rtol=1e-4, atol=1e-5)
        except emulate.Fault as fault:
            tap.fail(name + which, fault)


def values(small):
    rng = numpy.random.default_rng(1)

    def array(*shape):
        return rng.standard_normal(shape).astype("f4")

    x, a, b = array(1000), numpy.float32(2.5), numpy.float32(-1)
    one = [numpy.array([a]), numpy.array([b])]
    text = show(KERNELS, "scale_add")
    emulated(text, (4, 1, 1), [x] + one, [1000], a * x + b, "scale_add, a block for each part")
    emulated(text, (3, 1, 1), [x] + one, [1000], a * x + b, "scale_add, fewer blocks")
    matmul = show(KERNELS, "matmul_shared")
    for m, k, n in (70, 20, 66), (3, 1, 2):
        p, q = array(m, k), array(k, n)
        emulated(matmul, (-(-n // 64), -(-m // 64), 1), [p, q], [m, k, n], p @ q,
                 "matmul_shared %d x %d x %d" % (m, k, n))
    p, q = array(65, 17), array(17, 65)
    emulated(matmul, (1, 1, 1), [p, q], [65, 17, 65], p @ q, "matmul_shared, one block for all")
    faults(matmul, p, q)
    x = array(100)
    emulated(show(small, "sums"), (1, 1, 1), [x], [100],
             numpy.array([x[:64].sum(), x[64:].sum()]), "sums, a tree in shared memory")
    x = array(3, 8)
    emulated(show(small, "shapes"), (2, 1, 1), [x], [3], x[:, ::-1] + 1, "shapes")
    x = array(40, 5)
    emulated(show(small, "rows"), (2, 1, 1), [x], [40, 5], x.sum(1), "rows")
    x = array(3, 16)
    emulated(show(small, "centred"), (2, 1, 1), [x], [3], x - x.mean(1, keepdims=True), "centred")


def faults(matmul, p, q):
    """Each barrier is needed, and the emulator sees that."""
    found = list(re.finditer(r"\tbar\.sync[^\n]*\n", matmul))
    tap.is_int(len(found), 2, "matmul_shared has a barrier after each of its two steps")
    for k, barrier in enumerate(found):
        text = matmul[:barrier.start()] + matmul[barrier.end():]
        try:
            emulate.Kernel(text).run((1, 1, 1), [p, q, numpy.zeros((65, 65), "f4")], [65, 17, 65])
            tap.fail("a missing barrier is found: %d" % k)
        except emulate.Fault as fault:
            tap.ok("shared byte" in str(fault), "a missing barrier is found: %d" % k, fault)
    tap.is_int(show(KERNELS, "scale_add").count("bar.sync"), 0, "scale_add needs no barrier")


def on_processors(small):
    """The words have no meaning on ref and in order on cpu."""
    rng = numpy.random.default_rng(2)
    for backend in "ref", "cpu":
        s = dclpy.Session("backend=" + backend)
        for file in KERNELS, small:
            with open(file) as f:
                s.run(f.read())
        x = rng.standard_normal(300).astype("f4")
        a, b = numpy.float32(2), numpy.float32(3)
        tap.is_close(s.call("scale_add", x, a, b), a * x + b, backend + ": scale_add")
        for m, k, n in (1, 1, 1), (64, 16, 64), (65, 17, 70):
            p, q = (rng.standard_normal(shape).astype("f4") for shape in ((m, k), (k, n)))
            tap.is_close(s.call("matmul_shared", p, q), p @ q, "%s: matmul_shared %d x %d x %d"
                         % (backend, m, k, n), rtol=1e-4, atol=1e-5)
        want = [x[i:i + 64].sum() for i in range(0, 300, 64)]
        tap.is_close(s.call("sums", x), numpy.array(want), backend + ": sums", rtol=1e-4, atol=1e-5)
        x = x[:296].reshape(37, 8)
        tap.is_close(s.call("shapes", x), x[:, ::-1] + 1, backend + ": shapes")
        tap.is_close(s.call("rows", x), x.sum(1), backend + ": rows", rtol=1e-4, atol=1e-5)
        x = x[:36].reshape(18, 16)
        tap.is_close(s.call("centred", x), x - x.mean(1, keepdims=True), backend + ": centred",
                     rtol=1e-4, atol=1e-5)


SMALL_FILE = write("small.dcl", SMALL)
every_processor(SMALL_FILE)
operators()
refusals()
values(SMALL_FILE)
on_processors(SMALL_FILE)
tap.done_testing()
