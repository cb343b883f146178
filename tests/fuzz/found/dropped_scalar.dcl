# What follows a dropped write moves behind it, with its reads; one without dimensions is never
# outside.
# sizes: N = 5, M = 3
fn f(x: f32[N], s: f32, m: f32[M]) -> z: f32[N] {
  t: f32
  s * s >> t
  y: f32[N]
  map io in 0:N:4, i in 4 { x[io + i, else 0] + m[0] >> y[io + i, else _] }
  map k in N {
    a << y[k]
    b << t
    a * b >> z[k]
  }
}
