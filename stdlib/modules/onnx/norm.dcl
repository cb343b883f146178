## By the mean and variance of each channel, those given or, in training, those of x.
fn onnx_batch_norm(x: T[N, C, *S], g: T[C], b: T[C], mean: T[C], variance: T[C];
    eps: float = 1e-5, momentum: float = 0.9, training_mode: int = 0) -> T[N, C, *S]
    where T: float {
  if training_mode == 0 { return batch_norm(x, mean, variance, g, b, eps = eps) }
  y, _, _ = onnx_batch_norm_training(x, g, b, mean, variance, eps = eps, momentum = momentum)
  y
}

## The same in training, with the means and variances to go on with.
fn onnx_batch_norm_training(x: T[N, C, *S], g: T[C], b: T[C], mean: T[C], variance: T[C];
    eps: float = 1e-5, momentum: float = 0.9, training_mode: int = 1) -> (T[N, C, *S], T[C], T[C])
    where T: float {
  axes = [0, *[2 + i for i in 0:len(S)]]
  m = sum(x, axes = axes)/T(N*prod(S))
  d = x - reshape(m, [1, C, *[1 for n in S]])
  v = sum(d*d, axes = axes)/T(N*prod(S))
  (batch_norm(x, m, v, g, b, eps = eps), mean*momentum + m*(1 - momentum),
      variance*momentum + v*(1 - momentum))
}

## By the mean and variance of all dimensions from an axis on.
fn onnx_layer_norm(x: T[*S], g: T[*_], b: T[*_]? = none; axis: int = -1, eps: float = 1e-5) -> T[*S]
    where T: float {
  y, _, _ = onnx_layer_norm_more(x, g, b, axis = axis, eps = eps)
  y
}

## The same, with the mean and what is multiplied.
fn onnx_layer_norm_more(x: T[*S], g: T[*_], b: T[*_]? = none; axis: int = -1, eps: float = 1e-5)
    -> list where T: float {
  axes = [i for i in axis_of(axis, len(S)):len(S)]
  m = mean(x, axes = axes, keepdims = true)
  d = x - m
  r = 1/sqrt(mean(d*d, axes = axes, keepdims = true) + eps)
  y = d*r*g
  [if b == none { y } else { y + b }, m, r]
}

## By the mean square of all dimensions from an axis on.
fn onnx_rms_norm(x: T[*S], g: T[*_]; axis: int = -1, eps: float = 1e-5) -> T[*S] where T: float {
  axes = [i for i in axis_of(axis, len(S)):len(S)]
  x/sqrt(mean(x*x, axes = axes, keepdims = true) + eps)*g
}

## By the norm along an axis; zeros stay.
fn onnx_lp_norm(x: T[*S]; axis: int = -1, p: int = 2) -> T[*S] where T: float {
  n = if p == 1 {
    sum(abs(x), axes = axis, keepdims = true)
  } else {
    sqrt(sum(x*x, axes = axis, keepdims = true))
  }
  select(n == 0, T(0), x/n)
}

## By the squares of the channels beside: Krizhevsky and others, 2012.
fn onnx_lrn(x: T[N, C, *S]; size: int, alpha: float = 0.0001, beta: float = 0.75, bias: float = 1)
    -> y: T[N, C, *S] where T: float {
  s: T[N, C, *S]
  map n in N, c in C, *i in S, k in size {
    v << x[n, c + k - (size - 1)//2, *i, else 0]
    v*v >> s[n, c, *i] (sum)
  }
  map n in N, c in C, *i in S {
    y[n, c, *i] = x[n, c, *i]/pow(bias + alpha/size*s[n, c, *i], T(beta))
  }
}

## To mean 0 and variance 1.
fn onnx_mean_variance_norm(x: T[*S]; axes: list = [0, 2, 3]) -> T[*S] where T: float {
  d = x - mean(x, axes = axes, keepdims = true)
  d/(sqrt(mean(d*d, axes = axes, keepdims = true)) + 1e-9)
}

## By the mean and variance of groups of channels, with a weight and a bias for each group.
fn onnx_group_norm_18(x: T[N, C, *S], g: T[G], b: T[G]; groups: int, eps: float = 1e-5)
    -> T[N, C, *S] where T: float {
  group_norm(x, repeat(g, C//groups), repeat(b, C//groups), groups = groups, eps = eps)
}
