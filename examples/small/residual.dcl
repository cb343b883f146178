# A residual block: what two convolutions compute is added to what they got, so the block can be
# repeated. A branch is scaled by a param that starts at 0, so an untrained block changes nothing.
#   dcl run examples/small/residual.dcl

layer Residual(channels: int, start: float) {
  conv1 = Conv2d(channels, channels, 3, pad = 1, with_bias = false)
  norm1 = BatchNorm(channels)
  conv2 = Conv2d(channels, channels, 3, pad = 1, with_bias = false)
  norm2 = BatchNorm(channels)
  param scale: f32 = start
  fn forward(x: f32[N, channels, H, W]) -> f32[N, channels, H, W] {
    branch = x |> conv1 |> norm1 |> relu |> conv2 |> norm2
    relu(x + scale * branch)
  }
}

## A list of blocks is a member like any other: its states are `blocks.0.conv1.weight` and so on.
layer Tower(channels: int, depth: int, start: float = 0) {
  blocks = [Residual(channels, start) for _ in 0:depth]
  fn forward(x: f32[N, channels, H, W]) -> f32[N, channels, H, W] {
    for b in blocks { x = b(x) }
    x
  }
}

net = Tower(4, depth = 3)
x: f32[2, 4, 8, 8]
map n, c, h, w { x[n, c, h, w] = f32(n + c + h * w) }
print("shape:", net(x).shape)
print("unchanged at first:", all(net(x) == x))
print("unchanged if scales start at 1:", all(Tower(4, depth = 3, start = 1)(x) == x))
print("a state:", net.blocks[1].scale, net.blocks[1].conv1.weight.shape)
