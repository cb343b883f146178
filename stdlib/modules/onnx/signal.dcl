# a0 - a1 cos(2 pi i / n) + a2 cos(4 pi i / n), over n + 1 elements, without the last if periodic.
fn onnx_window(size: int, a: list, periodic: int, t: dtype) -> y: t[size] {
  n = if periodic == 1 { size } else { size - 1 }
  map i in size {
    w = 6.28318530717958647692*f64(i)/n
    y[i] = t(a[0] - a[1]*cos(w) + a[2]*cos(2*w))
  }
}

## Half a period of a squared sine.
fn onnx_hann_window(size: int; t: dtype = f32, periodic: int = 1) -> t[size] {
  onnx_window(size, [0.5, 0.5, 0.0], periodic, t)
}

## The same on a base.
fn onnx_hamming_window(size: int; t: dtype = f32, periodic: int = 1) -> t[size] {
  onnx_window(size, [25/46, 21/46, 0.0], periodic, t)
}

## With a second cosine.
fn onnx_blackman_window(size: int; t: dtype = f32, periodic: int = 1) -> t[size] {
  onnx_window(size, [0.42, 0.5, 0.08], periodic, t)
}

## The determinant of the last two dimensions, by elimination with the largest pivot of a column.
fn onnx_det(x: T[*P, N, N]) -> y: T[*P] where T: float {
  map *p in P {
    a: T[N, N]
    d: T = 1
    map i in N, j in N { a[i, j] = x[*p, i, j] }
    for k in 0:N {
      at: i64 = k
      for i in k + 1:N { if abs(a[i, k]) > abs(a[at, k]) { at = i } }
      if at != k {
        for j in 0:N {
          v = a[k, j] + T(0)
          a[k, j] = a[at, j]
          a[at, j] = v
        }
        d = -d
      }
      d = d*a[k, k]
      if a[k, k] != 0 {
        for i in k + 1:N {
          f = a[i, k]/a[k, k]
          for j in k:N { a[i, j] = a[i, j] - f*a[k, j] }
        }
      }
    }
    y[*p] = d
  }
}
