## 3 x 3 convolution, stride 1, padding 1, in blocks of 16 channels: x[n, c//16, h, w, c%16],
## w[o//16, c//16, r, s, c%16, o%16]. Register tiles of `px` pixels of a row x 16 outputs.
fn conv3x3_blocked(x: f32[N, CB, H, W, 16], w: f32[OB, CB, 3, 3, 16, 16]; px: int = 4)
    -> y: f32[N, OB, H, W, 16] {
  map n in N parallel, ob in OB parallel, i in H parallel {
    map jo in 0:W:px {
      acc: f32[px, 16] in register = 0
      map cb in CB seq {
        map r in max(0, 1 - i):min(3, H + 1 - i) seq, s in 3 seq {
          map c in 16 unroll(4), j in px unroll, o in 16 vector {
            acc[j, o] += x[n, cb, i + r - 1, jo + j + s - 1, c, else 0] * w[ob, cb, r, s, c, o]
          }
        }
      }
      map j in px unroll, o in 16 vector { acc[j, o] >> y[n, ob, i, jo + j, o, else _] }
    }
  }
}

## x with its padding, its columns parted by their remainder modulo `stride` and filled with zeros
## up to `columns`: what the kernels below read in whole vectors.
fn padded(x: f32[N, C, H, _]; pad: int, stride: int, columns: int)
    -> p: f32[N, C, H + 2*pad, stride, columns] {
  map n in N parallel, c in C parallel, i in H + 2*pad, q in stride, j in columns vector {
    p[n, c, i, q, j] = x[n, c, i - pad, j*stride + q - pad, else 0]
  }
}

## Two-dimensional convolution of any stride, padding and dilation, of images as they are: register
## tiles of `rows` output channels x `v` columns of a row.
fn conv2d_direct(x: f32[N, C, H, W], w: f32[O, C, R, S];
    stride: int = 1, pad: int = 0, dilation: int = 1, rows: int = 8, v: int = lanes(f32))
    -> y: f32[N, O, (H + 2*pad - dilation*(R - 1) - 1)//stride + 1,
        (W + 2*pad - dilation*(S - 1) - 1)//stride + 1] {
  OH = y.shape[2]
  OW = y.shape[3]
  p = padded(x, pad = pad, stride = stride, columns = (OW + v - 1)//v*v + dilation*(S - 1)//stride)
  map n in N parallel, oo in 0:O:rows parallel {
    map i in OH, jo in 0:OW:v {
      acc: f32[rows, v] in register = 0
      map c in C seq, r in R seq, s in S seq, o in rows unroll, j in v vector {
        acc[o, j] += w[min(oo + o, O - 1), c, r, s] *
            p[n, c, i*stride + r*dilation, s*dilation % stride, jo + j + s*dilation//stride]
      }
      map o in rows unroll, j in v vector { acc[o, j] >> y[n, oo + o, i, jo + j, else _] }
    }
  }
}

grad conv2d_direct(x: f32[N, C, H, W], w: f32[O, C, R, S], dy: f32[N, O, _, _];
    stride: int = 1, pad: int = 0, dilation: int = 1)
    -> (dx: f32[N, C, H, W], dw: f32[O, C, R, S]) {
  dw = conv2d_weights(x, dy, R, S, stride, pad, dilation)
  around = dilation*(R - 1) - pad
  if stride == 1 and proved(R == S) and proved(around >= 0) {
    dx = conv2d_direct(dy, turned(w), pad = around, dilation = dilation)
  } else {
    rest = [(n + 2*pad - dilation*(k - 1) - 1) % stride for n, k in zip([H, W], [R, S])]
    dx = conv_transpose(dy, w, stride = stride, pad = pad, dilation = dilation, extra = rest)
  }
}

## w for the convolution of what conv2d gives back to its input: channels exchanged, both window
## dimensions in opposite order.
fn turned(w: f32[O, C, R, S]) -> q: f32[C, O, R, S] {
  map c, o, r, s { q[c, o, r, s] = w[o, c, R - 1 - r, S - 1 - s] }
}

## The gradient of conv2d by its weights: x with itself moved, times dy. Tiles of 3 x 4 channels,
## each element a vector of partial sums along the columns.
fn conv2d_weights(x: f32[N, C, H, W], dy: f32[N, O, OH, OW], R: i64, S: i64, stride: int, pad: int,
    dilation: int; v: int = lanes(f32)) -> dw: f32[O, C, R, S] {
  p = padded(x, pad = pad, stride = stride, columns = (OW + v - 1)//v*v + dilation*(S - 1)//stride)
  map oo in 0:O:3 parallel, co in 0:C:4 parallel, r in R, s in S {
    acc: f32[3, 4, v] in register = 0
    map n in N seq, i in OH seq, jo in 0:OW:v seq, c in 4 unroll, o in 3 unroll, j in v vector {
      acc[o, c, j] += dy[n, min(oo + o, O - 1), i, jo + j, else 0] *
          p[n, min(co + c, C - 1), i*stride + r*dilation, s*dilation % stride,
          jo + j + s*dilation//stride]
    }
    map o in 3 unroll, c in 4 unroll {
      sum: f32 in register
      map j in v vector { acc[o, c, j] >> sum (sum) }
      sum >> dw[oo + o, co + c, r, s, else _]
    }
  }
}

## The same with one input channel for each output channel, O//C of them from each.
fn conv2d_depthwise(x: f32[N, C, H, W], w: f32[O, 1, R, S];
    stride: int = 1, pad: int = 0, dilation: int = 1, rows: int = 4, v: int = lanes(f32))
    -> y: f32[N, O, (H + 2*pad - dilation*(R - 1) - 1)//stride + 1,
        (W + 2*pad - dilation*(S - 1) - 1)//stride + 1] {
  OH = y.shape[2]
  OW = y.shape[3]
  p = padded(x, pad = pad, stride = stride, columns = (OW + v - 1)//v*v + dilation*(S - 1)//stride)
  map n in N parallel, o in O parallel {
    map io in 0:OH:rows, jo in 0:OW:v {
      acc: f32[rows, v] in register = 0
      map r in R seq, s in S seq, i in rows unroll, j in v vector {
        acc[i, j] += w[o, 0, r, s] * p[n, o//(O//C), min(io + i, OH - 1)*stride + r*dilation,
            s*dilation % stride, jo + j + s*dilation//stride]
      }
      map i in rows unroll, j in v vector { acc[i, j] >> y[n, o, io + i, jo + j, else _] }
    }
  }
}
