## Sums of the elements up to each one along an axis, itself with them; with `reverse`, from each
## one on.
## `cumsum(x)` with x: f32[3] = [1, 2, 3] is `[1, 3, 6]`
fn cumsum(x: T[*S]; axis: int = -1, reverse: bool = false) -> y: T[*S] where T: number {
  a = axis_of(axis, len(S))
  map *b in *reduced(S, [a], false) {
    s: T = 0
    for i in 0:S[a] {
      k = if reverse { S[a] - 1 - i } else { i }
      s = s + x[*b[:a], k, *b[a:]]
      y[*b[:a], k, *b[a:]] = s
    }
  }
}

## Products of the elements up to each one along an axis.
## `cumprod(x)` with x: f32[3] = [2, 3, 4] is `[2, 6, 24]`
fn cumprod(x: T[*S]; axis: int = -1) -> y: T[*S] where T: number {
  a = axis_of(axis, len(S))
  map *b in *reduced(S, [a], false) {
    s: T = 1
    for i in 0:S[a] {
      s = s * x[*b[:a], i, *b[a:]]
      y[*b[:a], i, *b[a:]] = s
    }
  }
}

## The largest of the elements up to each one along an axis; NaN from the first NaN on.
## `cummax(x)` with x: f32[4] = [1, 3, 2, 4] is `[1, 3, 3, 4]`
fn cummax(x: T[*S]; axis: int = -1) -> y: T[*S] where T: number {
  a = axis_of(axis, len(S))
  map *b in *reduced(S, [a], false) {
    s: T = 0
    for i in 0:S[a] {
      v << x[*b[:a], i, *b[a:]]
      s = select(i == 0, v, max(s, v))
      y[*b[:a], i, *b[a:]] = s
    }
  }
}

# Whether x stands before y in order; NaN stands last.
fn before(x: T, y: T; descending: bool) -> bool where T: number {
  if descending { x > y or (x != x and y == y) } else { x < y or (y != y and x == x) }
}

# The order of the last dimension: its sorted values and where they were. Stable: equal elements
# keep their order; NaN is larger than all others. Merging runs of 1, 2, 4, .. elements: J. von
# Neumann, 1945.
fn sorted_last(x: T[*S, N]; descending: bool = false) -> (y: T[*S, N], at: i64[*S, N])
    where T: number {
  map *b in S {
    v: T[N]
    p: i64[N]
    u: T[N]
    q: i64[N]
    map i in N {
      v[i] = x[*b, i]
      p[i] = i
    }
    width = i64(1)
    while width < N {
      low = i64(0)
      while low < N {
        middle = min(low + width, N)
        high = min(low + 2*width, N)
        i = low
        j = middle
        k = low
        while k < high {
          l << v[min(i, N - 1)]
          r << v[min(j, N - 1)]
          right = i >= middle or (j < high and before(r, l, descending = descending))
          u[k] = select(right, r, l)
          q[k] = select(right, p[min(j, N - 1)], p[min(i, N - 1)])
          i = i + select(right, i64(0), i64(1))
          j = j + select(right, i64(1), i64(0))
          k = k + 1
        }
        low = high
      }
      map k in N {
        v[k] = u[k]
        p[k] = q[k]
      }
      width = 2*width
    }
    map i in N {
      y[*b, i] = v[i]
      at[*b, i] = p[i]
    }
  }
}

grad sorted_last(at: i64[*S, N], dy: T[*S, N]) -> dx: T[*S, N] where T: float {
  map *b in S, i in N { dy[*b, i] >> dx[*b, at[*b, i]] (sum) }
}

## The elements in order along an axis, and the positions where they were. Equal elements keep their
## order; NaN stands last, first with `descending`.
## `values, positions = sort(x)` with x: f32[3] = [3, 1, 2] is `[1, 2, 3], [1, 2, 0]`
fn sort(x: T[*S]; axis: int = -1, descending: bool = false) -> (T[*S], i64[*S]) where T: number {
  a = axis_of(axis, len(S))
  y, at = sorted_last(swap_axes(x, a, -1), descending = descending)
  (swap_axes(y, a, -1), swap_axes(at, a, -1))
}

## The positions of the elements in order along an axis, as sort has them.
## `argsort(x, descending = true)` with x: f32[3] = [3, 1, 2] is `[0, 2, 1]`
fn argsort(x: T[*S]; axis: int = -1, descending: bool = false) -> i64[*S] where T: number {
  _, at = sort(x, axis = axis, descending = descending)
  at
}

## The k largest elements along an axis, in order, and where they were; the smallest without
## `largest`. Equal elements keep their order.
## `values, positions = topk(x, 2)` with x: f32[4] = [3, 1, 4, 2] is `[4, 3], [2, 0]`
fn topk(x: T[*S], k: int; axis: int = -1, largest: bool = true)
    -> (T[*replaced(S, axis_of(axis, len(S)), k)], i64[*replaced(S, axis_of(axis, len(S)), k)])
    where T: number {
  a = axis_of(axis, len(S))
  if proved(k > S[a]) { error("there are", S[a], "elements, wanted are", k) }
  y, at = sort(x, axis = a, descending = largest)
  (part(y, a, 0, k, 1), part(at, a, 0, k, 1))
}

## Where each of v would stand in the sorted list: before equal elements, or behind them with
## `right`.
## `searchsorted(borders, v)` with borders: f32[3] = [1, 2, 3], v: f32[3] = [2, 2.5, 9] is `[1, 2,
## 3]`
fn searchsorted(borders: T[N], v: T[*S]; right: bool = false) -> y: i64[*S] where T: number {
  map *i in S {
    x << v[*i]
    low = i64(0)
    high = i64(N)
    while low < high {
      middle = (low + high)//2
      b << borders[middle]
      below = if right {
        not before(x, b, descending = false)
      } else {
        before(b, x, descending = false)
      }
      low = select(below, middle + 1, low)
      high = select(below, high, middle)
    }
    y[*i] = low
  }
}
