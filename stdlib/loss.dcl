## What becomes of a loss for each element: "mean", "sum" or "none", which leaves it.
## `reduce_loss(x, "sum")` with x: f32[3] = [1, 2, 3] is `6`
fn reduce_loss(x: T[*S], how: str) -> T[*loss_shape(S, how)] where T: float {
  if how == "none" { return x }
  if how == "sum" { return sum(x) }
  mean(x)
}

# The shape of what reduce_loss gives.
fn loss_shape(S: list, how: str) -> list {
  if not (how in ["mean", "sum", "none"]) { error("reduction is mean, sum or none, not", how) }
  if how == "none" { S } else { [] }
}

## The mean of -log softmax(x)[y] over the rows: x are scores, y the right classes. With
## `smoothing`, that share of the right answer is spread over all classes. Rows whose class is
## `ignore` do not count; NaN if none does.
## `cross_entropy(x, y, smoothing = 0.1)` with x: f32[3, 4], y: i64[3] = [3, -100, 0]
fn cross_entropy(x: T[B, C], y: i64[B]; smoothing: float = 0, ignore: int = -100) -> loss: T
    where T: float {
  scores = log_softmax(x)
  s: T = 0
  n: T = 0
  map i in B {
    c << y[i]
    counts = c != ignore
    v << scores[i, select(counts, c, i64(0))]
    rest: T
    if smoothing != 0 { map k in C { scores[i, k] >> rest (sum) } }
    z = if smoothing == 0 { -v } else { (smoothing - 1) * v - smoothing / T(C) * rest }
    select(counts, z, T(0)) >> s (sum)
    T(counts) >> n (sum)
  }
  loss = s / n
}

## The mean of -p[y] over the rows: p are logarithms of probabilities, y the right classes. Rows
## whose class is `ignore` do not count.
## `nll(log_softmax(x), y)` with x: f32[1, 2] = [[1000, 1000]], y: i64[1] = [1] is `0.6931472`
fn nll(p: T[B, C], y: i64[B]; ignore: int = -100) -> loss: T where T: float {
  s: T = 0
  n: T = 0
  map i in B {
    c << y[i]
    counts = c != ignore
    v << p[i, select(counts, c, i64(0))]
    select(counts, -v, T(0)) >> s (sum)
    T(counts) >> n (sum)
  }
  loss = s / n
}

## The mean of (x - y) squared.
## `mse(x, y, reduction = "sum")` with x: f32[2] = [1, 2], y: f32[2] = [3, 5] is `13`
fn mse(x: T[*S], y: T[*S]; reduction: str = "mean") -> T[*loss_shape(S, reduction)] where T: float {
  reduce_loss(square(x - y), reduction)
}

## The mean of |x - y|.
## `l1(x, y)` with x: f32[2] = [1, 2], y: f32[2] = [3, 5] is `2.5`
fn l1(x: T[*S], y: T[*S]; reduction: str = "mean") -> T[*loss_shape(S, reduction)] where T: float {
  reduce_loss(abs(x - y), reduction)
}

## The mean of d^2 / 2 for |d| below delta, beyond it delta (|d| - delta / 2), with d = x - y:
## Huber, 1964.
## `huber(x, y, delta = 0.5)` with x: f32[2] = [1, 2], y: f32[2] = [1, 4] is `0.4375`
fn huber(x: T[*S], y: T[*S]; delta: float = 1, reduction: str = "mean")
    -> T[*loss_shape(S, reduction)] where T: float {
  reduce_loss(huber_of(x - y, delta = delta), reduction)
}

# huber of one difference.
fn huber_of(d: T; delta: float) -> T where T: float {
  a = abs(d)
  select(a < delta, 0.5 * d * d, delta * (a - 0.5 * delta))
}

## huber with delta = beta, divided by beta: Girshick, 2015.
## `smooth_l1(x, y, beta = 0.5)` with x: f32[2] = [1, 2], y: f32[2] = [1, 4] is `0.875`
fn smooth_l1(x: T[*S], y: T[*S]; beta: float = 1, reduction: str = "mean")
    -> T[*loss_shape(S, reduction)] where T: float {
  reduce_loss(huber_of(x - y, delta = beta) / beta, reduction)
}

## The mean of -(y log p + (1 - y) log(1 - p)), logarithms not below -100: p are probabilities, y
## what is right, from 0 to 1.
## `bce(p, y)` with p: f32[2] = [0.5, 1], y: f32[2] = [1, 0] is `50.346573`
fn bce(p: T[*S], y: T[*S]; reduction: str = "mean") -> T[*loss_shape(S, reduction)] where T: float {
  reduce_loss(bce_of(p, y), reduction)
}

# bce of one element.
fn bce_of(p: T, y: T) -> T where T: float {
  -(y * max(log(p), -100) + (1 - y) * max(log(1 - p), -100))
}

## bce of sigmoid(x), without overflow.
## `bce_with_logits(x, y)` with x: f32[2] = [0, 200], y: f32[2] = [1, 0] is `100.346573`
fn bce_with_logits(x: T[*S], y: T[*S]; reduction: str = "mean") -> T[*loss_shape(S, reduction)]
    where T: float {
  reduce_loss(bce_logits_of(x, y), reduction)
}

# bce_with_logits of one element.
fn bce_logits_of(x: T, y: T) -> T where T: float {
  max(x, 0) - x * y + log1p(exp(-max(x, -x)))
}

## The mean of y (log y - x) for logarithms x of probabilities and probabilities y; 0 where y is 0:
## Kullback and Leibler, 1951.
## `kl_div(log_softmax(x), y, reduction = "sum")` with x: f32[2] = [3, 3], y: f32[2] = [1, 0] is
## `0.6931472`
fn kl_div(x: T[*S], y: T[*S]; reduction: str = "mean") -> T[*loss_shape(S, reduction)]
    where T: float {
  reduce_loss(kl_of(x, y), reduction)
}

# kl_div of one element.
fn kl_of(x: T, y: T) -> T where T: float { select(y > 0, y * (log(y) - x), T(0)) }

## log(exp(a) + exp(b)) without overflow, also where one is -inf.
## `log_add(1000.0, 1000.0)` is `1000.6931`
fn log_add(a: T, b: T) -> T where T: float {
  m = max(a, b)
  select(m == -inf, m, m + log1p(exp(min(b, a) - m)))
}

## Connectionist temporal classification (Graves and others, 2006): -log of the probability of the
## targets y, of which each sample has `targets`, in `inputs` steps of p, logarithms of
## probabilities of classes. inf where they do not fit.
## `ctc(log_softmax(x), y, n, m)` with x: f32[4, 2, 3], y: i64[2, 2] = [[1, 2], [2, 0]], n: i64[2] =
## [4, 3], m: i64[2] = [2, 1]
fn ctc(p: T[L, B, C], y: i64[B, N], inputs: i64[B], targets: i64[B]; blank: int = 0) -> loss: T[B]
    where T: float {
  map b in B {
    a: T[2*N + 1] = -inf
    c: T[2*N + 1]
    a[0] = p[0, b, blank]
    if targets[b] > 0 { a[min(1, 2*N)] = p[0, b, y[b, 0]] }
    for t in 1:L {
      if t < inputs[b] {
        map s in 2*N + 1 {
          even = i64(s) % 2 == 0
          k = select(even, i64(blank), y[b, max((i64(s) - 1)//2, 0)])
          skips = not even and s > 1 and k != y[b, max((i64(s) - 3)//2, 0)]
          v = log_add(a[s], select(s > 0, a[max(s - 1, 0)], T(-inf)))
          v = log_add(v, select(skips, a[max(s - 2, 0)], T(-inf)))
          c[s] = v + p[t, b, k]
        }
        map s in 2*N + 1 { a[s] = c[s] }
      }
    }
    n = 2*targets[b]
    loss[b] = -log_add(a[n], select(n > 0, a[max(n - 1, 0)], T(-inf)))
  }
}
