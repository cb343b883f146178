## The mean (or, of each sample's largest tap, the largest) of samples of x in a grid over each of
## R regions, the corners of which are x, y, x, y.
fn onnx_roi_align(x: T[N, C, H, W], rois: T[R, 4], batch: i64[R];
    coordinate_transformation_mode: str = "half_pixel", mode: str = "avg", output_height: int = 1,
    output_width: int = 1, sampling_ratio: int = 0, spatial_scale: float = 1)
    -> y: T[R, C, output_height, output_width] where T: float {
  half = coordinate_transformation_mode == "half_pixel"
  o = if half { 0.5 } else { 0.0 }
  map r in R, c in C, i in output_height, j in output_width {
    left = f64(rois[r, 0])*spatial_scale - o
    top = f64(rois[r, 1])*spatial_scale - o
    w = onnx_roi_size(f64(rois[r, 2])*spatial_scale - o - left, half)/output_width
    h = onnx_roi_size(f64(rois[r, 3])*spatial_scale - o - top, half)/output_height
    ny = if sampling_ratio > 0 { i64(sampling_ratio) } else { i64(ceil(h)) }
    nx = if sampling_ratio > 0 { i64(sampling_ratio) } else { i64(ceil(w)) }
    s = if mode == "avg" { f64(0) } else { f64(-inf) }
    for u in 0:ny {
      for v in 0:nx {
        py = top + f64(i)*h + (f64(u) + 0.5)*h/f64(ny)
        px = left + f64(j)*w + (f64(v) + 0.5)*w/f64(nx)
        a, b, d, e = onnx_roi_taps(x, batch[r], c, py, px)
        s = if mode == "avg" { s + (a + b + d + e) } else { max(s, max(max(a, b), max(d, e))) }
      }
    }
    none_there = ny < 1 or nx < 1
    y[r, c, i, j] = if mode == "avg" {
      T(s/f64(max(ny*nx, 1)))
    } else {
      T(select(none_there, f64(0), s))
    }
  }
}

## The same as it was first, without half pixels.
fn onnx_roi_align_10(x: T[N, C, H, W], rois: T[R, 4], batch: i64[R];
    mode: str = "avg", output_height: int = 1, output_width: int = 1, sampling_ratio: int = 0,
    spatial_scale: float = 1) -> T[R, C, output_height, output_width] where T: float {
  onnx_roi_align(x, rois, batch, coordinate_transformation_mode = "output_half_pixel", mode = mode,
      output_height = output_height, output_width = output_width, sampling_ratio = sampling_ratio,
      spatial_scale = spatial_scale)
}

fn onnx_roi_size(n: f64, half: any) -> f64 { if half { n } else { max(n, 1) } }

# The elements around a place, each times its share; nothing more than a pixel outside.
fn onnx_roi_taps(x: T[N, C, H, W], n: i64, c: i64, py: f64, px: f64)
    -> (a: f64, b: f64, d: f64, e: f64) where T: float {
  out = py < -1 or py > H or px < -1 or px > W
  v = min(max(py, 0), H - 1.0)
  u = min(max(px, 0), W - 1.0)
  i = i64(floor(v))
  j = i64(floor(u))
  p = v - f64(i)
  q = u - f64(j)
  k = min(i + 1, H - 1)
  l = min(j + 1, W - 1)
  g = select(out, f64(0), f64(1))
  m = select(out, i64(0), n)
  a = g*(1 - p)*(1 - q)*f64(x[m, c, select(out, i64(0), i), select(out, i64(0), j)])
  b = g*(1 - p)*q*f64(x[m, c, select(out, i64(0), i), select(out, i64(0), l)])
  d = g*p*(1 - q)*f64(x[m, c, select(out, i64(0), k), select(out, i64(0), j)])
  e = g*p*q*f64(x[m, c, select(out, i64(0), k), select(out, i64(0), l)])
}

## A convolution whose taps lie where offsets move them, each perhaps times a number of its own: Zhu
## and others, 2018.
fn onnx_deform_conv(x: T[N, C, H, W], w: T[O, I, R, S], offset: T[N, _, P, Q], b: T[O]? = none,
    mask: T[N, _, P, Q]? = none; dilations: list? = none, group: int = 1, offset_group: int = 1,
    pads: list? = none, strides: list? = none) -> y: T[N, O, P, Q] where T: float {
  d = if dilations == none { [1, 1] } else { dilations }
  p = if pads == none { [0, 0, 0, 0] } else { pads }
  t = if strides == none { [1, 1] } else { strides }
  s: f64[N, C, R, S, P, Q]
  map n in N, c in C, r in R, k in S, i in P, j in Q {
    tap = (c//(C//offset_group)*R + r)*S + k
    v = f64(i*t[0] - p[0] + r*d[0]) + f64(offset[n, 2*tap, i, j])
    u = f64(j*t[1] - p[1] + k*d[1]) + f64(offset[n, 2*tap + 1, i, j])
    a = onnx_between(x, n, c, v, u)
    s[n, c, r, k, i, j] = if mask == none { a } else { a*f64(mask[n, tap, i, j]) }
  }
  z: f64[N, O, P, Q] = 0
  map n in N, o in O, i in P, j in Q, c in I, r in R, k in S {
    s[n, o//(O//group)*I + c, r, k, i, j]*f64(w[o, c, r, k]) >> z[n, o, i, j] (sum)
  }
  map n in N, o in O, i in P, j in Q {
    y[n, o, i, j] = if b == none { T(z[n, o, i, j]) } else { T(z[n, o, i, j] + f64(b[o])) }
  }
}

# x at a place between its elements, linearly, with zeros around.
fn onnx_between(x: T[N, C, H, W], n: i64, c: i64, v: f64, u: f64) -> f64 where T: float {
  i = i64(floor(v))
  j = i64(floor(u))
  p = v - f64(i)
  q = u - f64(j)
  (1 - p)*((1 - q)*f64(x[n, c, i, j, else 0]) + q*f64(x[n, c, i, j + 1, else 0])) +
      p*((1 - q)*f64(x[n, c, i + 1, j, else 0]) + q*f64(x[n, c, i + 1, j + 1, else 0]))
}
