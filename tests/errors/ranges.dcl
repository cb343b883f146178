# Ranges of bare indices.
fn unknown(x: f32[N]) -> y: f32[N] {
  map i { y[2 * i] = x[i + 1] }
}
fn pack(x: f32[*S]) -> y: f32[*S] {
  map *b { y[:] = x }
}
fn inner(x: f32[N]) -> y: f32[N] {
  map i, j in N {
    c: f32[4]
    c[i] = x[j]
    c[0] >> y[j]
  }
}
fn told_once(x: f32[N]) -> y: f32[N] {
  map i { yy[i] = 1 }
}
fn shape(x: f32[*S]) -> y: f32[*S] {
  map i, *b in S { y[*b] = x[*b] * S[i] }
}
