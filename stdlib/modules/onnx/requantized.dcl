# Operators of com.microsoft on quantized numbers.

# x without its scale and zero.
fn onnx_plain(x: T[*S], scale: F[*_], zero: any) -> F[*S] where T: int, F: float {
  s = onnx_only(scale)
  z = if zero == none { i64(0) } else { i64(onnx_only(zero)) }
  F(i64(x) - z)*s
}

# x by a scale and zero.
fn onnx_scaled(x: F[*S], scale: F[*_], zero: any, t: dtype) -> t[*S] where F: float {
  r = round(x/onnx_only(scale))
  if zero == none { t(r) } else { t(r + F(onnx_only(zero))) }
}

fn onnx_scaled_like(x: F[*S], scale: F[*_], zero: Z[*_]) -> Z[*S] where F: float, Z: int {
  onnx_scaled(x, scale, zero, Z)
}

fn onnx_qlinear_add(a: T[*_], ascale: F[*_], azero: any = none, b: T[*_], bscale: F[*_],
    bzero: any = none, yscale: F[*_], yzero: any = none) -> any where T: int, F: float {
  onnx_scaled(onnx_plain(a, ascale, azero) + onnx_plain(b, bscale, bzero), yscale, yzero, T)
}

fn onnx_qlinear_mul(a: T[*_], ascale: F[*_], azero: any = none, b: T[*_], bscale: F[*_],
    bzero: any = none, yscale: F[*_], yzero: any = none) -> any where T: int, F: float {
  onnx_scaled(onnx_plain(a, ascale, azero)*onnx_plain(b, bscale, bzero), yscale, yzero, T)
}

fn onnx_qlinear_sigmoid(x: T[*S], xscale: F[*_], xzero: any = none, yscale: F[*_],
    yzero: any = none) -> any where T: int, F: float {
  onnx_scaled(sigmoid(onnx_plain(x, xscale, xzero)), yscale, yzero, T)
}

fn onnx_qlinear_leaky_relu(x: T[*S], xscale: F[*_], xzero: any = none, yscale: F[*_],
    yzero: any = none; alpha: float = 0.01) -> any where T: int, F: float {
  onnx_scaled(leaky_relu(onnx_plain(x, xscale, xzero), slope = alpha), yscale, yzero, T)
}

fn onnx_qlinear_softmax(x: T[*S], xscale: F[*_], xzero: any = none, yscale: F[*_],
    yzero: any = none; axis: int = -1, opset: int = 13) -> any where T: int, F: float {
  p = onnx_plain(x, xscale, xzero)
  y = if opset < 13 { onnx_softmax_flat(p, axis = axis) } else { softmax(p, axis = axis) }
  onnx_scaled(y, yscale, yzero, T)
}

# F of x, the second dimension of which are channels; or the last one, which F gets as the second.
fn onnx_channels_first(x: T[*S], last: int) -> any where T: any {
  if last == 1 { transpose(x, perm = [0, len(S) - 1, *[1 + i for i in 0:len(S) - 2]]) } else { x }
}

fn onnx_channels_back(x: T[*S], last: int) -> any where T: any {
  if last == 1 { transpose(x, perm = [0, *[2 + i for i in 0:len(S) - 2], 1]) } else { x }
}

fn onnx_qlinear_average_pool(x: T[*S], xscale: F[*_], xzero: any = none, yscale: F[*_],
    yzero: any = none; auto_pad: str = "NOTSET", dilations: list? = none, pads: list? = none,
    strides: list? = none, kernel_shape: list, ceil_mode: int = 0, count_include_pad: int = 0,
    channels_last: int = 0) -> any where T: int, F: float {
  p = onnx_channels_first(onnx_plain(x, xscale, xzero), channels_last)
  y = onnx_average_pool(p, auto_pad = auto_pad, dilations = dilations, pads = pads,
      strides = strides, kernel_shape = kernel_shape, ceil_mode = ceil_mode,
      count_include_pad = count_include_pad)
  onnx_channels_back(onnx_scaled(y, yscale, yzero, T), channels_last)
}

fn onnx_qlinear_global_average_pool(x: T[*S], xscale: F[*_], xzero: any = none, yscale: F[*_],
    yzero: any = none; channels_last: int = 0) -> any where T: int, F: float {
  p = onnx_channels_first(onnx_plain(x, xscale, xzero), channels_last)
  y = onnx_global_average_pool(p)
  onnx_channels_back(onnx_scaled(y, yscale, yzero, T), channels_last)
}

## Tensors with their scales and zeros, one behind the other, in one scale and zero.
fn onnx_qlinear_concat(yscale: F[*_], yzero: T[*_], xs: list; axis: int) -> any
    where T: int, F: float {
  plain = [onnx_plain(xs[3*i], xs[3*i + 1], xs[3*i + 2]) for i in 0:len(xs)//3]
  onnx_scaled(concat(plain, axis = axis), yscale, yzero, T)
}

## The product of quantized matrices as floats.
fn onnx_matmul_integer_float(a: T[*S], b: U[*R], ascale: F[*_], bscale: F[*_], azero: any = none,
    bzero: any = none, bias: any = none) -> any where T: int, U: int, F: float {
  p = F(onnx_matmul_integer(a, b, azero, bzero))*(ascale*bscale)
  if bias == none { p } else { p + bias }
}

## The same of floats that are quantized by their own range.
fn onnx_dynamic_matmul(a: f32[*S], b: U[*R], bscale: f32[*_], bzero: any = none, bias: any = none)
    -> any where U: int {
  q, s, z = onnx_dynamic_quantize(a)
  onnx_matmul_integer_float(q, b, s, bscale, z, bzero, bias)
}

## alpha a b + c of quantized numbers, quantized again, or as floats.
fn onnx_qgemm(a: T[_, _], ascale: F[*_], azero: any, b: U[_, _], bscale: F[*_], bzero: any,
    c: any = none, yscale: any = none, yzero: any = none;
    alpha: float = 1, transA: int = 0, transB: int = 0) -> any where T: int, U: int, F: float {
  m = onnx_exchanged(onnx_centred(a, azero, false), transA)
  n = onnx_exchanged(onnx_qgemm_weight(b, bzero, transB), transB)
  p = if c == none { m @ n } else { m @ n + c }
  y = F(p)*(alpha*ascale*bscale)
  if yscale == none { y } else { onnx_scaled_like(y, yscale, yzero) }
}

# b without its zeros, one or one for each column of the product.
fn onnx_qgemm_weight(b: U[_, _], zero: any, transposed: int) -> any where U: int {
  if onnx_rank(zero) == 1 and transposed == 1 {
    i32(b) - i32(unsqueeze(zero, [-1]))
  } else {
    onnx_centred(b, zero, false)
  }
}

# w, with one scale and zero or one for each column.
fn onnx_qweight(w: U[*S], scale: F[*Q], zero: any) -> F[*S] where U: int, F: float {
  if proved(prod(Q) == 1) {
    onnx_plain(w, scale, zero)
  } else {
    onnx_dequantize(w, scale, zero, axis = 1)
  }
}

## onnx_packed_attention of quantized x and weights.
fn onnx_qattention(x: T[*_], w: U[*_], b: F[_], xscale: F[*_], wscale: F[*_], mask: any = none,
    xzero: any = none, wzero: any = none, past: any = none;
    num_heads: int, unidirectional: int = 0, mask_filter_value: float = -10000, scale: float = 0)
    -> list where T: int, U: int, F: float {
  onnx_packed_attention(onnx_plain(x, xscale, xzero), onnx_qweight(w, wscale, wzero), b, mask, past,
      num_heads = num_heads, unidirectional = unidirectional, mask_filter_value = mask_filter_value,
      scale = scale)
}

## onnx_embed_layer_norm of quantized tables and weights.
fn onnx_qembed_layer_norm(ids: I[B, S], segments: any, words: T[*_], places: T[*_], kinds: any,
    g: T[_], b: T[_], mask: any, wscale: F[*_], pscale: F[*_], kscale: any, gscale: F[*_],
    bscale: F[*_], wzero: any, pzero: any, kzero: any, gzero: any, bzero: any; eps: float = 1e-12)
    -> list where T: int, F: float, I: int {
  k = if kinds == none { none } else { onnx_plain(kinds, kscale, kzero) }
  y = onnx_embed_layer_norm(ids, segments, onnx_plain(words, wscale, wzero),
      onnx_plain(places, pscale, pzero), k, onnx_plain(g, gscale, gzero),
      onnx_plain(b, bscale, bzero), mask, eps = eps)
  y[:2]
}
