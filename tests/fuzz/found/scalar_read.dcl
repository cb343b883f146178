# The name of a number is read as a tensor without dimensions is.
# sizes: M = 4
fn h(u: T, w: T) -> T where T: int { bit_and(max(bit_not(w), min(u, w)), w * w) }
fn f(x0: i32[M]) -> (y: i32[M], z: f32) {
  map i {
    v = h(x0[i], x0[i] + 1)
    u << v
    c: i32 << v
    c += u
    y[i] = c
  }
  three = 3
  w << three
  d: f32 << w
  z = d
}
