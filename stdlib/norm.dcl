## exp(x) divided by its sum, over the last dimension.
fn softmax(x: T[*S, N]) -> y: T[*S, N] where T: float {
  m = max_last(x)
  e = exp(x - m)
  s = sum_last(e)
  map *b in S, i in N { y[*b, i] = e[*b, i] / s[*b, 0] }
}

## The logarithm of softmax, over the last dimension.
fn log_softmax(x: T[*S, N]) -> y: T[*S, N] where T: float {
  d = x - max_last(x)
  z = log(sum_last(exp(d)))
  map *b in S, i in N { y[*b, i] = d[*b, i] - z[*b, 0] }
}

## (x - mean) / sqrt(variance + eps) * g + b, over the last dimension.
fn layer_norm(x: T[*S, N], g: T[N], b: T[N]; eps: float = 1e-5) -> y: T[*S, N] where T: float {
  d = x - mean_last(x)
  v = mean_last(d * d)
  map *r in S, i in N { y[*r, i] = d[*r, i] / sqrt(v[*r, 0] + eps) * g[i] + b[i] }
}

## (x - mean) / sqrt(variance + eps) * g + b, with one number of each per channel.
fn batch_norm(x: T[N, C, H, W], mean: T[C], variance: T[C], g: T[C], b: T[C]; eps: float = 1e-5)
    -> y: T[N, C, H, W] where T: float {
  map n, c, i, j {
    y[n, c, i, j] = (x[n, c, i, j] - mean[c]) / sqrt(variance[c] + eps) * g[c] + b[c]
  }
}
