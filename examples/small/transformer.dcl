# A block of a transformer that reads a text from left to right: attention, in which a place sees
# only those before it, then two linear maps; each adds to what it got.
#   dcl run examples/small/transformer.dcl

layer Attention(size: int, heads: int) {
  qkv = Linear(size, 3*size)
  out = Linear(size, size)
  fn forward(x: f32[B, S, size]) -> f32[B, S, size] {
    q, k, v = [split_heads(p, heads = heads) for p in chunk(qkv(x), 3, axis = 2)]
    attention(q, k, v, causal = true) |> join_heads |> out
  }
}

layer Block(size: int, heads: int) {
  norm1 = LayerNorm(size)
  attend = Attention(size, heads)
  norm2 = LayerNorm(size)
  up = Linear(size, 4*size)
  down = Linear(4*size, size)
  fn forward(x: f32[B, S, size]) -> f32[B, S, size] {
    x = x + attend(norm1(x))
    x + (norm2(x) |> up |> gelu |> down)
  }
}

net = Block(16, heads = 4)
x: f32[1, 6, 16]
map b, s, i { x[b, s, i] = f32(s * i % 7) }
before = net(x)
x[0, 5, 0] = 9
after = net(x)
print("shape:", after.shape)
print("places 0 to 4 unchanged:", all(after[:, :5, :] == before[:, :5, :]))
print("place 5 unchanged:", all(after[:, 5:, :] == before[:, 5:, :]))
