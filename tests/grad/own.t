#!/usr/bin/env python3
"""own.t: functions with a gradient of their own: that it is the one used, with views, broadcasts,
static arguments, several results, loops inside; the library's kernels against their definitions."""
import tap

SOURCE = """
# Rounds, and hands gradients through: not what would be derived.
fn ste(x: f32) -> y: f32 { y = round(x) }
grad ste(x: f32, dy: f32) -> dx: f32 { dx = dy }
x = stack([1.25, -0.5, 2.75])
l, g = gradient sum(ste(x) * x) over x
print(g)
s: f32 = 1.75
l, g = gradient ste(s * s) * 3 over s
print(l, g)

# Broadcast arguments get sums; views and static arguments; a wrong factor shows that it is used.
fn scale(x: T[*S], k: T[*S]; by: int = 2) -> y: T[*S] where T: float {
  map *i in S { y[*i] = by * x[*i] * k[*i] }
}
grad scale(x: T[*S], k: T[*S], dy: T[*S]; by: int = 2) -> (dx: T[*S], dk: T[*S]) where T: float {
  map *i in S { dx[*i] = by * k[*i] * dy[*i]; dk[*i] = 100 * by * x[*i] * dy[*i] }
}
k: f32[2, 1] = 3
l, g = gradient sum(scale(x, k, by = 5)) over k
print(l, g)
l, g = gradient sum(scale(x, k, by = 5)) over x
print(g)
w: f32[3, 2]
map i, j { w[i, j] = f32(i) + 10 * f32(j) }
v: f32[2, 1] = 1
fn sum_of(a: T[*S]) -> t: T where T: float { map *i in S { t += a[*i] } }
l, g = gradient { y = scale(w.T, v); sum_of(y[1, :]) } over w
print(g)

# Several results, one of which is not used, or is an integer; what the reverse reads.
fn norm(x: f32[N]) -> (y: f32[N], r: f32, n: i64) {
  s: f32
  map i { x[i] * x[i] >> s (sum) }
  r = sqrt(s)
  map i { y[i] = x[i] / r }
  n = N
}
grad norm(y: f32[N], r: f32, dy: f32[N], dr: f32) -> dx: f32[N] {
  d: f32
  map i { d += y[i] * dy[i] }
  map i { dx[i] = (dy[i] - y[i] * d) / r + dr * y[i] }
}
c = stack([0.5, -1.0, 2.0])
fn plain(x: f32[N]) -> (y: f32[N], r: f32) {
  s: f32
  map i { x[i] * x[i] >> s (sum) }
  y = x / sqrt(s)
  r = sqrt(s)
}
fn both(x: f32[N], c: f32[N]) -> bool {
  l, g = gradient { y, r, n = norm(x); sum(y * c) + r * f32(n) } over x
  m, h = gradient { y, r = plain(x); sum(y * c) + r * 3 } over x
  max(abs(g - h)) < 1e-5 and abs(l - m) < 1e-5
}
print(both(x, c))
l, g = gradient { y, r, n = norm(x); sum(y * c) } over x
m, h = gradient { y, r = plain(x); sum(y * c) } over x
print(max(abs(g - h)) < 1e-6)

# What has no derivative can have a gradient: loops whose steps depend on each other.
fn root(a: f32) -> y: f32 {
  y = 1
  for k in 0:30 { y = 0.5 * (y + a / y) }
}
grad root(y: f32, dy: f32) -> da: f32 { da = 0.5 * dy / y }
q: f32 = 16
l, g = gradient root(q * q) over q
print(l, g)

# A result without a name; one that is the argument itself; calls inside of one another.
fn same(x: f32[*S]) -> f32[*S] { x }
grad same(dy: f32[*S]) -> dx: f32[*S] { dx = 3 * dy }
fn outer(x: f32[*S]) -> f32[*S] { same(same(x)) }
l, g = gradient sum(same(x) * x) over x
print(g)
l, g = gradient sum(outer(x)) over x
print(g)
fn wrapped(x: f32[*S]) -> f32[*S] { same(same(x)) }
grad wrapped(x: f32[*S], dy: f32[*S]) -> dx: f32[*S] { dx = dy + 0 * x }
l, g = gradient sum(wrapped(x)) over x
print(g)
fn twice(x: f32[N]) -> f32[N] {
  l, g = gradient sum(same(x) * x) over x
  m, h = gradient sum(same(x * g)) over x
  g + h
}
print(twice(x))

# Training through it, optional arguments, halves.
fn shifted(x: T[*S], b: T[*S]? = none) -> y: T[*S] where T: float {
  y = if b == none { x } else { x + b }
}
grad shifted(x: T[*S], dy: T[*S], b: T[*S]? = none) -> (dx: T[*S], db: T[*S]) where T: float {
  dx = 2 * dy
  db = dy
}
net = Linear(3, 2)
before = net.bias
loss = minimize { y = net(x); sum(shifted(y)) } over net with SGD(0.5)
print(max(abs(before - net.bias - 1)) < 1e-6)
h = f16(x)
l, g = gradient f32(sum(shifted(h, h))) over h
print(g)
"""
WANT = """[ 2.25 -0.5   5.75]  f32[3]
9.0 10.5
105.0 [[1750.]
 [1750.]]  f32[2, 1]
[30. 30. 30.]  f32[3]
[[0. 2.]
 [0. 2.]
 [0. 2.]]  f32[3, 2]
true
true
16.0 1.0
[ 5. -2. 11.]  f32[3]
[9. 9. 9.]  f32[3]
[1. 1. 1.]  f32[3]
[ 42.5 -17.   93.5]  f32[3]
true
[3. 3. 3.]  f16[3]
"""
with open("own.dcl", "w", encoding="ascii") as stream:
    stream.write(SOURCE)
status, output, errors = tap.dcl("run", "own.dcl")
tap.ok(status == 0 and not errors, "it runs", errors)
tap.is_str(output, WANT, "gradients of functions that have their own")

# By the reference, which has no gradients of gradients.
TWICE = "print(twice(x))\n"
with open("once.dcl", "w", encoding="ascii") as stream:
    stream.write(SOURCE.replace(TWICE, ""))
status, output, errors = tap.dcl("run", "--check", "once.dcl")
tap.ok(status == 0 and not errors and TWICE in SOURCE, "it runs, checked", errors)
tap.is_str(output, "".join(line for line in WANT.splitlines(True) if "42.5" not in line),
           "the same by the reference")

# Defined anew: `grad f` goes with the `fn f` of its text, or of those before it.
F, GRAD = "fn f(%s: f32[N]) -> y: f32[N] { y = %d * %s }\n", \
    "grad f(dy: f32[N]) -> d%s: f32[N] { d%s = %d * dy }\n"
ASK = "l, g = gradient sum(f(w)) over w\ng[0]\n"
STEPS = ["w: f32[1] = 1\n", F % ("x", 2, "x"), GRAD % ("x", "x", 7), ASK, F % ("z", 3, "z"), ASK,
         GRAD % ("z", "z", 8), ASK, F.replace("}\n", "}; error(0)\n") % ("x", 4, "x"), ASK,
         GRAD % ("z", "z", 9), ASK, "layer f() { fn forward(x: f32[1]) -> f32[1] { 5 * x } }\n",
         F % ("x", 6, "x"), ASK]
status, output, errors = tap.dcl(input="".join(STEPS))
tap.is_str(output, "7.0\n3.0\n8.0\n8.0\n9.0\n6.0\n", "f and its gradient, anew at the prompt")
tap.ok(errors.count("error:") == 1, "only the line with an error is one", errors)
SHOW = ASK.replace("\ng[0]", "\nprint(g[0])")
ONE = STEPS[0] + GRAD % ("x", "x", 7) + F % ("x", 2, "x") + SHOW + F % ("z", 3, "z") + SHOW + \
    GRAD % ("z", "z", 8) + SHOW
with open("anew.dcl", "w", encoding="ascii") as stream:
    stream.write(ONE)
status, output, errors = tap.dcl("run", "anew.dcl")
tap.is_str(output, "7.0\n3.0\n8.0\n", "f and its gradient, defined anew in one text")
tap.ok(not errors, "each fits the definition that it belongs to", errors)
with open("library.dcl", "w", encoding="ascii") as stream:
    stream.write(F % ("x", 2, "x") + GRAD % ("x", "x", 7) + F % ("z", 3, "z"))
with open("user.dcl", "w", encoding="ascii") as stream:
    stream.write("use library\n" + STEPS[0] + SHOW)
status, output, errors = tap.dcl("run", "user.dcl")
tap.is_str(output + errors, "3.0\n", "in a file that is used, too")

# Kernels of the library: equal to what their definitions give.
KERNELS = """
fn near(a: f32[*S], b: f32[*S]) -> bool { max(abs(a - b)) <= 1e-5 * max(abs(b)) + 1e-30 }
for size in [[1, 1, 4, 5, 1], [5, 7, 9, 11, 3], [4, 9, 6, 17, 2]] {
  x = random_normal([2, size[0], size[2], size[3]], key = 1)
  w = random_normal([size[1], size[0], size[4], size[4]], key = 2)
  for how in [[1, 0, 1], [1, 1, 1], [2, 1, 1], [1, 3, 2], [3, 2, 2]] {
    s, p, d = how
    l, a = gradient { y = conv2d(x, w, stride = s, pad = p, dilation = d); mean(y*y*y) } over w
    m, b = gradient { y = conv_plain(x, w, [s, s], [p, p], [d, d], 1); mean(y*y*y) } over w
    assert(near(a, b), "conv2d by w")
    l, a = gradient { y = conv2d(x, w, stride = s, pad = p, dilation = d); mean(y*y*y) } over x
    m, b = gradient { y = conv_plain(x, w, [s, s], [p, p], [d, d], 1); mean(y*y*y) } over x
    assert(near(a, b), "conv2d by x")
  }
}
fn check(A: f32[*P], B: f32[*Q]) -> bool {
  l, a = gradient { y = A @ B; mean(y*y*y) } over A
  m, b = gradient { y = matmul_plain(A, B); mean(y*y*y) } over A
  l, c = gradient { y = A @ B; mean(y*y*y) } over B
  m, d = gradient { y = matmul_plain(A, B); mean(y*y*y) } over B
  near(a, b) and near(c, d)
}
fn check_transposed(A: f32[*P, K], B: f32[_, K]) -> bool {
  l, a = gradient { y = product(A, B); mean(y*y*y) } over A
  m, b = gradient { y = rows(A, B); mean(y*y*y) } over A
  l, c = gradient { y = product(A, B); mean(y*y*y) } over B
  m, d = gradient { y = rows(A, B); mean(y*y*y) } over B
  near(a, b) and near(c, d)
}
for m in [1, 13] { for k in [33] { for n in [5, 40] {
  assert(check(random_normal([m, k], key = 1), random_normal([k, n], key = 2)))
  assert(check(random_normal([3, m, k], key = 1), random_normal([k, n], key = 2)))
  assert(check(random_normal([m, k], key = 1), random_normal([2, k, n], key = 2)))
  assert(check(random_normal([3, 1, m, k], key = 1), random_normal([2, k, n], key = 2)))
  assert(check_transposed(random_normal([m, k], key = 1), random_normal([n, k], key = 2)))
  assert(check_transposed(random_normal([2, m, k], key = 1), random_normal([n, k], key = 2)))
} } }
# In a map the definitions are used.
fn rowwise(A: f32[M, K], B: f32[K, N]) -> y: f32[M, N] {
  map i in M { y[i, :] = (A[i:i + 1, :] @ B)[0, :] }
}
A = random_normal([3, 5], key = 1)
B = random_normal([5, 4], key = 2)
l, a = gradient { y = rowwise(A, B); mean(y*y*y) } over B
m, b = gradient { y = A @ B; mean(y*y*y) } over B
assert(near(a, b))
print("equal")
"""
with open("kernels.dcl", "w", encoding="ascii") as stream:
    stream.write(KERNELS)
status, output, errors = tap.dcl("run", "kernels.dcl")
tap.ok(status == 0 and output == "equal\n", "gradients of the library's kernels", output + errors)
tap.done_testing()
