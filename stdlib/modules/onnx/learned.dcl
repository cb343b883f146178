## The elements along the last dimension that i names; of a vector a row.
fn onnx_ml_features(x: T[*S], i: i64[*Q]) -> any where T: any {
  y = take(x, reshape(i, [-1]), axis = -1)
  if len(S) == 1 { reshape(y, [1, -1]) } else { y }
}

## 1 above the threshold, else 0.
fn onnx_ml_binarizer(x: T[*S]; threshold: float = 0) -> T[*S] where T: number {
  onnx_ml_above(x, threshold)
}

fn onnx_ml_above(x: T[*S], threshold: float) -> y: T[*S] where T: number {
  map *b in S { y[*b] = select(x[*b] > T(threshold), T(1), T(0)) }
}

## (x - offset) scale, of each of the last dimension or of all.
fn onnx_ml_scaler(x: T[*S]; offset: list, scale: list) -> f32[*S] where T: number {
  (f32(x) - f32(stack(offset)))*f32(stack(scale))
}

## Rows divided by their largest element, their sum of absolute values, or their norm.
fn onnx_ml_normalizer(x: T[*S]; norm: str = "MAX") -> f32[*S] where T: number {
  y = f32(x)
  n = if norm == "MAX" {
    max(y, axes = [-1], keepdims = true)
  } else if norm == "L1" {
    sum(abs(y), axes = [-1], keepdims = true)
  } else {
    sqrt(sum(y*y, axes = [-1], keepdims = true))
  }
  select(n == 0, y, y/select(n == 0, f32(1), n))
}

## x times coefficients, plus intercepts.
fn onnx_ml_linear(x: T[N, C]; coefficients: list, intercepts: list? = none,
    post_transform: str = "NONE", targets: int = 1) -> f32[N, targets] where T: number {
  w = f32(reshape(stack(coefficients), [targets, C]))
  y = product_transposed(f32(x), w)
  z = if intercepts == none { y } else { y + f32(stack(intercepts)) }
  if post_transform == "NONE" {
    z
  } else if post_transform == "SOFTMAX" {
    softmax(z)
  } else if post_transform == "LOGISTIC" {
    sigmoid(z)
  } else {
    error("the transformation", post_transform, "is not supported")
  }
}
