## The mean of -log softmax(x)[y] over the rows: x are scores, y the right classes.
fn cross_entropy(x: T[B, _], y: i64[B]) -> loss: T where T: float {
  p = log_softmax(x)
  s: T = 0
  map i in B {
    c << y[i]
    v << p[i, c]
    -v >> s (sum)
  }
  t << s
  t / T(B) >> loss
}

## The mean of (x - y) squared.
fn mse(x: T[*S], y: T[*S]) -> loss: T where T: float {
  d = sub(x, y)
  s: T = 0
  map *i in S {
    v << d[*i]
    v * v >> s (sum)
  }
  t << s
  t / T(prod(S)) >> loss
}

## Stochastic gradient descent: w - rate * g.
layer SGD(rate: float) {
  fn step(inout w: f32[*S], g: f32[*S]) {
    map *i in S { w[*i] = w[*i] - rate * g[*i] }
  }
}
