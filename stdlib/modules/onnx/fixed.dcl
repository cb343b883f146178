# Operators on what is known when a model is imported: numbers, and lists of them.

# How deep a list of lists is; a number has no depth.
fn fixed_rank(a) -> int {
  if kind(a) != "list" { return 0 }
  if len(a) == 0 { 1 } else { 1 + fixed_rank(a[0]) }
}

# F of the elements of A and B, which broadcast.
fn fixed_each(a, b, f) -> any {
  if fixed_rank(a) + fixed_rank(b) > 2 and fixed_count(a) * fixed_count(b) > 65536 {
    error("a large tensor")
  }
  fixed_pairs(a, b, f)
}

# How many elements A has.
fn fixed_count(a) -> int {
  if kind(a) != "list" { return 1 }
  if len(a) == 0 { 0 } else { len(a) * fixed_count(a[0]) }
}

fn fixed_pairs(a, b, f) -> any {
  p = fixed_rank(a)
  q = fixed_rank(b)
  if p == 0 and q == 0 { return f(a, b) }
  if p < q { return [fixed_pairs(a, k, f) for k in b] }
  if q < p { return [fixed_pairs(k, b, f) for k in a] }
  n = if len(a) == 1 { len(b) } else { len(a) }
  if (len(a) != n and len(a) != 1) or (len(b) != n and len(b) != 1) {
    error("lists of", len(a), "and", len(b), "elements")
  }
  [fixed_pairs(a[if len(a) == 1 { 0 } else { i }], b[if len(b) == 1 { 0 } else { i }], f)
      for i in 0:n]
}

# For what is written for lists of numbers only: others are tensors.
fn fixed_flat_only(x) -> int {
  if fixed_rank(x) > 1 { error("more than one dimension") }
  0
}

# F of the elements of A.
fn fixed_all(a, f) -> any { if kind(a) == "list" { [fixed_all(k, f) for k in a] } else { f(a) } }

fn fixed_plus(a, b) -> any { a + b }

fn fixed_minus(a, b) -> any { a - b }

fn fixed_times(a, b) -> any { a * b }

# Of whole numbers without the fraction, rounded towards 0; down where the sign of a size is open.
fn fixed_quotient(a, b) -> any {
  if kind(a) == "float" or kind(b) == "float" { return a / b }
  if proved(a < 0) { return -fixed_quotient(-a, b) }
  if proved(b < 0) { -(a // -b) } else { a // b }
}

fn fixed_rest(a, b) -> any { a % b }

fn fixed_rest_by_sign(a, b) -> any {
  q = fixed_quotient(a, b)
  if kind(q) != "float" { return a - b * q }
  a - b * (if q < 0 { -floor(-q) } else { floor(q) })
}

# Of a whole number a whole number.
fn fixed_power(a, b) -> any {
  p = a ** b
  if kind(a) == "int" and kind(p) == "float" { fixed_truncated(p) } else { p }
}

fn fixed_truncated(x) -> int { fixed_whole(if x < 0 { -floor(-x) } else { floor(x) }) }

fn fixed_is_equal(a, b) -> any {
  if kind(a) == "bool" { return a == b }
  if proved(a == b) { return true }
  if proved(a != b) { return false }
  error("it hangs on sizes that are not known whether", a, "is", b)
  false
}

fn fixed_is_less(a, b) -> any {
  if proved(a < b) { return true }
  if proved(a >= b) { return false }
  error("it hangs on sizes that are not known whether", a, "is less than", b)
  false
}

fn fixed_is_at_most(a, b) -> any { not fixed_is_less(b, a) }

fn fixed_differ(a, b) -> any { a != b }

fn fixed_both(a, b) -> any { a and b }

fn fixed_one(a, b) -> any { a or b }

fn fixed_larger(a, b) -> any { max(a, b) }

fn fixed_smaller(a, b) -> any { min(a, b) }

fn fixed_minus_one(a) -> any { -a }

fn fixed_inverse(a) -> any { not a }

fn fixed_size_of(a) -> any { abs(a) }

fn fixed_down(a) -> any { floor(a) }

fn fixed_up(a) -> any { -floor(-a) }

fn fixed_root(a) -> any { sqrt(1.0 * a) }

fn fixed_add(a, b) -> any { fixed_each(a, b, fixed_plus) }

fn fixed_sub(a, b) -> any { fixed_each(a, b, fixed_minus) }

fn fixed_mul(a, b) -> any { fixed_each(a, b, fixed_times) }

fn fixed_div(a, b) -> any { fixed_each(a, b, fixed_quotient) }

fn fixed_mod(a, b; fmod: int = 0) -> any {
  if fmod == 1 { fixed_each(a, b, fixed_rest_by_sign) } else { fixed_each(a, b, fixed_rest) }
}

fn fixed_pow(a, b) -> any { fixed_each(a, b, fixed_power) }

fn fixed_equal(a, b) -> any { fixed_each(a, b, fixed_is_equal) }

fn fixed_less(a, b) -> any { fixed_each(a, b, fixed_is_less) }

fn fixed_greater(a, b) -> any { fixed_each(b, a, fixed_is_less) }

fn fixed_less_equal(a, b) -> any { fixed_each(a, b, fixed_is_at_most) }

fn fixed_greater_equal(a, b) -> any { fixed_each(b, a, fixed_is_at_most) }

fn fixed_xor(a, b) -> any { fixed_each(a, b, fixed_differ) }

fn fixed_and(a, b) -> any { fixed_each(a, b, fixed_both) }

fn fixed_or(a, b) -> any { fixed_each(a, b, fixed_one) }

fn fixed_max(xs: list) -> any { fixed_fold(xs, fixed_larger) }

fn fixed_min(xs: list) -> any { fixed_fold(xs, fixed_smaller) }

# By halves, as calls may not nest deep.
fn fixed_fold(xs: list, f) -> any {
  if len(xs) == 1 { return xs[0] }
  h = len(xs) // 2
  fixed_each(fixed_fold(xs[:h], f), fixed_fold(xs[h:], f), f)
}

# F of all elements of a list, the axes of which are all that it has.
fn fixed_reduced(x: list, axes, keepdims: int, noop: int, f) -> any {
  _ = fixed_flat_only(x)
  if noop == 1 and (axes == none or len(axes) == 0) { return x }
  v = fixed_fold(x, f)
  if keepdims == 1 { [v] } else { v }
}

fn fixed_reduce_sum(x, axes: list? = none; keepdims: int = 1, noop_with_empty_axes: int = 0)
    -> any {
  fixed_reduced(x, axes, keepdims, noop_with_empty_axes, fixed_plus)
}

fn fixed_reduce_prod(x, axes: list? = none; keepdims: int = 1, noop_with_empty_axes: int = 0)
    -> any {
  fixed_reduced(x, axes, keepdims, noop_with_empty_axes, fixed_times)
}

fn fixed_reduce_max(x, axes: list? = none; keepdims: int = 1, noop_with_empty_axes: int = 0)
    -> any {
  fixed_reduced(x, axes, keepdims, noop_with_empty_axes, fixed_larger)
}

fn fixed_reduce_min(x, axes: list? = none; keepdims: int = 1, noop_with_empty_axes: int = 0)
    -> any {
  fixed_reduced(x, axes, keepdims, noop_with_empty_axes, fixed_smaller)
}

fn fixed_neg(a) -> any { fixed_all(a, fixed_minus_one) }

fn fixed_not(a) -> any { fixed_all(a, fixed_inverse) }

fn fixed_abs(a) -> any { fixed_all(a, fixed_size_of) }

fn fixed_floor(a) -> any { fixed_all(a, fixed_down) }

fn fixed_ceil(a) -> any { fixed_all(a, fixed_up) }

fn fixed_sqrt(a) -> any { fixed_all(a, fixed_root) }

# A or B by C.
fn fixed_where(c, a, b) -> any {
  _ = fixed_flat_only(c) + fixed_flat_only(a) + fixed_flat_only(b)
  n = fixed_length(c, fixed_length(a, fixed_length(b, 0)))
  if n == 0 and fixed_rank(c) + fixed_rank(a) + fixed_rank(b) == 0 { return if c { a } else { b } }
  [if fixed_at(c, i) { fixed_at(a, i) } else { fixed_at(b, i) } for i in 0:n]
}

fn fixed_length(x, n: int) -> int {
  if kind(x) != "list" or (len(x) == 1 and n > 0) { return n }
  if n > 1 and len(x) != n { error("lists of", len(x), "and", n, "elements") }
  len(x)
}

fn fixed_at(a, i: int) -> any {
  if kind(a) != "list" { a } else { a[if len(a) == 1 { 0 } else { i }] }
}

fn fixed_cast(x; t: dtype) -> any {
  if kind(x) == "list" { return [fixed_cast(k, t = t) for k in x] }
  if kind(x) == "bool" and t != bool { return fixed_cast(if x { 1 } else { 0 }, t = t) }
  if t == f64 or t == f32 or t == f16 or t == bf16 { return 1.0 * x }
  if t == bool and kind(x) == "float" { return x != 0 }
  if t == bool and kind(x) != "bool" { return not fixed_is_equal(x, 0) }
  if kind(x) == "float" { fixed_truncated(x) } else { x }
}

fn fixed_whole(x: int) -> int { x }

fn fixed_gather(x, i; axis: int = 0) -> any {
  if fixed_rank(x) > 1 and kind(i) == "list" and len(i) == 0 {
    error("a list without elements has one dimension")
  }
  fixed_take(x, i, axis_of(axis, fixed_rank(x)))
}

fn fixed_take(x, i, a: int) -> any {
  if a > 0 { return [fixed_take(k, i, a - 1) for k in x] }
  if kind(i) == "list" { return [fixed_take(x, k, 0) for k in i] }
  x[if i < 0 { i + len(x) } else { i }]
}

fn fixed_concat(xs: list; axis: int = 0) -> any { fixed_join(xs, axis_of(axis, fixed_rank(xs[0]))) }

fn fixed_join(xs: list, a: int) -> any {
  if len(xs) == 1 { return xs[0] }
  h = len(xs) // 2
  first = fixed_join(xs[:h], a)
  rest = fixed_join(xs[h:], a)
  if a == 0 { return first + rest }
  [fixed_join([k, rest[i]], a - 1) for i, k in enumerate(first)]
}

fn fixed_unsqueeze(x, axes: list) -> any {
  r = fixed_rank(x) + len(axes)
  if len(axes) > 1 {
    return fixed_unsqueeze(fixed_widen(x, min(axes_of(axes, r))),
        [a for a in axes_of(axes, r) if a != min(axes_of(axes, r))])
  }
  fixed_widen(x, axis_of(axes[0], r))
}

fn fixed_widen(x, a: int) -> any {
  if a == 0 { return [x] }
  if len(x) == 0 { error("a list without elements has one dimension") }
  [fixed_widen(k, a - 1) for k in x]
}

fn fixed_squeeze(x, axes: list? = none) -> any {
  _ = fixed_flat_only(x)
  if kind(x) != "list" { return x }
  if len(x) != 1 { error("a list of", len(x), "elements is squeezed") }
  x[0]
}

fn fixed_slice(x: list, starts: list, ends: list, axes: list? = none, steps: list? = none) -> any {
  if len(starts) > 1 or (axes != none and axis_of(axes[0], fixed_rank(x)) > 0) {
    error("more than the first dimension")
  }
  s = if steps == none { 1 } else { steps[0] }
  from, n = slice_of(starts[0], ends[0], s, len(x))
  [x[from + k * s] for k in 0:n]
}

fn fixed_split(x: list, sizes: list? = none; axis: int = 0, outputs: int) -> list {
  _ = fixed_flat_only(x)
  n = (len(x) + outputs - 1) // outputs
  all = if sizes == none { [max(0, min(n, len(x) - i * n)) for i in 0:outputs] } else { sizes }
  [x[sum(all[:i]):sum(all[:i + 1])] for i in 0:outputs]
}

fn fixed_range(start, limit, delta) -> any {
  n = if kind(start) == "float" {
    fixed_whole(max(0, -floor((start - limit) / delta)))
  } else {
    max(0, -((start - limit) // delta))
  }
  [start + i * delta for i in 0:n]
}

fn fixed_reshape(x, to: list; allowzero: int = 0) -> any {
  flat = fixed_flat(x)
  if len(flat) == 0 and len(to) > 1 { error("a list without elements has one dimension") }
  fixed_nested(flat, reshape_shape([len(flat)], to))
}

fn fixed_nested(flat: list, to: list) -> any {
  if len(to) == 0 { return flat[0] }
  if len(to) == 1 { return flat }
  n = if to[0] == 0 { 0 } else { len(flat)//to[0] }
  [fixed_nested(flat[i*n:(i + 1)*n], to[1:]) for i in 0:to[0]]
}

fn fixed_transpose(x: list; perm: list? = none) -> any {
  if kind(x[0]) != "list" { return x }
  if kind(x[0][0]) == "list" { error("more than two dimensions") }
  if perm != none and perm[0] == 0 { return x }
  [[row[j] for row in x] for j in 0:len(x[0])]
}

fn fixed_flat(x) -> list {
  if kind(x) != "list" { return [x] }
  if len(x) == 0 or kind(x[0]) != "list" { return x }
  if len(x) == 1 { return fixed_flat(x[0]) }
  h = len(x) // 2
  fixed_flat(x[:h]) + fixed_flat(x[h:])
}

fn fixed_expand(x, to: list) -> any {
  _ = fixed_flat_only(x)
  if len(to) == 0 { return x }
  if len(to) > 1 { error("more than one dimension") }
  l = if kind(x) == "list" { x } else { [x] }
  if len(l) == 1 { [l[0] for i in 0:to[0]] } else { l }
}

fn fixed_tile(x, repeats: list) -> any {
  _ = fixed_flat_only(x)
  if len(repeats) > 1 { error("more than one dimension") }
  fixed_concat([x for i in 0:repeats[0]])
}

fn fixed_constant_of_shape(to: list; t: dtype = f32, value: any = 0.0) -> any {
  if len(to) == 0 { return value }
  if len(to) > 1 or to[0] > 64 or to[0] == 0 { error("a large or an empty tensor") }
  [value for i in 0:to[0]]
}
