## Stochastic gradient descent: w - rate * g.
## `net = PReLU(2); minimize sum(net(x)) over net with SGD(0.5); net.weight` with x: f32[1, 2] =
## [[-1, -2]] is `[0.75, 1.25]`
layer SGD(rate: float) {
  fn step(inout w: f32[*S], g: f32[*S]) {
    map *i in S { w[*i] = w[*i] - rate * g[*i] }
  }
}

# What Momentum keeps of a param.
layer Velocity(dims: shape) {
  buffer v: f32[*dims] ~ zeros
  fn step(inout w: f32[*S], g: f32[*S], lr: f32; momentum: float) {
    map *i in S {
      a = momentum * v[*i] + g[*i]
      v[*i] = a
      w[*i] = w[*i] - lr * a
    }
  }
}

## Stochastic gradient descent with momentum, as PyTorch has it, for the params of `net`. `lr` can
## be assigned.
## `net = PReLU(2); opt = Momentum(net, 0.5); minimize sum(net(x)) over net with opt; net.weight`
## with x: f32[1, 2] = [[-1, -2]] is `[0.75, 1.25]`
layer Momentum(net, rate: float, momentum: float = 0.9) {
  buffer lr: f32 = rate
  kept = [Velocity(shape(w)) for w in params(net)]
  fn begin(these) {
    if these != net { error("the optimizer was made for the params of another net") }
  }
  fn step(inout w: f32[*S], g: f32[*S], k: int) { kept[k].step(w, g, lr, momentum = momentum) }
}

# What Adam keeps of a param: running means of its gradient and of the square.
layer Moments(dims: shape) {
  buffer m: f32[*dims] ~ zeros
  buffer v: f32[*dims] ~ zeros
  fn step(inout w: f32[*S], g: f32[*S], size: f32, root: f32, keep: f32;
      b1: float, b2: float, eps: float) {
    map *i in S {
      a = b1 * m[*i] + (1 - b1) * g[*i]
      c = b2 * v[*i] + (1 - b2) * (g[*i] * g[*i])
      m[*i] = a
      v[*i] = c
      w[*i] = keep * w[*i] - size * a / (sqrt(c) / root + eps)
    }
  }
}

## Adam (Kingma and Ba, 2015), for the params of `net`; `decay` takes lr * decay of each param as
## AdamW does. `lr` can be assigned.
## `net = PReLU(2); opt = Adam(net, 0.1); minimize sum(net(x)) over net with opt; net.weight` with
## x: f32[1, 2] = [[-1, -2]] is `[0.35, 0.35]`
layer Adam(net, rate: float = 0.001, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8,
    decay: float = 0) {
  buffer lr: f32 = rate
  buffer steps: i64 = 0
  buffer p1: f64 = 1
  buffer p2: f64 = 1
  kept = [Moments(shape(w)) for w in params(net)]
  fn begin(these) {
    if these != net { error("the optimizer was made for the params of another net") }
    steps = steps + 1
    p1 = p1 * b1
    p2 = p2 * b2
  }
  fn step(inout w: f32[*S], g: f32[*S], k: int) {
    size = f32(f64(lr) / (1 - p1))
    kept[k].step(w, g, size, f32(sqrt(1 - p2)), 1 - lr * decay, b1 = b1, b2 = b2, eps = eps)
  }
}

## Adam with weight decay apart from the gradient (Loshchilov and Hutter, 2019); `adam.lr` can be
## assigned.
## `net = PReLU(2); opt = AdamW(net, 0.1); minimize sum(net(x)) over net with opt; net.weight` with
## x: f32[1, 2] = [[-1, -2]] is `[0.34975, 0.34975]`
layer AdamW(net, rate: float = 0.001, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8,
    decay: float = 0.01) {
  adam = Adam(net, rate, b1, b2, eps, decay)
  fn begin(these) { adam.begin(these) }
  fn step(inout w: f32[*S], g: f32[*S], k: int) { adam.step(w, g, k) }
}

## The rows of x, or those of x, y, .. beside each other, in parts of SIZE rows: a list, as in `for
## a, b in batches(x, y) { .. }`. With `shuffle` they are in a random order, the same for the same
## SEED. The last part is smaller if there are not enough rows; without `rest` these are left out.
## `[b for a, b in batches(x, y, size = 2)][1]` with x: f32[3, 1], y: f32[3] = [5, 6, 7] is `[7]`
fn batches(x, y = none, z = none, w = none;
    size: int = 32, shuffle: bool = false, seed: int = 0, rest: bool = true) -> list {
  given = [t for t in [x, y, z, w] if kind(t) != "none"]
  n = shape(x)[0]
  if size < 1 { error("parts of", size, "rows") }
  for t in given { if shape(t)[0] != n { error("there are", n, "and", shape(t)[0], "rows") } }
  all = if shuffle {
    order = random_permutation(n, seed)
    [take(t, order) for t in given]
  } else {
    given
  }
  count = if rest { (n + size - 1)//size } else { n//size }
  parts = [[part(t, 0, k*size, min(size, n - k*size), 1) for t in all] for k in 0:count]
  if len(given) == 1 { [p[0] for p in parts] } else { parts }
}
