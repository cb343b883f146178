## The rows of w that i names, which are in 0 .. N - 1.
## `embedding(i, w)` with i: i64[2] = [2, 0], w: f32[3, 2] = [[1, 2], [3, 4], [5, 6]] is `[[5, 6],
## [1, 2]]`
fn embedding(i: i64[*S], w: T[N, D]) -> y: T[*S, D] where T: any {
  map *s in S, d in D {
    k << i[*s]
    y[*s, d] = w[k, d]
  }
}

## Scaled dot-product attention (Vaswani and others, 2017): softmax(q k^T scale + bias) v, over what
## `mask` has as true. With `causal`, position i sees k only up to position L - S + i. Without a
## scale it is 1 / sqrt(D). A row that sees nothing is NaN.
## `attention(q, k, v, causal = true)` with q: f32[2, 3, 4], k: f32[2, 5, 4], v: f32[2, 5, 6]
fn attention(q: T[*P, S, D], k: T[*P, L, D], v: T[*P, L, E], mask: bool[*P, S, L]?,
    bias: T[*P, S, L]?; causal: bool = false, scale: float? = none) -> T[*P, S, E] where T: float {
  c = if scale == none { 1 / sqrt(T(D)) } else { T(scale) }
  s = product_transposed(q, k) * c
  if bias != none { s = s + bias }
  if mask != none { s = select(mask, s, T(-inf)) }
  if causal { s = hide_future(s) }
  softmax(s) @ v
}

## Attention where each head of k and v serves several heads of q: Ainslie and others, 2023.
## `grouped_attention(q, k, v)` with q: f32[1, 4, 3, 8], k: f32[1, 2, 5, 8], v: f32[1, 2, 5, 8]
fn grouped_attention(q: T[B, H, S, D], k: T[B, G, L, D], v: T[B, G, L, E], mask: bool[B, H, S, L]?;
    causal: bool = false, scale: float? = none) -> T[B, H, S, E] where T: float, H % G == 0 {
  m = for_heads(k, H)
  n = for_heads(v, H)
  if mask == none {
    attention(q, m, n, causal = causal, scale = scale)
  } else {
    attention(q, m, n, mask, causal = causal, scale = scale)
  }
}

# k with each head as often as makes H of them.
fn for_heads(k: T[B, G, L, D], H: int) -> y: T[B, H, L, D] where T: float {
  map b in B, h in H, l in L, d in D { y[b, h, l, d] = k[b, h//(H//G), l, d] }
}

# -inf where a column lies after its row, with the last row and column in line.
fn hide_future(x: T[*P, S, L]) -> y: T[*P, S, L] where T: float {
  map *p, i, j { y[*p, i, j] = select(j - i > L - S, T(-inf), x[*p, i, j]) }
}

## x: T[B, S, heads*D] with the heads in front: T[B, heads, S, D].
## `split_heads(x, heads = 2)` with x: f32[1, 2, 4] = [[[1, 2, 3, 4], [5, 6, 7, 8]]] is `[[[[1, 2],
## [5, 6]], [[3, 4], [7, 8]]]]`
fn split_heads(x: T[*B, S, D]; heads: int) -> y: T[*B, heads, S, D//heads]
    where T: any, D % heads == 0 {
  map *b in B, h in heads, s in S, d in D//heads { y[*b, h, s, d] = x[*b, s, h*(D//heads) + d] }
}

## The reverse of split_heads: T[B, H, S, D] to T[B, S, H*D].
## `join_heads(x)` with x: f32[1, 2, 2, 1] = [[[[1], [2]], [[3], [4]]]] is `[[[1, 3], [2, 4]]]`
fn join_heads(x: T[*B, H, S, D]) -> y: T[*B, S, H*D] where T: any {
  map *b in B, h in H, s in S, d in D { y[*b, s, h*D + d] = x[*b, h, s, d] }
}
