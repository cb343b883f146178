# check
# Rules that are none.
rewrite patterns {
  x => sin(x)
  3 => 4
  x[0] + 1 => x
  x.T + 1 => x
  (if true { x } else { y }) + 1 => x
  sin(x, y) => x
  conv2d(x, w, strid = 2) => x
  conv2d(x) => x
  nosuch(x) => x
  softmax(x, attrs = m) + softmax(y, attrs = m) => x
  softmax(x, attrs = x) => x
  _ + x => x
}
rewrite replacements {
  sin(x) => y
  sin(x) => nosuch(x)
  sin(x) => softmax(x, x)
  softmax(x, attrs = m) => m
  softmax(x, attrs = m) => x where k = m + 1
  sin(x) => k where k = j, j = x
  sin(x) => x where x = 1
  sin(x) => x when y > 1
  sin(x) => cos(x, attrs = m)
}
rewrite patterns {
  sin(x) => f32
}
fn wrong(x: f32[N]) -> f32[N] { cos(x) }
rewrite late { cos(x) => x @ x }
wrong(stack([1.0, 2]))
