## x W^T + b. The names of its states are PyTorch's, as those of all layers here.
layer Linear(inputs: int, outputs: int) {
  param weight: f32[outputs, inputs] ~ kaiming_uniform
  param bias: f32[outputs] ~ zeros
  fn forward(x: f32[*B, inputs]) -> f32[*B, outputs] { linear(x, weight, bias) }
}

## Two-dimensional convolution with k x k weights, and a bias per output channel.
layer Conv2d(inputs: int, outputs: int, k: int, stride: int = 1, pad: int = 0) {
  param weight: f32[outputs, inputs, k, k] ~ kaiming_uniform
  param bias: f32[outputs] ~ zeros
  fn forward(x: f32[N, inputs, H, W])
      -> f32[N, outputs, (H + 2*pad - k)//stride + 1, (W + 2*pad - k)//stride + 1] {
    conv2d(x, weight, stride = stride, pad = pad) |> add_channels(bias)
  }
}

## Normalization over the last dimension, with a scale and an offset per element.
layer LayerNorm(size: int, eps: float = 1e-5) {
  param weight: f32[size] ~ ones
  param bias: f32[size] ~ zeros
  fn forward(x: f32[*S, size]) -> f32[*S, size] { layer_norm(x, weight, bias, eps = eps) }
}
