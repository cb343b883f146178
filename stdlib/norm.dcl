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

## The mean over all but the second dimension, that of the channels.
fn channel_mean(x: T[N, C, *S]) -> m: T[C] where T: float {
  s: T[C] = 0
  map n in N, c in C, *i in S { s[c] += x[n, c, *i] }
  map c in C { m[c] = s[c] / T(N * prod(S)) }
}

## The mean of (x - mean) squared over all but the second dimension.
fn channel_variance(x: T[N, C, *S], mean: T[C]) -> v: T[C] where T: float {
  s: T[C] = 0
  map n in N, c in C, *i in S {
    d = x[n, c, *i] - mean[c]
    s[c] += d * d
  }
  map c in C { v[c] = s[c] / T(N * prod(S)) }
}

## (x - mean) / sqrt(variance + eps) * g + b, each per channel, the second dimension.
fn batch_norm(x: T[N, C, *S], mean: T[C], variance: T[C], g: T[C], b: T[C]; eps: float = 1e-5)
    -> y: T[N, C, *S] where T: float {
  map n in N, c in C, *i in S {
    y[n, c, *i] = (x[n, c, *i] - mean[c]) / sqrt(variance[c] + eps) * g[c] + b[c]
  }
}
