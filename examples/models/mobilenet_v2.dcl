# Small networks of depthwise convolutions: Sandler, Howard, Zhu, Zhmoginov, Chen, "MobileNetV2:
# Inverted Residuals and Linear Bottlenecks", CVPR 2018, with torchvision's names.

## A convolution and its normalization.
fn convolution(inputs: int, outputs: int, k: int = 1, stride: int = 1, groups: int = 1) -> list {
  [Conv2d(inputs, outputs, k, stride = stride, pad = k//2, groups = groups, with_bias = false),
      BatchNorm(outputs)]
}

layer InvertedResidual(inputs: int, outputs: int, stride: int, expansion: int) {
  hidden = inputs*expansion
  conv = if expansion == 1 { [] } else { [convolution(inputs, hidden)] } +
      [convolution(hidden, hidden, 3, stride, hidden), *convolution(hidden, outputs)]
  fn forward(x: f32[N, inputs, H, W]) -> f32[N, outputs, (H - 1)//stride + 1, (W - 1)//stride + 1] {
    n = len(conv) - 2
    y = x
    for f, norm in conv[:n] { y = y |> f |> norm |> relu6 }
    y = y |> conv[n] |> conv[n + 1]
    if stride == 1 and inputs == outputs { x + y } else { y }
  }
}

## All blocks. The plan: expansion, output channels, how many, stride of the first.
fn blocks(inputs: int, plan: list) -> list {
  if len(plan) == 0 {
    []
  } else {
    expansion, outputs, n, stride = plan[0]
    [InvertedResidual(select(k == 0, inputs, outputs), outputs, select(k == 0, stride, 1),
        expansion) for k in 0:n] + blocks(outputs, plan[1:])
  }
}

layer MobileNetV2(classes: int = 1000) {
  features = [convolution(3, 32, 3, 2), *blocks(32,
      [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
      (6, 320, 1, 1)]), convolution(320, 1280)]
  classifier = [[], Linear(1280, classes)]
  fn forward(x: f32[N, 3, _, _]) -> f32[N, classes] {
    conv, norm = features[0]
    x = x |> conv |> norm |> relu6
    for f in features[1:18] { x = f(x) }
    conv, norm = features[18]
    x |> conv |> norm |> relu6 |> mean(axes = [2, 3]) |> classifier[1]
  }
}
