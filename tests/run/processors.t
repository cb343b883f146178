#!/usr/bin/env python3
"""processors.t: kernels of one processor are never run on another. The same folder of kernels is
used by this machine and, under qemu-x86_64, by processors with 32-byte vectors and FMA, without
FMA, and with 16-byte vectors: each finds what it would find alone, and keeps entries of its own."""

import glob
import os

import tap

np = tap.need_numpy()

QEMU = os.environ.get("QEMU")
if not QEMU:
    tap.skip_all("qemu-x86_64 is not installed (qemu-user)")
if os.environ.get("DCL_ASAN"):
    tap.skip_all("the sanitizers' memory map is not qemu's")

# Integers: the same bytes everywhere.
EXACT = """
fn wraps(x: T[N], y: T[N]) -> (a: T[N], b: T[N], c: T[N], d: T[N], e: T[N], s: T, m: T)
    where T: int {
  map i {
    a[i] = x[i] * y[i] + (x[i] - 3)
    b[i] = x[i] // y[i] + x[i] % 7
    c[i] = shl(x[i], 2) - shr(y[i], 1)
    d[i] = bit_xor(max(x[i], y[i]), bit_and(x[i], bit_not(y[i])))
    e[i] = select(x[i] < y[i], x[i], -y[i])
    s += x[i] * y[i]
    m max= x[i]
  }
}
fn given(n: i64; t: dtype) -> x: t[n] { map i in n { x[i] = t(i * 2654435761 + 12345) } }
for t in [i8, i32, i64, u16] {
  x = given(1003, t = t)
  a, b, c, d, e, s, m = wraps(x, given(1003, t = t) + 5)
  save("exact_" + str(t) + ".npy", a * 3 + b * 5 + c * 7 + d * 11 + e * s + m)
}
m = reshape(given(33 * 21, t = i32), [33, 21])
save("exact_sorted.npy", argsort(m))
save("exact_product.npy", m @ m.T)
save("exact_random.npy", random_bits(777, 5))
save("exact_random_f32.npy", random_uniform([99], 6))
"""

# Under `strict` nothing contracts and sums keep their order: the same bytes for all but exp and
# the like.
STRICT = """
fn given(n: i64; t: dtype) -> x: t[n] { map i in n { x[i] = t(f64(i * 37 % 101) / 7 - 6.5) } }
fn mixed(x: T[N]) -> (y: T[N], s: T, p: T) where T: float {
  map i {
    y[i] = x[i] * x[i] - sqrt(abs(x[i])) / (x[i] + 1.25) + floor(x[i]) - round(x[i] * 3)
    s += x[i] * y[i]
    p max= y[i] * x[i] + 1
  }
}
for t in [f64, f32, f16, bf16] {
  y, s, p = mixed(given(1001, t = t))
  save("exact_strict_" + str(t) + ".npy", f64(y * s + p))
  save("exact_cast_" + str(t) + ".npy", i32(y * 1000) + i32(u8(y)))
}
a = reshape(given(19 * 70, t = f32), [19, 70])
save("exact_strict_product.npy", a @ a.T)
save("near_strict.npy", tanh(a) + exp(a * 0.125) + log(abs(a) + 1))
"""

# Contractions and splits differ: results are near each other.
FREE = """
fn given(S: shape; t: dtype = f32) -> x: t[*S] {
  y = iota(prod(S))
  x = reshape(t(f64(y * 37 % 101) / 70 - 0.65), S)
}
fn iota(n: i64) -> x: i64[n] { map i in n { x[i] = i } }
fn pooled(x: f32[N, C, _, _]) -> f32[N, C] { mean(x, axes = [2, 3]) }
layer Net() {
  conv = Conv2d(3, 8, 3, pad = 1)
  norm = BatchNorm(8)
  head = Linear(8, 5)
  fn forward(x: f32[N, 3, _, _]) -> f32[N, 5] {
    x |> conv |> norm |> relu |> pooled |> head
  }
}
fn step(net: Net, opt: SGD, x: f32[N, 3, _, _], y: i64[N]) -> f32 {
  minimize cross_entropy(net(x), y) over net with opt
}
x = given([2, 3, 9, 11])
a = given([3, 40, 33])
q = given([2, 2, 37, 16])
save("near_attention.npy", attention(q, q, q, causal = true))
save("near_softmax.npy", softmax(a))
save("near_product.npy", a @ transpose(a))
save("near_gelu.npy", gelu(a) + erf(a) + sin(a))
save("near_norm.npy", layer_norm(a, a[0, 0, :] + 1, a[0, 1, :]))
save("near_half.npy", f32(softmax(f16(a))))
seed(3)
net = Net()
opt = SGD(0.1)
y: i64[2] = 1
for i in 0:4 { loss = step(net, opt, x, y) }
save("near_loss.npy", stack([loss]))
save("near_out.npy", net(x))
"""

PROGRAMS = (("exact", EXACT, "0"), ("strict", STRICT, "1"), ("free", FREE, "0"))
for name, text, strict in PROGRAMS:
    with open(name + ".dcl", "w", encoding="ascii") as file:
        file.write(text)

PROCESSORS = ("host", "Haswell", "SandyBridge", "Nehalem")


def run(cpu, cache):
    """What the programs save on a processor: file -> array."""
    found = {}
    folder = "out." + cpu
    os.makedirs(folder, exist_ok=True)
    for name, _, strict in PROGRAMS:
        for old in glob.glob(folder + "/*.npy"):
            os.remove(old)
        words = [] if cpu == "host" else [QEMU, "-cpu", cpu]
        status, _, err = tap.run("sh", "-c", 'cd "$0" && exec "$@"', folder, *words, tap.DCL,
                                 "run", "../%s.dcl" % name, "--cache", os.path.abspath(cache),
                                 "--strict", strict)
        # qemu tells on standard error which parts of a processor it lacks.
        if not tap.ok(status == 0, "%s runs on %s" % (name, cpu), err):
            continue
        for path in glob.glob(folder + "/*.npy"):
            found[os.path.basename(path)] = np.load(path)
    return found


def entries(cache):
    return {path: os.stat(path).st_mtime_ns for path in glob.glob(cache + "/*")}


def same(got, want, name):
    tap.ok(got.keys() == want.keys() and want, name + ": all results are there")
    wrong = [k for k in want if k in got and k.startswith("exact") and
             got[k].tobytes() != want[k].tobytes()]
    tap.ok(not wrong, name + ": exact results are the same bytes", wrong)
    far = [(k, got[k].ravel()[:4], want[k].ravel()[:4]) for k in want
           if k in got and k.startswith("near") and
           not np.allclose(got[k], want[k], rtol=2e-3 if "half" in k else 3e-5, atol=3e-5)]
    tap.ok(not far, name + ": the others are near", far)


# In turn, each on what those before it left; then once more, each on what all have left.
before, first = {}, {}
for cpu in PROCESSORS:
    first[cpu] = run(cpu, "kernels")
    now = entries("kernels")
    tap.ok(len(now) > len(before) + 20, "%s makes kernels of its own" % cpu, len(before), len(now))
    tap.ok(all(now.get(path) == made for path, made in before.items()),
           "%s leaves those of others as they are" % cpu)
    tap.is_int(len(now) - len(before), len(now) // (1 + PROCESSORS.index(cpu)),
               "%s uses none of others" % cpu)
    before = now
    if cpu != "host":
        same(first[cpu], first["host"], "%s as the host" % cpu)
for cpu in PROCESSORS:
    again = run(cpu, "kernels")
    tap.ok(again.keys() == first[cpu].keys() and
           all(again[k].tobytes() == v.tobytes() for k, v in first[cpu].items()),
           "%s finds the same once more" % cpu)
    tap.ok(entries("kernels") == before, "%s makes no kernel anew" % cpu)
tap.done_testing()
