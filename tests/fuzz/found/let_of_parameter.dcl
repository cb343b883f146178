# A value that a parameter has keeps its name when another value is given it.
# sizes: N = 9
fn g(x: T) -> T where T: float {
  a = f64(x)
  T(select(a < 0, -a, a)) + x
}
fn f(x: f64[N]) -> y: f64[N] { map i { y[i] = g(x[i]) } }
