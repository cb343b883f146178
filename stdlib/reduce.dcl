## The sum over the last dimension, which stays with size 1.
fn sum_last(x: T[*S, N]) -> y: T[*S, 1] where T: number {
  map *b in S, i in N { x[*b, i] >> y[*b, 0] (sum) }
}

## The largest element of the last dimension, which stays with size 1; -inf (or the smallest number)
## where it is empty.
fn max_last(x: T[*S, N]) -> y: T[*S, 1] where T: number {
  map *b in S, i in N { x[*b, i] >> y[*b, 0] (max) }
}

## The mean of the last dimension, which stays with size 1.
fn mean_last(x: T[*S, N]) -> y: T[*S, 1] where T: float {
  s = sum_last(x)
  map *b in S { y[*b, 0] = s[*b, 0] / T(N) }
}

## The index of the first largest element of the last dimension; of the first NaN if there is one.
fn argmax(x: T[*S, N]) -> y: i64[*S] where T: number {
  m = max_last(x)
  first: i64[*S] = N
  map *b in S, i in N {
    v << x[*b, i]
    t << m[*b, 0]
    select(v == t or v != v, i64(i), i64(N)) >> first[*b] (min)
  }
  map *b in S { y[*b] = first[*b] }
}
