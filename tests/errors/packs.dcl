# Packs as lists: what is wrong in them, and which ranges they leave open.
fn unknown(x: f32[*S]) -> f32[*R[1:]] { x }
fn given(x: f32[*S], y: f32[*Q[1:]]) -> f32[*S] { x }
fn range(x: f32[*S], y: f32[2, 3]) -> z: f32[*S] {
  map *b in S, j { z[*b] = y[*b[:1], j] }
}
fn two(x: f32[*S, N]) -> z: f32[*S, N, *S] {
  map *p in S, i, *q in S { z[*p, i, *q] = 0 }
}
fn between(x: f32[M, *S], a: f32[*S, *S]) -> f32[*S[2]] { x }
