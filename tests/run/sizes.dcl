# Functions whose sizes the run finds, and resolutions by functions, for sizes.t.

fn positive(x: f32[N]) -> y: f32[?] {
  map i in N {
    v << x[i]
    if v > 0 { v >> y[?] }
  }
}
fn nothing(x: f32[_]) -> y: f32[?, 3] { }
fn pairs(x: f32[N]) -> (a: f32[?], n: f32[N], b: i64[?, 2]) {
  map i in N {
    n[i] = 2 * x[i]
    if x[i] > 0 { x[i] >> a[?] }
    map j in i {
      if x[i] > x[j] {
        pair: i64[2]
        pair[0] = i
        pair[1] = j
        pair >> b[?, :]
      }
    }
  }
}
fn collatz(n: i64) -> y: i64[?] {
  a = n
  while a > 1 {
    a = if a % 2 == 0 { a // 2 } else { 3 * a + 1 }
    a >> y[?]
  }
}
fn declared(n: i64[1]) -> (y: f32[?, 2], z: f32[?, ?]) {
  k << n[0]
  y: f32[k, 2] = 1
  y[0, :] = 5
  z: f32[k, k] = 2
}
fn made(n: i64[1]) -> f32[?, ?] {
  k << n[0]
  y: f32[k, k] = 1
  y + 1
}
fn known(x: f32[N]) -> (f32[?], f32[N]) { (x, x + 1) }
fn inside(x: f32[N, M]) -> s: f32[N] {
  map i in N {
    y: f32[?]
    map j in M {
      v << x[i, j]
      if v > 0 { v * 2 >> y[?] }
    }
    map k in y.shape[0] { s[i] += y[k] }
  }
}
fn chain(x: f32[_]) -> f32[?] { positive(positive(x) - 1) * 2 }
fn rows(x: f32[N, D], k: i64[_]) -> y: f32[?, D] where D > 0 {
  for i in 0:N {
    if x[i, 0] > 0 { x[i, :] >> y[?, :] }
  }
  map j { x[k[j], :] >> y[?, :] }
}
fn then_written(x: f32[N]) -> (y: f32[?], s: f32) {
  map i in N { if x[i] > 0 { x[i] >> y[?] } }
  y += 1
  s = sum(y)
}
fn halves(x: f16[N]) -> (y: f16[?], b: bool[?]) {
  map i in N {
    if x[i] > 0 {
      x[i] >> y[?]
      x[i] > 1 >> b[?]
    }
  }
}
fn returned(x: f32[N], c: bool) -> y: f32[?] {
  map i in N { if x[i] > 0 { x[i] >> y[?] } }
  if c { return }
  0.0 >> y[?]
}

fn larger(a: T, b: T) -> T where T: float { if b > a { b } else { a } }
fn last(a: T, b: T) -> T where T: any { b }
fn decayed(a: T, b: T) -> T where T: float { a * 0.5 + b }
fn row_largest(x: f32[N, _]) -> y: f32[N] {
  y = 0
  map i, j { x[i, j] >> y[i] (larger) }
}
fn column_over(x: f32[_, M]) -> y: f32[M] {
  y = 1
  map i, j { x[i, j] >> y[j] (decayed) }
}
fn all_over(x: f32[_, _]) -> y: f32 {
  y = 1
  map i, j { x[i, j] >> y (decayed) }
}
fn at_over(x: f32[N], k: i64[N]; n: int) -> y: f32[n] {
  y = 0
  map i { x[i] >> y[k[i]] (decayed) }
}
fn block_over(x: f32[N, M]) -> y: f32[M] {
  y = 0
  map i in N { x[i, :] >> y[:] (decayed) }
}
fn bits(x: u8[_]) -> y: u8 {
  y = 0
  map i { x[i] >> y (bit_xor) }
}
fn last_seen(x: i64[N]; n: int) -> y: i64[n] {
  y = -1
  map i in N { i64(i) >> y[x[i]] (last) }
}
