# Where the scale of element B stands: one for all, one for an index of the axis, one for a block.
fn onnx_scale_index(b: list, rank: int, axis: int, block: int) -> list {
  if rank == 0 { return [] }
  a = axis_of(axis, len(b))
  if block > 0 { replaced(b, a, b[a]//block) } else { [b[a]] }
}

# How many dimensions a tensor has; a number has none.
fn onnx_rank(v) -> int { if kind(v) == "tensor" { v.rank } else { 0 } }

## x / scale + zero, rounded half to even, as an element type: that of zero, else u8.
fn onnx_quantize(x: T[*S], scale: U[*Q], zero: any = none;
    axis: int = 1, block_size: int = 0, t: any = none) -> any where T: number, U: float {
  if zero == none {
    return onnx_quantized(x, scale, i64(0), axis, block_size,
        if kind(t) == "dtype" { t } else { u8 })
  }
  onnx_quantized_by(x, scale, zero, axis, block_size)
}

fn onnx_quantized_by(x: T[*S], scale: U[*Q], zero: Z[*_], axis: int, block: int) -> Z[*S]
    where T: number, U: float, Z: number {
  onnx_quantized(x, scale, i64(zero), axis, block, Z)
}

fn onnx_quantized(x: T[*S], scale: U[*Q], zero: i64[*R], axis: int, block: int, t: dtype)
    -> y: t[*S] where T: number, U: float {
  map *b in S {
    s = f32(scale[*onnx_scale_index(b, len(Q), axis, block)])
    z = zero[*onnx_scale_index(b, len(R), axis, block)]
    y[*b] = t(round(f32(x[*b])/s) + f32(z))
  }
}

## (x - zero) scale.
fn onnx_dequantize(x: T[*S], scale: U[*Q], zero: any = none; axis: int = 1, block_size: int = 0)
    -> U[*S] where T: number, U: float {
  if zero == none { return onnx_dequantized(x, scale, i64(0), axis, block_size) }
  onnx_dequantized(x, scale, i64(zero), axis, block_size)
}

fn onnx_dequantized(x: T[*S], scale: U[*Q], zero: i64[*R], axis: int, block: int) -> y: U[*S]
    where T: number, U: float {
  map *b in S {
    s = f32(scale[*onnx_scale_index(b, len(Q), axis, block)])
    z = zero[*onnx_scale_index(b, len(R), axis, block)]
    y[*b] = U(f32(i64(x[*b]) - z)*s)
  }
}

## Quantized to u8 by its own range, which includes 0; with the scale and the zero.
fn onnx_dynamic_quantize(x: f32[*S]) -> (y: u8[*S], scale: f32, zero: u8) {
  low = min(0, min(x))
  s = (max(0, max(x)) - low)/255
  z = round(min(max(-low/s, 0), 255))
  y = u8(round(x/s) + z)
  scale = s
  zero = u8(z)
}

# a as an i32 without its zero; of a row of zeros there is one for each index before the last.
fn onnx_centred(a: T[*S], zero: any, rows: any) -> i32[*S] where T: int {
  if zero == none { return i32(a) }
  if onnx_rank(zero) == 1 and rows {
    i32(a) - i32(unsqueeze(zero, [-1]))
  } else {
    i32(a) - i32(zero)
  }
}

## The product of quantized matrices, without their zeros.
fn onnx_matmul_integer(a: T[*S], b: U[*R], azero: any = none, bzero: any = none) -> any
    where T: int, U: int {
  onnx_centred(a, azero, true) @ onnx_centred(b, bzero, false)
}

## The convolution of quantized numbers, without their zeros.
fn onnx_conv_integer(x: T[*S], w: U[*R], xzero: any = none, wzero: any = none;
    auto_pad: str = "NOTSET", dilations: list? = none, pads: list? = none, strides: list? = none,
    group: int = 1) -> any where T: int, U: int {
  k = if wzero == none {
    none
  } else {
    if onnx_rank(wzero) == 1 { unsqueeze(wzero, [1, 2, 3]) } else { wzero }
  }
  onnx_conv(onnx_centred(x, xzero, false), onnx_centred(w, k, false), auto_pad = auto_pad,
      dilations = dilations, pads = pads, strides = strides, group = group)
}

## The product of quantized matrices, quantized again.
fn onnx_qlinear_matmul(a: T[*S], ascale: F[*_], azero: T[*_], b: U[*R], bscale: F[*_], bzero: U[*_],
    yscale: F[*_], yzero: Y[*_]) -> any where T: int, U: int, Y: int, F: float {
  p = onnx_centred(a, azero, true) @ onnx_centred(b, bzero, false)
  s = if onnx_rank(ascale) == 1 { unsqueeze(ascale, [-1]) } else { ascale }
  Y(round(f32(p)*(f32(s)*f32(bscale)/f32(yscale))) + f32(yzero))
}

## The convolution of quantized numbers, quantized again.
fn onnx_qlinear_conv(x: T[*S], xscale: f32[*_], xzero: T[*_], w: U[O, *R], wscale: f32[*_],
    wzero: U[*_], yscale: f32[*_], yzero: Y[*_], b: i32[_]? = none;
    auto_pad: str = "NOTSET", dilations: list? = none, pads: list? = none, strides: list? = none,
    group: int = 1) -> any where T: int, U: int, Y: int {
  p = onnx_conv_integer(x, w, xzero, wzero, auto_pad = auto_pad, dilations = dilations, pads = pads,
      strides = strides, group = group)
  q = if b == none { p } else { add_channels(p, b) }
  n = len(q.shape) - 2
  s = xscale*wscale/yscale
  m = if onnx_rank(s) == 1 { reshape(s, [1, s.shape[0], *[1 for i in 0:n]]) } else { s }
  Y(round(f32(q)*m) + f32(yzero))
}
