## Two-dimensional convolution (cross-correlation), zero padding on all sides: the result has (n + 2
## pad - dilation (k - 1) - 1) // stride + 1 rows, and columns alike. Each of `groups` parts of the
## output channels sees its part of the input channels.
## `conv2d(x, w, pad = 1)` with x: f32[2, 3, 8, 8], w: f32[4, 3, 3, 3]
fn conv2d(x: T[N, C, H, W], w: T[O, I, R, S]; stride: int = 1, pad: int = 0, dilation: int = 1,
    groups: int = 1)
    -> T[N, O, (H + 2*pad - dilation*(R - 1) - 1)//stride + 1,
        (W + 2*pad - dilation*(S - 1) - 1)//stride + 1]
    where T: number, C == I*groups, O % groups == 0 {
  window_fits([H, W], [R, S], [pad, pad], [dilation, dilation])
  if T == f32 and not derived and groups == 1 {
    conv2d_direct(x, w, stride = stride, pad = pad, dilation = dilation)
  } else if T == f32 and not training and proved(I == 1) {
    conv2d_depthwise(x, w, stride = stride, pad = pad, dilation = dilation)
  } else {
    conv_plain(x, w, [stride, stride], [pad, pad], [dilation, dilation], groups)
  }
}

## x + b, with one element of b per channel, the second dimension.
## `add_channels(x, b)` with x: f32[2, 3, 4, 4], b: f32[3]
fn add_channels(x: T[N, C, *S], b: T[C]) -> y: T[N, C, *S] where T: number {
  map n in N, c in C, *i in S { y[n, c, *i] = x[n, c, *i] + b[c] }
}

## Convolution (cross-correlation) of any number of dimensions behind batch and channels. Sizes are
## numbers, or lists with one for each dimension; padding is zeros on both sides. The sizes of the
## result are those of conv2d.
## `conv(x, w, stride = [1, 2], pad = 1)` with x: f32[2, 3, 5, 6], w: f32[4, 3, 3, 3]
fn conv(x: T[N, C, *S], w: T[O, I, *K]; stride = 1, pad = 0, dilation = 1, groups: int = 1)
    -> T[N, O, *conv_shape(S, K, stride, pad, dilation)]
    where T: number, C == I*groups, O % groups == 0 {
  step, around, apart = [each(stride, S), each(pad, S), each(dilation, S)]
  if len(S) == 2 and step[0] == step[1] and around[0] == around[1] and apart[0] == apart[1] {
    return conv2d(x, w, stride = step[0], pad = around[0], dilation = apart[0], groups = groups)
  }
  conv_plain(x, w, step, around, apart, groups)
}

# Convolution as its definition.
fn conv_plain(x: T[N, C, *S], w: T[O, I, *K], step: list, around: list, apart: list, groups: int)
    -> y: T[N, O, *conv_shape(S, K, step, around, apart)] where T: number {
  map n in N, o in O, *i in conv_shape(S, K, step, around, apart), c in I, *k in K {
    v << x[n, o//(O//groups)*I + c, *window_index(i, k, step, around, apart), else 0]
    v * w[o, c, *k] >> y[n, o, *i] (sum)
  }
}

# The sizes behind batch and channels of what conv gives.
fn conv_shape(S: list, K: list, stride, pad, dilation) -> list {
  step, around, apart = [each(stride, S), each(pad, S), each(dilation, S)]
  if len(K) != len(S) { error("weights of", len(K), "dimensions for", len(S)) }
  window_fits(S, K, around, apart)
  [(n + 2*around[d] - apart[d]*(K[d] - 1) - 1)//step[d] + 1 for d, n in enumerate(S)]
}

# An error if windows of K elements, so far apart, are larger than S with the zeros around.
fn window_fits(S: list, K: list, around: list, apart: list) {
  for d, n in enumerate(S) {
    if proved(n + 2*around[d] < apart[d]*(K[d] - 1) + 1) {
      error("a window of", K, "does not fit into", S, "with", around, "zeros on both sides")
    }
  }
}

## What conv maps from, the other way round: each element of x is spread over a window of the
## result, whose sizes are (n - 1) stride - 2 pad + dilation (k - 1) + 1 + extra.
## `conv_transpose(x, w, stride = 2, pad = 1, extra = 1)` with x: f32[2, 3, 4, 4], w: f32[3, 2, 3,
## 3]
fn conv_transpose(x: T[N, C, *S], w: T[C, O, *K]; stride = 1, pad = 0, dilation = 1, extra = 0,
    groups: int = 1) -> y: T[N, O*groups, *spread_shape(S, K, stride, pad, dilation, extra)]
    where T: number, C % groups == 0 {
  step, around, apart = [each(stride, S), each(pad, S), each(dilation, S)]
  map n in N, g in groups, o in O, *i in S, c in C//groups, *k in K {
    v << x[n, g*(C//groups) + c, *i]
    v * w[g*(C//groups) + c, o, *k] >>
        y[n, g*O + o, *window_index(i, k, step, around, apart), else _] (sum)
  }
}

# The sizes behind batch and channels of what conv_transpose gives.
fn spread_shape(S: list, K: list, stride, pad, dilation, extra) -> list {
  step, around, apart = [each(stride, S), each(pad, S), each(dilation, S)]
  more = each(extra, S)
  [(n - 1)*step[d] - 2*around[d] + apart[d]*(K[d] - 1) + 1 + more[d] for d, n in enumerate(S)]
}
