# Layouts that are none, and where none stands.
x: f32[4] layout(n => n//2, n%2)
fn f(a: f32[N, C] layout(n => n), b: f32[N] layout(n, c => n, c)) -> f32[N] { b }
fn g(a: f32[N, C] layout(n, n => n, n)) -> f32[N, C] layout(n, c => c, n) { a }
fn h(inout a: f32[N] layout(n => n), b: list layout(n => n), c: f32 layout(n => n)) { a = 1 }
fn k(xs: f32[N][] layout(n => n)) -> y: f32[?] layout(n => n) { y = xs[0] }
fn l(a: f32[N, C]) -> f32[N, C] {
  b: f32[N, C] layout(n, c => n, c + 1)
  c: f32[N, C] layout(n, c => n, m//4, c%4)
  d: f32[N, C] layout(n, c => n, (c//4)//2, c%unknown)
  e: f32[N, C] layout(n, c => n%4, n//4, c//16 % 4, 2*c)
  a
}
