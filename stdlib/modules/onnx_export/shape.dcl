# The same elements in other places, and what is over axes.

fn transpose(x; perm: list? = none) -> any {
  node("Transpose", [x], [("perm", perm_of(perm, x.rank))])
}

fn swap_axes(x, a: int, b: int) -> any {
  node("Transpose", [x], [("perm", swapped(a, b, x.rank))])
}

fn reshape(x, to: shape) -> any {
  R = reshape_shape(x.shape, to)
  free = [i for i, n in enumerate(to) if kind(n) == "int" and proved(n == -1)]
  move_reshape(x, if len(free) == 1 and not any([proved(n == 0) for n in R]) { to } else { R })
}

fn flatten(x; start: int = 1, end: int = -1) -> any {
  move_reshape(x, flat_shape(x.shape, start, end))
}

fn squeeze(x; axes = none) -> any { node("Squeeze", [x, unit_axes(x.shape, axes)]) }

fn unsqueeze(x, axes) -> any { node("Unsqueeze", [x, new_axes(x.shape, axes)]) }

fn broadcast_to(x, to: shape) -> any { node("Expand", [x, broadcast_shape(x.shape, to)]) }

fn concat(xs: list; axis: int = 0) -> any { node("Concat", xs, [("axis", axis)]) }

fn stack(xs: list; axis: int = 0) -> any {
  if not all([kind(x) == "tensor" for x in xs]) { return none }
  if not all([x.shape == xs[0].shape for x in xs]) { return none }
  a = axis_of(axis, xs[0].rank + 1)
  node("Concat", [node("Unsqueeze", [x, [a]]) for x in xs], [("axis", a)])
}

fn part(x, a: int, start: int, n: int, step: int) -> any {
  if step < 1 { return none }
  node("Slice", [x, [start], [start + n * step], [a], [step]])
}

fn tile(x, reps: list) -> any {
  if len(reps) > x.rank { return none }
  node("Tile", [x, [*[1 for _ in 0:x.rank - len(reps)], *reps]])
}

fn pad(x, pads: list; mode: str = "constant", value: float = 0) -> any {
  if not (mode in ["constant", "edge", "reflect"]) { return none }
  if x.dtype == bool { return none }
  p = pads_of(x.shape, pads)
  v = if mode == "constant" { constant(x.dtype, value) } else { none }
  node("Pad", [x, [*[a for a, b in p], *[b for a, b in p]], v], [("mode", mode)])
}

fn sum(x; axes = none, keepdims: bool = false) -> any {
  if x.dtype in [f16, bf16] { return none }
  reduce_sum(x, axes_of(axes, x.rank), keepdims, x.dtype)
}

fn mean(x; axes = none, keepdims: bool = false, opset: int) -> any {
  if x.dtype in [f16, bf16] { return none }
  reduce_over("ReduceMean", x, axes_of(axes, x.rank), keepdims, opset)
}
