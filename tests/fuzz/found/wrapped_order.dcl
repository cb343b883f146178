# Arithmetic on data wraps: no order follows from it, and no subscript is inside because of it.
# sizes: N = 33, M = 7
# special: x = 1
fn f(x: i64[N], t: f32[M]) -> (y: bool[N], z: i64[N], w: f32[N]) {
  map i {
    v << x[i]
    y[i] = v + 1 > v
    z[i] = select(v - 1 < v, v, 0)
    w[i] = 0
    if v + 1 < 5 {
      w[i] = t[v, else 2]
    }
  }
}
