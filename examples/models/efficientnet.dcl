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
