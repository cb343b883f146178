## Four random words, a function of a key and a counter: Philox 4x32-10 (Salmon and others,
## "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
## `philox(0, 0)` is `(1713891541, 3781805453, 3159862348, 2600524760)`
fn philox(key: u64, counter: u64) -> (a: u32, b: u32, c: u32, d: u32) {
  k0 = u32(key)
  k1 = u32(shr(key, u64(32)))
  c0 = u32(counter)
  c1 = u32(shr(counter, u64(32)))
  c2 = u32(0)
  c3 = u32(0)
  for _ in range(10) {
    p = u64(c0) * u64(0xd2511f53)
    q = u64(c2) * u64(0xcd9e8d57)
    c0 = bit_xor(bit_xor(u32(shr(q, u64(32))), c1), k0)
    c1 = u32(q)
    c2 = bit_xor(bit_xor(u32(shr(p, u64(32))), c3), k1)
    c3 = u32(p)
    k0 = k0 + u32(0x9e3779b9)
    k1 = k1 + u32(0xbb67ae85)
  }
  a = c0
  b = c1
  c = c2
  d = c3
}

## n random words; the same key gives the same ones, wherever they are computed.
## `random_bits(5, 7)`
fn random_bits(n: i64, key: i64) -> y: u32[n] {
  map k in (n + 3)//4 {
    a, b, c, d = philox(u64(key), u64(k))
    a >> y[4*k]
    b >> y[4*k + 1, else _]
    c >> y[4*k + 2, else _]
    d >> y[4*k + 3, else _]
  }
}

## Numbers of [low, high), each as likely, of the shape S.
## `random_uniform([2, 3], 7, low = -1)`
fn random_uniform(S: shape, key: i64; low: float = 0, high: float = 1, t: dtype = f32) -> t[*S] {
  x = random_bits(prod(S), key)
  y: t[prod(S)]
  map i in prod(S) { y[i] = random_unit(x[i], t = t) * t(high - low) + t(low) }
  reshape(y, S)
}

# A number of [0, 1) of the 24 upper bits.
fn random_unit(x: u32; t: dtype = f32) -> t { t(shr(x, u32(8))) * t(5.9604644775390625e-8) }

## Numbers of the normal distribution, of the shape S: Box and Muller, 1958.
## `random_normal([2, 3], 7, mean = 1)`
fn random_normal(S: shape, key: i64; mean: float = 0, std: float = 1, t: dtype = f32) -> t[*S] {
  n = prod(S)
  y: t[n]
  map k in (n + 1)//2 {
    a, b, _, _ = philox(u64(key), u64(k))
    r = sqrt(-2 * log(1 - random_unit(a, t = f64)))
    angle = random_unit(b, t = f64) * 6.28318530717958647693
    t(r * cos(angle) * std + mean) >> y[2*k]
    t(r * sin(angle) * std + mean) >> y[2*k + 1, else _]
  }
  reshape(y, S)
}

## true with probability p, of the shape S.
## `random_bernoulli([4], 7, p = 0.25)`
fn random_bernoulli(S: shape, key: i64; p: float = 0.5) -> bool[*S] {
  random_uniform(S, key) < p
}

## 0 .. n - 1 in random order.
## `random_permutation(5, 7)`
fn random_permutation(n: i64, key: i64) -> i64[n] { argsort(random_bits(n, key)) }

## For each row of weights p, which need not sum to 1, the number of one of its elements, with a
## probability of its share.
## `random_categorical(p, 7)` with p: f32[2, 3] = [[0, 1, 0], [0, 0, 2]] is `[1, 2]`
fn random_categorical(p: T[*S, N], key: i64) -> y: i64[*S] where T: float {
  u = random_uniform(S, key, t = f64)
  c = cumsum(f64(p))
  map *b in S {
    t = u[*b] * c[*b, N - 1]
    n = i64(0)
    for i in 0:N { n = n + select(c[*b, i] <= t, i64(1), i64(0)) }
    y[*b] = min(n, N - 1)
  }
}

## x with a share p of its elements 0 and the others enlarged, so that the mean stays: Srivastava
## and others, 2014.
## `dropout(x, 7, p = 0.25)` with x: f32[2, 3]
fn dropout(x: T[*S], key: i64; p: float = 0.5) -> T[*S] where T: float {
  if p == 0 { return x }
  keep = random_uniform(S, key) >= p
  select(keep, x / (1 - p), 0 * x)
}
