# check
# Layouts whose numbers do not fit.
fn gap(a: f32[N] layout(n => n//16, n%8)) -> f32[N] { a }
fn overlap(a: f32[N] layout(n => n//8, n%16)) -> f32[N] { a }
fn twice(a: f32[N] layout(n => n, n)) -> f32[N] { a }
fn missing(a: f32[N, C] layout(n, c => n, n%2)) -> f32[N, C] { a }
fn nothing(a: f32[N, C]) -> y: f32[N, C] layout(n, c => c) { y = a }
fn negative(a: f32[N, C]) -> f32[N, C] {
  b: f32[N, C] layout(n, c => n//-4, n%-4, c)
  c: f32[N, C] layout(n, c => n//0, n, c%0)
  a
}
fn fraction(a: f32[N, C]) -> f32[N, C] {
  b: f32[N, C] layout(n, c => n//2.5, n, c%2)
  a
}
fn symbol(a: f32[N, C] layout(n, c => n, c//N, c%N)) -> f32[N, C] { a }
fn three(a: f32[N]) -> f32[N] {
  b: f32[N] layout(n => n//64, n//16%2, n%16)
  c: f32[N] layout(n => n//64, n//16%4, n%16) = a
  c
}
fn many(a: f32[N]) -> f32[N] {
  b: f32[N] layout(n => n%2, n//2%2, n//4%2, n//8%2, n//16%2, n//32%2, n//64%2, n//128%2,
                   n//256%2, n//512%2, n//1024%2, n//2048%2, n//4096%2, n//8192%2, n//16384%2,
                   n//32768%2, n//65536)
  a
}
fn unwritten(a: f32[N]) -> f32[N] {
  b: f32[N] layout(n => n//4, n%4)
  c = b[0] + 1
  b = a
  b * c
}
layer L(n: int, block: int) {
  param w: f32[n] layout(i => i//block, i%8) ~ zeros
  fn forward(x: f32[n]) -> f32[n] { w }
}
