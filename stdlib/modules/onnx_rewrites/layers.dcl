# Functions of states as calls of layers of the library whose states these are: `L(..)(x, w = v)` is
# a call of the instance of L whose state w is v, which `dcl import` makes.
use onnx

# Whether the windows of the sizes K on S are alike in all dimensions, and reach as far outside of S
# before as behind.
fn alike_windows(S: list, K: list; auto_pad: str = "NOTSET", dilations: list? = none,
    pads: list? = none, strides: list? = none, group: int = 1) -> any {
  W = onnx_windows(S, K, auto_pad, dilations, pads, strides)
  all([proved(w[0] == W[0][0]) and proved(w[1] == W[0][1]) and proved(w[2] == W[0][1]) and
      proved(w[3] == W[0][3]) for w in W]) and all([k == K[0] for k in K])
}

# Of the first dimension: 0 the step, 1 the padding, 3 the dilation.
fn window_part(S: list, K: list, part: int; auto_pad: str = "NOTSET", dilations: list? = none,
    pads: list? = none, strides: list? = none, group: int = 1) -> int {
  onnx_windows(S, K, auto_pad, dilations, pads, strides)[0][part]
}

fn group_count(;auto_pad: str = "NOTSET", dilations: list? = none, pads: list? = none,
    strides: list? = none, group: int = 1) -> int { group }

## Products with a weight, and what is added.
rewrite linear_layers {
  gemm(x, w, b, transB = 1) => Linear(w.shape[1], w.shape[0])(x, weight = w, bias = b)
  gemm(x, w, transB = 1) => Linear(w.shape[1], w.shape[0], with_bias = false)(x, weight = w)
  gemm(x, w, b) => Linear(w.shape[0], w.shape[1])(x, weight = w.T, bias = b)
  gemm(x, w) => Linear(w.shape[0], w.shape[1], with_bias = false)(x, weight = w.T)
  x @ transpose(w, perm = [1, 0]) + b => Linear(w.shape[1], w.shape[0])(x, weight = w, bias = b)
      when w.rank == 2
  x @ transpose(w, perm = [1, 0]) =>
      Linear(w.shape[1], w.shape[0], with_bias = false)(x, weight = w) when w.rank == 2
  x @ w + b => Linear(w.shape[0], w.shape[1])(x, weight = w.T, bias = b) when w.rank == 2
  x @ w => Linear(w.shape[0], w.shape[1], with_bias = false)(x, weight = w.T) when w.rank == 2
}

## Convolutions whose windows are alike in all dimensions.
rewrite convolution_layers {
  onnx_conv(x, w, b, attrs = m) => Conv2d(w.shape[1]*group_count(attrs = m), w.shape[0], w.shape[2],
      stride = window_part(x.shape[2:], w.shape[2:], 0, attrs = m),
      pad = window_part(x.shape[2:], w.shape[2:], 1, attrs = m),
      dilation = window_part(x.shape[2:], w.shape[2:], 3, attrs = m),
      groups = group_count(attrs = m))(x, weight = w, bias = b)
      when x.rank == 4 and alike_windows(x.shape[2:], w.shape[2:], attrs = m)
  onnx_conv(x, w, attrs = m) => Conv2d(w.shape[1]*group_count(attrs = m), w.shape[0], w.shape[2],
      stride = window_part(x.shape[2:], w.shape[2:], 0, attrs = m),
      pad = window_part(x.shape[2:], w.shape[2:], 1, attrs = m),
      dilation = window_part(x.shape[2:], w.shape[2:], 3, attrs = m),
      groups = group_count(attrs = m), with_bias = false)(x, weight = w)
      when x.rank == 4 and alike_windows(x.shape[2:], w.shape[2:], attrs = m)
  onnx_conv(x, w, b, attrs = m) => Conv1d(w.shape[1]*group_count(attrs = m), w.shape[0], w.shape[2],
      stride = window_part(x.shape[2:], w.shape[2:], 0, attrs = m),
      pad = window_part(x.shape[2:], w.shape[2:], 1, attrs = m),
      dilation = window_part(x.shape[2:], w.shape[2:], 3, attrs = m),
      groups = group_count(attrs = m))(x, weight = w, bias = b)
      when x.rank == 3 and alike_windows(x.shape[2:], w.shape[2:], attrs = m)
  onnx_conv(x, w, attrs = m) => Conv1d(w.shape[1]*group_count(attrs = m), w.shape[0], w.shape[2],
      stride = window_part(x.shape[2:], w.shape[2:], 0, attrs = m),
      pad = window_part(x.shape[2:], w.shape[2:], 1, attrs = m),
      dilation = window_part(x.shape[2:], w.shape[2:], 3, attrs = m),
      groups = group_count(attrs = m), with_bias = false)(x, weight = w)
      when x.rank == 3 and alike_windows(x.shape[2:], w.shape[2:], attrs = m)
  onnx_conv(x, w, b, attrs = m) => Conv3d(w.shape[1]*group_count(attrs = m), w.shape[0], w.shape[2],
      stride = window_part(x.shape[2:], w.shape[2:], 0, attrs = m),
      pad = window_part(x.shape[2:], w.shape[2:], 1, attrs = m),
      dilation = window_part(x.shape[2:], w.shape[2:], 3, attrs = m),
      groups = group_count(attrs = m))(x, weight = w, bias = b)
      when x.rank == 5 and alike_windows(x.shape[2:], w.shape[2:], attrs = m)
  onnx_conv(x, w, attrs = m) => Conv3d(w.shape[1]*group_count(attrs = m), w.shape[0], w.shape[2],
      stride = window_part(x.shape[2:], w.shape[2:], 0, attrs = m),
      pad = window_part(x.shape[2:], w.shape[2:], 1, attrs = m),
      dilation = window_part(x.shape[2:], w.shape[2:], 3, attrs = m),
      groups = group_count(attrs = m), with_bias = false)(x, weight = w)
      when x.rank == 5 and alike_windows(x.shape[2:], w.shape[2:], attrs = m)
}

## Normalization. The momentum of ONNX is what is kept, that of the library what is new.
rewrite norm_layers {
  onnx_batch_norm(x, g, b, m, v, eps = e, momentum = k) =>
      BatchNorm(g.shape[0], eps = e, momentum = 1 - k)(x, weight = g, bias = b, running_mean = m,
      running_var = v)
  onnx_layer_norm(x, g, b, axis = a, eps = e) => LayerNorm(g.shape[0], eps = e)(x, weight = g,
      bias = b) when g.rank == 1 and (a == -1 or a == x.rank - 1)
  layer_norm(x, g, b, eps = e) => LayerNorm(g.shape[0], eps = e)(x, weight = g, bias = b)
  onnx_rms_norm(x, g, axis = a, eps = e) => RMSNorm(g.shape[0], eps = e)(x, weight = g)
      when g.rank == 1 and (a == -1 or a == x.rank - 1)
  rms_norm(x, g, eps = e) => RMSNorm(g.shape[0], eps = e)(x, weight = g)
  group_norm(x, g, b, groups = n, eps = e) =>
      GroupNorm(n, g.shape[0], eps = e)(x, weight = g, bias = b)
  instance_norm(x, g, b, eps = e) =>
      GroupNorm(g.shape[0], g.shape[0], eps = e)(x, weight = g, bias = b)
}

## Rows of a table.
rewrite embedding_layers {
  onnx_gather(w, i) => Embedding(w.shape[0], w.shape[1])(i, weight = w)
      when w.rank == 2 and i.dtype == i64
}

# The same of convolutions turned round, which the library has without groups and dilation.
fn alike_spread(S: list, K: list; auto_pad: str = "NOTSET", dilations: list? = none,
    pads: list? = none, strides: list? = none, group: int = 1, output_padding: list? = none,
    output_shape: list? = none) -> any {
  extra = if output_padding == none { [0 for _ in K] } else { output_padding }
  auto_pad == "NOTSET" and output_shape == none and group == 1 and
      all([n == extra[0] for n in extra]) and window_part(S, K, 3, dilations = dilations,
      pads = pads, strides = strides) == 1 and
      alike_windows(S, K, dilations = dilations, pads = pads, strides = strides)
}

fn spread_part(S: list, K: list, part: int; auto_pad: str = "NOTSET", dilations: list? = none,
    pads: list? = none, strides: list? = none, group: int = 1, output_padding: list? = none,
    output_shape: list? = none) -> int {
  window_part(S, K, part, dilations = dilations, pads = pads, strides = strides)
}

fn spread_extra(;auto_pad: str = "NOTSET", dilations: list? = none, pads: list? = none,
    strides: list? = none, group: int = 1, output_padding: list? = none, output_shape: list? = none)
    -> int {
  if output_padding == none { 0 } else { output_padding[0] }
}

## Convolutions turned round.
rewrite transposed_layers {
  onnx_conv_transpose(x, w, b, attrs = m) => ConvTranspose2d(w.shape[0], w.shape[1], w.shape[2],
      stride = spread_part(x.shape[2:], w.shape[2:], 0, attrs = m),
      pad = spread_part(x.shape[2:], w.shape[2:], 1, attrs = m), extra = spread_extra(attrs = m))(x,
      weight = w, bias = b) when x.rank == 4 and alike_spread(x.shape[2:], w.shape[2:], attrs = m)
  onnx_conv_transpose(x, w, attrs = m) => ConvTranspose2d(w.shape[0], w.shape[1], w.shape[2],
      stride = spread_part(x.shape[2:], w.shape[2:], 0, attrs = m),
      pad = spread_part(x.shape[2:], w.shape[2:], 1, attrs = m), extra = spread_extra(attrs = m),
      with_bias = false)(x, weight = w)
      when x.rank == 4 and alike_spread(x.shape[2:], w.shape[2:], attrs = m)
}
