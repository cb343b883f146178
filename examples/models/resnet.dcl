# Deep residual networks for images: He, Zhang, Ren, Sun, "Deep Residual Learning for Image
# Recognition", CVPR 2016, with torchvision's names and its stride in the 3 x 3 convolution.

layer BasicBlock(inputs: int, width: int, stride: int = 1) {
  conv1 = Conv2d(inputs, width, 3, stride = stride, pad = 1, with_bias = false)
  bn1 = BatchNorm(width)
  conv2 = Conv2d(width, width, 3, pad = 1, with_bias = false)
  bn2 = BatchNorm(width)
  downsample = shortcut(inputs, width, stride)
  fn forward(x: f32[N, inputs, H, W]) -> f32[N, width, (H - 1)//stride + 1, (W - 1)//stride + 1] {
    y = x |> conv1 |> bn1 |> relu |> conv2 |> bn2
    for f in downsample { x = f(x) }
    relu(y + x)
  }
}

layer Bottleneck(inputs: int, width: int, stride: int = 1) {
  conv1 = Conv2d(inputs, width, 1, with_bias = false)
  bn1 = BatchNorm(width)
  conv2 = Conv2d(width, width, 3, stride = stride, pad = 1, with_bias = false)
  bn2 = BatchNorm(width)
  conv3 = Conv2d(width, 4*width, 1, with_bias = false)
  bn3 = BatchNorm(4*width)
  downsample = shortcut(inputs, 4*width, stride)
  fn forward(x: f32[N, inputs, H, W]) -> f32[N, 4*width, (H - 1)//stride + 1, (W - 1)//stride + 1] {
    y = x |> conv1 |> bn1 |> relu |> conv2 |> bn2 |> relu |> conv3 |> bn3
    for f in downsample { x = f(x) }
    relu(y + x)
  }
}

## What x goes through beside a block: nothing if its shape stays.
fn shortcut(inputs: int, outputs: int, stride: int) -> list {
  if stride == 1 and inputs == outputs {
    []
  } else {
    [Conv2d(inputs, outputs, 1, stride = stride, with_bias = false), BatchNorm(outputs)]
  }
}

## `depth` blocks, the first of which brings `inputs` channels to `outputs`.
fn stage(block, depth: int, inputs: int, outputs: int, width: int, stride: int) -> list {
  [block(select(k == 0, inputs, outputs), width, stride = select(k == 0, stride, 1))
      for k in 0:depth]
}

layer ResNet(block, depth: list, expansion: int, classes: int = 1000) {
  e = expansion
  conv1 = Conv2d(3, 64, 7, stride = 2, pad = 3, with_bias = false)
  bn1 = BatchNorm(64)
  layer1 = stage(block, depth[0], 64, 64*e, 64, 1)
  layer2 = stage(block, depth[1], 64*e, 128*e, 128, 2)
  layer3 = stage(block, depth[2], 128*e, 256*e, 256, 2)
  layer4 = stage(block, depth[3], 256*e, 512*e, 512, 2)
  fc = Linear(512*e, classes)
  fn forward(x: f32[N, 3, _, _]) -> f32[N, classes] {
    x = x |> conv1 |> bn1 |> relu |> max_pool(3, stride = 2, pad = 1)
    for f in layer1 + layer2 + layer3 + layer4 { x = f(x) }
    x |> mean(axes = [2, 3]) |> fc
  }
}

# ResNet-18: ResNet(BasicBlock, [2, 2, 2, 2], 1). ResNet-50: ResNet(Bottleneck, [3, 4, 6, 3], 4).
