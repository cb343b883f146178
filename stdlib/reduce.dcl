## The sum over AXES: an axis, a list of axes, or all of them. With keepdims they stay, with size 1.
## 0 where there is nothing.
## `sum(x, axes = -1)` with x: f32[2, 3] = [[1, 2, 3], [4, 5, 6]] is `[6, 15]`
fn sum(x: T[*S]; axes = none, keepdims: bool = false)
    -> y: T[*reduced(S, axes_of(axes, len(S)), keepdims)] where T: number {
  a = axes_of(axes, len(S))
  map *b in S { x[*b] >> y[*reduced_index(b, a, keepdims)] (sum) }
}

## The product over AXES; 1 where there is nothing.
## `prod(x, axes = [0, 1])` with x: f32[2, 2] = [[1, 2], [3, 4]] is `24`
fn prod(x: T[*S]; axes = none, keepdims: bool = false)
    -> y: T[*reduced(S, axes_of(axes, len(S)), keepdims)] where T: number {
  a = axes_of(axes, len(S))
  map *b in S { x[*b] >> y[*reduced_index(b, a, keepdims)] (prod) }
}

# Of an element the product of the others: of a group with a zero only that one has a gradient, with
# two none.
grad prod(x: T[*S], dy: T[*R]; axes = none, keepdims: bool = false) -> dx: T[*S] where T: float {
  a = axes_of(axes, len(S))
  zeros = sum(T(x == 0), axes = a, keepdims = true)
  others = prod(select(x == 0, 1, x), axes = a, keepdims = true)
  d = reshape(dy, reduced(S, a, true))
  dx = d * select(x == 0, select(zeros == 1, others, 0), select(zeros == 0, others / x, 0))
}

## The largest element over AXES; -inf (or the smallest number) where there is nothing, NaN if there
## is one.
## `max(x, axes = 0, keepdims = true)` with x: f32[2, 2] = [[1, 5], [3, 4]] is `[[3, 5]]`
fn max(x: T[*S]; axes = none, keepdims: bool = false)
    -> y: T[*reduced(S, axes_of(axes, len(S)), keepdims)] where T: number {
  a = axes_of(axes, len(S))
  map *b in S { x[*b] >> y[*reduced_index(b, a, keepdims)] (max) }
}

## The smallest element over AXES; inf (or the largest number) where there is nothing, NaN if there
## is one.
## `min(x)` with x: f32[2, 2] = [[1, 5], [3, 4]] is `1`
fn min(x: T[*S]; axes = none, keepdims: bool = false)
    -> y: T[*reduced(S, axes_of(axes, len(S)), keepdims)] where T: number {
  a = axes_of(axes, len(S))
  map *b in S { x[*b] >> y[*reduced_index(b, a, keepdims)] (min) }
}

## Whether all elements over AXES are true; true where there is nothing.
## `all(x > 0, axes = 1)` with x: f32[2, 2] = [[1, 2], [3, -4]] is `[true, false]`
fn all(x: bool[*S]; axes = none, keepdims: bool = false)
    -> y: bool[*reduced(S, axes_of(axes, len(S)), keepdims)] {
  a = axes_of(axes, len(S))
  map *b in S { x[*b] >> y[*reduced_index(b, a, keepdims)] (and) }
}

## Whether any element over AXES is true; false where there is nothing.
## `any(x != x)` with x: f32[3] is `false`
fn any(x: bool[*S]; axes = none, keepdims: bool = false)
    -> y: bool[*reduced(S, axes_of(axes, len(S)), keepdims)] {
  a = axes_of(axes, len(S))
  map *b in S { x[*b] >> y[*reduced_index(b, a, keepdims)] (or) }
}

## The mean over AXES; NaN where there is nothing.
## `mean(x, axes = 0)` with x: f32[2, 2] = [[1, 2], [3, 6]] is `[2, 4]`
fn mean(x: T[*S]; axes = none, keepdims: bool = false)
    -> T[*reduced(S, axes_of(axes, len(S)), keepdims)] where T: float {
  n = prod(sizes_of(S, axes_of(axes, len(S))))
  sum(x, axes = axes, keepdims = keepdims) / T(n)
}

## The variance over AXES: the sum of the squared distances from the mean, divided by n -
## correction.
## `var(x, correction = 1)` with x: f32[3] = [1, 2, 6] is `7`
fn var(x: T[*S]; axes = none, keepdims: bool = false, correction: int = 0)
    -> T[*reduced(S, axes_of(axes, len(S)), keepdims)] where T: float {
  n = prod(sizes_of(S, axes_of(axes, len(S))))
  d = x - mean(x, axes = axes, keepdims = true)
  sum(d * d, axes = axes, keepdims = keepdims) / max(T(n - correction), T(0))
}

# The square root, with a finite derivative at 0: of what it is the sum of squares of, 0.
fn root_of(x: T) -> T where T: float { select(x == 0, x, sqrt(x)) }

## The square root of the variance.
## `std(x, axes = 0)` with x: f32[2, 2] = [[1, 2], [3, 8]] is `[1, 3]`
fn std(x: T[*S]; axes = none, keepdims: bool = false, correction: int = 0)
    -> T[*reduced(S, axes_of(axes, len(S)), keepdims)] where T: float {
  root_of(var(x, axes = axes, keepdims = keepdims, correction = correction))
}

## log(sum(exp(x))) over AXES, without overflow; -inf where there is nothing.
## `logsumexp(x, axes = 0)` with x: f32[2] = [1000, 1000] is `1000.6931`
fn logsumexp(x: T[*S]; axes = none, keepdims: bool = false)
    -> T[*reduced(S, axes_of(axes, len(S)), keepdims)] where T: float {
  m = finite_or_zero(max(x, axes = axes, keepdims = true))
  s = sum(exp(x - m), axes = axes, keepdims = keepdims)
  log(s) + reshape(m, s.shape)
}

# x, or 0 where it is inf or -inf.
fn finite_or_zero(x: T) -> T where T: float { select(abs(x) == inf, T(0), x) }

## The norm over AXES of any order: 2 is Euclid's, 1 the sum, inf the largest and -inf the smallest
## magnitude, 0 the number of elements that are not 0.
## `norm(x, axes = -1)` with x: f32[2, 2] = [[3, 4], [-5, 0]] is `[5, 5]`
fn norm(x: T[*S]; ord: float = 2, axes = none, keepdims: bool = false)
    -> T[*reduced(S, axes_of(axes, len(S)), keepdims)] where T: float {
  if ord == 2 { return root_of(sum(x * x, axes = axes, keepdims = keepdims)) }
  if ord == 1 { return sum(abs(x), axes = axes, keepdims = keepdims) }
  if ord == inf { return max(abs(x), axes = axes, keepdims = keepdims) }
  if ord == -inf { return min(abs(x), axes = axes, keepdims = keepdims) }
  if ord == 0 { return sum(T(x != 0), axes = axes, keepdims = keepdims) }
  sum(abs(x) ** ord, axes = axes, keepdims = keepdims) ** (1 / ord)
}

## The index of the first largest element along AXIS; of the first NaN if there is one, 0 where
## there is nothing.
## `argmax(x)` with x: f32[2, 3] = [[1, 5, 5], [2, 0, 1]] is `[1, 0]`
fn argmax(x: T[*S]; axis: int = -1, keepdims: bool = false)
    -> i64[*reduced(S, [axis_of(axis, len(S))], keepdims)] where T: number {
  first_of(x, max(x, axes = axis, keepdims = true), axis_of(axis, len(S)), keepdims)
}

## The index of the first smallest element along AXIS; of the first NaN if there is one, 0 where
## there is nothing.
## `argmin(x, axis = 0)` with x: f32[2, 3] = [[1, 5, 5], [2, 0, 5]] is `[0, 1, 0]`
fn argmin(x: T[*S]; axis: int = -1, keepdims: bool = false)
    -> i64[*reduced(S, [axis_of(axis, len(S))], keepdims)] where T: number {
  first_of(x, min(x, axes = axis, keepdims = true), axis_of(axis, len(S)), keepdims)
}

# The first index along axis A at which x is M, or NaN.
fn first_of(x: T[*S], m: T[*S], a: int, keepdims) -> y: i64[*reduced(S, [a], keepdims)]
    where T: number {
  first: i64[*reduced(S, [a], keepdims)] = S[a]
  map *b in S {
    v << x[*b]
    t << m[*b]
    select(v == t or v != v, i64(b[a]), i64(S[a])) >> first[*reduced_index(b, [a], keepdims)] (min)
  }
  y = first
}
