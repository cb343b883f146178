## The dimensions in another order: dimension i of the result is perm[i] of x; without `perm` the
## last two are exchanged.
## `transpose(x, perm = [2, 0, 1])` with x: f32[2, 3, 4]
fn transpose(x: T[*S]; perm: list? = none) -> y: T[*[S[p] for p in perm_of(perm, len(S))]]
    where T: any {
  p = perm_of(perm, len(S))
  map *b in S { y[*[b[k] for k in p]] = x[*b] }
}

# The permutation that PERM means in RANK dimensions.
fn perm_of(perm: list?, rank: int) -> list {
  if perm == none {
    if rank < 2 { error("a transposed matrix of", rank, "dimensions: give perm") }
    return [*range(rank - 2), rank - 1, rank - 2]
  }
  p = axes_of(perm, rank)
  if len(p) != rank { error("perm", perm, "is no order of", rank, "dimensions") }
  p
}

## Two dimensions exchanged.
## `swap_axes(x, 0, -1)` with x: f32[2, 3, 4]
fn swap_axes(x: T[*S], a: int, b: int) -> T[*[S[p] for p in swapped(a, b, len(S))]] where T: any {
  transpose(x, perm = swapped(a, b, len(S)))
}

# The order in which A and B of RANK dimensions are exchanged.
fn swapped(a: int, b: int, rank: int) -> list {
  i = axis_of(a, rank)
  j = axis_of(b, rank)
  [if k == i { j } else { if k == j { i } else { k } } for k in 0:rank]
}

## The same elements in their order, with other dimensions; one of them may be -1, which is what is
## left.
## `reshape(x, [2, -1])` with x: i32[4, 1] = [[1], [2], [3], [4]] is `[[1, 2], [3, 4]]`
fn reshape(x: T[*S], to: shape) -> y: T[*reshape_shape(S, to)] where T: any {
  parts = reshape_parts(S, reshape_shape(S, to), 1, 1)
  map *b in reshape_range(parts) { y[*reshape_to(parts, b)] = x[*reshape_from(parts, b)] }
}

# The shape that TO means for elements of the shape S.
fn reshape_shape(S: shape, to: shape) -> shape {
  free = [i for i, n in enumerate(to) if kind(n) == "int" and proved(n == -1)]
  if len(free) > 1 { error("only one dimension may be -1:", to) }
  rest = [n for i, n in enumerate(to) if not (i in free)]
  R = if len(free) == 0 { to } else { replaced(to, free[0], size_left(S, rest)) }
  if proved(prod(R) != prod(S)) { error(S, "has", prod(S), "elements,", to, "wants", prod(R)) }
  R
}

# What the dimensions S have beside REST: a part of S, where that can be told.
fn size_left(S: shape, rest: shape) -> any {
  if proved(prod(rest) > 0) { return prod(S) // prod(rest) }
  parts = [prod(S[i:]) // prod(rest[k:]) for i, k in pairs_up_to(len(S), len(rest))]
  fits = [n for n in parts if proved(n * prod(rest) == prod(S))]
  if len(fits) > 0 { fits[0] } else { prod(S) // prod(rest) }
}

# All pairs of numbers from 0 to A and from 0 to B.
fn pairs_up_to(a: int, b: int) -> list {
  [(i // (b + 1), i % (b + 1)) for i in 0:(a + 1) * (b + 1)]
}

# S and R cut into parts of equal products, from their first A and B dimensions on.
fn reshape_parts(S: shape, R: shape, a: int, b: int) -> list {
  if a > len(S) or b > len(R) { return [(S, R)] }
  p = prod(S[:a])
  q = prod(R[:b])
  if proved(p == q) { return [(S[:a], R[:b]), *reshape_parts(S[a:], R[b:], 1, 1)] }
  if proved(p < q) { return reshape_parts(S, R, a + 1, b) }
  if proved(p > q) { return reshape_parts(S, R, a, b + 1) }
  [(S, R)]
}

# Of each part, the dimensions that the map runs over: those of the side that is cut finer.
fn reshape_range(parts: list) -> list {
  l = []
  for s, r in parts { l = l + (if len(r) == 1 { s } else { r }) }
  l
}

# The index in the reshaped tensor for the index B of the map.
fn reshape_to(parts: list, b: list) -> list {
  l = []
  for s, r in parts {
    n = if len(r) == 1 { len(s) } else { len(r) }
    l = l + (if len(r) == 1 { [flat_index(b[:n], s)] } else { b[:n] })
    b = b[n:]
  }
  l
}

# The index in the tensor as it was for the index B of the map.
fn reshape_from(parts: list, b: list) -> list {
  l = []
  for s, r in parts {
    n = if len(r) == 1 { len(s) } else { len(r) }
    l = l + (if len(r) == 1 { b[:n] } else { unflat_index(flat_index(b[:n], r), s) })
    b = b[n:]
  }
  l
}

## The position in row-major order of the index B in the shape S.
## `flat_index([1, 2], [2, 3])` is `5`
fn flat_index(b: list, S: list) -> int { sum([0, *[b[i] * prod(S[i + 1:]) for i in 0:len(S)]]) }

## The index in the shape S of the position K in row-major order.
## `unflat_index(5, [2, 3])` is `[1, 2]`
fn unflat_index(k: int, S: list) -> list {
  [if i == 0 { k // prod(S[1:]) } else { k // prod(S[i + 1:]) % S[i] } for i in 0:len(S)]
}

## The dimensions from `start` to `end`, both with them, as one: all but the first without
## arguments.
## `flatten(x)` with x: f32[2, 3, 4]
fn flatten(x: T[*S]; start: int = 1, end: int = -1) -> T[*flat_shape(S, start, end)] where T: any {
  reshape(x, flat_shape(S, start, end))
}

# The shape S with the dimensions from START to END as one.
fn flat_shape(S: shape, start: int, end: int) -> shape {
  a = axis_of(start, len(S))
  b = axis_of(end, len(S))
  if b < a { error("flatten from", start, "to", end) }
  [*S[:a], prod(S[a:b + 1]), *S[b + 1:]]
}

## x without dimensions of size 1: those of AXES, or all.
## `squeeze(x, axes = 0)` with x: f32[1, 3, 1]
fn squeeze(x: T[*S]; axes = none) -> y: T[*reduced(S, unit_axes(S, axes), false)] where T: any {
  a = unit_axes(S, axes)
  map *b in reduced(S, a, false) { y[*b] = x[*widened(b, a, 0)] }
}

# The axes of size 1 that AXES means in the shape S.
fn unit_axes(S: shape, axes) -> list {
  if axes == none { return [i for i, n in enumerate(S) if proved(n == 1)] }
  all = axes_of(axes, len(S))
  for a in all { if not proved(S[a] == 1) { error("axis", a, "of", S, "is not of size 1") } }
  all
}

# The list L with V at the positions AXES of what comes out.
fn widened(l: list, axes: list, v) -> list {
  if len(axes) == 0 { return l }
  a = min(axes)
  widened([*l[:a], v, *l[a:]], [k for k in axes if k != a], v)
}

## x with dimensions of size 1 at the positions AXES of the result.
## `unsqueeze(x, [0, -1])` with x: f32[3]
fn unsqueeze(x: T[*S], axes) -> y: T[*widened(S, new_axes(S, axes), 1)] where T: any {
  a = new_axes(S, axes)
  map *b in S { y[*widened(b, a, 0)] = x[*b] }
}

# The positions of new dimensions that AXES means.
fn new_axes(S: shape, axes) -> list {
  l = if kind(axes) == "list" { axes } else { [axes] }
  axes_of(l, len(S) + len(l))
}

## x with NumPy's broadcast to a shape; -1 leaves a dimension as it is.
## `broadcast_to(x, [2, -1, 3])` with x: f32[4, 1]
fn broadcast_to(x: T[*S], to: shape) -> y: T[*broadcast_shape(S, to)] where T: any {
  R = broadcast_shape(S, to)
  more = len(R) - len(S)
  map *b in R {
    y[*b] = x[*[if proved(n == 1) { 0 } else { b[more + i] } for i, n in enumerate(S)]]
  }
}

# The shape that TO means for a tensor of the shape S.
fn broadcast_shape(S: shape, to: shape) -> shape {
  more = len(to) - len(S)
  if more < 0 { error(S, "has more dimensions than", to) }
  R = [if i >= more and proved(n == -1) { S[i - more] } else { n } for i, n in enumerate(to)]
  for i, n in enumerate(S) {
    if proved(n != 1) and proved(n != R[more + i]) { error(S, "does not stretch to", to) }
  }
  R
}

## The tensors one after the other along an axis; the other dimensions agree.
## `concat([x, y], axis = 1)` with x: f32[2, 3], y: f32[2, 1]
fn concat(xs: T[*_][]; axis: int = 0) -> y: T[*concat_shape([x.shape for x in xs], axis)]
    where T: any {
  a = axis_of(axis, xs[0].rank)
  at = 0
  for x in xs {
    map *b in x.shape { y[*b[:a], at + b[a], *b[a + 1:]] = x[*b] }
    at = at + x.shape[a]
  }
}

# The shape of tensors of these shapes along AXIS.
fn concat_shape(shapes: list, axis: int) -> shape {
  first = shapes[0]
  a = axis_of(axis, len(first))
  for S in shapes {
    if len(S) != len(first) { error(S, "and", first, "differ in their number of dimensions") }
    for i, n in enumerate(S) {
      if i != a and proved(n != first[i]) { error(S, "and", first, "differ besides axis", axis) }
    }
  }
  replaced(first, a, sum([S[a] for S in shapes]))
}

## The tensors, of one shape, along a new axis.
## `stack([x, y], axis = -1)` with x: f32[2] = [1, 2], y: f32[2] = [3, 4] is `[[1, 3], [2, 4]]`
fn stack(xs: T[*_][]; axis: int = 0) -> y: T[*stack_shape([x.shape for x in xs], axis)]
    where T: any {
  S = xs[0].shape
  a = axis_of(axis, len(S) + 1)
  for i, x in enumerate(xs) { map *b in S { y[*b[:a], i, *b[a:]] = x[*b] } }
}

# The shape of what stack gives.
fn stack_shape(shapes: list, axis: int) -> shape {
  S = shapes[0]
  for i, s in enumerate(shapes) {
    if len(s) != len(S) or any([proved(n != S[d]) for d, n in enumerate(s)]) {
      error("element", i, "of the list has the shape", s, "and the first one", S)
    }
  }
  widened(S, [axis_of(axis, len(S) + 1)], len(shapes))
}

## Parts of the given sizes along an axis, as a list.
## `a, b = split(x, [2, 3], axis = 1)` with x: f32[2, 5]
fn split(x: T[*S], sizes: list; axis: int = 0) -> list where T: any {
  a = axis_of(axis, len(S))
  if proved(sum(sizes) != S[a]) { error("sizes", sizes, "of a dimension of", S[a]) }
  [part(x, a, sum(sizes[:i]), n, 1) for i, n in enumerate(sizes)]
}

## N parts of equal size along an axis, as a list; the last ones may be smaller, or empty.
## `a, b, c = chunk(x, 3)` with x: f32[5] = [1, 2, 3, 4, 5] is `[1, 2], [3, 4], [5]`
fn chunk(x: T[*S], n: int; axis: int = 0) -> list where T: any {
  a = axis_of(axis, len(S))
  if n < 1 { error(n, "parts") }
  size = (S[a] + n - 1) // n
  split(x, [max(0, min(size, S[a] - i * size)) for i in 0:n], axis = a)
}

# N elements along axis A, from START on in steps.
fn part(x: T[*S], a: int, start: int, n: int, step: int) -> y: T[*replaced(S, a, n)] where T: any {
  map *b in replaced(S, a, n) { y[*b] = x[*b[:a], start + b[a] * step, *b[a + 1:]] }
}

## x[start:stop:step] along an axis as Python has it: negative ones count from the end, and what is
## beyond it is left out.
## `slice(x, start = -3)` with x: f32[5] = [1, 2, 3, 4, 5] is `[3, 4, 5]`
fn slice(x: T[*S]; start: int? = none, stop: int? = none, step: int = 1, axis: int = 0)
    -> T[*slice_shape(S, axis_of(axis, len(S)), start, stop, step)] where T: any {
  a = axis_of(axis, len(S))
  from, n = slice_of(start, stop, step, S[a])
  part(x, a, from, n, step)
}

# The shape S with as many elements along axis A as start:stop:step has.
fn slice_shape(S: shape, a: int, start: int?, stop: int?, step: int) -> shape {
  replaced(S, a, slice_of(start, stop, step, S[a])[1])
}

# The first index and the number of indices of start:stop:step of N elements.
fn slice_of(start: int?, stop: int?, step: int, n: int) -> list {
  if step == 0 { error("the step is 0") }
  low = if step > 0 { 0 } else { -1 }
  high = if step > 0 { n } else { n - 1 }
  a = if start == none { if step > 0 { low } else { high } } else { within(start, n, low, high) }
  b = if stop == none { if step > 0 { high } else { low } } else { within(stop, n, low, high) }
  [a, max(0, if step > 0 { (b - a + step - 1) // step } else { (a - b - step - 1) // -step })]
}

# K, which counts from the end if it is negative, between LOW and HIGH.
fn within(k: int, n: int, low: int, high: int) -> int {
  min(max(if k < 0 { k + n } else { k }, low), high)
}

## The elements in opposite order along AXES, or all.
## `flip(x, axes = -1)` with x: f32[2, 2] = [[1, 2], [3, 4]] is `[[2, 1], [4, 3]]`
fn flip(x: T[*S]; axes = none) -> y: T[*S] where T: any {
  a = axes_of(axes, len(S))
  map *b in S { y[*b] = x[*[if i in a { S[i] - 1 - k } else { k } for i, k in enumerate(b)]] }
}

## The elements moved by SHIFT along an axis; what leaves at the end comes in at the start.
## `roll(x, 1)` with x: f32[3] = [1, 2, 3] is `[3, 1, 2]`
fn roll(x: T[*S], shift: int; axis: int = 0) -> y: T[*S] where T: any {
  a = axis_of(axis, len(S))
  map *b in S { y[*b] = x[*b[:a], (b[a] - shift) % S[a], *b[a + 1:]] }
}

## x repeated along each dimension, or along the last ones if `reps` has fewer numbers.
## `tile(x, [2, 1])` with x: f32[2] = [1, 2] is `[[1, 2], [1, 2]]`
fn tile(x: T[*S], reps: list) -> y: T[*tile_shape(S, reps)] where T: any {
  R = tile_shape(S, reps)
  more = len(R) - len(S)
  map *b in R { y[*b] = x[*[b[more + i] % n for i, n in enumerate(S)]] }
}

# The shape of tile.
fn tile_shape(S: shape, reps: list) -> shape {
  more = if len(reps) > len(S) { len(reps) - len(S) } else { 0 }
  all = [*[1 for i in 0:len(S) - len(reps)], *reps]
  [n * all[i] for i, n in enumerate([*[1 for i in 0:more], *S])]
}

## Each element N times along an axis.
## `repeat(x, 2)` with x: f32[2] = [1, 2] is `[1, 1, 2, 2]`
fn repeat(x: T[*S], n: int; axis: int = 0)
    -> y: T[*replaced(S, axis_of(axis, len(S)), n * S[axis_of(axis, len(S))])] where T: any {
  a = axis_of(axis, len(S))
  map *b in replaced(S, a, S[a] * n) { y[*b] = x[*b[:a], b[a] // n, *b[a + 1:]] }
}

## x with PADS elements more, (before, after) for each dimension or for the last ones. What they are
## says the mode: "constant" (the value), "edge", "reflect", "symmetric" or "wrap". Negative numbers
## cut off elements.
## `pad(x, [(2, 1)], mode = "reflect")` with x: f32[3] = [1, 2, 3] is `[3, 2, 1, 2, 3, 2]`
fn pad(x: T[*S], pads: list; mode: str = "constant", value: float = 0) -> y: T[*pad_shape(S, pads)]
    where T: any {
  R = pad_shape(S, pads)
  p = pads_of(S, pads)
  if mode == "constant" {
    map *b in R { y[*b] = x[*[k - p[i][0] for i, k in enumerate(b)], else pad_value(T, value)] }
  } else {
    map *b in R { y[*b] = x[*[pad_index(mode, k - p[i][0], S[i]) for i, k in enumerate(b)]] }
  }
}

# The value of pads among elements of type T.
fn pad_value(T: dtype, value: float) -> T { if T == bool { value != 0 } else { T(value) } }

# (before, after) for each dimension of S.
fn pads_of(S: shape, pads: list) -> list {
  if len(pads) > len(S) { error(len(pads), "pairs for", len(S), "dimensions") }
  for p in pads {
    if kind(p) != "list" or len(p) != 2 { error("pads are pairs (before, after), not", p) }
  }
  [*[(0, 0) for i in 0:len(S) - len(pads)], *pads]
}

# The shape of pad.
fn pad_shape(S: shape, pads: list) -> shape {
  [n + p[0] + p[1] for n, p in zip(S, pads_of(S, pads))]
}

# Where the index K of a padded dimension of N elements lies.
fn pad_index(mode: str, k: int, n: int) -> int {
  if mode == "edge" { return min(max(k, 0), n - 1) }
  if mode == "wrap" { return k % n }
  if mode == "reflect" { return min(k % (2 * n - 2), (2 * n - 2) - k % (2 * n - 2)) }
  if mode == "symmetric" { return min(k % (2 * n), (2 * n - 1) - k % (2 * n)) }
  error("there is no mode", mode)
  0
}

## The lower triangle of the last two dimensions, with k diagonals above the main one; 0 elsewhere.
## `tril(x)` with x: f32[2, 2] = [[1, 2], [3, 4]] is `[[1, 0], [3, 4]]`
fn tril(x: T[*P, M, N]; k: int = 0) -> y: T[*P, M, N] where T: number {
  map *p in P, i in M, j in N { y[*p, i, j] = select(j <= i + k, x[*p, i, j], 0) }
}

## The upper triangle of the last two dimensions, from k diagonals above the main one on; 0
## elsewhere.
## `triu(x, k = 1)` with x: f32[2, 2] = [[1, 2], [3, 4]] is `[[0, 2], [0, 0]]`
fn triu(x: T[*P, M, N]; k: int = 0) -> y: T[*P, M, N] where T: number {
  map *p in P, i in M, j in N { y[*p, i, j] = select(j >= i + k, x[*p, i, j], 0) }
}
