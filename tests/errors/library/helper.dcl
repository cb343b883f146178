## Adds n to x, of 2 dimensions.
fn helped(x: f32[N, M], n: int) -> f32[N, M] { x + n }

fn refused(x: f32[N]; k: int) -> f32[N] {
  if k > 2 { error("k is " + str(k) + ", at most 2 expected") }
  x
}
