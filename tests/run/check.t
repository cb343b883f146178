#!/usr/bin/env python3
"""check.t: checked runs: what they compute is what the reference computes, what they find is told
once for each place, with the indices around, and what the status is. tests/errors/checked.dcl has
the messages byte for byte."""
import re

import tap

np = tap.need_numpy()
import dclpy  # noqa: E402


def checked(program, path="case.dcl"):
    """Status, output and messages of a checked run."""
    with open(path, "w", encoding="ascii") as file:
        file.write(program)
    return tap.dcl("run", "--check", path)


# --- the same values, and NumPy's ----------------------------------------------------------------
SOURCE = """
fn norm(x: f32[N, M]) -> y: f32[N, M] {
  s: f32[N]
  map i, j { s[i] += x[i, j] * x[i, j] }
  map i parallel, j { y[i, j] = x[i, j] / sqrt(s[i]) }
}
fn smooth(x: f16[N]) -> y: f16[N] { map i { y[i] = x[i - 1, else 0] + x[i] + x[i + 1, else 0] } }
fn gather(x: f32[_, M], k: i64[K]) -> y: f32[K, M] { map i, j { y[i, j] = x[k[i], j] } }
fn total(k: i64[_], n: i64) -> h: i64[n] { map i { 1 >> h[k[i]] (sum) } }
"""
rng = np.random.default_rng(3)
x = rng.normal(size=(5, 7)).astype("f4")
half = rng.normal(size=9).astype("f2")
k = rng.integers(0, 5, 20)
around = np.pad(half, 1)
WANT = {
    "norm": x / np.sqrt((x * x).sum(1, keepdims=True)),
    "smooth": around[:-2] + around[1:-1] + around[2:],
    "gather": x[k],
    "total": np.bincount(k, minlength=5),
}
ARGS = {"norm": (x,), "smooth": (half,), "gather": (x, k), "total": (k, np.int64(5))}
with dclpy.Session("check=1") as mine, dclpy.Session("backend=ref") as ref:
    for session in mine, ref:
        session.run(SOURCE)
    for name, want in WANT.items():
        got, by_ref = mine.call(name, *ARGS[name]), ref.call(name, *ARGS[name])
        tap.ok(got.tobytes() == by_ref.tobytes(), name + ": the bytes of the reference")
        tap.is_close(got, want, name + ": NumPy's values", rtol=1e-3, atol=1e-3)

# --- training ------------------------------------------------------------------------------------
TRAIN = """
fn step(net: Linear, opt: Adam, x: f32[B, 3], y: i64[B]) -> f32 {
  minimize cross_entropy(net(x), y) over net with opt
}
seed(1)
net = Linear(3, 4)
opt = Adam(net, rate = 0.1)
x: f32[6, 3] = 0.5
map i, j { x[i, j] = f32(i) - f32(j * j) }
y: i64[6] = 1
map i in 3 { y[i] = i }
for t in 0:4 { loss = step(net, opt, x, y) }
"""
outputs = {}
for options in "check=1", "verify=1":
    with dclpy.Session(options) as session:
        session.run(TRAIN + 'save("w.npy", net.weight)\nprint(loss)')
        outputs[options] = np.load("w.npy")
tap.is_close(outputs["check=1"], outputs["verify=1"], "trained as by compiled code", rtol=1e-4,
             atol=1e-5)
status, output, errors = checked(TRAIN + "y[2] = 9\nfor t in 0:2 { loss = step(net, opt, x, y) }\n")
tap.ok(status == 1 and re.match(r"case.dcl:3:12: error: .*outside.*\n.*\n.*t = 0\n", errors),
       "a label that is too large is told at the user's line", errors)
tap.is_int(errors.count("is outside"), 1, "once, not in every step")
tap.ok("of the library, where" in errors and "step is called here" in errors,
       "the library's line and the call are notes", errors)
status, output, errors = checked(TRAIN + "x[0, 0] = 1e30\nx[0, 1] = 1e30\n"
                                 "net.weight * x[0, 0] * x[0, 1]\n")
tap.ok(status == 0 and "gives inf" in errors or "gives -inf" in errors, "a warning is no failure",
       errors)

# Gradients by the reference, which knows no maps, are those that the compiler derives.
GRADIENTS = """
fn top(x: f32[_]) -> m: f32 { map i { x[i] >> m (max) } }
fn low(x: f32[_]) -> m: f32 { map i { x[i] >> m (min) } }
x = stack([1.0, 3, 3])
y = stack([1.0, 2, 3])
l, a = gradient top(x) + 2 * low(3 - x) over x
l, b = gradient sum(max(x * x, 3 * x)) + sum(min(x, y)) over x
l, c = gradient sum(select(x > 2, abs(2 - x) / y, sqrt(x) * tanh(x) - log(y))) over [x, y]
fn two(net: Linear, opt: SGD, x: f32[3, 3]) -> f32 {
  a = minimize sum(net(x) * net(x)) over net with opt
  b = minimize { h = net(x); p: f32; map i, j { exp(h[i, j]) >> p (sum) }; p } over net with opt
  a + b
}
seed(4)
net = Linear(3, 2)
z: f32[3, 3] = 0.5
loss = two(net, SGD(0.01), z)
"""
found = []
for options in "check=1", "verify=1":
    with dclpy.Session(options) as session:
        parts = ["a", "b", "c[0]", "c[1]", "net.weight", "net.bias"]
        session.run(GRADIENTS +
                    "".join('save("g%d.npy", %s)\n' % part for part in enumerate(parts)))
        found.append([np.load("g%d.npy" % k) for k in range(len(parts))])
for part, mine, its in zip(parts, *found):
    tap.is_close(mine, its, part + ": by the tape and by the compiler", rtol=1e-5, atol=1e-5)

# --- one finding for each place, several in a run ------------------------------------------------
status, output, errors = checked("""
fn at(x: f32[N], k: i64) -> f32 { x[k] }
x: f32[4] = 1
for k in 3:6 { print(at(x, k)) }
print(at(x, 7), x[3], sum(x))
""")
tap.is_int(status, 1, "the status of a run with findings")
tap.is_str(output, "1.0\n0.0\n0.0\n0.0 1.0 4.0\n", "it goes on")
places = re.findall(r"case.dcl:(\d+):\d+: error", errors)
tap.ok(places == ["2"], "once, whoever calls", errors)
status, output, errors = checked("""
x: f32[3, 2] = 1
k: i64[2] = 3
print(take(x, k, axis = 0)[0, 0])
for e in 0:2 { print(take(x, k + e, axis = 0)[0, 0], take(x, k - k, axis = 0)[0, 0]) }
""")
places = re.findall(r"case.dcl:(\d+):\d+: error", errors)
tap.ok(places == ["4", "5"] and "e = 0" in errors, "of the library: once for each call", errors)

# --- maps that keep their promise, and others ----------------------------------------------------
RACES = [  # body over y: f32[4] = 0, x: f32[4] = 1, p = [0, 0, 1, 2]; what is told of it
    ("map i in 4 { y[p[i]] = x[i] }", "warning"),
    ("map i in 4 unique { y[p[i]] = x[i] }", "error"),
    ("map i in 4 unique { y[3 - p[i]] = x[i] }", "error"),
    ("map i in 1:4 unique { y[p[i]] = x[i] }", ""),
    ("map i in 4 unique { y[p[i]] += x[i] }", ""),
    ("map i in 4 unique { y[p[i]] += x[i];  y[p[i]] max= x[i] }", "error"),
    ("map i in 4 unique { a << y[p[i]];  a + 1 >> y[i] }", "error"),
    ("map i in 4 unique { a << y[i];  a + 1 >> y[p[i]] }", "error"),
    ("map i in 2 unique { map j in 2 { y[p[j]] = x[i] } }", "error warning"),
    ("for t in 0:3 { map i in 1:4 unique { y[p[i]] = x[i] } }", ""),
    ("for t in 0:3 { map i in 1:4 unique { a << y[p[i]];  a + 1 >> y[p[i]] } }", ""),
    ("map i in 4 unique { c: f32[2] = 0;  map j in 2 { c[p[j]] = x[i] };  y[i] = c[0] }",
     "warning"),
    ("map i in 4 unique { c: f32[2] = 0;  for j in 0:2 { c[p[j]] = x[i] };  y[i] = c[0] }", ""),
    ("map i in 2, j in 2 unique { y[p[2*i + j]] = x[i] }", "error"),
    ("map i in 2, j in 0:i + 1 unique { y[p[i + j]] = x[i] }", "error"),
    ("map i in 4 unique { if x[i] > 0 { y[p[i]] = x[i] } }", "error"),
    ("map i in 2 unique { y[p[i]] += x[i];  if x[i] < f32(2*i) { a << y[p[i]];  a >> y[2] } }",
     "error"),
    ("map i in 2 unique { a << y[p[i]];  if x[i] < f32(2*i) { a + 1 >> y[p[i]] } }", "error"),
    ("map i in 4 unique { if x[i] < 0 { y[p[i]] = x[i] } }", ""),
]
for body, want in RACES:
    status, _, errors = checked("fn f(x: f32[4], p: i64[4]) -> y: f32[4] {\n  y = 0\n  %s\n}\n"
                                "x: f32[4] = 1\np: i64[4] = 0\np[2] = 1\np[3] = 2\n"
                                "print(f(x, p))\n" % body)
    kinds = sorted(set(re.findall(r"(error|warning): iteration", errors)))
    wrong = "error" in want
    tap.ok(kinds == want.split() and status == wrong and errors.count("error:") == wrong,
           body + ": " + (want or "fine"), errors)

# A method is elaborated when it is called, so that a word is checked in the run alone.
METHOD = """
layer Count(n: int) {
  fn forward(p: i64[N]) -> y: i64[n] { map i in N %s { 1 >> y[p[i]] (sum) } }
}
count = Count(3)
p: i64[3] = 1
p[0] = %s
p[1] = 2
print(count(p))
"""
for word, start, wrong in (("parallel", 1, True), ("parallel", 0, False), ("vector", 1, False),
                           ("", 1, False)):
    status, _, errors = checked(METHOD % (word, start))
    tap.ok(status == wrong and ("i runs in any order" in errors) == wrong and
           ("iterations i = 0 and i = 2 both write y[1]" in errors) == wrong,
           "equal resolutions in a map that is said to be '%s', %d" % (word, start), errors)

# --- numbers -------------------------------------------------------------------------------------
NUMBERS = [  # a statement over z: f32[2] = 0 and m: f32[2] = -inf; what is told, or nothing
    ("1 / z", "1.0 / 0.0 gives inf"), ("z / z", "0.0 / 0.0 gives nan"),
    ("log(z)", "log(0.0) gives -inf"), ("sqrt(z - 1)", "sqrt(-1.0) gives nan"),
    ("exp(z + 100)", "exp(100.0) gives inf"), ("m + 1", None), ("exp(m)", None),
    ("m - m", "-inf - -inf gives nan"), ("max(m, 1 / m)", None), ("z + inf", None),
    ("f16(z + 1e5)", "f16(100000.0) gives inf"), ("f32(f64(z) + 1e300)", "f32(1e300) gives inf"),
    ("sum(z + 3e38)", "sum of y, which is 3e38, and 3e38 gives inf"),
    ("select(z > 0, 1 / z, z)", "1.0 / 0.0 gives inf"), ("z * m", "0.0 * -inf gives nan"),
    ("i64(z) // i64(z)", "0 // 0 gives 0"), ("5 % i64(z)", "5 % 0 gives 0"),
]
for text, want in NUMBERS:
    status, _, errors = checked("z: f32[2] = 0\nm: f32[2] = -inf\nprint(%s)\n" % text)
    told = re.findall(r"warning: (.*)", errors)
    tap.ok(status == 0 and told == ([want] if want else []), text, errors)
tap.done_testing()
