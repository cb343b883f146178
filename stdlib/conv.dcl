## Two-dimensional convolution (cross-correlation), zero padding on all sides. Each of `groups`
## parts of the output channels sees its part of the input channels.
fn conv2d(x: T[N, C, H, W], w: T[O, I, R, S]; stride: int = 1, pad: int = 0, dilation: int = 1,
    groups: int = 1)
    -> T[N, O, (H + 2*pad - dilation*(R - 1) - 1)//stride + 1,
        (W + 2*pad - dilation*(S - 1) - 1)//stride + 1]
    where T: number, C == I*groups, O % groups == 0 {
  fast = T == f32 and not training
  if fast and groups == 1 {
    conv2d_direct(x, w, stride = stride, pad = pad, dilation = dilation)
  } else if fast and proved(I == 1) {
    conv2d_depthwise(x, w, stride = stride, pad = pad, dilation = dilation)
  } else {
    conv2d_plain(x, w, stride = stride, pad = pad, dilation = dilation, groups = groups)
  }
}

## The same as its definition; what gradients are taken of.
fn conv2d_plain(x: T[N, C, H, W], w: T[O, I, R, S]; stride: int = 1, pad: int = 0,
    dilation: int = 1, groups: int = 1)
    -> y: T[N, O, (H + 2*pad - dilation*(R - 1) - 1)//stride + 1,
        (W + 2*pad - dilation*(S - 1) - 1)//stride + 1]
    where T: number, C == I*groups, O % groups == 0 {
  map n, o, i, j, c in I, r, s {
    y[n, o, i, j] += x[n, o//(O//groups)*I + c, i*stride + r*dilation - pad,
        j*stride + s*dilation - pad, else 0] * w[o, c, r, s]
  }
}

## x + b, with one element of b per channel.
fn add_channels(x: T[N, C, H, W], b: T[C]) -> y: T[N, C, H, W] where T: number {
  map n, c, i, j { y[n, c, i, j] = x[n, c, i, j] + b[c] }
}

## The largest element of each k x k window; what lies in the padding does not count.
fn max_pool2d(x: T[N, C, H, W]; k: int = 2, stride: int = 2, pad: int = 0)
    -> y: T[N, C, (H + 2*pad - k)//stride + 1, (W + 2*pad - k)//stride + 1] where T: float {
  map n, c, i, j, r in k, s in k {
    x[n, c, i*stride + r - pad, j*stride + s - pad, else -inf] >> y[n, c, i, j] (max)
  }
}

## The mean of each channel's plane.
fn global_avg_pool(x: T[N, C, H, W]) -> y: T[N, C] where T: float {
  s: T[N, C]
  map n, c, i, j { x[n, c, i, j] >> s[n, c] (sum) }
  map n, c { y[n, c] = s[n, c] / T(H*W) }
}
