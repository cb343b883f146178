## Two-dimensional convolution (cross-correlation), zero padding on all sides.
fn conv2d(x: T[N, C, H, W], w: T[O, C, R, S]; stride: int = 1, pad: int = 0)
    -> y: T[N, O, (H + 2*pad - R)//stride + 1, (W + 2*pad - S)//stride + 1] where T: number {
  map n, o, i, j, c, r, s {
    y[n, o, i, j] += x[n, c, i*stride + r - pad, j*stride + s - pad, else 0] * w[o, c, r, s]
  }
}

## x + b, with one element of b per channel.
fn add_channels(x: T[N, C, H, W], b: T[C]) -> y: T[N, C, H, W] where T: number {
  map n, c, i, j { y[n, c, i, j] = x[n, c, i, j] + b[c] }
}

## The largest element of each k x k window.
fn max_pool2d(x: T[N, C, H, W]; k: int = 2, stride: int = 2)
    -> y: T[N, C, (H - k)//stride + 1, (W - k)//stride + 1] where T: number {
  map n, c, i, j, r in k, s in k { x[n, c, i*stride + r, j*stride + s] >> y[n, c, i, j] (max) }
}

## One row per element of the first dimension.
fn flatten(x: T[N, C, H, W]) -> y: T[N, C*H*W] where T: any {
  map n, c, i, j { y[n, (c*H + i)*W + j] = x[n, c, i, j] }
}
