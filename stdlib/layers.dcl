## x W^T + b. The names of its states are PyTorch's, as those of all layers here.
layer Linear(inputs: int, outputs: int, with_bias: bool = true) {
  param weight: f32[outputs, inputs] ~ uniform(1/sqrt(inputs))
  param bias: f32[select(with_bias, outputs, 0)] ~ uniform(1/sqrt(inputs))
  fn forward(x: f32[*B, inputs]) -> f32[*B, outputs] {
    if with_bias { linear(x, weight, bias) } else { product(x, weight) }
  }
}

## Two-dimensional convolution with k x k weights, and a bias per output channel.
layer Conv2d(inputs: int, outputs: int, k: int, stride: int = 1, pad: int = 0, dilation: int = 1,
    groups: int = 1, with_bias: bool = true) {
  param weight: f32[outputs, inputs//groups, k, k] ~ uniform(1/sqrt(inputs//groups*k*k))
  param bias: f32[select(with_bias, outputs, 0)] ~ uniform(1/sqrt(inputs//groups*k*k))
  fn forward(x: f32[N, inputs, H, W])
      -> f32[N, outputs, (H + 2*pad - dilation*(k - 1) - 1)//stride + 1,
          (W + 2*pad - dilation*(k - 1) - 1)//stride + 1] {
    y = conv2d(x, weight, stride = stride, pad = pad, dilation = dilation, groups = groups)
    if with_bias { add_channels(y, bias) } else { y }
  }
}

## Normalization over the last dimension, with a scale and an offset per element.
layer LayerNorm(size: int, eps: float = 1e-5) {
  param weight: f32[size] ~ ones
  param bias: f32[size] ~ zeros
  fn forward(x: f32[*S, size]) -> f32[*S, size] { layer_norm(x, weight, bias, eps = eps) }
}

## Normalization of each channel, the second dimension: with the batch's mean and variance in
## training, which the running ones follow; else with these.
layer BatchNorm(size: int, eps: float = 1e-5, momentum: float = 0.1) {
  param weight: f32[size] ~ ones
  param bias: f32[size] ~ zeros
  buffer running_mean: f32[size] ~ zeros
  buffer running_var: f32[size] ~ ones
  fn forward(x: f32[N, size, *S]) -> f32[N, size, *S] {
    if training {
      mean = channel_mean(x)
      v = channel_variance(x, mean)
      n = f32(N * prod(S))
      running_mean = (1 - momentum) * running_mean + momentum * mean
      running_var = (1 - momentum) * running_var + momentum * v * (n / (n - 1))
      batch_norm(x, mean, v, weight, bias, eps = eps)
    } else {
      batch_norm(x, running_mean, running_var, weight, bias, eps = eps)
    }
  }
}

## A row of numbers for each of `count` words.
layer Embedding(count: int, size: int) {
  param weight: f32[count, size] ~ normal
  fn forward(i: i64[*S]) -> f32[*S, size] { embedding(i, weight) }
}
