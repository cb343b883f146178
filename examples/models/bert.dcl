# An encoder of text: Devlin, Chang, Lee, Toutanova, "BERT: Pre-training of Deep Bidirectional
# Transformers for Language Understanding", NAACL 2019, with the names of Hugging Face's BertModel.

layer Embeddings(words: int, places: int, size: int) {
  word_embeddings = Embedding(words, size)
  position_embeddings = Embedding(places, size)
  token_type_embeddings = Embedding(2, size)
  LayerNorm = LayerNorm(size, eps = 1e-12)
  fn forward(ids: i64[B, S], kinds: i64[B, S]?) -> f32[B, S, size] {
    kind = if kinds == none {
      token_type_embeddings.weight[0, :]
    } else {
      token_type_embeddings(kinds)
    }
    LayerNorm(word_embeddings(ids) + kind + position_embeddings.weight[:S, :])
  }
}

layer SelfAttention(size: int, heads: int) {
  query = Linear(size, size)
  key = Linear(size, size)
  value = Linear(size, size)
  fn forward(x: f32[B, S, size], seen: bool[B, S]?) -> f32[B, S, size] {
    q = query(x) |> split_heads(heads = heads)
    k = key(x) |> split_heads(heads = heads)
    v = value(x) |> split_heads(heads = heads)
    y = if seen == none { attention(q, k, v) } else { attention(q, k, v, columns(seen)) }
    join_heads(y)
  }
}

## Each word and each head see the same words.
fn columns(seen: bool[B, S]) -> mask: bool[B, 1, S, S] {
  map b in B, i in S, j in S { mask[b, 0, i, j] = seen[b, j] }
}

## A linear map, then what went around it is added and normalized.
layer Output(inputs: int, size: int) {
  dense = Linear(inputs, size)
  LayerNorm = LayerNorm(size, eps = 1e-12)
  fn forward(x: f32[B, S, inputs], around: f32[B, S, size]) -> f32[B, S, size] {
    LayerNorm(dense(x) + around)
  }
}

layer Attention(size: int, heads: int) {
  self = SelfAttention(size, heads)
  output = Output(size, size)
  fn forward(x: f32[B, S, size], seen: bool[B, S]?) -> f32[B, S, size] {
    output(self(x, seen), x)
  }
}

layer Intermediate(size: int, inner: int) {
  dense = Linear(size, inner)
  fn forward(x: f32[B, S, size]) -> f32[B, S, inner] { gelu(dense(x)) }
}

layer EncoderLayer(size: int, heads: int, inner: int) {
  attention = Attention(size, heads)
  intermediate = Intermediate(size, inner)
  output = Output(inner, size)
  fn forward(x: f32[B, S, size], seen: bool[B, S]?) -> f32[B, S, size] {
    x = attention(x, seen)
    output(intermediate(x), x)
  }
}

layer Encoder(depth: int, size: int, heads: int, inner: int) {
  layer_ = [EncoderLayer(size, heads, inner) for _ in 0:depth]
  fn forward(x: f32[B, S, size], seen: bool[B, S]?) -> f32[B, S, size] {
    for f in layer_ { x = f(x, seen) }
    x
  }
}

layer Bert(words: int = 30522, places: int = 512, depth: int = 12, size: int = 768, heads: int = 12,
    inner: int = 3072) {
  embeddings = Embeddings(words, places, size)
  encoder = Encoder(depth, size, heads, inner)
  ## `kinds` tells a first sentence's words (0) from a second's (1), without it all are 0; `seen` is
  ## false of padding.
  fn forward(ids: i64[B, S], kinds: i64[B, S]?, seen: bool[B, S]?) -> f32[B, S, size] {
    encoder(embeddings(ids, kinds), seen)
  }
}
