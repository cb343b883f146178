## max(0, x); at 0 its derivative is 0.
fn relu(x: T) -> T where T: number { max(0, x) }

## max(0, x), at most 6.
fn relu6(x: T) -> T where T: number { min(max(0, x), 6) }

## x, below 0 times `slope`.
fn leaky_relu(x: T; slope: float = 0.01) -> T where T: float { select(x > 0, x, slope * x) }

## 1 / (1 + exp(-x)).
fn sigmoid(x: T) -> T where T: float { 1 / (1 + exp(-x)) }

## log(sigmoid(x)), exact where that is close to 0.
fn log_sigmoid(x: T) -> T where T: float { min(x, 0) - log1p(exp(-abs(x))) }

## x sigmoid(x), also called swish.
fn silu(x: T) -> T where T: float { x / (1 + exp(-x)) }

## x times the share of the normal distribution below x.
fn gelu(x: T) -> T where T: float { 0.5 * x * (1 + erf(x * 0.70710678118654752440)) }

## gelu by the hyperbolic tangent: Hendrycks and Gimpel, 2016, equation 2.
fn gelu_tanh(x: T) -> T where T: float {
  0.5 * x * (1 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)))
}

## x, below 0 alpha (exp(x) - 1).
fn elu(x: T; alpha: float = 1.0) -> T where T: float { select(x > 0, x, alpha * expm1(x)) }

## elu that keeps mean 0 and variance 1: Klambauer and others, 2017.
fn selu(x: T) -> T where T: float {
  1.05070098735548049342 * select(x > 0, x, 1.67326324235437728482 * expm1(x))
}

## max(0, x) + min(0, alpha (exp(x / alpha) - 1)).
fn celu(x: T; alpha: float = 1.0) -> T where T: float {
  select(x > 0, x, alpha * expm1(x / alpha))
}

## log(1 + exp(beta x)) / beta, x itself where beta x is above 20.
fn softplus(x: T; beta: float = 1.0) -> T where T: float {
  b = beta * x
  select(b > 20, x, (max(b, 0) + log1p(exp(-abs(b)))) / beta)
}

## x tanh(softplus(x)).
fn mish(x: T) -> T where T: float { x * tanh(softplus(x)) }

## x / (1 + |x|).
fn softsign(x: T) -> T where T: float { x / (1 + abs(x)) }

## A straight line from 0 at -3 to 1 at 3.
fn hardsigmoid(x: T) -> T where T: float { min(max(x + 3, 0), 6) / 6 }

## x hardsigmoid(x).
fn hardswish(x: T) -> T where T: float { x * min(max(x + 3, 0), 6) / 6 }

## x between `low` and `high`.
fn hardtanh(x: T; low: float = -1.0, high: float = 1.0) -> T where T: float {
  min(max(x, low), high)
}

## x where it is above `level`, else `other`.
fn threshold(x: T; level: float, other: float) -> T where T: float { select(x > level, x, other) }

## x - tanh(x).
fn tanhshrink(x: T) -> T where T: float { x - tanh(x) }

## x drawn towards 0 by `size`.
fn softshrink(x: T; size: float = 0.5) -> T where T: float {
  select(x > size, x - size, select(x < -size, x + size, 0))
}

## x, but 0 where it is between -size and size.
fn hardshrink(x: T; size: float = 0.5) -> T where T: float { select(abs(x) > size, x, 0) }

## x, below 0 times the slope of its channel (the second dimension).
fn prelu(x: T[N, C, *S], slope: T[C]) -> y: T[N, C, *S] where T: float {
  map n, c, *s in S { y[n, c, *s] = select(x[n, c, *s] > 0, x[n, c, *s], slope[c] * x[n, c, *s]) }
}
