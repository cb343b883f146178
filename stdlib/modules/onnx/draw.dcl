## Random numbers, by a key that the importer gives each node, or by its seed.
fn onnx_random_normal(;shape: list, key: int = 0, seed: float = 0, mean: float = 0,
    scale: float = 1, t: dtype = f32) -> t[*shape] {
  random_normal(shape, onnx_key(key, seed), mean = mean, std = scale, t = t)
}

fn onnx_random_uniform(;shape: list, key: int = 0, seed: float = 0, low: float = 0, high: float = 1,
    t: dtype = f32) -> t[*shape] {
  random_uniform(shape, onnx_key(key, seed), low = low, high = high, t = t)
}

fn onnx_key(key: int, seed: float) -> int { if seed == 0 { key } else { fixed_truncated(seed) } }

fn onnx_random_normal_like(x: T[*S]; key: int = 0, seed: float = 0, mean: float = 0,
    scale: float = 1, t: any = none) -> any where T: any {
  random_normal(S, onnx_key(key, seed), mean = mean, std = scale, t = onnx_type_or(T, t))
}

fn onnx_random_uniform_like(x: T[*S]; key: int = 0, seed: float = 0, low: float = 0,
    high: float = 1, t: any = none) -> any where T: any {
  random_uniform(S, onnx_key(key, seed), low = low, high = high, t = onnx_type_or(T, t))
}

fn onnx_type_or(T: dtype, t) -> dtype { if kind(t) == "dtype" { t } else { T } }

## 1 with the probability that each element of x is, else 0.
fn onnx_bernoulli(x: T[*S]; key: int = 0, seed: float = 0, t: any = none) -> any where T: float {
  onnx_cast(random_uniform(S, onnx_key(key, seed), t = T) < x, t = onnx_type_or(T, t))
}

## For each row of logarithms of weights the numbers of some of its elements.
fn onnx_multinomial(x: T[B, N]; key: int = 0, seed: float = 0, sample_size: int = 1, t: dtype = i32)
    -> t[B, sample_size] where T: float {
  w = softmax(f64(x))
  rows: f64[B, sample_size, N]
  map b in B, s in sample_size, n in N { rows[b, s, n] = w[b, n] }
  t(random_categorical(rows, onnx_key(key, seed)))
}
