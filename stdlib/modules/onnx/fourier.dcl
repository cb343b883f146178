## The discrete Fourier transform along an axis, of numbers with a real and perhaps an imaginary
## part in the last dimension.
fn onnx_dft(x: T[*S], length: any = none, axis: int = -2; inverse: int = 0, onesided: int = 0)
    -> any where T: float {
  a = axis_of(axis, len(S))
  back = inverse == 1 and onesided == 1
  n = if length != none { length } else if back { 2*(S[a] - 1) } else { S[a] }
  if back { onnx_dft_real(x, a, n) } else { onnx_dft_along(x, a, n, inverse, onesided) }
}

## The same with the axis as an attribute.
fn onnx_dft_17(x: T[*S], length: any = none; axis: int = 1, inverse: int = 0, onesided: int = 0)
    -> any where T: float {
  onnx_dft(x, length, axis, inverse = inverse, onesided = onesided)
}

# exp(2 pi i k / n)
fn onnx_turn(k: i64, n: int) -> (c: f64, s: f64) {
  w = 6.28318530717958647692*f64(k % n)/n
  c = cos(w)
  s = sin(w)
}

# N coefficients, or the first half of them, of the first N elements along axis A, with zeros
# behind.
fn onnx_dft_along(x: T[*S], a: int, n: int, inverse: int, onesided: int)
    -> y: T[*S[:a], if onesided == 1 { n//2 + 1 } else { n }, *S[a + 1:len(S) - 1], 2]
    where T: float {
  K = if onesided == 1 { n//2 + 1 } else { n }
  Q = S[a + 1:len(S) - 1]
  s: f64[*S[:a], K, *Q, 2] = 0
  map *p in S[:a], k in K, *q in Q, j in min(n, S[a]) {
    c, d = onnx_turn(k*j, n)
    e = if inverse == 1 { d } else { -d }
    u = f64(x[*p, j, *q, 0])
    if proved(S[len(S) - 1] == 1) {
      u*c >> s[*p, k, *q, 0] (sum)
      u*e >> s[*p, k, *q, 1] (sum)
    } else {
      v = f64(x[*p, j, *q, 1])
      u*c - v*e >> s[*p, k, *q, 0] (sum)
      u*e + v*c >> s[*p, k, *q, 1] (sum)
    }
  }
  y = T(if inverse == 1 { s/n } else { s })
}

# The N real numbers whose coefficients begin with those of x, the others being their conjugates.
fn onnx_dft_real(x: T[*S], a: int, n: int) -> y: T[*S[:a], n, *S[a + 1:len(S) - 1], 1]
    where T: float {
  Q = S[a + 1:len(S) - 1]
  s: f64[*S[:a], n, *Q] = 0
  map *p in S[:a], j in n, *q in Q, k in min(n//2 + 1, S[a]) {
    c, d = onnx_turn(k*j, n)
    w = select(k == 0 or 2*k == n, f64(1), f64(2))
    w*(f64(x[*p, k, *q, 0])*c - f64(x[*p, k, *q, 1])*d) >> s[*p, j, *q] (sum)
  }
  map *p in S[:a], j in n, *q in Q { y[*p, j, *q, 0] = T(s[*p, j, *q]/n) }
}

## The transforms of parts of a signal, `step` apart, each times a window.
fn onnx_stft(x: T[B, N, C], step: int, window: T[W]? = none, length: int? = none; onesided: int = 1)
    -> any where T: float {
  L = if length != none { length } else if window != none { W } else { N }
  F = (N - L)//step + 1
  y: T[B, F, L, C]
  map b in B, f in F, l in L, c in C {
    v << x[b, f*step + l, c]
    y[b, f, l, c] = if window == none { v } else { v*window[l] }
  }
  onnx_dft_along(y, 2, L, 0, onesided)
}

## Weights that gather the coefficients of a transform of `dft` samples in bands of equal width in
## mel: triangles, each from the middle of the one before to that of the next one.
fn onnx_mel_weights(bands: int, dft: int, rate: int, low: float, high: float; t: dtype = f32)
    -> y: t[dft//2 + 1, bands] {
  y = 0
  first = 2595*log(1 + low/700)/log(10.0)
  last = 2595*log(1 + high/700)/log(10.0)
  width = (last - first)/(bands + 2)
  at = [onnx_mel_bin(first + i*width, dft, rate) for i in 0:bands + 2]
  for i in [i for i in 0:bands] {
    l = at[i]
    c = at[i + 1]
    h = at[i + 2]
    if c == l { y[c, i] = 1 }
    for j in [j for j in l:c + 1 if c > l] { y[j, i] = t((j - l)/(c - l)) }
    for j in [j for j in c:h] { y[j, i] = t((h - j)/(h - c)) }
  }
}

fn onnx_mel_bin(mel: float, dft: int, rate: int) -> int {
  fixed_truncated(floor((dft + 1)*(700*(exp(mel/2595*log(10.0)) - 1))/rate))
}
