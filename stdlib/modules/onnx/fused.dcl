# Operators of com.microsoft: what ONNX Runtime makes of several operators of ONNX.

## alpha times the product of a and b, each as it is or with its last dimensions exchanged (1).
fn onnx_fused_matmul(a: T[*S], b: T[*R]; alpha: float = 1, transA: int = 0, transB: int = 0,
    transBatchA: int = 0, transBatchB: int = 0) -> any where T: float {
  if transBatchA + transBatchB > 0 { error("exchanged batches are not supported") }
  p = onnx_matmul(onnx_exchanged(a, transA), onnx_exchanged(b, transB))
  if alpha == 1 { p } else { alpha*p }
}

fn onnx_exchanged(x: T[*S], yes: int) -> any where T: any {
  if yes == 1 and len(S) > 1 { swap_axes(x, -2, -1) } else { x }
}

## An activation function by its name, with its one or two numbers.
fn onnx_fused_activation(x: T[*S], name: str, params: list) -> T[*S] where T: float {
  if name == "Relu" { return relu(x) }
  if name == "Tanh" { return tanh(x) }
  if name == "Sigmoid" { return sigmoid(x) }
  if name == "LeakyRelu" { return leaky_relu(x, slope = params[0]) }
  if name == "Clip" { return onnx_clip(x, low = params[0], high = params[1]) }
  if name == "HardSigmoid" { return onnx_hard_sigmoid(x, alpha = params[0], beta = params[1]) }
  error("the activation", name, "is not supported")
}

## A convolution, plus z, and an activation function of that.
fn onnx_fused_conv(x: T[N, C, *S], w: T[O, I, *K], b: T[O]? = none, z: T[*_]? = none;
    activation: str = "", activation_params: list? = none, auto_pad: str = "NOTSET",
    dilations: list? = none, pads: list? = none, strides: list? = none, group: int = 1) -> any
    where T: float {
  c = onnx_conv(x, w, b, auto_pad = auto_pad, dilations = dilations, pads = pads, strides = strides,
      group = group)
  s = if z == none { c } else { c + z }
  if activation == "" {
    s
  } else {
    onnx_fused_activation(s, activation,
        if activation_params == none { [] } else { activation_params })
  }
}

## gemm, and an activation function of it.
fn onnx_fused_gemm(A: T[I, J], B: T[K, L], C: T[*_]? = none;
    activation: str = "", activation_alpha: float = 0, activation_beta: float = 0,
    activation_gamma: float = 0, alpha: float = 1, beta: float = 1, transA: int = 0,
    transB: int = 0) -> any where T: float {
  y = gemm(A, B, if C == none { T(0) } else { C }, alpha = alpha, beta = beta, transA = transA,
      transB = transB)
  if activation == "" {
    y
  } else {
    onnx_fused_activation(y, activation, [activation_alpha, activation_beta])
  }
}

## gelu of a + b.
fn onnx_bias_gelu(a: T[*S], b: T[*_]) -> T[*S] where T: float { gelu(a + b) }

## gelu_tanh of x, or of x + b.
fn onnx_fast_gelu(x: T[*S], b: T[*_]? = none) -> T[*S] where T: float {
  if b == none { gelu_tanh(x) } else { gelu_tanh(x + b) }
}

## x sigmoid(alpha x)
fn onnx_quick_gelu(x: T; alpha: float = 1.702) -> T where T: float { x*sigmoid(alpha*x) }

## layer_norm of the sum of x, what goes past, and perhaps a bias; with mean, factor and sum.
fn onnx_skip_layer_norm(x: T[*S], skip: T[*_], g: T[_], b: T[_]? = none, bias: T[_]? = none;
    eps: float = 1e-12) -> list where T: float {
  s = if bias == none { x + skip } else { x + skip + bias }
  y, m, r = onnx_layer_norm_more(s, g, b, eps = eps)
  [y, m, r, s]
}

## The same by the mean square.
fn onnx_skip_rms_norm(x: T[*S], skip: T[*_], g: T[_], bias: T[_]? = none; eps: float = 1e-12)
    -> list where T: float {
  s = if bias == none { x + skip } else { x + skip + bias }
  r = 1/sqrt(mean(s*s, axes = -1, keepdims = true) + eps)
  [s*r*g, r, r, s]
}

## By the mean square of all dimensions from an axis on, with the factor.
fn onnx_rms_norm_more(x: T[*S], g: T[*_]; axis: int = -1, eps: float = 1e-5) -> list
    where T: float {
  axes = [i for i in axis_of(axis, len(S)):len(S)]
  r = 1/sqrt(mean(x*x, axes = axes, keepdims = true) + eps)
  [x*r*g, r]
}

## The sum of three embeddings through layer_norm; how long each row is; the sum.
fn onnx_embed_layer_norm(ids: I[B, S], segments: any = none, words: T[*_], places: T[*_],
    kinds: any = none, g: T[_], b: T[_], mask: any = none, at: any = none;
    eps: float = 1e-12, mask_index_type: int = 0) -> list where T: float, I: int {
  w = embedding(i64(ids), words)
  p = if at == none {
    take(places, stack([i for i in 0:S]))
  } else {
    embedding(i64(at), places)
  }
  s = w + p
  e = if segments == none { s } else { s + embedding(i64(segments), kinds) }
  [layer_norm(e, g, b, eps = eps), onnx_row_lengths(B, mask), e]
}

fn onnx_row_lengths(B: int, mask: any) -> n: i32[B] {
  n = 0
  if mask != none { map b in B, s in mask.shape[1] { n[b] += i32(mask[b, s]) } }
}

# What is added to scores [B, H, S, L]: FILL where MASK is 0: of rows lengths, or 0 and 1 for each
# column, for each row and column, or of four dimensions.
fn onnx_key_mask(mask: M[*Q], B: int, S: int, L: int, fill: float, t: dtype) -> y: t[B, 1, S, L]
    where M: int {
  map b in B, s in S, l in L {
    keep = if len(Q) == 1 {
      l < i64(mask[b])
    } else if len(Q) == 2 {
      mask[b, l] != 0
    } else {
      mask[b, s, l] != 0
    }
    y[b, 0, s, l] = select(keep, t(0), t(fill))
  }
}

# softmax(q k^T scale + what masks add) v, of heads.
fn onnx_heads_attention(q: T[B, H, S, D], k: T[B, H, L, D], v: T[B, H, L, E], mask, bias,
    scale: float, causal: int, fill: float) -> list where T: float {
  c = if scale == 0 { 1/sqrt(1.0*D) } else { scale }
  s = product_transposed(q, k)*c
  m = if mask == none { s } else { s + onnx_key_mask(mask, B, S, L, fill, T) }
  a = if bias == none { m } else { m + bias }
  h = if causal == 1 { onnx_attention_causal(a, L - S) } else { a }
  [softmax(h) @ v, s]
}

## Attention of which one product of x gives q, k and v side by side; with what was before in front;
## and all of k and v.
fn onnx_packed_attention(x: T[B, S, _], w: T[_, _], b: T[_], mask: any = none, past: any = none,
    bias: any = none; num_heads: int, unidirectional: int = 0, qkv_hidden_sizes: list? = none,
    mask_filter_value: float = -10000, scale: float = 0) -> list where T: float {
  n = w.shape[1]//3
  sizes = if qkv_hidden_sizes == none { [n, n, n] } else { qkv_hidden_sizes }
  parts = split(x @ w + b, sizes, axis = 2)
  q = split_heads(parts[0], heads = num_heads)
  k1 = split_heads(parts[1], heads = num_heads)
  v1 = split_heads(parts[2], heads = num_heads)
  k = if past == none { k1 } else { concat([onnx_layer_at(past, 0), k1], axis = 2) }
  v = if past == none { v1 } else { concat([onnx_layer_at(past, 1), v1], axis = 2) }
  y = onnx_heads_attention(q, k, v, mask, bias, scale, unidirectional, mask_filter_value)
  [join_heads(y[0]), if proved(k.shape[3] == v.shape[3]) { stack([k, v]) } else { k }]
}

## Attention of q, k and v with their heads side by side, or k and v in heads; with what was before
## in front; and all of k and v.
fn onnx_multi_head_attention(q: T[B, S, _], key: any = none, value: any = none, b: any = none,
    mask: any = none, bias: any = none, pastk: any = none, pastv: any = none;
    num_heads: int, mask_filter_value: float = -10000, scale: float = 0, unidirectional: int = 0)
    -> list where T: float {
  if key == none or value == none { error("q, k and v in one tensor are not supported") }
  n = q.shape[2]
  flat = key.rank == 3
  heads = num_heads
  h = split_heads(if b == none { q } else { q + part(b, 0, 0, n, 1) }, heads = heads)
  m = if flat { key.shape[2] } else { 0 }
  k1 = if flat {
    split_heads(if b == none { key } else { key + part(b, 0, n, m, 1) }, heads = heads)
  } else {
    key
  }
  v1 = if flat {
    split_heads(if b == none { value } else { value + part(b, 0, n + m, value.shape[2], 1) },
        heads = heads)
  } else {
    value
  }
  k = if pastk == none { k1 } else { concat([pastk, k1], axis = 2) }
  v = if pastv == none { v1 } else { concat([pastv, v1], axis = 2) }
  y = onnx_heads_attention(h, k, v, mask, bias, scale, unidirectional, mask_filter_value)
  [join_heads(y[0]), k, v, y[1]]
}
