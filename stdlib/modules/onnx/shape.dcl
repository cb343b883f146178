## The dimensions from `start` to `end`.
fn onnx_shape(x: T[*S]; start: int = 0, end: int = 1000) -> list where T: any {
  from, n = slice_of(start, end, 1, len(S))
  [S[from + i] for i in 0:n]
}

## The number of elements.
fn onnx_size(x: T[*S]) -> int where T: any { prod(S) }

## Another shape: -1 is what is left, 0 (unless allowed as a size) the dimension of x.
fn onnx_reshape(x: T[*S], to: list; allowzero: int = 0)
    -> T[*reshape_shape(S, onnx_reshape_to(S, to, allowzero))] where T: any {
  reshape(x, onnx_reshape_to(S, to, allowzero))
}

fn onnx_reshape_to(S: list, to: list, allowzero: int) -> list {
  [if kind(n) == "int" and proved(n == 0) and allowzero == 0 { S[i] } else { n }
      for i, n in enumerate(to)]
}

## Two dimensions: those up to an axis, those from it on.
fn onnx_flatten(x: T[*S]; axis: int = 1) -> T[*onnx_flat_shape(S, axis)] where T: any {
  reshape(x, onnx_flat_shape(S, axis))
}

fn onnx_flat_shape(S: list, axis: int) -> list {
  a = if axis < 0 { axis + len(S) } else { axis }
  [prod(S[:a]), prod(S[a:])]
}

## Without dimensions of one element, those of `axes` or all.
fn onnx_squeeze(x: T[*S], axes: list? = none) -> T[*reduced(S, onnx_unit_axes(S, axes), false)]
    where T: any {
  squeeze(x, axes = onnx_unit_axes(S, axes))
}

fn onnx_unit_axes(S: list, axes: list?) -> list {
  if axes == none { [i for i, n in enumerate(S) if proved(n == 1)] } else { axes_of(axes, len(S)) }
}

## With dimensions of one element at `axes` of the result.
fn onnx_unsqueeze(x: T[*S], axes: list) -> T[*widened(S, new_axes(S, axes), 1)] where T: any {
  unsqueeze(x, axes)
}

## Broadcast with a shape: a dimension of 1 in either stretches.
fn onnx_expand(x: T[*S], to: list) -> y: T[*onnx_expand_shape(S, to)] where T: any {
  R = onnx_expand_shape(S, to)
  more = len(R) - len(S)
  map *b in R {
    y[*b] = x[*[if proved(n == 1) { 0 } else { b[more + i] } for i, n in enumerate(S)]]
  }
}

fn onnx_expand_shape(S: list, to: list) -> list {
  rank = max(len(S), len(to))
  a = [*[1 for i in 0:rank - len(S)], *S]
  b = [*[1 for i in 0:rank - len(to)], *to]
  [if proved(n == 1) { b[i] } else { n } for i, n in enumerate(a)]
}

## All dimensions in opposite order.
fn onnx_turned(x: T[*S]) -> T[*reversed(S)] where T: any {
  transpose(x, perm = reversed(range(len(S))))
}

## Parts along an axis: of the given sizes, or as many equal ones as are wanted, the last smaller.
fn onnx_split(x: T[*S], split: list? = none; axis: int = 0, outputs: int) -> list where T: any {
  a = axis_of(axis, len(S))
  if split == none { chunk(x, outputs, axis = a) } else { onnx_split_of(x, split, a) }
}

fn onnx_split_of(x: T[*S], sizes: list, a: int) -> list where T: any {
  [part(x, a, sum(sizes[:i]), n, 1) for i, n in enumerate(sizes)]
}

## x[start:end:step] along axes, as Python has it.
fn onnx_slice(x: T[*S], starts: list, ends: list, axes: list? = none, steps: list? = none)
    -> y: T[*onnx_slice_shape(S, onnx_slices(S, starts, ends, axes, steps))] where T: any {
  cut = onnx_slices(S, starts, ends, axes, steps)
  map *b in onnx_slice_shape(S, cut) {
    y[*b] = x[*[cut[i][0] + k * cut[i][2] for i, k in enumerate(b)]]
  }
}

# (from, number, step) for each dimension.
fn onnx_slices(S: list, starts: list, ends: list, axes: list?, steps: list?) -> list {
  at = if axes == none { range(len(starts)) } else { axes_of(axes, len(S)) }
  [onnx_slice_of(n, [k for k, a in enumerate(at) if a == i], starts, ends, steps)
      for i, n in enumerate(S)]
}

fn onnx_slice_of(n: int, k: list, starts: list, ends: list, steps: list?) -> list {
  if len(k) == 0 { return [0, n, 1] }
  step = if steps == none { 1 } else { steps[k[0]] }
  from, count = slice_of(starts[k[0]], ends[k[0]], step, n)
  [from, count, step]
}

fn onnx_slice_shape(S: list, cut: list) -> list { [c[1] for c in cut] }

## Slices of x along an axis by their indices, negative ones from the end.
fn onnx_gather(x: T[*S], i: I[*Q]; axis: int = 0)
    -> y: T[*S[:axis_of(axis, len(S))], *Q, *S[axis_of(axis, len(S)) + 1:]] where T: any, I: int {
  a = axis_of(axis, len(S))
  map *p in S[:a], *q in Q, *r in S[a + 1:] {
    k = i64(i[*q])
    j = select(k < 0, k + S[a], k)
    y[*p, *q, *r] = x[*p, j, *r]
  }
}

## The elements at the indices along an axis, negative ones from the end.
fn onnx_gather_elements(x: T[*S], i: I[*Q]; axis: int = 0) -> y: T[*Q] where T: any, I: int {
  a = axis_of(axis, len(S))
  map *q in Q {
    k = i64(i[*q])
    j = select(k < 0, k + S[a], k)
    y[*q] = x[*q[:a], j, *q[a + 1:]]
  }
}

## Slices of x by the indices in the last dimension of i; the first dimensions are common.
fn onnx_gather_nd(x: T[*S], i: i64[*Q]; batch_dims: int = 0)
    -> y: T[*Q[:len(Q) - 1], *S[batch_dims + Q[len(Q) - 1]:]] where T: any {
  n = Q[len(Q) - 1]
  map *q in Q[:len(Q) - 1], *r in S[batch_dims + n:] {
    y[*q, *r] = x[*q[:batch_dims], *[onnx_from_end(i[*q, d], S[batch_dims + d]) for d in 0:n], *r]
  }
}

fn onnx_from_end(k: i64, n: int) -> i64 { select(k < 0, k + n, k) }

## x with the elements v at the indices i along an axis: put there, or added, multiplied, compared.
fn onnx_scatter_elements(x: T[*S], i: I[*Q], v: T[*Q]; axis: int = 0, reduction: str = "none")
    -> y: T[*S] where T: any, I: int {
  a = axis_of(axis, len(S))
  y = x
  map *q in Q {
    j = onnx_from_end(i64(i[*q]), S[a])
    if reduction == "add" {
      v[*q] >> y[*q[:a], j, *q[a + 1:]] (sum)
    } else if reduction == "mul" {
      v[*q] >> y[*q[:a], j, *q[a + 1:]] (prod)
    } else if reduction == "max" {
      v[*q] >> y[*q[:a], j, *q[a + 1:]] (max)
    } else if reduction == "min" {
      v[*q] >> y[*q[:a], j, *q[a + 1:]] (min)
    } else {
      v[*q] >> y[*q[:a], j, *q[a + 1:]]
    }
  }
}

## x with slices v at the indices in the last dimension of i: put there, or added, multiplied,
## compared.
fn onnx_scatter_nd(x: T[*S], i: i64[*Q], v: T[*V]; reduction: str = "none") -> y: T[*S]
    where T: any {
  n = Q[len(Q) - 1]
  y = x
  map *q in Q[:len(Q) - 1], *r in S[n:] {
    at = [onnx_from_end(i[*q, d], S[d]) for d in 0:n]
    if reduction == "add" {
      v[*q, *r] >> y[*at, *r] (sum)
    } else if reduction == "mul" {
      v[*q, *r] >> y[*at, *r] (prod)
    } else if reduction == "max" {
      v[*q, *r] >> y[*at, *r] (max)
    } else if reduction == "min" {
      v[*q, *r] >> y[*at, *r] (min)
    } else {
      v[*q, *r] >> y[*at, *r]
    }
  }
}

## x with more around it: numbers before, then numbers after each dimension, or those of `axes`.
fn onnx_pad(x: T[*S], pads: list, value: T[*V]? = none, axes: list? = none; mode: str = "constant")
    -> y: T[*pad_shape(S, onnx_pads(S, pads, axes))] where T: any {
  p = onnx_pads(S, pads, axes)
  if mode == "constant" and value != none {
    y = value[*[0 for n in V]]
    map *b in S { y[*[k + p[i][0] for i, k in enumerate(b)], else _] = x[*b] }
  } else {
    y = pad(x, p, mode = mode)
  }
}

fn onnx_pads(S: list, pads: list, axes: list?) -> list {
  at = if axes == none { range(len(S)) } else { axes_of(axes, len(S)) }
  n = len(at)
  [onnx_pads_of([(pads[k], pads[n + k]) for k, a in enumerate(at) if a == i]) for i in 0:len(S)]
}

fn onnx_pads_of(l: list) -> list { if len(l) == 0 { (0, 0) } else { l[0] } }

## The same with a number that is known.
fn onnx_pad_attributes(x: T[*S]; pads: list, value: float = 0, mode: str = "constant")
    -> T[*pad_shape(S, onnx_pads(S, pads, none))] where T: any {
  pad(x, onnx_pads(S, pads, none), mode = mode, value = value)
}

## One number everywhere.
fn onnx_constant_of_shape(to: shape; t: dtype = f32, value: any = 0) -> y: t[*to] {
  y = t(value)
}

## start, start + delta, .. up to limit, whole numbers.
fn onnx_range(start: int, limit: int, delta: int) -> y: i64[max(0, -((start - limit) // delta))] {
  map i { y[i] = start + i * delta }
}

## values[1] where the new dimension's index is i, else values[0].
fn onnx_one_hot(i: I[*S], depth: int, values: T[2]; axis: int = -1)
    -> y: T[*onnx_one_hot_shape(S, depth, axis)] where T: any, I: number {
  a = if axis < 0 { axis + len(S) + 1 } else { axis }
  map *b in onnx_one_hot_shape(S, depth, axis) {
    k = i64(i[*b[:a], *b[a + 1:]])
    y[*b] = select(b[a] == select(k < 0, k + depth, k), values[1], values[0])
  }
}

fn onnx_one_hot_shape(S: list, depth: int, axis: int) -> list {
  a = if axis < 0 { axis + len(S) + 1 } else { axis }
  [*S[:a], depth, *S[a:]]
}

## Ones on diagonal k of the shape of x.
fn onnx_eye_like(x: T[M, N]; t: any = none, k: int = 0) -> any where T: any {
  if kind(t) == "dtype" { onnx_eye(M, N, k, t) } else { onnx_eye(M, N, k, T) }
}

fn onnx_eye(m: int, n: int, k: int, t: dtype) -> y: t[m, n] {
  map i in m, j in n { y[i, j] = t(j == i + k) }
}

## One side of diagonal k, zeros elsewhere.
fn onnx_trilu(x: T[*P, M, N], k: int = 0; upper: int = 1) -> y: T[*P, M, N] where T: any {
  map *p in P, i in M, j in N {
    kept = if upper == 1 { j >= i + k } else { j <= i + k }
    y[*p, i, j] = select(kept, x[*p, i, j], T(0))
  }
}

## Blocks of channels become blocks of pixels: depth, column, row, or column, row, depth.
fn onnx_depth_to_space(x: T[N, C, H, W]; blocksize: int, mode: str = "DCR")
    -> y: T[N, C // (blocksize * blocksize), H * blocksize, W * blocksize] where T: any {
  b = blocksize
  D = C // (b * b)
  map n in N, d in D, h in H, i in b, w in W, j in b {
    k = if mode == "DCR" { (i * b + j) * D + d } else { (d * b + i) * b + j }
    y[n, d, h * b + i, w * b + j] = x[n, k, h, w]
  }
}

## Blocks of pixels become channels.
fn onnx_space_to_depth(x: T[N, C, H, W]; blocksize: int)
    -> y: T[N, C * blocksize * blocksize, H // blocksize, W // blocksize] where T: any {
  b = blocksize
  map n in N, i in b, j in b, c in C, h in H // b, w in W // b {
    y[n, (i * b + j) * C + c, h, w] = x[n, c, h * b + i, w * b + j]
  }
}

## The first `lengths` elements along the time in opposite order, for each of a batch.
fn onnx_reverse_sequence(x: T[*S], lengths: i64[B]; batch_axis: int = 1, time_axis: int = 0)
    -> y: T[*S] where T: any {
  map *b in S {
    n = lengths[b[batch_axis]]
    k = b[time_axis]
    at = select(k < n, n - 1 - k, k)
    y[*b] = x[*replaced(b, time_axis, at)]
  }
}

## Where x is not 0: a row for each dimension.
fn onnx_non_zero(x: T[*S]) -> i64[len(S), ?] where T: any { transpose(nonzero(x)) }

## The slices along an axis, or the elements, where c is true; c may be shorter than what it is for.
fn onnx_compress(x: T[*S], c: bool[N]; axis: any = none) -> any where T: any {
  at: i64[?]
  map i in N { if c[i] { i >> at[?] } }
  if axis == none { take(reshape(x, [-1]), at) } else { take(x, at, axis = axis) }
}
