## exp(x) divided by its sum, along an axis; without overflow.
## `softmax(x, axis = 0)` with x: f32[2] = [1000, 1000] is `[0.5, 0.5]`
fn softmax(x: T[*S]; axis: int = -1) -> T[*S] where T: float {
  e = exp(x - max(x, axes = axis, keepdims = true))
  e / sum(e, axes = axis, keepdims = true)
}

## The logarithm of softmax, along an axis.
## `log_softmax(x)` with x: f32[2] = [1000, 1000] is `[-0.6931472, -0.6931472]`
fn log_softmax(x: T[*S]; axis: int = -1) -> T[*S] where T: float {
  d = x - max(x, axes = axis, keepdims = true)
  d - log(sum(exp(d), axes = axis, keepdims = true))
}

## (x - mean) / sqrt(variance + eps) * g + b, over the last dimension: Ba and others, 2016.
## `layer_norm(x, g, b)` with x: f32[2, 4], g: f32[4], b: f32[4]
fn layer_norm(x: T[*S, N], g: T[N], b: T[N]; eps: float = 1e-5) -> y: T[*S, N] where T: float {
  d = x - mean(x, axes = -1, keepdims = true)
  v = mean(d * d, axes = -1, keepdims = true)
  map *r in S, i in N { y[*r, i] = d[*r, i] / sqrt(v[*r, 0] + eps) * g[i] + b[i] }
}

## (x - mean) / sqrt(variance + eps) * g + b, each per channel, the second dimension: Ioffe and
## Szegedy, 2015.
## `batch_norm(x, m, square(m), g, b)` with x: f32[2, 3, 4], m: f32[3], g: f32[3], b: f32[3]
fn batch_norm(x: T[N, C, *S], mean: T[C], variance: T[C], g: T[C], b: T[C]; eps: float = 1e-5)
    -> y: T[N, C, *S] where T: float {
  map n in N, c in C, *i in S {
    y[n, c, *i] = (x[n, c, *i] - mean[c]) / sqrt(variance[c] + eps) * g[c] + b[c]
  }
}

## x / sqrt(mean(x^2) + eps) * g, over the last dimension: Zhang and Sennrich, 2019.
## `rms_norm(x, g)` with x: f32[2, 4], g: f32[4]
fn rms_norm(x: T[*S, N], g: T[N]; eps: float = 1e-6) -> y: T[*S, N] where T: float {
  v = mean(x * x, axes = -1, keepdims = true)
  map *r in S, i in N { y[*r, i] = x[*r, i] / sqrt(v[*r, 0] + eps) * g[i] }
}

## Each group of channels of each sample to mean 0 and variance 1, then times g plus b per channel:
## Wu and He, 2018.
## `group_norm(x, g, b, groups = 2)` with x: f32[2, 4, 3, 3], g: f32[4], b: f32[4]
fn group_norm(x: T[N, C, *S], g: T[C], b: T[C]; groups: int, eps: float = 1e-5) -> y: T[N, C, *S]
    where T: float, C % groups == 0 {
  size = C//groups
  n = T(size * prod(S))
  m: T[N, groups]
  v: T[N, groups]
  map k in N, h in groups, c in size, *i in S { x[k, h*size + c, *i] >> m[k, h] (sum) }
  map k in N, h in groups, c in size, *i in S {
    d = x[k, h*size + c, *i] - m[k, h] / n
    d * d >> v[k, h] (sum)
  }
  map k in N, h in groups, c in size, *i in S {
    y[k, h*size + c, *i] = (x[k, h*size + c, *i] - m[k, h] / n) / sqrt(v[k, h] / n + eps) *
        g[h*size + c] + b[h*size + c]
  }
}

## Each channel of each sample to mean 0 and variance 1, then times g plus b: Ulyanov and others,
## 2016.
## `instance_norm(x, g, b)` with x: f32[2, 3, 4, 4], g: f32[3], b: f32[3]
fn instance_norm(x: T[N, C, *S], g: T[C], b: T[C]; eps: float = 1e-5) -> T[N, C, *S]
    where T: float {
  group_norm(x, g, b, groups = C, eps = eps)
}

## x divided by its norm along an axis, at least eps.
## `normalize(x)` with x: f32[2] = [3, 4] is `[0.6, 0.8]`
fn normalize(x: T[*S]; axis: int = -1, ord: float = 2, eps: float = 1e-12) -> T[*S] where T: float {
  x / max(norm(x, ord = ord, axes = axis, keepdims = true), T(eps))
}
