# Of one map two indices are parallel, and the range of the second hangs on the first.
# sizes: M = 5
fn f(x: f32[M, M]) -> y: f32[M, M] {
  map i, j { 0 >> y[i, j] }
  map l in M parallel, k in 0:l parallel { x[l, k] + 1 >> y[l, k] }
}
