# A map cannot rebind what belongs to an outer scope.
fn rebinds(x: f32[N]) -> y: f32[N] {
  total = 0.0
  map i {
    total = total + x[i]
    total << x[i]
    x = y
    total += 1
    y[i] = x[i]
    for k in 0:3 { total = 1.0 }
  }
}
fn returns(x: f32[N]) -> f32[N] {
  map i in N { return x }
}
fn fine(x: f32[N]) -> y: f32[N] {
  c: f32
  x = x + 1
  for t in 0:3 { x = x * 2 }
  map i in N {
    v = x[i]
    for k in 0:3 { v = v * 2 }
    if v > 1 { v = 1.0 }
    v >> y[i]
    c += 3
  }
}
