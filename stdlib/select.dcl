## The elements at the positions I along an axis, in whose place stand the dimensions of I.
## Positions are in 0 .. n - 1.
## `take(x, i, axis = 1)` with x: f32[2, 3] = [[1, 2, 3], [4, 5, 6]], i: i64[2] = [2, 0] is `[[3,
## 1], [6, 4]]`
fn take(x: T[*S], i: i64[*Q]; axis: int = 0)
    -> y: T[*S[:axis_of(axis, len(S))], *Q, *S[axis_of(axis, len(S)) + 1:]] where T: any {
  a = axis_of(axis, len(S))
  map *p in S[:a], *q in Q, *r in S[a + 1:] {
    k << i[*q]
    y[*p, *q, *r] = x[*p, k, *r]
  }
}

## y[.., j, ..] = x[.., i[.., j, ..], ..]: for each element of I the element of x at that position
## along an axis.
## `gather(x, i, axis = 1)` with x: f32[2, 3] = [[1, 2, 3], [4, 5, 6]], i: i64[2, 1] = [[2], [0]] is
## `[[3], [4]]`
fn gather(x: T[*S], i: i64[*Q]; axis: int = -1) -> y: T[*Q] where T: any, len(S) == len(Q) {
  a = axis_of(axis, len(S))
  map *q in Q {
    k << i[*q]
    y[*q] = x[*q[:a], k, *q[a + 1:]]
  }
}

## The sums of the elements of v at the positions i of x along an axis, added to x: the gradient of
## gather.
## `scatter_add(x, i, v)` with x: f32[3] = [1, 1, 1], i: i64[2] = [2, 2], v: f32[2] = [3, 4] is `[1,
## 1, 8]`
fn scatter_add(x: T[*S], i: i64[*Q], v: T[*Q]; axis: int = -1) -> y: T[*S]
    where T: number, len(S) == len(Q) {
  a = axis_of(axis, len(S))
  c: T[*S] = 0
  map *q in Q {
    k << i[*q]
    v[*q] >> c[*q[:a], k, *q[a + 1:]] (sum)
  }
  map *b in S { y[*b] = x[*b] + c[*b] }
}

## 1 where the last index is that of i, 0 elsewhere; only zeros for an i outside of 0 .. n - 1.
## `one_hot(i, 3)` with i: i64[2] = [2, 0] is `[[0, 0, 1], [1, 0, 0]]`
fn one_hot(i: i64[*S], n: int; t: dtype = f32) -> y: t[*S, n] {
  map *b in S, j in n { y[*b, j] = t(i[*b] == j) }
}
