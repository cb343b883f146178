# Static helpers: axes and shapes, before anything runs. An axis counts from 0; a negative one from
# the end.

## The axis of RANK dimensions that AXIS means: a negative one counts from the end. There must be
## such an axis.
## `axis_of(-1, 3)` is `2`
fn axis_of(axis: int, rank: int) -> int {
  if axis < -rank or axis >= rank { error("there is no axis", axis, "in", rank, "dimensions") }
  if axis < 0 { axis + rank } else { axis }
}

## The axes that AXES means, each once: an axis, a list of them, or `none` for all.
## `axes_of([0, -1], 3)` is `[0, 2]`
fn axes_of(axes, rank: int) -> list {
  if axes == none { return range(rank) }
  l = if kind(axes) == "list" { axes } else { [axes] }
  all = [axis_of(a, rank) for a in l]
  for i, a in enumerate(all) { if a in all[:i] { error("axis", l[i], "stands twice in", l) } }
  all
}

## [0, 1, .., n - 1].
## `range(3)` is `[0, 1, 2]`
fn range(n: int) -> list { [i for i in 0:n] }

## The elements with their positions.
## `enumerate(["a", "b"])` is `[(0, "a"), (1, "b")]`
fn enumerate(l: list) -> list { [(i, l[i]) for i in 0:len(l)] }

## Pairs of the elements of two lists of equal length.
## `zip([1, 2], ["a", "b"])` is `[(1, "a"), (2, "b")]`
fn zip(a: list, b: list) -> list {
  if len(a) != len(b) { error("lists of", len(a), "and", len(b), "elements") }
  [(a[i], b[i]) for i in 0:len(a)]
}

## The list backwards.
## `reversed([1, 2])` is `[2, 1]`
fn reversed(l: list) -> list { [l[len(l) - 1 - i] for i in 0:len(l)] }

## The list with V in the place of element I.
## `replaced([1, 2], 0, 5)` is `[5, 2]`
fn replaced(l: list, i: int, v) -> list { [*l[:i], v, *l[i + 1:]] }

## The shape S without the dimensions AXES, which count from 0, or with 1 in their place.
## `reduced([2, 3, 4], [1], true)` is `[2, 1, 4]`
fn reduced(S: list, axes: list, keepdims) -> list {
  if keepdims { return [if i in axes { 1 } else { n } for i, n in enumerate(S)] }
  [n for i, n in enumerate(S) if not (i in axes)]
}

## The index in `reduced` of the element with the index B.
## `reduced_index([5, 6, 7], [1], false)` is `[5, 7]`
fn reduced_index(b: list, axes: list, keepdims) -> list {
  if keepdims { return [if i in axes { 0 } else { k } for i, k in enumerate(b)] }
  [k for i, k in enumerate(b) if not (i in axes)]
}

## The sizes S at the positions AXES.
## `sizes_of([2, 3, 4], [0, 2])` is `[2, 4]`
fn sizes_of(S: list, axes: list) -> list { [S[a] for a in axes] }
