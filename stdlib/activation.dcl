## max(0, x); at 0 its derivative is 0.
## `relu(x)` with x: f32[3] = [-2, 0, 3] is `[0, 0, 3]`
fn relu(x: T) -> T where T: number { max(0, x) }

## max(0, x), at most 6.
## `relu6(x)` with x: f32[3] = [-2, 3, 9] is `[0, 3, 6]`
fn relu6(x: T) -> T where T: number { min(max(0, x), 6) }

## x, below 0 times `slope`.
## `leaky_relu(-2.0, slope = 0.25)` is `-0.5`
fn leaky_relu(x: T; slope: float = 0.01) -> T where T: float { select(x > 0, x, slope * x) }

## 1 / (1 + exp(-x)).
## `sigmoid(1.0)` is `0.7310586`
fn sigmoid(x: T) -> T where T: float {
  e = exp(-max(x, -x))
  select(x >= 0, 1, e) / (1 + e)
}

## log(sigmoid(x)), exact where that is close to 0, and without overflow.
## `log_sigmoid(-100.0)` is `-100`
fn log_sigmoid(x: T) -> T where T: float { -max(-x, 0) - log1p(exp(-max(-x, x))) }

## x sigmoid(x), also called swish.
## `silu(1.0)` is `0.7310586`
fn silu(x: T) -> T where T: float { x * sigmoid(x) }

## x times the share of the normal distribution below x: Hendrycks and Gimpel, 2016.
## `gelu(1.0)` is `0.8413447`
fn gelu(x: T) -> T where T: float { 0.5 * x * (1 + erf(x * 0.70710678118654752440)) }

## gelu by the hyperbolic tangent: Hendrycks and Gimpel, 2016, equation 2.
## `gelu_tanh(1.0)` is `0.841192`
fn gelu_tanh(x: T) -> T where T: float {
  0.5 * x * (1 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)))
}

## x, below 0 alpha (exp(x) - 1): Clevert and others, 2015.
## `elu(-1.0, alpha = 2)` is `-1.2642411`
fn elu(x: T; alpha: float = 1.0) -> T where T: float { select(x > 0, x, alpha * expm1(x)) }

## elu that keeps mean 0 and variance 1: Klambauer and others, 2017.
## `selu(1.0)` is `1.050701`
fn selu(x: T) -> T where T: float {
  1.05070098735548049342 * select(x > 0, x, 1.67326324235437728482 * expm1(x))
}

## max(0, x) + min(0, alpha (exp(x / alpha) - 1)): Barron, 2017.
## `celu(-1.0, alpha = 2)` is `-0.7869387`
fn celu(x: T; alpha: float = 1.0) -> T where T: float {
  select(x > 0, x, alpha * expm1(x / alpha))
}

## log(1 + exp(beta x)) / beta, x itself where beta x is above 20.
## `softplus(0.0)` is `0.6931472`
fn softplus(x: T; beta: float = 1.0) -> T where T: float {
  b = beta * x
  select(b > 20, x, (max(b, 0) + log1p(exp(-max(b, -b)))) / beta)
}

## x tanh(softplus(x)): Misra, 2019.
## `mish(1.0)` is `0.8650984`
fn mish(x: T) -> T where T: float { x * tanh(softplus(x)) }

## x / (1 + |x|).
## `softsign(-3.0)` is `-0.75`
fn softsign(x: T) -> T where T: float { x / (1 + abs(x)) }

## A straight line from 0 at -3 to 1 at 3; 0 and 1 beyond.
## `hardsigmoid(1.5)` is `0.75`
fn hardsigmoid(x: T) -> T where T: float { min(max(x + 3, 0), 6) / 6 }

## x hardsigmoid(x): Howard and others, 2019.
## `hardswish(1.5)` is `1.125`
fn hardswish(x: T) -> T where T: float { x * min(max(x + 3, 0), 6) / 6 }

## x between `low` and `high`.
## `hardtanh(x, high = 2)` with x: f32[3] = [-3, 0.5, 3] is `[-1, 0.5, 2]`
fn hardtanh(x: T; low: float = -1.0, high: float = 1.0) -> T where T: float {
  min(max(x, low), high)
}

## x where it is above `level`, else `other`.
## `threshold(x, level = 1, other = 9)` with x: f32[3] = [0, 1, 2] is `[9, 9, 2]`
fn threshold(x: T; level: float, other: float) -> T where T: float { select(x > level, x, other) }

## x - tanh(x).
## `tanhshrink(1.0)` is `0.2384058`
fn tanhshrink(x: T) -> T where T: float { x - tanh(x) }

## x drawn towards 0 by `size`; 0 between -size and size.
## `softshrink(x, size = 1)` with x: f32[3] = [-3, 0.5, 2] is `[-2, 0, 1]`
fn softshrink(x: T; size: float = 0.5) -> T where T: float {
  select(x > size, x - size, select(x < -size, x + size, 0))
}

## x, but 0 where it is between -size and size.
## `hardshrink(x, size = 1)` with x: f32[3] = [-3, 0.5, 2] is `[-3, 0, 2]`
fn hardshrink(x: T; size: float = 0.5) -> T where T: float { select(abs(x) > size, x, 0) }

## x, below 0 times the slope of its channel (the second dimension): He and others, 2015.
## `prelu(x, slope)` with x: f32[1, 2, 2] = [[[-1, 1], [-1, 1]]], slope: f32[2] = [0.5, 2] is
## `[[[-0.5, 1], [-2, 1]]]`
fn prelu(x: T[N, C, *S], slope: T[C]) -> y: T[N, C, *S] where T: float {
  map n, c, *s in S { y[n, c, *s] = select(x[n, c, *s] > 0, x[n, c, *s], slope[c] * x[n, c, *s]) }
}
