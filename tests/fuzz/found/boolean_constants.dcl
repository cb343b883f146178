# A constant before `and`, `or` decides while a text is read, so graphs print it as a scalar.
# sizes: N = 7
fn f(x: bool[N]) -> (y: bool[N], z: bool[N], w: bool[N]) {
  v = bool(false) or x
  map i { y[i] = bool(true) and v[i] }
  map i { z[i] = bool(true) or x[i] }
  map i { w[i] = x[i] or true }
  if bool(true) and x[3] { map i in N { false >> w[i] (and) } }
}
