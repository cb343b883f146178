# Images by matrices alone: Tolstikhin and others, "MLP-Mixer: An all-MLP Architecture for Vision",
# NeurIPS 2021, with timm's names.

use "vit.dcl"  # PatchEmbed, Mlp

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
