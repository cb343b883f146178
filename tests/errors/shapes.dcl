# check
# Shapes and element types, found when a function is defined: dimensions are symbols.
fn product(x: f32[B, 784], W: f32[128, 10]) -> f32[B, 10] { x @ W }
fn sides(x: f32[N], y: f32[N + 1]) -> f32[N] { x + y }
fn broadcast(x: f32[2, 3], y: f32[4, 3]) -> f32[2, 3] { x * y }
fn two_symbols(x: f32[N], y: f32[M]) -> f32[N] { x + y }
fn result(x: f32[N, M]) -> f32[N] { x }
fn result_type(x: f32[N]) -> f64[N] { x }
fn integer_result(x: f32) -> i64 { x }
fn results(x: f32[N]) -> (f32[N], f32[N]) { x }
fn mixed(x: f32[N], y: f64[N]) -> f32[N] { x + y }
fn halves(x: f16[N], y: bf16[N]) -> f16[N] { x * y }
fn signs(x: i32[N], y: u32[N]) -> i32[N] { x + y }
fn sizes(x: i8[N], y: u8[N]) -> bool[N] { x < y }
fn fraction(x: i32[N]) -> i32[N] { x + 0.5 }
fn bits(x: f32[N]) -> f32[N] { bit_and(x, 1) }
fn logic(x: f32[N]) -> bool[N] { x and true }
fn negated(x: bool[N]) -> bool[N] { -x }
fn quotient(x: i32[N]) -> i32[N] { x / 2 }
fn root(x: i64[N]) -> i64[N] { sqrt(x) }
fn chosen(x: f32[N]) -> f32[N] { select(x, x, 0) }
fn filled(x: f32[N]) -> f32[N] {
  c: f32[N + 1] = x
  x
}
fn stored(x: f32[N]) -> y: i32[N] { map i { y[i] = x[i] } }
fn whole(x: f32[N]) -> y: f32[N, 2] { y = x }
fn part(x: f32[4]) -> y: f32[4] {
  y = 0
  y[0:2] = x[0:3]
}
fn rank(x: f32[N]) -> f32[N] { x @ x.T }
fn callee(x: f32[K, K]) -> f32[K] { x[0, :] }
fn called(x: f32[N, M]) -> f32[M] { callee(x) }
fn ranks(x: f32[N]) -> f32[N] { callee(x) }
fn wants_int(k: i64[N]) -> i64[N] { k }
fn given_float(x: f32[N]) -> i64[N] { wants_int(x) }
fn member(x: f32[N]) -> f32[N] { x.size }
fn scalar_call(a: f32, b: f32) -> f32 { a * b }
fn lifted(x: f32[3], y: f32[4]) -> f32[3] { scalar_call(x, y) }
fn lifted_type(x: f32[3], y: i64[3]) -> f32[3] { scalar_call(x, y) }
fn branches(x: f32[3]) -> f32[3] { if x[0] > 0 { x } else { x[1:] } }
fn branch_types(x: f32[3], k: i64[3]) -> f32[3] { if x[0] > 0 { x } else { k } }
fn kinds(x: f32[3]) -> f32[3] { if x[0] > 0 { x } else { (x, x) } }
fn nothing(x: f32[3]) -> f32[3] { if x[0] > 0 { x } }
fn condition(x: f32[3]) -> f32[3] { if x { x } else { x } }
fn number(x: f32) -> f32 { if x { 1.0 } else { 2.0 } }
fn later(x: f32[2 * N + 1], y: f32[N]) -> f32[N] { x + y }
