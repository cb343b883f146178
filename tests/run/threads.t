#!/usr/bin/env python3
"""threads.t: the library's functions give the same bytes on 1 to 8 threads."""
import tap

np = tap.need_numpy()

import dclpy  # noqa: E402

rng = np.random.default_rng(12)


def f4(*shape):
    return rng.standard_normal(shape, dtype="f4")


x, w = f4(2, 9, 31, 29), f4(13, 9, 3, 3)
a, b = f4(3, 70, 90), f4(3, 90, 65)
q = f4(2, 3, 40, 16)
SOURCE = """
fn all(x: f32[N, C, H, W], w: f32[O, C, 3, 3], a: f32[B, M, K], b: f32[B, K, L], q: f32[P, Q, S, D])
    -> (c: f32[N, O, H, W], m: f32[B, M, L], n: f32[B, M, K], t: f32[P, Q, S, D], v: f32[N, C],
        s: f32[B, K], e: f32, o: i64[B, M, K]) {
  c = conv2d(x, w, pad = 1)
  m = a @ b
  n = softmax(layer_norm(a, a[0, 0, :], a[0, 1, :]))
  t = attention(q, q, q, causal = true)
  v = var(x, axes = [2, 3])
  s = sum(a, axes = 1)
  e = mean(exp(x))
  o = argsort(a)
}
"""
results = []
for threads in range(1, 9):
    with dclpy.Session("threads=%d" % threads) as session:
        session.run(SOURCE)
        results.append(session.call("all", x, w, a, b, q))
for threads, result in enumerate(results[1:], 2):
    tap.ok(all(r.tobytes() == first.tobytes() for r, first in zip(result, results[0])),
           "%d threads: the same bytes" % threads)
tap.ok(np.allclose(results[0][1], a @ b, rtol=1e-4, atol=1e-4), "they are right")
tap.done_testing()
