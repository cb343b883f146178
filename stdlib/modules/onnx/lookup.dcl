## The different elements of x, or parts of it along an axis; where each stands first, which one
## each element of x is, and how often each is there.
fn onnx_unique(x: T[*S]; axis: any = none, sorted: int = 1) -> list where T: number {
  a = if axis == none { 0 } else { axis_of(axis, len(S)) }
  flat = if axis == none { reshape(x, [-1]) } else { x }
  front = if axis == none { reshape(flat, [-1, 1]) } else { onnx_rows(x, a) }
  first, inverse, counts = onnx_unique_rows(front, sorted)
  [take(flat, first, axis = a), first, inverse, counts]
}

# Parts along axis A as rows.
fn onnx_rows(x: T[*S], a: int) -> T[S[a], prod(S)//S[a]] where T: any {
  reshape(transpose(x, perm = [a, *[i for i in 0:len(S) if i != a]]), [S[a], prod(S)//S[a]])
}

# Rows in order, by sorting by one column after the other, the first one last.
fn onnx_row_order(x: T[N, M]) -> i64[N] where T: number {
  at: i64[N]
  map i in N { at[i] = i }
  for k in 0:M {
    v: T[N]
    map i in N { v[i] = x[at[i], M - 1 - k] }
    p = argsort(v)
    q: i64[N]
    map i in N { q[i] = at[p[i]] }
    map i in N { at[i] = q[i] }
  }
  at
}

fn onnx_unique_rows(x: T[N, M], sorted: int) -> (i64[?], i64[N], i64[?]) where T: number {
  at = onnx_row_order(x)
  first: i64[?]
  group: i64[N]
  g: i64 = -1
  for i in 0:N {
    new = i == 0
    for m in 0:M { if i > 0 and x[at[i], m] != x[at[max(i - 1, 0)], m] { new = true } }
    if new {
      at[i] >> first[?]
      g += 1
    }
    group[at[i]] = g
  }
  n = first.shape[0]
  counts: i64[n] = 0
  map i in N { 1 >> counts[group[i]] (sum) }
  if sorted == 1 { return (first, group, counts) }
  order = argsort(first)
  place: i64[n]
  map i in n { place[order[i]] = i }
  inverse: i64[N]
  map i in N { inverse[i] = place[group[i]] }
  (take(first, order), inverse, take(counts, order))
}

## How often each of the runs of numbers in `pool` stands in x, also with numbers between; perhaps
## times a weight, perhaps only whether it does.
fn onnx_tf_idf(x: I[*S]; max_gram_length: int, max_skip_count: int, min_gram_length: int, mode: str,
    ngram_counts: list, ngram_indexes: list, pool_int64s: list, weights: list? = none) -> any
    where I: int {
  n = max(ngram_indexes) + 1
  rows = if len(S) == 2 { x } else { reshape(x, [1, -1]) }
  pool = stack(pool_int64s)
  index = stack(ngram_indexes)
  c = onnx_gram_counts(rows, pool, index, ngram_counts, n, min_gram_length, max_gram_length,
      max_skip_count)
  f = if mode == "IDF" { f32(c > 0) } else { f32(c) }
  y = if mode == "TF" or weights == none { f } else { f*f32(stack(weights)) }
  if len(S) == 2 { y } else { reshape(y, [n]) }
}

fn onnx_gram_counts(x: I[B, C], pool: i64[P], index: i64[_], starts: list, n: int, least: int,
    most: int, skips: int) -> y: i64[B, n] where I: int {
  y = 0
  ends = [*starts[1:], P]
  numbers = [(ends[g] - starts[g])//(g + 1) for g in 0:len(starts)]
  for g in [g for g in 0:len(starts) if g + 1 >= least and g + 1 <= most] {
    before = sum([0, *numbers[:g]])
    for s in [s for s in 1:skips + 2 if g > 0 or s == 1] {
      map b in B, i in max(0, C - g*s), k in numbers[g] {
        same = true
        for d in [d for d in 0:g + 1] {
          same = same and i64(x[b, i + d*s]) == pool[starts[g] + k*(g + 1) + d]
        }
        if same { 1 >> y[b, index[before + k]] (sum) }
      }
    }
  }
}
