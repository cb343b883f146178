#!/usr/bin/env python3
"""halves.t: gradients of programs in f16 and bf16 are those in f32, but for rounding; their sums
are of f32, so thousands of equal terms add up; and parameters of these types learn."""

import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402

SOURCE = """
fn layer_of(x: T[M, K], w: T[K, N]) -> e: f32 where T: float {
  y = tanh(x @ w) * 2 + 1
  map i, j { e += f32(y[i, j] * y[i, j]) }
}
fn weights(x: T[M, K], w: T[K, N]) -> d: T[K, N] where T: float {
  l, g = gradient layer_of(x, w) over w
  d = g
}
fn linear_of(x: T[M, K], w: T[K]) -> e: f32 where T: float {
  map i, k { e += f32(x[i, k] * w[k]) }
}
fn many(x: T[M, K], w: T[K]) -> d: T[K] where T: float {
  l, g = gradient linear_of(x, w) over w
  d = g
}
fn twice_of(x: T[M, K], w: T[K]) -> e: f32 where T: float {
  s: T[K] = 0
  map i, k { s[k] += x[i, k] * w[k] }
  map i, k { s[k] += x[i, k] * w[k] * w[k] }
  map k { e += f32(s[k]) }
}
fn twice(x: T[M, K], w: T[K]) -> d: T[K] where T: float {
  l, g = gradient twice_of(x, w) over w
  d = g
}
"""

LEARN = """
layer Line(n: int) {
  param w: bf16[n] ~ zeros
  param b: f16[1] ~ zeros
  fn forward(x: bf16[M, n]) -> y: f32[M] {
    map i { y[i] = f32(b[0]) }
    map i, k { y[i] += f32(x[i, k] * w[k]) }
  }
}
layer Descent(rate: float) {
  fn step(inout w: T[*S], g: T[*S]) where T: float {
    map *i in S { w[*i] = w[*i] - T(rate) * g[*i] }
  }
}
fn distance(y: f32[N], z: f32[N]) -> e: f32 {
  map i { e += (y[i] - z[i]) * (y[i] - z[i]) / f32(N) }
}
fn train(net: Line, opt: Descent, x: bf16[M, K], z: f32[M]) -> f32 {
  minimize distance(net(x), z) over net with opt
}
net = Line(3)
opt = Descent(0.125)
x: bf16[8, 3] = 0
map i in 0:8, k in 0:3 { x[i, k] = select(bit_and(shr(i64(i), i64(k)), 1) == 1, bf16(1), bf16(-1)) }
z: f32[8] = 0
map i in 0:8 { z[i] = 0.5 + f32(x[i, 0]) - 2 * f32(x[i, 1]) + 0.25 * f32(x[i, 2]) }
for i in 0:60 { loss = train(net, opt, x, z) }
w = f32(net.w)
print(loss < 1e-3, abs(w[0] - 1) < 0.02, abs(w[1] + 2) < 0.02, abs(w[2] - 0.25) < 0.01)
print(net.w.dtype, net.b.dtype, abs(f32(net.b)[0] - 0.5) < 0.01)
"""

s = dclpy.Session("verify=1")
s.run(SOURCE)
rng = numpy.random.default_rng(5)
x, w = rng.standard_normal((9, 7)).astype("f4"), rng.standard_normal((7, 5)).astype("f4")
ones, small = numpy.ones((3000, 3), "f4"), numpy.array([1, 2, -1], "f4")
for name, to, of, unit in (("f16", lambda a: a.astype("f2"), lambda a: a.astype("f4"), 2.0 ** -11),
                           ("bf16", dclpy.to_bf16, dclpy.of_bf16, 2.0 ** -8)):
    want = s.call("weights", of(to(x)), of(to(w)))
    got = of(s.call("weights", to(x), to(w)))
    error = abs(got - want).max() / abs(want).max()
    tap.ok(error < 16 * unit, "%s: a layer" % name, error, got, want)
    tap.is_close(of(s.call("many", to(ones), to(small))), of(to(numpy.full(3, 3000, "f4"))),
                 "%s: a sum of 3,000 terms is rounded once" % name, rtol=0)
    want = s.call("twice", ones[:300], small)
    tap.is_close(of(s.call("twice", to(ones[:300]), to(small))), want,
                 "%s: what is summed in two maps" % name, rtol=4 * unit)
s.output = ""
s.run(LEARN)
tap.is_str(s.output, "true true true true\nbf16 f16 true\n", "parameters of both learn")
tap.done_testing()
