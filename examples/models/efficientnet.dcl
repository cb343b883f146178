# Networks of balanced depth, width and resolution: Tan and Le, "EfficientNet: Rethinking Model
# Scaling for Convolutional Neural Networks", ICML 2019, with timm's names.

## Each channel by a weight that all channels' means decide.
layer SqueezeExcite(size: int, inner: int) {
  conv_reduce = Conv2d(size, inner, 1)
  conv_expand = Conv2d(inner, size, 1)
  fn forward(x: f32[N, size, H, W]) -> y: f32[N, size, H, W] {
    m = mean(x, axes = [2, 3], keepdims = true)
    g = m |> conv_reduce |> silu |> conv_expand |> sigmoid
    map n in N, c in size, i in H, j in W { y[n, c, i, j] = x[n, c, i, j] * g[n, c, 0, 0] }
  }
}

layer DepthwiseSeparable(inputs: int, outputs: int, k: int, stride: int) {
  conv_dw = Conv2d(inputs, inputs, k, stride = stride, pad = k//2, groups = inputs,
      with_bias = false)
  bn1 = BatchNorm(inputs)
  se = SqueezeExcite(inputs, inputs//4)
  conv_pw = Conv2d(inputs, outputs, 1, with_bias = false)
  bn2 = BatchNorm(outputs)
  fn forward(x: f32[N, inputs, H, W]) -> f32[N, outputs, (H - 1)//stride + 1, (W - 1)//stride + 1] {
    y = x |> conv_dw |> bn1 |> silu |> se |> conv_pw |> bn2
    if stride == 1 and inputs == outputs { x + y } else { y }
  }
}

layer InvertedResidual(inputs: int, outputs: int, k: int, stride: int, expansion: int) {
  wide = inputs*expansion
  conv_pw = Conv2d(inputs, wide, 1, with_bias = false)
  bn1 = BatchNorm(wide)
  conv_dw = Conv2d(wide, wide, k, stride = stride, pad = k//2, groups = wide, with_bias = false)
  bn2 = BatchNorm(wide)
  se = SqueezeExcite(wide, inputs//4)
  conv_pwl = Conv2d(wide, outputs, 1, with_bias = false)
  bn3 = BatchNorm(outputs)
  fn forward(x: f32[N, inputs, H, W]) -> f32[N, outputs, (H - 1)//stride + 1, (W - 1)//stride + 1] {
    y = x |> conv_pw |> bn1 |> silu |> conv_dw |> bn2 |> silu |> se |> conv_pwl |> bn3
    if stride == 1 and inputs == outputs { x + y } else { y }
  }
}

## All stages. The plan: expansion, output channels, how many, stride of the first, size of the
## kernel.
fn stages(inputs: int, plan: list) -> list {
  if len(plan) == 0 { return [] }
  e, outputs, n, stride, k = plan[0]
  stage = [InvertedResidual(select(i == 0, inputs, outputs), outputs, k, select(i == 0, stride, 1),
      e) for i in 0:n]
  [stage, *stages(outputs, plan[1:])]
}

layer EfficientNet(classes: int = 1000) {
  conv_stem = Conv2d(3, 32, 3, stride = 2, pad = 1, with_bias = false)
  bn1 = BatchNorm(32)
  blocks = [[DepthwiseSeparable(32, 16, 3, 1)], *stages(16,
      [(6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3), (6, 112, 3, 1, 5), (6, 192, 4, 2, 5),
      (6, 320, 1, 1, 3)])]
  conv_head = Conv2d(320, 1280, 1, with_bias = false)
  bn2 = BatchNorm(1280)
  classifier = Linear(1280, classes)
  fn forward(x: f32[N, 3, _, _]) -> f32[N, classes] {
    x = x |> conv_stem |> bn1 |> silu
    for stage in blocks { for f in stage { x = f(x) } }
    x |> conv_head |> bn2 |> silu |> mean(axes = [2, 3]) |> classifier
  }
}

fn flat(lists: list) -> list { if len(lists) == 0 { [] } else { lists[0] + flat(lists[1:]) } }

## torchvision's names of a block's states.
fn block_names(stage: int, k: int) -> list {
  parts = if stage == 0 {
    [("conv_dw", "0.0"), ("bn1", "0.1"), ("se.conv_reduce", "1.fc1"), ("se.conv_expand", "1.fc2"),
        ("conv_pw", "2.0"), ("bn2", "2.1")]
  } else {
    [("conv_pw", "0.0"), ("bn1", "0.1"), ("conv_dw", "1.0"), ("bn2", "1.1"),
        ("se.conv_reduce", "2.fc1"), ("se.conv_expand", "2.fc2"), ("conv_pwl", "3.0"),
        ("bn3", "3.1")]
  }
  ours = "blocks." + str(stage) + "." + str(k) + "."
  theirs = "features." + str(stage + 1) + "." + str(k) + ".block."
  [(ours + a, theirs + b) for a, b in parts]
}

## For `load(net, "weights.safetensors", rename = torchvision_names())`.
fn torchvision_names() -> list {
  flat([flat([block_names(s, k) for k in 0:n]) for s, n in enumerate([1, 2, 2, 3, 3, 4, 1])]) +
      [("conv_stem", "features.0.0"), ("bn1", "features.0.1"), ("conv_head", "features.8.0"),
      ("bn2", "features.8.1"), ("classifier", "classifier.1")]
}
