## -x.
fn onnx_neg(x: T) -> T where T: number { -x }

## not x.
fn onnx_not(x: bool) -> bool { not x }

## Whether one of both is true, not both.
fn onnx_xor(a: bool, b: bool) -> bool { a != b }

## Whether x is no number.
fn onnx_is_nan(x: T) -> bool where T: float { x != x }

## Whether x is infinite, of the signs asked for.
fn onnx_is_inf(x: T; detect_negative: int = 1, detect_positive: int = 1) -> bool where T: float {
  (detect_negative == 1 and x == -inf) or (detect_positive == 1 and x == inf)
}

## gamma x, below 0 gamma alpha (exp(x) - 1): Klambauer and others, 2017.
fn onnx_selu(x: T; alpha: float = 1.67326319217681884765625,
    gamma: float = 1.05070102214813232421875) -> T where T: float {
  gamma * select(x > 0, x, alpha * expm1(x))
}

## x above alpha, else 0.
fn onnx_thresholded_relu(x: T; alpha: float = 1) -> T where T: float { select(x > alpha, x, 0) }

## alpha x + beta, between 0 and 1.
fn onnx_hard_sigmoid(x: T; alpha: float = 0.2, beta: float = 0.5) -> T where T: float {
  max(0, min(1, alpha * x + beta))
}

## x times the normal distribution's function, or its approximation by tanh.
fn onnx_gelu(x: T; approximate: str = "none") -> T where T: float {
  if approximate == "tanh" { gelu_tanh(x) } else { gelu(x) }
}

## x moved towards 0 by the bias where it is further away than lambd, else 0.
fn onnx_shrink(x: T; bias: float = 0, lambd: float = 0.5) -> T where T: number {
  f = if T == f64 or T == f32 or T == f16 or T == bf16 { x } else { f32(x) }
  T(select(f < -lambd, f + bias, select(f > lambd, f - bias, 0)))
}

## x / (1 + exp(-alpha x)).
fn onnx_swish(x: T; alpha: float = 1) -> T where T: float { x / (1 + exp(-(alpha * x))) }

## x, below 0 slope x.
fn onnx_prelu(x: T, slope: T) -> T where T: number { select(x < 0, slope * x, x) }

## a / b without the fraction, rounded towards 0.
fn onnx_div(a: T, b: T) -> T where T: number {
  if T == u8 or T == u16 or T == u32 or T == u64 { return a // b }
  q = a // b
  select(q < 0 and q * b != a, q + 1, q)
}

## What is left of a / b: with the sign of b, or with fmod that of a.
fn onnx_mod(a: T, b: T; fmod: int = 0) -> T where T: number {
  if T == u8 or T == u16 or T == u32 or T == u64 { return a % b }
  if T == f64 or T == f32 or T == f16 or T == bf16 { return onnx_fmod(a, b) }
  r = a % b
  if fmod == 0 { return r }
  select(r != 0 and (r < 0) != (a < 0), r - b, r)
}

# By way of f64, in which whole quotients of halves and singles are exact.
fn onnx_fmod(a: T, b: T) -> T where T: float { fmod(a, b) }

## a to the power of b, in the type of a.
fn onnx_pow(a: T, b: U) -> T where T: number, U: number {
  if U == T and (T == f64 or T == f32 or T == f16 or T == bf16) { return pow(a, T(b)) }
  y = pow(f64(a), f64(b))
  if T == f64 or T == f32 or T == f16 or T == bf16 { return T(y) }
  n = round(y)  # y may be a hair off a whole number
  T(select(abs(y - n) <= 1e-12*abs(n), n, y))
}

## The bits of a moved by b.
fn onnx_bit_shift(a: T, b: T; direction: str) -> T where T: int {
  if direction == "LEFT" { shl(a, b) } else { shr(a, b) }
}

## The mean of the tensors, which broadcast.
fn onnx_mean(xs: list) -> any { onnx_sum(xs) / len(xs) }

# By halves, as calls may not nest deep.
fn onnx_sum(xs: list) -> any {
  h = len(xs)//2
  if h == 0 { xs[0] } else { onnx_sum(xs[:h]) + onnx_sum(xs[h:]) }
}

## x between low and high.
fn onnx_clip(x: T; low: float = -inf, high: float = inf) -> T where T: float {
  min(max(x, low), high)
}

## x between low and high, numbers that run.
fn onnx_clip_between(x: T, low: T?, high: T?) -> T where T: number {
  a = if low == none { x } else { max(x, low) }
  if high == none { a } else { min(a, high) }
}

## x as an element type.
fn onnx_cast(x: T[*S]; t: dtype) -> t[*S] where T: any { onnx_cast_one(x, t) }

# To bool: whether it is not 0.
fn onnx_cast_one(x: T[*S], t: dtype) -> t[*S] where T: any {
  if t == bool and T != bool { x != 0 } else { t(x) }
}

## x as the element type of another tensor.
fn onnx_cast_like(x: T[*S], like: U[*_]) -> U[*S] where T: any, U: any { onnx_cast_one(x, U) }

## x as it is when nothing is trained, and a mask that keeps all.
fn onnx_dropout(x: T[*S], ratio: any = 0.5, training: any = false) -> (y: T[*S], mask: bool[*S])
    where T: float {
  if kind(training) == "bool" and training and ratio != 0 {
    error("dropout in training has no fixed result")
  }
  y = x
  mask = true
}

## The bits of x as another element type, of integers and truth values.
fn onnx_bit_cast(x: T[*S]; t: dtype) -> t[*S] where T: any {
  floats = [f64, f32, f16, bf16]
  if T in floats and t in floats { if T == t { return x } }
  if T in floats or t in floats { error("the bits of floats are not to be had") }
  onnx_cast(x, t = t)
}
