# What is known only when it runs may be in a list, and equal to a number in one.
# sizes: N = 3
# special: p = 2
fn f(p: i64, x: f32[N]) -> (a: bool, b: bool, c: bool, d: bool) {
  a = abs(p) in [0, 2, -1]
  b = x[1] in [0, 2.5, -1]
  c = [abs(p), 1] == [2, 1]
  d = N in [2.0, 3.0]
}
