# Images as sentences of patches: Dosovitskiy and others, "An Image is Worth 16x16 Words", ICLR
# 2021, with timm's names.

layer PatchEmbed(channels: int, size: int, patch: int) {
  proj = Conv2d(channels, size, patch, stride = patch)
  fn forward(x: f32[N, channels, H, W]) -> f32[N, (H//patch)*(W//patch), size] {
    y = proj(x)
    transpose(reshape(y, [N, size, (H//patch)*(W//patch)]), perm = [0, 2, 1])
  }
}

layer Attention(size: int, heads: int) {
  qkv = Linear(size, 3*size)
  proj = Linear(size, size)
  fn forward(x: f32[N, S, size]) -> f32[N, S, size] {
    z = qkv(x)
    q, k, v = [split_heads(part(z, 2, i*size, size, 1), heads = heads) for i in range(3)]
    attention(q, k, v) |> join_heads |> proj
  }
}

layer Mlp(size: int, inner: int) {
  fc1 = Linear(size, inner)
  fc2 = Linear(inner, size)
  fn forward(x: f32[*S, size]) -> f32[*S, size] { x |> fc1 |> gelu |> fc2 }
}

layer Block(size: int, heads: int) {
  norm1 = LayerNorm(size, eps = 1e-6)
  attn = Attention(size, heads)
  norm2 = LayerNorm(size, eps = 1e-6)
  mlp = Mlp(size, 4*size)
  fn forward(x: f32[N, S, size]) -> f32[N, S, size] {
    x = x + attn(norm1(x))
    x + mlp(norm2(x))
  }
}

layer ViT(image: int = 224, patch: int = 16, size: int = 768, depth: int = 12, heads: int = 12,
    classes: int = 1000) {
  patches = (image//patch)**2
  param cls_token: f32[1, 1, size] ~ zeros
  param pos_embed: f32[1, patches + 1, size] ~ normal(0.02)
  patch_embed = PatchEmbed(3, size, patch)
  blocks = [Block(size, heads) for _ in 0:depth]
  norm = LayerNorm(size, eps = 1e-6)
  head = Linear(size, classes)
  fn forward(x: f32[N, 3, image, image]) -> f32[N, classes] {
    x = concat([broadcast_to(cls_token, [N, 1, size]), patch_embed(x)], axis = 1) + pos_embed
    for f in blocks { x = f(x) }
    head(norm(x)[:, 0, :])
  }
}
