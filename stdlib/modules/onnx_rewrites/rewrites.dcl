# What exporters spell out, as calls again. A rule is tried on every line of an imported program,
# and reaches over lines; `+` and `*` are met in either order. It is applied where it gives a tensor
# of the same type and shape.
use onnx

## Activation functions.
rewrite activations {
  x * (1 + erf(x / 1.4142135)) * 0.5 => gelu(x)
  x * 0.5 * (1 + erf(x / 1.4142135)) => gelu(x)
  x * (0.5 * (1 + erf(x / 1.4142135))) => gelu(x)
  x * (1 + erf(x * 0.70710678)) * 0.5 => gelu(x)
  x * 0.5 * (1 + erf(x * 0.70710678)) => gelu(x)
  x * (0.5 * (1 + erf(x * 0.70710678))) => gelu(x)

  x * (1 + tanh(0.7978846 * (x + 0.044715 * onnx_pow(x, 3)))) * 0.5 => gelu_tanh(x)
  x * 0.5 * (1 + tanh(0.7978846 * (x + 0.044715 * onnx_pow(x, 3)))) => gelu_tanh(x)
  x * (0.5 * (1 + tanh(0.7978846 * (x + 0.044715 * onnx_pow(x, 3))))) => gelu_tanh(x)
  x * (1 + tanh(0.7978846 * (x + 0.044715 * (x * (x * x))))) * 0.5 => gelu_tanh(x)
  x * 0.5 * (1 + tanh(0.7978846 * (x + 0.044715 * (x * (x * x))))) => gelu_tanh(x)
  x * (0.5 * (1 + tanh(0.7978846 * (x + 0.044715 * (x * (x * x)))))) => gelu_tanh(x)

  1 / (1 + exp(onnx_neg(x))) => sigmoid(x)
  x * sigmoid(x) => silu(x)
  x * tanh(softplus(x)) => mish(x)
  x * onnx_hard_sigmoid(x, alpha = 0.16666667) => hardswish(x)
  x * onnx_clip_between(x + 3, 0, 6) / 6 => hardswish(x)
  x * (onnx_clip_between(x + 3, 0, 6) / 6) => hardswish(x)
  x * onnx_clip(x + 3, low = 0, high = 6) / 6 => hardswish(x)
  x * (onnx_clip(x + 3, low = 0, high = 6) / 6) => hardswish(x)
}

## Powers that are products.
rewrite powers {
  onnx_pow(x, 2) => x * x
  onnx_pow(x, 0.5) => sqrt(x)
}

## Normalization over the last dimension.
rewrite norms {
  (x - onnx_reduce_mean(x, axes = [a])) / sqrt(onnx_reduce_mean(
      (x - onnx_reduce_mean(x, axes = [a])) * (x - onnx_reduce_mean(x, axes = [a])), axes = [a]) +
      e) * g + b => layer_norm(x, g, b, eps = e) when (a == -1 or a == x.rank - 1) and g.rank == 1
  (x - onnx_reduce_mean(x, axes = [a])) / sqrt(onnx_reduce_mean(
      onnx_pow(x - onnx_reduce_mean(x, axes = [a]), 2), axes = [a]) + e) * g + b =>
      layer_norm(x, g, b, eps = e) when (a == -1 or a == x.rank - 1) and g.rank == 1
  x / sqrt(onnx_reduce_mean(onnx_pow(x, 2), axes = [a]) + e) * g => rms_norm(x, g, eps = e)
      when (a == -1 or a == x.rank - 1) and g.rank == 1
  x * (1 / sqrt(onnx_reduce_mean(onnx_pow(x, 2), axes = [a]) + e)) * g => rms_norm(x, g, eps = e)
      when (a == -1 or a == x.rank - 1) and g.rank == 1
  x / sqrt(onnx_reduce_mean(x * x, axes = [a]) + e) * g => rms_norm(x, g, eps = e)
      when (a == -1 or a == x.rank - 1) and g.rank == 1
  x * (1 / sqrt(onnx_reduce_mean(x * x, axes = [a]) + e)) * g => rms_norm(x, g, eps = e)
      when (a == -1 or a == x.rank - 1) and g.rank == 1
}

## Heads, products with a transposed factor, and attention.
rewrite attentions {
  onnx_cast(x, t = u) => x when x.dtype == u

  transpose(onnx_reshape(x, [b, s, h, d], allowzero = z), perm = [0, 2, 1, 3]) =>
      split_heads(x, heads = h) when x.rank == 3 and h > 0
  transpose(onnx_reshape(x, [b, s, h, d], allowzero = z), perm = [0, 2, 1, 3]) =>
      split_heads(x, heads = x.shape[2]//d) when x.rank == 3 and d > 0
  onnx_reshape(transpose(x, perm = [0, 2, 1, 3]), [b, s, c], allowzero = z) => join_heads(x)
  onnx_reshape(transpose(onnx_reshape(x, [m, l, d]), perm = [0, 2, 1]), [b, h, d, l]) =>
      transpose(x, perm = [0, 1, 3, 2]) when x.rank == 4 and x.shape[2] == l and x.shape[3] == d

  a * stack([s]) @ (transpose(b, perm = [0, 2, 1]) * stack([s])) =>
      product_transposed(a, b) * (s * s)
  a * stack([s]) @ (transpose(b, perm = [0, 1, 3, 2]) * stack([s])) =>
      product_transposed(a, b) * (s * s)
  a * stack([s]) @ (transpose(b, perm = [0, 2, 3, 1]) * stack([s])) =>
      product_transposed(a, transpose(b, perm = [0, 2, 1, 3])) * (s * s)
  a * s @ (transpose(b, perm = [0, 2, 1]) * s) => product_transposed(a, b) * (s * s) when s > 0
  a * s @ (transpose(b, perm = [0, 1, 3, 2]) * s) => product_transposed(a, b) * (s * s) when s > 0
  a * s @ (transpose(b, perm = [0, 2, 3, 1]) * s) =>
      product_transposed(a, transpose(b, perm = [0, 2, 1, 3])) * (s * s) when s > 0
  a @ transpose(b, perm = [0, 2, 1]) => product_transposed(a, b) when a.rank == 3
  a @ transpose(b, perm = [0, 1, 3, 2]) => product_transposed(a, b) when a.rank == 4
  a @ transpose(b, perm = [0, 2, 3, 1]) => product_transposed(a, transpose(b, perm = [0, 2, 1, 3]))
      when a.rank == 4

  softmax(product_transposed(q, k) * c) @ v => attention(q, k, v)
      when abs(c * c * q.shape[q.rank - 1] - 1) < 1e-5
  softmax(product_transposed(q, k) / c) @ v => attention(q, k, v)
      when abs(q.shape[q.rank - 1] / (c * c) - 1) < 1e-5
  softmax(product_transposed(q, k) * c) @ v => attention(q, k, v, scale = c)
  softmax(product_transposed(q, k) / c) @ v => attention(q, k, v, scale = 1 / c)
  softmax(product_transposed(q, k)) @ v => attention(q, k, v, scale = 1.0)
  softmax(product_transposed(q, k) * c + m) @ v => attention(q, k, v, bias = m)
      when abs(c * c * q.shape[q.rank - 1] - 1) < 1e-5
  softmax(product_transposed(q, k) / c + m) @ v => attention(q, k, v, bias = m)
      when abs(q.shape[q.rank - 1] / (c * c) - 1) < 1e-5
  softmax(product_transposed(q, k) * c + m) @ v => attention(q, k, v, bias = m, scale = c)
  softmax(product_transposed(q, k) / c + m) @ v => attention(q, k, v, bias = m, scale = 1 / c)

  attention(q, k, v, bias = select(onnx_trilu(onnx_expand(o, n), upper = 0) == z, l, z),
      attrs = m) => attention(q, k, v, causal = true, attrs = m) when is_causal(q.shape, n, o, l, z)
  attention(q, k, v, bias = select(onnx_trilu(onnx_expand(stack([o]), n), upper = 0) == stack([z]),
      stack([l]), stack([z])), attrs = m) => attention(q, k, v, causal = true, attrs = m)
      when is_causal(q.shape, n, o, l, z)
}

# Whether a mask of the shape n, of ones up to the diagonal, that hides by `low`, lets each row of q
# see as many keys as there are rows up to it.
fn is_causal(q: list, n: list, one: float, low: float, zero: float) -> any {
  l = q[len(q) - 2]
  one == 1 and low < -1e30 and zero == 0 and len(n) > 1 and
      all([proved(m == l) for m in n[len(n) - 2:]]) and
      all([proved(m == 1) for m in n[:len(n) - 2]])
}

## Means of all elements along dimensions that go.
rewrite means {
  onnx_reduce_mean(x, axes = a, keepdims = 0) => mean(x, axes = a)
}
