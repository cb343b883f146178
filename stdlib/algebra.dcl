## The lower triangle L with L L^T = A, for symmetric positive definite A (of which the lower half
## is read); NaN where it is not.
## `cholesky(A)` with A: f32[2, 2] = [[4, 2], [2, 10]] is `[[2, 0], [1, 3]]`
fn cholesky(A: T[*P, N, N]) -> L: T[*P, N, N] where T: float {
  L = 0
  map *p in P {
    for j in 0:N {
      s: T = 0
      map k in 0:j { L[*p, j, k] * L[*p, j, k] >> s (sum) }
      d = sqrt(A[*p, j, j] - s)
      L[*p, j, j] = d
      for i in j + 1:N {
        t: T = 0
        map k in 0:j { L[*p, i, k] * L[*p, j, k] >> t (sum) }
        L[*p, i, j] = (A[*p, i, j] - t) / d
      }
    }
  }
}

## X with A X = B, where A is a triangle: the lower one, or the upper with `upper`; of `unit`, the
## diagonal counts as ones. What lies on the other side is not read.
## `solve_triangular(A, B)` with A: f32[2, 2] = [[2, 0], [1, 3]], B: f32[2, 1] = [[4], [8]] is
## `[[2], [2]]`
fn solve_triangular(A: T[*P, N, N], B: T[*P, N, M]; upper: bool = false, unit: bool = false)
    -> X: T[*P, N, M] where T: float {
  X = 0
  map *p in P, m in M {
    for k in 0:N {
      i = if upper { N - 1 - k } else { k }
      s: T = 0
      if upper {
        map j in i + 1:N { A[*p, i, j] * X[*p, j, m] >> s (sum) }
      } else {
        map j in 0:i { A[*p, i, j] * X[*p, j, m] >> s (sum) }
      }
      v = B[*p, i, m] - s
      X[*p, i, m] = if unit { v } else { v / A[*p, i, i] }
    }
  }
}

## Q with orthonormal columns and an upper triangle R with Q R = A, for M >= N: Gram and Schmidt,
## each column twice (Kahan). The diagonal of R is not negative.
## `q, r = qr(A)` with A: f32[3, 2]
fn qr(A: T[*P, M, N]) -> (Q: T[*P, M, N], R: T[*P, N, N]) where T: float {
  Q = A
  R = 0
  map *p in P {
    for j in 0:N {
      for twice in 0:2 {
        for k in 0:j {
          s: T = 0
          map i in M { Q[*p, i, k] * Q[*p, i, j] >> s (sum) }
          map i in M { Q[*p, i, j] = Q[*p, i, j] - s * Q[*p, i, k] }
          R[*p, k, j] = R[*p, k, j] + s
        }
      }
      n: T = 0
      map i in M { Q[*p, i, j] * Q[*p, i, j] >> n (sum) }
      d = sqrt(n)
      R[*p, j, j] = d
      map i in M { Q[*p, i, j] = select(d == 0, T(0), Q[*p, i, j] / d) }
    }
  }
}

## X with A X = B, by elimination with the largest pivot of each column; infinite or NaN where A has
## no inverse.
## `solve(A, B)` with A: f32[2, 2] = [[0, 2], [1, 1]], B: f32[2, 1] = [[4], [5]] is `[[3], [2]]`
fn solve(A: T[*P, N, N], B: T[*P, N, M]) -> X: T[*P, N, M] where T: float {
  X = B
  U: T[*P, N, N] = A
  map *p in P {
    for j in 0:N {
      at = i64(0)
      top = T(-1)
      for i in j:N {
        v = abs(U[*p, i, j])
        larger = v > top
        at = select(larger, i64(i), at)
        top = select(larger, v, top)
      }
      for k in 0:N {
        a << U[*p, j, k]
        b << U[*p, at, k]
        U[*p, j, k] = b
        U[*p, at, k] = a
      }
      for m in 0:M {
        a << X[*p, j, m]
        b << X[*p, at, m]
        X[*p, j, m] = b
        X[*p, at, m] = a
      }
      for i in j + 1:N {
        f = U[*p, i, j] / U[*p, j, j]
        for k in j:N { U[*p, i, k] = U[*p, i, k] - f * U[*p, j, k] }
        for m in 0:M { X[*p, i, m] = X[*p, i, m] - f * X[*p, j, m] }
      }
    }
    for r in 0:N {
      i = N - 1 - r
      for m in 0:M {
        s = X[*p, i, m]
        for k in i + 1:N { s = s - U[*p, i, k] * X[*p, k, m] }
        X[*p, i, m] = s / U[*p, i, i]
      }
    }
  }
}

## The inverse of A, by solve.
## `inverse(A)` with A: f32[2, 2] = [[0, 2], [1, 1]] is `[[-0.5, 1], [0.5, 0]]`
fn inverse(A: T[*P, N, N]) -> T[*P, N, N] where T: float { solve(A, identity(N, t = T)) }

## The n x n matrix with ones on the diagonal and 0 elsewhere.
## `identity(2)` is `[[1, 0], [0, 1]]`
fn identity(n: int; t: dtype = f32) -> y: t[n, n] { map i in n, j in n { y[i, j] = t(i == j) } }

# The smallest prime factor of n that is not below `from`.
fn prime_factor(n: int, from: int) -> int {
  if from * from > n { n } else if n % from == 0 { from } else { prime_factor(n, from + 1) }
}

## The discrete Fourier transform of the last dimension, of numbers a + b i; `inverse` with the sign
## turned and divided by N. In steps of N's prime factors (Cooley and Tukey, 1965): N is known.
## `re, im = fft(x, 0*x)` with x: f32[4] = [1, 2, 3, 4] is `[10, -2, -2, -2], [0, 2, 0, -2]`
fn fft(a: T[*S, N], b: T[*S, N]; inverse: bool = false) -> (T[*S, N], T[*S, N]) where T: float {
  x, y = fft_steps(a, b, if inverse { 1 } else { -1 })
  if inverse { (x / T(N), y / T(N)) } else { (x, y) }
}

# The transform with the sign of its exponent, not divided.
fn fft_steps(a: T[*S, N], b: T[*S, N], sign: int) -> (T[*S, N], T[*S, N]) where T: float {
  if N == 1 { return (a, b) }
  p = prime_factor(N, 2)
  m = N//p
  u: T[*S, p, m]
  v: T[*S, p, m]
  map *s in S, r in p, j in m {
    u[*s, r, j] = a[*s, j*p + r]
    v[*s, r, j] = b[*s, j*p + r]
  }
  c, d = fft_steps(u, v, sign)
  x: T[*S, N] = 0
  y: T[*S, N] = 0
  w: T[N] = 0
  z: T[N] = 0
  map k in N {
    t = f64(sign) * 6.28318530717958647693 * f64(k) / f64(N)
    w[k] = T(cos(t))
    z[k] = T(sin(t))
  }
  map *s in S, k in N, r in p {
    c[*s, r, k % m] * w[k*r % N] - d[*s, r, k % m] * z[k*r % N] >> x[*s, k] (sum)
    c[*s, r, k % m] * z[k*r % N] + d[*s, r, k % m] * w[k*r % N] >> y[*s, k] (sum)
  }
  (x, y)
}
