# Images by matrices alone: Tolstikhin and others, "MLP-Mixer: An all-MLP Architecture for Vision",
# NeurIPS 2021, with timm's names.

layer PatchEmbed(channels: int, size: int, patch: int) {
  proj = Conv2d(channels, size, patch, stride = patch)
  fn forward(x: f32[N, channels, H, W]) -> f32[N, (H//patch)*(W//patch), size] {
    y = proj(x)
    transpose(reshape(y, [N, size, (H//patch)*(W//patch)]), perm = [0, 2, 1])
  }
}

layer Mlp(size: int, inner: int) {
  fc1 = Linear(size, inner)
  fc2 = Linear(inner, size)
  fn forward(x: f32[*S, size]) -> f32[*S, size] { x |> fc1 |> gelu |> fc2 }
}

layer MixerBlock(tokens: int, size: int) {
  norm1 = LayerNorm(size, eps = 1e-6)
  mlp_tokens = Mlp(tokens, size//2)
  norm2 = LayerNorm(size, eps = 1e-6)
  mlp_channels = Mlp(size, 4*size)
  fn forward(x: f32[N, tokens, size]) -> f32[N, tokens, size] {
    y = norm1(x) |> transpose(perm = [0, 2, 1]) |> mlp_tokens |> transpose(perm = [0, 2, 1])
    x = x + y
    x + mlp_channels(norm2(x))
  }
}

layer MlpMixer(image: int = 224, patch: int = 16, size: int = 768, depth: int = 12,
    classes: int = 1000) {
  stem = PatchEmbed(3, size, patch)
  blocks = [MixerBlock((image//patch)**2, size) for _ in 0:depth]
  norm = LayerNorm(size, eps = 1e-6)
  head = Linear(size, classes)
  fn forward(x: f32[N, 3, image, image]) -> f32[N, classes] {
    x = stem(x)
    for f in blocks { x = f(x) }
    norm(x) |> mean(axes = 1) |> head
  }
}
