## c[0] x^n + ... + c[n] for the n + 1 numbers of c, by Horner's rule.
## `horner(2.0, c = [1, 0, -1])` is `3`
fn horner(x: T; c: list) -> T where T: float {
  p = T(c[0])
  for k in c[1:] { p = p * x + T(k) }
  p
}

## -1, 0 or 1; a 0 keeps its sign, NaN gives NaN.
## `sign(x)` with x: f32[3] = [-2.5, 0, 3] is `[-1, 0, 1]`
fn sign(x: T) -> T where T: number { select(x > 0, T(1), select(x < 0, T(-1), x)) }

## The least whole number that is not below x.
## `ceil(x)` with x: f32[3] = [-1.5, 1, 1.5] is `[-1, 1, 2]`
fn ceil(x: T) -> T where T: float { -floor(-x) }

## x without its fraction.
## `trunc(x)` with x: f32[3] = [-1.5, 1, 1.5] is `[-1, 1, 1]`
fn trunc(x: T) -> T where T: float { select(x < 0, -floor(-x), floor(x)) }

## x * x.
## `square(-3.0)` is `9`
fn square(x: T) -> T where T: number { x * x }

## 1 / x; inf of 0.
## `reciprocal(4.0)` is `0.25`
fn reciprocal(x: T) -> T where T: float { 1 / x }

## 1 / sqrt(x); inf of 0, NaN below 0.
## `rsqrt(4.0)` is `0.5`
fn rsqrt(x: T) -> T where T: float { 1 / sqrt(x) }

## The magnitude of x with the sign of s; of s only its being below 0 counts.
## `with_sign(3.0, -0.5)` is `-3`
fn with_sign(x: T, s: T) -> T where T: float { select(s < 0, -abs(x), abs(x)) }

# x with a sign of 0 where it is 0: what polynomials of differences lose.
fn keep_zero(y: T, x: T) -> T where T: float { select(x == 0, x, y) }

## sqrt(x*x + y*y) without overflow on the way; inf if x or y is infinite.
## `hypot(3.0, 4.0)` is `5`
fn hypot(x: T, y: T) -> T where T: float {
  a = max(abs(x), abs(y))
  b = min(abs(x), abs(y))
  r = b / a
  h = select(a == 0, a, a * sqrt(1 + r * r))
  select(abs(x) == inf or abs(y) == inf, T(inf), h)
}

# 2^n for whole n between -1100 and 1100.
fn power_of_two(n: f64) -> f64 {
  p = f64(1)
  rest = abs(n)
  base = select(n < 0, f64(0.5), f64(2))
  for k in 0:11 unroll {
    half = floor(rest * 0.5)
    p = select(rest - 2 * half > 0, p * base, p)
    base = base * base
    rest = half
  }
  p
}

# x = n pi/2 + r with |r| <= pi/4: r and n modulo 4. Up to 10^6 by Cody and Waite (1980), beyond by
# the bits of 2/pi that matter (Payne and Hanek, 1983), in products of 24 bits, which are exact; so
# is what is left of them between -2 and 2, of small negative ones too.
# Exact to a float of 24 bits everywhere; of 53 bits up to 10^6, then to 1e-15 absolutely.
fn quarter_turns(x: f64) -> (r: f64, q: f64) {
  n = round(x * 0.63661977236758134308)
  a = x - n * 1.5707963267341256142
  a = a - n * 6.0771005063039659766e-11
  a = a - n * 2.0222662487111664558e-21
  a = a - n * 8.478427660368899644e-32
  if abs(x) > 1e6 {
    s = f64(0)
    n = f64(0)
    scale = f64(1)
    high = f64(f32(x * 0.5)) * 2
    low = x - high
    for c in [10680707, 7228996, 1387004, 2578385, 16069853, 12639074, 9804092, 4427841, 16670720] {
      scale = scale * 0.000000059604644775390625
      for part in [high, low] {
        p = part * (f64(c) * scale)
        p = p - 4 * round(p * 0.25)
        s = s + p
        j = round(s)
        s = s - j
        n = n + j
      }
    }
    a = s * 1.57079632679489661923
  }
  r = a
  q = n - 4 * floor(n * 0.25)
}

# The sine of an angle r between -pi/4 and pi/4: Taylor's series.
fn sine_kernel(r: f64) -> f64 {
  u = r * r
  r + r * u * horner(u, c = [2.8114572543455206e-15, -7.6471637318198164e-13,
      1.6059043836821613e-10, -2.5052108385441719e-8, 2.7557319223985893e-6, -1.9841269841269841e-4,
      8.3333333333333333e-3, -0.16666666666666667])
}

# The cosine of an angle r between -pi/4 and pi/4: Taylor's series.
fn cosine_kernel(r: f64) -> f64 {
  u = r * r
  1 - u * 0.5 + u * u * horner(u, c = [4.7794773323873853e-14, -1.1470745597729725e-11,
      2.0876756987868099e-9, -2.7557319223985893e-7, 2.4801587301587302e-5, -1.3888888888888889e-3,
      4.1666666666666667e-2])
}

## The sine of x radians; NaN of infinities.
## `sin(1.0)` is `0.841471`
fn sin(x: T) -> T where T: float {
  r, q = quarter_turns(f64(x))
  odd = q == 1 or q == 3
  v = select(odd, cosine_kernel(r), sine_kernel(r))
  keep_zero(T(select(q >= 2, -v, v)), x)
}

## The cosine of x radians; NaN of infinities.
## `cos(1.0)` is `0.5403023`
fn cos(x: T) -> T where T: float {
  r, q = quarter_turns(f64(x))
  odd = q == 1 or q == 3
  v = select(odd, sine_kernel(r), cosine_kernel(r))
  T(select(q == 1 or q == 2, -v, v))
}

## The tangent of x radians; NaN of infinities.
## `tan(1.0)` is `1.5574077`
fn tan(x: T) -> T where T: float {
  r, q = quarter_turns(f64(x))
  odd = q == 1 or q == 3
  s = sine_kernel(r)
  c = cosine_kernel(r)
  keep_zero(T(select(odd, -c / s, s / c)), x)
}

# Of an angle between 0 and pi/2, in f64: atan(y / x) for y, x >= 0.
fn first_quadrant(y: f64, x: f64) -> f64 {
  steep = y > x
  a = select(steep, x, y)
  b = select(steep, y, x)
  far = a > b * 0.41421356237309504880
  t = select(b == 0, f64(0), select(far, (a - b) / (a + b), a / b))
  u = t * t
  v = t * horner(u, c = [-0.0178053972054194452, 0.0379652574538659362, -0.0503510245660155184,
      0.0584687829733087252, -0.0666295181362919009, 0.0769204533090222495, -0.0909089680906402708,
      0.111111107449196582, -0.142857142792502449, 0.199999999999408915, -0.333333333333331212,
      1.0])
  v = select(far, 0.78539816339744830962 + v, v)
  select(steep, 1.57079632679489661923 - v, v)
}

## The angle whose tangent is x, from -pi/2 to pi/2.
## `atan(1.0)` is `0.7853982`
fn atan(x: T) -> T where T: float {
  a = abs(f64(x))
  v = select(a == inf, f64(1.57079632679489661923), first_quadrant(a, f64(1)))
  v = select(x == x, v, f64(x))
  keep_zero(T(select(x < 0, -v, v)), x)
}

## The angle of the point (x, y), from -pi to pi; y comes first, as in C.
## `atan2(1.0, -1.0)` is `2.3561945`
fn atan2(y: T, x: T) -> T where T: float {
  a = abs(f64(y))
  b = abs(f64(x))
  both = a == inf and b == inf
  v = first_quadrant(select(both, f64(1), select(b == inf, f64(0), select(a == inf, f64(1), a))),
      select(both, f64(1), select(a == inf, f64(0), select(b == inf, f64(1), b))))
  left = x < 0 or (x == 0 and 1 / x < 0)
  v = select(left, 3.14159265358979323846 - v, v)
  below = y < 0 or (y == 0 and 1 / y < 0)
  v = select(below, -v, v)
  T(select(x == x and y == y, v, f64(x) + f64(y)))
}

## The angle whose sine is x, from -pi/2 to pi/2; NaN outside of -1 .. 1.
## `asin(1.0)` is `1.5707964`
fn asin(x: T) -> T where T: float {
  a = abs(f64(x))
  v = first_quadrant(a, sqrt((1 - a) * (1 + a)))
  v = select(a <= 1, v, f64(nan))
  keep_zero(T(select(x < 0, -v, v)), x)
}

## The angle whose cosine is x, from 0 to pi; NaN outside of -1 .. 1.
## `acos(0.5)` is `1.0471976`
fn acos(x: T) -> T where T: float {
  a = abs(f64(x))
  v = first_quadrant(sqrt((1 - a) * (1 + a)), a)
  v = select(x < 0, 3.14159265358979323846 - v, v)
  T(select(a <= 1, v, f64(nan)))
}

# exp(x) - 1: Taylor's series where x is near 0.
fn expm1_double(x: f64) -> f64 {
  near = x + x * x * horner(x, c = [7.6471637318198164e-13, 1.1470745597729725e-11,
      1.6059043836821613e-10, 2.0876756987868099e-9, 2.5052108385441719e-8, 2.7557319223985891e-7,
      2.7557319223985893e-6, 2.4801587301587302e-5, 1.9841269841269841e-4, 1.3888888888888889e-3,
      8.3333333333333333e-3, 4.1666666666666667e-2, 0.16666666666666667, 0.5])
  select(abs(x) < 0.5, near, exp(x) - 1)
}

# Kahan's way: what 1 + x loses of x is lost of the logarithm, too.
fn log1p_double(x: f64) -> f64 {
  u = 1 + x
  d = u - 1
  v = select(d == 0, x, log(u) * (x / d))
  select(x == inf, x, v)
}

## exp(x) - 1, exact for small x.
## `expm1(0.001)` is `0.0010005002`
fn expm1(x: T) -> T where T: float { keep_zero(T(expm1_double(f64(x))), x) }

## log(1 + x), exact for small x; -inf at -1, NaN below.
## `log1p(0.001)` is `0.0009995003`
fn log1p(x: T) -> T where T: float { keep_zero(T(log1p_double(f64(x))), x) }

## 2 to the x.
## `exp2(-1.5)` is `0.35355338`
fn exp2(x: T) -> T where T: float {
  a = min(max(f64(x), -1090), 1090)
  n = round(a)
  h = floor(n * 0.5)
  v = exp((a - n) * 0.69314718055994530942) * power_of_two(h) * power_of_two(n - h)
  T(select(x == x, v, f64(x)))
}

## The logarithm to base 2; -inf of 0, NaN below.
## `log2(8.0)` is `3`
fn log2(x: T) -> T where T: float { T(log(f64(x)) * 1.44269504088896340736) }

## The logarithm to base 10; -inf of 0, NaN below.
## `log10(1000.0)` is `3`
fn log10(x: T) -> T where T: float { T(log(f64(x)) * 0.43429448190325182765) }

## (exp(x) - exp(-x)) / 2.
## `sinh(1.0)` is `1.1752012`
fn sinh(x: T) -> T where T: float {
  a = abs(f64(x))
  e = expm1_double(min(a, 30))
  h = exp(a * 0.5)
  v = select(a < 22, (e + e / (e + 1)) * 0.5, h * 0.5 * h)
  v = select(x == x, v, f64(x))
  keep_zero(T(select(x < 0, -v, v)), x)
}

## (exp(x) + exp(-x)) / 2.
## `cosh(1.0)` is `1.5430806`
fn cosh(x: T) -> T where T: float {
  a = abs(f64(x))
  e = exp(min(a, 30))
  h = exp(a * 0.5)
  v = select(a < 22, (e + 1 / e) * 0.5, h * 0.5 * h)
  T(select(x == x, v, f64(x)))
}

## The number whose sinh is x.
## `asinh(1.0)` is `0.8813736`
fn asinh(x: T) -> T where T: float {
  a = abs(f64(x))
  near = log1p_double(a + a * a / (1 + sqrt(1 + a * a)))
  v = select(a < 1e8, near, log(a) + 0.69314718055994530942)
  v = select(x == x, v, f64(x))
  keep_zero(T(select(x < 0, -v, v)), x)
}

## The number from 0 up whose cosh is x; NaN below 1.
## `acosh(2.0)` is `1.316958`
fn acosh(x: T) -> T where T: float {
  a = f64(x)
  t = a - 1
  near = log1p_double(t + sqrt(t) * sqrt(a + 1))
  T(select(a < 1e8, near, log(a) + 0.69314718055994530942))
}

## The number whose tanh is x; infinite at -1 and 1, NaN beyond.
## `atanh(0.5)` is `0.54930615`
fn atanh(x: T) -> T where T: float {
  a = f64(x)
  b = abs(a)
  v = 0.5 * log1p_double(2 * b / (1 - b))
  v = select(b <= 1, v, f64(nan))
  keep_zero(T(select(a < 0, -v, v)), x)
}

# exp(x^2) erfc(x) (1 + 2x) for x >= 1, in the variable of Shepherd and Laframboise (1981).
fn erfc_far(x: f64) -> f64 {
  t = (x - 3.75) / (x + 3.75)
  g = horner(t, c = [-1.02403198503222803e-8, 3.42351781014215921e-8, 3.49716499883805228e-8,
      -2.59604349475630598e-7, -6.60952034302627732e-8, 1.75464000952991774e-6,
      -9.69707023110600015e-7, -0.0000114460013707348445, 0.0000223831514029610766,
      0.0000516497135448269091, -0.000290153864771959294, 0.000293713539963067229,
      0.00175562582176332983, -0.00974657954183305245, 0.0283622774221068314,
      -0.0586933985908959499, 0.0923043211601801607, -0.108803930141696719, 0.0822767384901512928,
      0.00358541548546355947, -0.14024059858554702, 1.23751263083782758])
  h = f64(f32(x))
  exp(-h * h) * exp((h - x) * (h + x)) * g / (1 + 2 * x)
}

# erf(x) for |x| < 1.
fn erf_near(x: f64) -> f64 {
  x * horner(x * x, c = [-7.79589882700214224e-10, 1.37200645467776856e-8, -1.62084838018717059e-7,
      1.64474247033173624e-6, -0.0000149247369074196603, 0.000120552949048397079,
      -0.000854832597538969208, 0.00522397760711642273, -0.0268661706432377704,
      0.112837916709450063, -0.376126389031835404, 1.12837916709551257])
}

# The error function in f32 throughout, since models use it a lot.
fn erf_single(x: f32) -> f32 {
  a = min(abs(x), 4)
  near = x + x * horner(x * x, c = [7.87587506268548834e-5, -8.01686428716586953e-4,
      5.18908742343397399e-3, -2.68542120106264124e-2, 0.112835947151602177, -0.37612626666720331,
      0.12837916584835095])
  far = 1 - exp(-horner(a, c = [-1.63715141459364356e-6, 4.60580426891897792e-5,
      -5.96805625660779706e-4, 4.75959629326626464e-3, -2.64211360056638967e-2,
      0.110080082948820247, 0.631826051559163014, 1.13023343484199403, -3.20138049677698837e-4]))
  v = select(abs(x) < 1, near, select(x < 0, -far, far))
  select(x == x, v, x)
}

## The error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.
## `erf(0.5)` is `0.5204999`
fn erf(x: T) -> T where T: float {
  if T == f32 {
    erf_single(x)
  } else {
    a = f64(x)
    far = 1 - erfc_far(min(max(abs(a), 1), 28))
    v = select(abs(a) < 1, erf_near(a), select(a < 0, -far, far))
    T(select(x == x, v, a))
  }
}

## 1 - erf(x), exact where that is small.
## `erfc(3.0)` is `0.00002209049`
fn erfc(x: T) -> T where T: float {
  a = f64(x)
  far = erfc_far(min(max(abs(a), 1), 28))
  v = select(abs(a) < 1, 1 - erf_near(a), select(a < 0, 2 - far, far))
  T(select(x == x, v, a))
}

## x to the y, as in IEEE 754 and C: NaN where x is below 0 and y no whole number, 1 where y is 0.
## `pow(-2.0, 3.0)` is `-8`
fn pow(x: T, y: T) -> T where T: float {
  a = f64(x)
  b = f64(y)
  v = exp(b * log(abs(a)))
  v = select(abs(a) == 1 and abs(b) == inf, f64(1), v)
  whole = floor(b) == b
  odd = whole and floor(b * 0.5) * 2 != b
  v = select(a < 0 and odd, -v, v)
  v = select(a < 0 and a > -inf and not whole, f64(nan), v)
  v = select(a == 0 and odd and 1 / a < 0, -v, v)
  v = select(a == a and b == b, v, f64(nan))
  # Where the formula gives 1 it stays, with its derivatives.
  T(select((b == 0 and not (a > 0 and a < inf)) or (a == 1 and b != b), f64(1), v))
}

## The remainder of x / y with the sign of x, as C's fmod.
## `fmod(-5.5, 2.0)` is `-1.5`
fn fmod(x: T, y: T) -> T where T: float {
  q = trunc(x / y)
  r = x - q * y
  select(abs(y) == inf and abs(x) < inf, x, r)
}
