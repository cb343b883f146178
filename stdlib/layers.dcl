## x W^T + b. The names of its states are PyTorch's, as those of all layers here.
## `Linear(3, 2)(x)` with x: f32[4, 3]
layer Linear(inputs: int, outputs: int, with_bias: bool = true) {
  param weight: f32[outputs, inputs] ~ uniform(1/sqrt(inputs))
  param bias: f32[select(with_bias, outputs, 0)] ~ uniform(1/sqrt(inputs))
  fn forward(x: f32[*B, inputs]) -> f32[*B, outputs] {
    if with_bias { linear(x, weight, bias) } else { product(x, weight) }
  }
}

## Two-dimensional convolution with k x k weights, and a bias per output channel.
## `Conv2d(3, 4, 3, pad = 1)(x)` with x: f32[2, 3, 8, 8]
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
## `LayerNorm(4)(x)` with x: f32[2, 4]
layer LayerNorm(size: int, eps: float = 1e-5) {
  param weight: f32[size] ~ ones
  param bias: f32[size] ~ zeros
  fn forward(x: f32[*S, size]) -> f32[*S, size] { layer_norm(x, weight, bias, eps = eps) }
}

## Normalization of each channel, the second dimension: with the batch's mean and variance in
## training, which the running ones follow; else with these.
## `BatchNorm(3)(x)` with x: f32[2, 3, 4, 4]
layer BatchNorm(size: int, eps: float = 1e-5, momentum: float = 0.1) {
  param weight: f32[size] ~ ones
  param bias: f32[size] ~ zeros
  buffer running_mean: f32[size] ~ zeros
  buffer running_var: f32[size] ~ ones
  fn forward(x: f32[N, size, *S]) -> f32[N, size, *S] {
    if training {
      axes = [0, *[d + 2 for d in range(len(S))]]
      m = mean(x, axes = axes)
      v = var(x, axes = axes)
      n = f32(N * prod(S))
      running_mean = (1 - momentum) * running_mean + momentum * m
      running_var = (1 - momentum) * running_var + momentum * v * (n / (n - 1))
      batch_norm(x, m, v, weight, bias, eps = eps)
    } else {
      batch_norm(x, running_mean, running_var, weight, bias, eps = eps)
    }
  }
}

## A row of `size` numbers for each of `count` words.
## `Embedding(10, 4)(i)` with i: i64[2, 3]
layer Embedding(count: int, size: int) {
  param weight: f32[count, size] ~ normal
  fn forward(i: i64[*S]) -> f32[*S, size] { embedding(i, weight) }
}

## Convolution of anything with one dimension behind batch and channels, with weights of size k.
## `Conv1d(3, 4, 3, stride = 2)(x)` with x: f32[2, 3, 9]
layer Conv1d(inputs: int, outputs: int, k: int, stride: int = 1, pad: int = 0, dilation: int = 1,
    groups: int = 1, with_bias: bool = true) {
  param weight: f32[outputs, inputs//groups, k] ~ uniform(1/sqrt(inputs//groups*k))
  param bias: f32[select(with_bias, outputs, 0)] ~ uniform(1/sqrt(inputs//groups*k))
  fn forward(x: f32[N, inputs, *S]) -> f32[N, outputs, *conv_shape(S, [k], stride, pad, dilation)] {
    y = conv(x, weight, stride = stride, pad = pad, dilation = dilation, groups = groups)
    if with_bias { add_channels(y, bias) } else { y }
  }
}

## Convolution of three dimensions behind batch and channels, with k x k x k weights.
## `Conv3d(2, 3, 3, pad = 1)(x)` with x: f32[1, 2, 3, 4, 5]
layer Conv3d(inputs: int, outputs: int, k: int, stride: int = 1, pad: int = 0, dilation: int = 1,
    groups: int = 1, with_bias: bool = true) {
  param weight: f32[outputs, inputs//groups, k, k, k] ~ uniform(1/sqrt(inputs//groups*k**3))
  param bias: f32[select(with_bias, outputs, 0)] ~ uniform(1/sqrt(inputs//groups*k**3))
  fn forward(x: f32[N, inputs, *S])
      -> f32[N, outputs, *conv_shape(S, [k, k, k], stride, pad, dilation)] {
    y = conv(x, weight, stride = stride, pad = pad, dilation = dilation, groups = groups)
    if with_bias { add_channels(y, bias) } else { y }
  }
}

## The transposed convolution of images, see conv_transpose; `extra` rows and columns more.
## `ConvTranspose2d(3, 2, 3, stride = 2, pad = 1, extra = 1)(x)` with x: f32[1, 3, 4, 4]
layer ConvTranspose2d(inputs: int, outputs: int, k: int, stride: int = 1, pad: int = 0,
    extra: int = 0, with_bias: bool = true) {
  param weight: f32[inputs, outputs, k, k] ~ uniform(1/sqrt(outputs*k*k))
  param bias: f32[select(with_bias, outputs, 0)] ~ uniform(1/sqrt(outputs*k*k))
  fn forward(x: f32[N, inputs, *S])
      -> f32[N, outputs, *spread_shape(S, [k, k], stride, pad, 1, extra)] {
    y = conv_transpose(x, weight, stride = stride, pad = pad, extra = extra)
    if with_bias { add_channels(y, bias) } else { y }
  }
}

## Normalization of groups of channels of each sample, see group_norm.
## `GroupNorm(2, 4)(x)` with x: f32[2, 4, 3, 3]
layer GroupNorm(groups: int, size: int, eps: float = 1e-5) {
  param weight: f32[size] ~ ones
  param bias: f32[size] ~ zeros
  fn forward(x: f32[N, size, *S]) -> f32[N, size, *S] {
    group_norm(x, weight, bias, groups = groups, eps = eps)
  }
}

## x by the square root of its mean square over the last dimension, with a scale per element.
## `RMSNorm(4)(x)` with x: f32[2, 4]
layer RMSNorm(size: int, eps: float = 1e-6) {
  param weight: f32[size] ~ ones
  fn forward(x: f32[*S, size]) -> f32[*S, size] { rms_norm(x, weight, eps = eps) }
}

## relu with a learned slope below 0 for each channel, the second dimension.
## `PReLU(2)(x)` with x: f32[1, 2, 2] = [[[-1, 1], [-4, 4]]] is `[[[-0.25, 1], [-1, 4]]]`
layer PReLU(size: int = 1, start: float = 0.25) {
  param weight: f32[size] = start
  fn forward(x: f32[N, size, *S]) -> f32[N, size, *S] { prelu(x, weight) }
}

## Attention of several heads, q, k and v from one map, as PyTorch's MultiheadAttention.
## `MultiheadAttention(8, 2)(x, causal = true)` with x: f32[2, 3, 8]
layer MultiheadAttention(size: int, heads: int) {
  param in_proj_weight: f32[3*size, size] ~ xavier_uniform
  param in_proj_bias: f32[3*size] ~ zeros
  out_proj = Linear(size, size)
  fn forward(x: f32[B, S, size]; causal: bool = false) -> f32[B, S, size] {
    z = linear(x, in_proj_weight, in_proj_bias)
    q, k, v = [split_heads(part(z, 2, i*size, size, 1), heads = heads) for i in range(3)]
    attention(q, k, v, causal = causal) |> join_heads |> out_proj
  }
}

## A layer of an LSTM over x: f32[L, B, inputs], from a start of zeros: all outputs, f32[L, B,
## size].
## `LSTM(4, 3)(x)` with x: f32[5, 2, 4]
layer LSTM(inputs: int, size: int) {
  param weight_ih_l0: f32[4*size, inputs] ~ uniform(1/sqrt(size))
  param weight_hh_l0: f32[4*size, size] ~ uniform(1/sqrt(size))
  param bias_ih_l0: f32[4*size] ~ uniform(1/sqrt(size))
  param bias_hh_l0: f32[4*size] ~ uniform(1/sqrt(size))
  fn forward(x: f32[L, B, inputs]) -> f32[L, B, size] {
    zero: f32[B, size] = 0
    y, _, _ = lstm(x, weight_ih_l0, weight_hh_l0, bias_ih_l0 + bias_hh_l0, zero, zero)
    y
  }
}

## A layer of a GRU over x: f32[L, B, inputs], from a start of zeros: all outputs, f32[L, B, size].
## `GRU(4, 3)(x)` with x: f32[5, 2, 4]
layer GRU(inputs: int, size: int) {
  param weight_ih_l0: f32[3*size, inputs] ~ uniform(1/sqrt(size))
  param weight_hh_l0: f32[3*size, size] ~ uniform(1/sqrt(size))
  param bias_ih_l0: f32[3*size] ~ uniform(1/sqrt(size))
  param bias_hh_l0: f32[3*size] ~ uniform(1/sqrt(size))
  fn forward(x: f32[L, B, inputs]) -> f32[L, B, size] {
    zero: f32[B, size] = 0
    y, _ = gru(x, weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, zero)
    y
  }
}
