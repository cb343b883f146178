## The indices of the elements that are not 0 (NaN is not), in the order of the elements: a row for
## each, with an index for each dimension.
## `nonzero(x)` with x: f32[2, 3] = [[0, 1, 0], [2, 0, 3]] is `[[0, 1], [1, 0], [1, 2]]`
fn nonzero(x: T[*S]) -> y: i64[?, len(S)] where T: any {
  map *b in S {
    if bool(x[*b]) {
      row: i64[len(S)]
      for d, i in enumerate(b) { row[d] = i }
      row >> y[?, :]
    }
  }
}

## The elements of x where KEEP is true, in their order: a list.
## `masked(x, x > 1)` with x: f32[2, 2] = [[1, 2], [3, 0]] is `[2, 3]`
fn masked(x: T[*S], keep: bool[*S]) -> y: T[?] where T: any {
  map *b in S { if keep[*b] { x[*b] >> y[?] } }
}

## The parts of x along an axis for which KEEP is true, as NumPy has it.
## `compress(x, keep)` with x: f32[3, 2] = [[1, 2], [3, 4], [5, 6]], keep: bool[3] = [1, 0, 1] is
## `[[1, 2], [5, 6]]`
fn compress(x: T[*S], keep: bool[N]; axis: int = 0)
    -> T[*S[:axis_of(axis, len(S))], ?, *S[axis_of(axis, len(S)) + 1:]]
    where T: any, S[axis_of(axis, len(S))] == N {
  at: i64[?]
  map i in N { if keep[i] { i >> at[?] } }
  take(x, at, axis = axis)
}

## The different elements in order, and how many there are of each. All NaNs count as one, which
## stands last.
## `values, counts = unique(x)` with x: f32[5] = [2, 1, 2, 3, 2] is `[1, 2, 3], [1, 3, 1]`
fn unique(x: T[*S]) -> (y: T[?], counts: i64[?]) where T: number {
  n = prod(S)
  v, _ = sort(reshape(x, [n]))
  at: i64[?]
  for i in 0:n {
    a << v[i]
    b << v[max(i - 1, 0)]
    if i == 0 or (a != b and (a == a or b == b)) {
      a >> y[?]
      i >> at[?]
    }
  }
  m = at.shape[0]
  counts: i64[m]
  map k in m {
    end = select(k + 1 < m, at[k + 1, else 0], n)
    counts[k] = end - at[k]
  }
}
