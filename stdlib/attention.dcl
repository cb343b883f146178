## The rows of w that i names.
fn embedding(i: i64[*S], w: T[N, D]) -> y: T[*S, D] where T: any {
  map *s in S, d in D {
    k << i[*s]
    y[*s, d] = w[k, d]
  }
}

## Scaled dot-product attention: softmax(q k^T scale) v. With `causal`, position i sees k only up to
## position L - S + i. A scale of 0 means 1 / sqrt(D).
fn attention(q: T[*P, S, D], k: T[*P, L, D], v: T[*P, L, E]; causal: bool = false,
    scale: float = 0.0) -> T[*P, S, E] where T: float {
  c = if scale == 0.0 { 1 / sqrt(T(D)) } else { T(scale) }
  s = product_transposed(q, k) * c
  if causal { s = hide_future(s) }
  softmax(s) @ v
}

## -inf where a column lies after its row, with the last row and column in line.
fn hide_future(x: T[*P, S, L]) -> y: T[*P, S, L] where T: float {
  map *p, i, j { y[*p, i, j] = select(j - i > L - S, T(-inf), x[*p, i, j]) }
}

## x: T[B, S, heads*D] with the heads in front: T[B, heads, S, D].
fn split_heads(x: T[*B, S, D]; heads: int) -> y: T[*B, heads, S, D//heads]
    where T: any, D % heads == 0 {
  map *b in B, h in heads, s in S, d in D//heads { y[*b, h, s, d] = x[*b, s, h*(D//heads) + d] }
}

## The reverse of split_heads.
fn join_heads(x: T[*B, H, S, D]) -> y: T[*B, S, H*D] where T: any {
  map *b in B, h in H, s in S, d in D { y[*b, s, h*D + d] = x[*b, h, s, d] }
}
