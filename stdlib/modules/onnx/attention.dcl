# [B, S, heads D] as [B, heads, S, D]; other tensors as they are.
fn onnx_with_heads(x: T[*R], heads: int) -> any where T: any {
  if len(R) == 3 { split_heads(x, heads = heads) } else { x }
}

# The other way round, if FLAT.
fn onnx_without_heads(x: T[B, H, S, D], flat) -> any where T: any {
  if flat { join_heads(x) } else { x }
}

## softmax(q k^T scale + mask) v, of four dimensions, or of three with the heads side by side; with
## keys and values of earlier positions in front.
fn onnx_attention(q: T[*Q], k: T[*K], v: T[*V], mask: any = none, pastk: any = none,
    pastv: any = none, lengths: any = none; is_causal: int = 0, kv_num_heads: int = 0,
    q_num_heads: int = 0, qk_matmul_output_mode: int = 0, scale: any = none, softcap: float = 0)
    -> any where T: float {
  all = onnx_attention_more(q, k, v, mask, pastk, pastv, lengths, is_causal = is_causal,
      kv_num_heads = kv_num_heads, q_num_heads = q_num_heads, scale = scale, softcap = softcap)
  all[0]
}

## The same, with all keys and values, and the products of one stage.
fn onnx_attention_more(q: T[*Q], k: T[*K], v: T[*V], mask: any = none, pastk: any = none,
    pastv: any = none, lengths: any = none; is_causal: int = 0, kv_num_heads: int = 0,
    q_num_heads: int = 0, qk_matmul_output_mode: int = 0, scale: any = none, softcap: float = 0)
    -> list where T: float {
  h = onnx_with_heads(q, q_num_heads)
  m = onnx_with_heads(k, kv_num_heads)
  n = onnx_with_heads(v, kv_num_heads)
  allk = if pastk == none { m } else { concat([pastk, m], axis = 2) }
  allv = if pastv == none { n } else { concat([pastv, n], axis = 2) }
  before = if pastk == none { 0 } else { pastk.shape[2] }
  heads = h.shape[1]
  s = onnx_attention_scores(h, for_heads(allk, heads), scale)
  c = if softcap == 0 { s } else { softcap*tanh(s/softcap) }
  b = onnx_attention_masked(c, mask, lengths, is_causal, before)
  p = softmax(b)
  y = onnx_without_heads(p @ for_heads(allv, heads), len(Q) == 3)
  mode = qk_matmul_output_mode
  [y, allk, allv, if mode == 3 { p } else if mode == 2 { b } else { c }]
}

fn onnx_attention_scores(q: T[B, H, S, D], k: T[B, H, L, D], scale) -> T[B, H, S, L]
    where T: float {
  r = if scale == none { sqrt(1/sqrt(f32(D))) } else { sqrt(f32(scale)) }
  product_transposed(q*T(r), k*T(r))
}

fn onnx_attention_masked(s: T[B, H, S, L], mask, lengths, causal: int, before: int) -> T[B, H, S, L]
    where T: float {
  a = if mask == none { s } else { onnx_attention_mask(s, mask) }
  b = if causal == 0 { a } else { onnx_attention_causal(a, before) }
  if lengths == none { b } else { onnx_attention_lengths(b, lengths) }
}

fn onnx_attention_mask(s: T[B, H, S, L], mask: U[*M]) -> y: T[B, H, S, L] where T: float, U: any {
  r = len(M)
  map b in B, h in H, i in S, j in L {
    at = [if proved(M[d] == 1) { 0 } else { [b, h, i, j][4 - r + d] } for d in 0:r]
    if U == bool {
      y[b, h, i, j] = select(mask[*at, else false], s[b, h, i, j], T(-inf))
    } else {
      y[b, h, i, j] = s[b, h, i, j] + T(mask[*at, else -inf])
    }
  }
}

fn onnx_attention_causal(s: T[B, H, S, L], before: int) -> y: T[B, H, S, L] where T: float {
  map b in B, h in H, i in S, j in L {
    y[b, h, i, j] = select(j > i + before, T(-inf), s[b, h, i, j])
  }
}

fn onnx_attention_lengths(s: T[B, H, S, L], lengths: i64[B]) -> y: T[B, H, S, L] where T: float {
  map b in B, h in H, i in S, j in L {
    y[b, h, i, j] = select(j < lengths[b], s[b, h, i, j], T(-inf))
  }
}

## Pairs of features turned by the angles of their position: Su and others, 2021.
fn onnx_rotary(x: T[*X], cos: T[*C], sin: T[*C], at: i64[B, S]? = none;
    interleaved: int = 0, num_heads: int = 0, rotary_embedding_dim: int = 0) -> any where T: float {
  h = onnx_with_heads(x, num_heads)
  c = if at == none { cos } else { take(cos, at) }
  s = if at == none { sin } else { take(sin, at) }
  y = onnx_rotated(h, c, s, interleaved, rotary_embedding_dim)
  onnx_without_heads(y, len(X) == 3)
}

fn onnx_rotated(x: T[B, H, S, D], c: T[B, S, E], s: T[B, S, E], interleaved: int, dim: int)
    -> y: T[B, H, S, D] where T: float {
  n = if dim == 0 { D } else { dim }
  y = x
  map b in B, h in H, i in S, k in n//2 {
    first = if interleaved == 1 { 2*k } else { k }
    second = if interleaved == 1 { 2*k + 1 } else { k + n//2 }
    u = x[b, h, i, first]
    v = x[b, h, i, second]
    y[b, h, i, first] = c[b, i, k]*u - s[b, i, k]*v
    y[b, h, i, second] = s[b, i, k]*u + c[b, i, k]*v
  }
}

## x with the rows v put in from the position `at` of each sample on, around the end if circular.
fn onnx_tensor_scatter(x: T[*S], v: T[*V], at: i64[B]? = none; axis: int = -2, mode: str = "linear")
    -> y: T[*S] where T: any {
  a = axis_of(axis, len(S))
  y = x
  map *b in V {
    from = if at == none { i64(0) } else { at[b[0]] }
    k = from + b[a]
    j = if mode == "circular" { k%S[a] } else { k }
    y[*replaced(b, a, j)] = v[*b]
  }
}

## q k^T scale, in the type that the softmax is computed in.
fn onnx_flex_scores(q: T[B, H, S, D], k: T[B, G, L, D], v: U[*_]; scale: any = none, t: any = none)
    -> any where T: float, U: float {
  s = onnx_attention_scores(q, for_heads(k, H), scale)
  half = T == f16 or T == bf16
  if kind(t) == "dtype" { onnx_cast(s, t = t) } else if half { f32(s) } else { s }
}

## Shares of v.
fn onnx_flex_values(p: P[B, H, S, L], q: T[*_], k: T[*_], v: U[B, G, L, E]) -> U[B, H, S, E]
    where P: float, T: float, U: float {
  U(p @ P(for_heads(v, H)))
}
