# The axes that ONNX means: all where there are none, unless those are to be taken as they are.
fn onnx_axes(axes: list?, noop: int, rank: int) -> list {
  if axes == none or len(axes) == 0 { return if noop == 1 { [] } else { range(rank) } }
  axes_of(axes, rank)
}

# The shape of a reduction.
fn onnx_reduced(S: list, axes: list?, keepdims: int, noop: int) -> list {
  reduced(S, onnx_axes(axes, noop, len(S)), keepdims == 1)
}

## The sum over axes; without any over all.
fn onnx_reduce_sum(x: T[*S], axes: list? = none; keepdims: int = 1, noop_with_empty_axes: int = 0)
    -> T[*onnx_reduced(S, axes, keepdims, noop_with_empty_axes)] where T: number {
  sum(x, axes = onnx_axes(axes, noop_with_empty_axes, len(S)), keepdims = keepdims == 1)
}

## The mean over axes; without any over all.
fn onnx_reduce_mean(x: T[*S], axes: list? = none; keepdims: int = 1, noop_with_empty_axes: int = 0)
    -> T[*onnx_reduced(S, axes, keepdims, noop_with_empty_axes)] where T: number {
  a = onnx_axes(axes, noop_with_empty_axes, len(S))
  if T == f64 or T == f32 or T == f16 or T == bf16 {
    return sum(x, axes = a, keepdims = keepdims == 1) / T(prod(sizes_of(S, a)))
  }
  onnx_div(sum(x, axes = a, keepdims = keepdims == 1), T(prod(sizes_of(S, a))))
}

## The largest element over axes; without any over all.
fn onnx_reduce_max(x: T[*S], axes: list? = none; keepdims: int = 1, noop_with_empty_axes: int = 0)
    -> T[*onnx_reduced(S, axes, keepdims, noop_with_empty_axes)] where T: any {
  a = onnx_axes(axes, noop_with_empty_axes, len(S))
  if T == bool {
    any(x, axes = a, keepdims = keepdims == 1)
  } else {
    max(x, axes = a, keepdims = keepdims == 1)
  }
}

## The smallest element over axes; without any over all.
fn onnx_reduce_min(x: T[*S], axes: list? = none; keepdims: int = 1, noop_with_empty_axes: int = 0)
    -> T[*onnx_reduced(S, axes, keepdims, noop_with_empty_axes)] where T: any {
  a = onnx_axes(axes, noop_with_empty_axes, len(S))
  if T == bool {
    all(x, axes = a, keepdims = keepdims == 1)
  } else {
    min(x, axes = a, keepdims = keepdims == 1)
  }
}

## The product over axes; without any over all.
fn onnx_reduce_prod(x: T[*S], axes: list? = none; keepdims: int = 1, noop_with_empty_axes: int = 0)
    -> T[*onnx_reduced(S, axes, keepdims, noop_with_empty_axes)] where T: number {
  prod(x, axes = onnx_axes(axes, noop_with_empty_axes, len(S)), keepdims = keepdims == 1)
}

## The sum of absolute values.
fn onnx_reduce_l1(x: T[*S], axes: list? = none; keepdims: int = 1, noop_with_empty_axes: int = 0)
    -> T[*onnx_reduced(S, axes, keepdims, noop_with_empty_axes)] where T: number {
  onnx_reduce_sum(abs(x), axes, keepdims = keepdims, noop_with_empty_axes = noop_with_empty_axes)
}

## The root of the sum of squares.
fn onnx_reduce_l2(x: T[*S], axes: list? = none; keepdims: int = 1, noop_with_empty_axes: int = 0)
    -> T[*onnx_reduced(S, axes, keepdims, noop_with_empty_axes)] where T: float {
  sqrt(onnx_reduce_sum(x * x, axes, keepdims = keepdims,
      noop_with_empty_axes = noop_with_empty_axes))
}

## The sum of squares.
fn onnx_reduce_sum_square(x: T[*S], axes: list? = none;
    keepdims: int = 1, noop_with_empty_axes: int = 0)
    -> T[*onnx_reduced(S, axes, keepdims, noop_with_empty_axes)] where T: number {
  onnx_reduce_sum(x * x, axes, keepdims = keepdims, noop_with_empty_axes = noop_with_empty_axes)
}

## The logarithm of the sum.
fn onnx_reduce_log_sum(x: T[*S], axes: list? = none;
    keepdims: int = 1, noop_with_empty_axes: int = 0)
    -> T[*onnx_reduced(S, axes, keepdims, noop_with_empty_axes)] where T: float {
  log(onnx_reduce_sum(x, axes, keepdims = keepdims, noop_with_empty_axes = noop_with_empty_axes))
}

## The logarithm of the sum of exponentials.
fn onnx_reduce_log_sum_exp(x: T[*S], axes: list? = none;
    keepdims: int = 1, noop_with_empty_axes: int = 0)
    -> T[*onnx_reduced(S, axes, keepdims, noop_with_empty_axes)] where T: float {
  logsumexp(x, axes = onnx_axes(axes, noop_with_empty_axes, len(S)), keepdims = keepdims == 1)
}

## Where the largest element along an axis is, the first or the last one.
fn onnx_arg_max(x: T[*S]; axis: int = 0, keepdims: int = 1, select_last_index: int = 0)
    -> i64[*reduced(S, [axis_of(axis, len(S))], keepdims == 1)] where T: number {
  a = axis_of(axis, len(S))
  if select_last_index == 0 { return argmax(x, axis = a, keepdims = keepdims == 1) }
  S[a] - 1 - argmax(flip(x, axes = a), axis = a, keepdims = keepdims == 1)
}

## Where the smallest element along an axis is, the first or the last one.
fn onnx_arg_min(x: T[*S]; axis: int = 0, keepdims: int = 1, select_last_index: int = 0)
    -> i64[*reduced(S, [axis_of(axis, len(S))], keepdims == 1)] where T: number {
  a = axis_of(axis, len(S))
  if select_last_index == 0 { return argmin(x, axis = a, keepdims = keepdims == 1) }
  S[a] - 1 - argmin(flip(x, axes = a), axis = a, keepdims = keepdims == 1)
}

## The sums of the elements so far along an axis, without the element itself if exclusive.
fn onnx_cum_sum(x: T[*S], axis: int; exclusive: int = 0, reverse: int = 0) -> T[*S]
    where T: number {
  a = axis_of(axis, len(S))
  y = cumsum(x, axis = a, reverse = reverse == 1)
  if exclusive == 0 { y } else { onnx_moved(y, a, if reverse == 1 { 1 } else { -1 }, 0) }
}

## The products of the elements so far along an axis, without the element itself if exclusive.
fn onnx_cum_prod(x: T[*S], axis: int; exclusive: int = 0, reverse: int = 0) -> T[*S]
    where T: number {
  a = axis_of(axis, len(S))
  y = if reverse == 1 {
    flip(cumprod(flip(x, axes = a), axis = a), axes = a)
  } else {
    cumprod(x, axis = a)
  }
  if exclusive == 0 { y } else { onnx_moved(y, a, if reverse == 1 { 1 } else { -1 }, 1) }
}

# x with the element BY places further on axis A, and FILL beyond the end.
fn onnx_moved(x: T[*S], a: int, by: int, fill: int) -> y: T[*S] where T: number {
  map *b in S { y[*b] = x[*b[:a], b[a] + by, *b[a + 1:], else fill] }
}

## The k largest elements along an axis, or smallest, in order, and where they are.
fn onnx_top_k(x: T[*S], k: int; axis: int = -1, largest: int = 1)
    -> (T[*replaced(S, axis_of(axis, len(S)), k)], i64[*replaced(S, axis_of(axis, len(S)), k)])
    where T: number {
  topk(x, k, axis = axis, largest = largest == 1)
}

## softmax over all dimensions from an axis on.
fn onnx_softmax_flat(x: T[*S]; axis: int = 1) -> T[*S] where T: float {
  reshape(softmax(onnx_flatten(x, axis = axis)), S)
}

## log_softmax over all dimensions from an axis on.
fn onnx_log_softmax_flat(x: T[*S]; axis: int = 1) -> T[*S] where T: float {
  reshape(log_softmax(onnx_flatten(x, axis = axis)), S)
}

## 1 at the first largest of all dimensions from an axis on, else 0.
fn onnx_hardmax_flat(x: T[*S]; axis: int = 1) -> T[*S] where T: float {
  reshape(onnx_hardmax(onnx_flatten(x, axis = axis)), S)
}

## 1 at the first largest element along an axis, else 0.
fn onnx_hardmax(x: T[*S]; axis: int = -1) -> y: T[*S] where T: float {
  a = axis_of(axis, len(S))
  m = argmax(x, axis = a, keepdims = true)
  map *b in S { y[*b] = T(m[*replaced(b, a, 0)] == b[a]) }
}
