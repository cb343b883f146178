# How operators were at first: b lies along the dimensions of a from `axis` on, or along the last
# ones.
fn onnx_beside(b: T[*B], rank: int, axis: int) -> any where T: any {
  if axis == 1000000000 { return b }
  a = axis_of(axis, rank)
  reshape(b, [*B, *[1 for i in 0:rank - a - len(B)]])
}

fn onnx_add_1(a: T[*A], b: T[*_]; axis: int = 1000000000) -> T[*A] where T: number {
  a + onnx_beside(b, len(A), axis)
}

fn onnx_sub_1(a: T[*A], b: T[*_]; axis: int = 1000000000) -> T[*A] where T: number {
  a - onnx_beside(b, len(A), axis)
}

fn onnx_mul_1(a: T[*A], b: T[*_]; axis: int = 1000000000) -> T[*A] where T: number {
  a*onnx_beside(b, len(A), axis)
}

fn onnx_div_1(a: T[*A], b: T[*_]; axis: int = 1000000000) -> T[*A] where T: number {
  c = onnx_beside(b, len(A), axis)
  if T in [f64, f32, f16, bf16] { a/c } else { onnx_div(a, c) }
}

fn onnx_pow_1(a: T[*A], b: T[*_]; axis: int = 1000000000) -> T[*A] where T: number {
  onnx_pow(a, onnx_beside(b, len(A), axis))
}

fn onnx_and_1(a: bool[*A], b: bool[*_]; axis: int = 1000000000) -> bool[*A] {
  a and onnx_beside(b, len(A), axis)
}

fn onnx_or_1(a: bool[*A], b: bool[*_]; axis: int = 1000000000) -> bool[*A] {
  a or onnx_beside(b, len(A), axis)
}

fn onnx_xor_1(a: bool[*A], b: bool[*_]; axis: int = 1000000000) -> bool[*A] {
  onnx_xor(a, onnx_beside(b, len(A), axis))
}

fn onnx_equal_1(a: T[*A], b: T[*_]; axis: int = 1000000000) -> bool[*A] where T: any {
  a == onnx_beside(b, len(A), axis)
}

fn onnx_less_1(a: T[*A], b: T[*_]; axis: int = 1000000000) -> bool[*A] where T: number {
  a < onnx_beside(b, len(A), axis)
}

fn onnx_greater_1(a: T[*A], b: T[*_]; axis: int = 1000000000) -> bool[*A] where T: number {
  a > onnx_beside(b, len(A), axis)
}

## x, below 0 times the slope of its channel, or the only one.
fn onnx_prelu_1(x: T[*S], slope: T[*R]) -> T[*S] where T: float {
  if len(R) == 1 and len(S) > 1 {
    onnx_prelu(x, reshape(slope, [-1, *[1 for i in 2:len(S)]]))
  } else {
    onnx_prelu(x, slope)
  }
}

## By the mean and variance of each channel, those given.
fn onnx_batch_norm_1(x: T[N, C, *S], g: T[*_], b: T[*_], mean: T[*_], variance: T[*_];
    eps: float = 1e-5, is_test: int = 0, spatial: int = 1) -> T[N, C, *S] where T: float {
  if is_test == 0 { error("a batch's own mean and variance are for training") }
  if spatial == 0 { error("a mean of each place is not supported") }
  batch_norm(x, mean, variance, g, b, eps = eps)
}
