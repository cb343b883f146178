# A read that is given a name gives back the one that it would have had: a container may have it.
# sizes: M = 32
fn h0(xs: bf16[S][]) -> y: bf16[S] {
  y = 0
  for x in [x * 2 for x in xs[:1] + xs if len(xs) > 1] { y += x }
}
fn f(x0: bf16[M], x1: f32[M, 8]) -> y3: f32[M] {
  for l in 1:3 {
    v4 = h0([x0, x0])
    y_v: f32 = x1[l, 1]
  }
  map l in M { y3[l] = 1 }
}
