# A decoder of text: Radford, Wu, Child, Luan, Amodei, Sutskever, "Language Models are Unsupervised
# Multitask Learners", 2019, with the names of Hugging Face's GPT2Model.

## A linear map whose weight lies the other way round: inputs x outputs.
layer Conv1D(inputs: int, outputs: int) {
  param weight: f32[inputs, outputs] ~ normal(0.02)
  param bias: f32[outputs] ~ zeros
  fn forward(x: f32[*S, inputs]) -> f32[*S, outputs] { x @ weight + bias }
}

layer SelfAttention(size: int, heads: int) {
  c_attn = Conv1D(size, 3*size)
  c_proj = Conv1D(size, size)
  fn forward(x: f32[B, S, size]) -> f32[B, S, size] {
    q, k, v = parts(x)
    attention(q, k, v, causal = true) |> join_heads |> c_proj
  }
  ## q, k and v of each head.
  fn parts(x: f32[B, S, size])
      -> (f32[B, heads, S, size//heads], f32[B, heads, S, size//heads],
          f32[B, heads, S, size//heads]) {
    z = c_attn(x)
    q, k, v = [split_heads(part(z, 2, i*size, size, 1), heads = heads) for i in range(3)]
    (q, k, v)
  }
  ## One token more: its keys and values go to place `at` of the caches.
  fn next(x: f32[B, 1, size], at: i64, inout keys: f32[B, heads, P, size//heads],
      inout values: f32[B, heads, P, size//heads]) -> f32[B, 1, size] {
    q, k, v = parts(x)
    keys[:, :, at:at + 1, :] = k
    values[:, :, at:at + 1, :] = v
    attention(q, keys[:, :, 0:at + 1, :], values[:, :, 0:at + 1, :]) |> join_heads |> c_proj
  }
}

layer MLP(size: int) {
  c_fc = Conv1D(size, 4*size)
  c_proj = Conv1D(4*size, size)
  fn forward(x: f32[B, S, size]) -> f32[B, S, size] { x |> c_fc |> gelu_tanh |> c_proj }
}

layer Block(size: int, heads: int) {
  ln_1 = LayerNorm(size)
  attn = SelfAttention(size, heads)
  ln_2 = LayerNorm(size)
  mlp = MLP(size)
  fn forward(x: f32[B, S, size]) -> f32[B, S, size] {
    x = x + attn(ln_1(x))
    x + mlp(ln_2(x))
  }
  fn next(x: f32[B, 1, size], at: i64, inout keys: f32[B, heads, P, size//heads],
      inout values: f32[B, heads, P, size//heads]) -> f32[B, 1, size] {
    x = x + attn.next(ln_1(x), at, keys, values)
    x + mlp(ln_2(x))
  }
}

layer GPT2(words: int = 50257, places: int = 1024, depth: int = 12, size: int = 768,
    heads: int = 12) {
  wte = Embedding(words, size)
  wpe = Embedding(places, size)
  h = [Block(size, heads) for _ in 0:depth]
  ln_f = LayerNorm(size)
  ## The scores of the next word behind each word.
  fn forward(ids: i64[B, S]) -> f32[B, S, words] {
    x = wte(ids) + wpe.weight[0:S, :]
    for f in h { x = f(x) }
    product(ln_f(x), wte.weight)
  }
  ## The same for one word more, at place `at`; the caches hold the keys and values of those before
  ## it: f32[depth, B, heads, P, size//heads], written at this place.
  fn next(ids: i64[B, 1], at: i64, inout keys: f32[depth, B, heads, P, size//heads],
      inout values: f32[depth, B, heads, P, size//heads]) -> f32[B, 1, words] {
    x = wte(ids) + wpe.weight[at:at + 1, :]
    for i, f in enumerate(h) {
      x = f.next(x, at, keys[i, :, :, :, :], values[i, :, :, :, :])
    }
    product(ln_f(x), wte.weight)
  }
}
