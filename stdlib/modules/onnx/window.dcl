# (step, before, after, apart) for each dimension: what windows of the sizes K do on S.
fn onnx_windows(S: list, K: list, auto_pad: str, dilations: list?, pads: list?, strides: list?)
    -> list {
  n = len(S)
  if len(K) != n { error("windows of", len(K), "dimensions for", n) }
  [onnx_window_of(S[i], K[i], auto_pad, if dilations == none { 1 } else { dilations[i] },
      if pads == none { (0, 0) } else { (pads[i], pads[n + i]) },
      if strides == none { 1 } else { strides[i] }) for i in 0:n]
}

fn onnx_window_of(n: int, k: int, auto_pad: str, apart: int, pads: list, step: int) -> list {
  if auto_pad == "SAME_UPPER" or auto_pad == "SAME_LOWER" {
    all = max(0, ((n + step - 1)//step - 1)*step + apart*(k - 1) + 1 - n)
    less = all//2
    return if auto_pad == "SAME_UPPER" {
      [step, less, all - less, apart]
    } else {
      [step, all - less, less, apart]
    }
  }
  if auto_pad == "VALID" { return [step, 0, 0, apart] }
  [step, pads[0], pads[1], apart]
}

# How many windows there are.
fn onnx_window_counts(S: list, K: list, W: list, ceil_mode: int) -> list {
  [onnx_window_count(n, K[i], W[i], ceil_mode) for i, n in enumerate(S)]
}

fn onnx_window_count(n: int, k: int, w: list, ceil_mode: int) -> int {
  room = n + w[1] + w[2] - w[3]*(k - 1) - 1
  if ceil_mode == 0 { return room//w[0] + 1 }
  count = (room + w[0] - 1)//w[0] + 1
  if proved(w[2] + w[0] - 1 <= w[3]*(k - 1)) { return count }
  min(count, (n + w[1] - 1)//w[0] + 1)  # none begins behind the last element
}

# Where element R of window O lies.
fn onnx_window_index(o: list, r: list, W: list) -> list {
  [o[i]*W[i][0] + r[i]*W[i][3] - W[i][1] for i in 0:len(o)]
}

# Whether an index lies at LOW or behind, before HIGH.
fn onnx_inside(at: list, low: list, high: list) -> bool {
  if len(at) == 0 { return true }
  at[0] >= low[0] and at[0] < high[0] and onnx_inside(at[1:], low[1:], high[1:])
}

## A convolution of any number of dimensions, with a bias per channel.
fn onnx_conv(x: T[N, C, *S], w: T[O, I, *K], b: T[O]? = none;
    auto_pad: str = "NOTSET", dilations: list? = none, pads: list? = none, strides: list? = none,
    group: int = 1)
    -> T[N, O, *onnx_window_counts(S, K, onnx_windows(S, K, auto_pad, dilations, pads, strides), 0)]
    where T: number, C == I*group {
  W = onnx_windows(S, K, auto_pad, dilations, pads, strides)
  even = all([proved(v[1] == v[2]) for v in W])
  z = if even { x } else { pad(x, [(v[1], v[2]) for v in W]) }
  y = conv(z, w, stride = [v[0] for v in W], pad = [if even { v[1] } else { 0 } for v in W],
      dilation = [v[3] for v in W], groups = group)
  if b == none { y } else { add_channels(y, b) }
}

## A convolution turned round: each element of x is spread over a window.
fn onnx_conv_transpose(x: T[N, C, *S], w: T[C, O, *K], b: T[_]? = none;
    auto_pad: str = "NOTSET", dilations: list? = none, pads: list? = none, strides: list? = none,
    group: int = 1, output_padding: list? = none, output_shape: list? = none)
    -> T[N, O*group, *[v[4] for v in onnx_spread(S, K, auto_pad, dilations, pads, strides,
        output_padding, output_shape)]] where T: number, C%group == 0 {
  W = onnx_spread(S, K, auto_pad, dilations, pads, strides, output_padding, output_shape)
  y = onnx_spread_windows(x, w, W, group)
  if b == none { y } else { add_channels(y, b) }
}

fn onnx_spread_windows(x: T[N, C, *S], w: T[C, O, *K], W: list, group: int)
    -> y: T[N, O*group, *[v[4] for v in W]] where T: number {
  map n in N, g in group, o in O, *i in S, c in C//group, *k in K {
    v << x[n, g*(C//group) + c, *i]
    v*w[g*(C//group) + c, o, *k] >> y[n, g*O + o, *onnx_window_index(i, k, W), else _] (sum)
  }
}

# (step, before, after, apart, size of the result) for each dimension.
fn onnx_spread(S: list, K: list, auto_pad: str, dilations: list?, pads: list?, strides: list?,
    output_padding: list?, output_shape: list?) -> list {
  W = onnx_windows(S, K, "NOTSET", dilations, pads, strides)
  [
      onnx_spread_of(n, K[i], W[i], auto_pad,
      if output_padding == none { 0 } else { output_padding[i] },
      if output_shape == none { none } else { output_shape[len(output_shape) - len(S) + i] })
      for i, n in enumerate(S)]
}

fn onnx_spread_of(n: int, k: int, w: list, auto_pad: str, more: int, size) -> list {
  all = w[0]*(n - 1) + more + (k - 1)*w[3] + 1
  if size == none and auto_pad == "NOTSET" { return [*w, all - w[1] - w[2]] }
  if auto_pad == "VALID" { return [w[0], 0, 0, w[3], all] }
  out = if size == none { n*w[0] } else { size }
  cut = max(0, all - out)
  before = if auto_pad == "SAME_UPPER" { cut//2 } else { cut - cut//2 }
  [w[0], before, cut - before, w[3], out]
}

# Less than all others of its type.
fn onnx_lowest(t: dtype) -> float {
  if t == u8 { 0 } else if t == i8 { -128 } else { -inf }
}

## The largest element of each window.
fn onnx_max_pool(x: T[N, C, *S]; auto_pad: str = "NOTSET", dilations: list? = none,
    pads: list? = none, strides: list? = none, kernel_shape: list, ceil_mode: int = 0,
    storage_order: int = 0)
    -> y: T[N, C, *onnx_window_counts(S, kernel_shape,
        onnx_windows(S, kernel_shape, auto_pad, dilations, pads, strides), ceil_mode)]
    where T: number {
  W = onnx_windows(S, kernel_shape, auto_pad, dilations, pads, strides)
  map n in N, c in C, *o in onnx_window_counts(S, kernel_shape, W, ceil_mode), *r in kernel_shape {
    v << x[n, c, *onnx_window_index(o, r, W), else onnx_lowest(T)]
    v >> y[n, c, *o] (max)
  }
}

## The largest element of each window, and its position among all elements of x.
fn onnx_max_pool_indices(x: T[N, C, *S]; auto_pad: str = "NOTSET", dilations: list? = none,
    pads: list? = none, strides: list? = none, kernel_shape: list, ceil_mode: int = 0,
    storage_order: int = 0)
    -> (y: T[N, C, *onnx_window_counts(S, kernel_shape,
        onnx_windows(S, kernel_shape, auto_pad, dilations, pads, strides), ceil_mode)],
        i: i64[N, C, *onnx_window_counts(S, kernel_shape,
        onnx_windows(S, kernel_shape, auto_pad, dilations, pads, strides), ceil_mode)])
    where T: number {
  W = onnx_windows(S, kernel_shape, auto_pad, dilations, pads, strides)
  O = onnx_window_counts(S, kernel_shape, W, ceil_mode)
  largest = onnx_max_pool(x, auto_pad = auto_pad, dilations = dilations, pads = pads,
      strides = strides, kernel_shape = kernel_shape, ceil_mode = ceil_mode)
  map n in N, c in C, *o in O, *r in kernel_shape {
    at = onnx_window_index(o, r, W)
    v << x[n, c, *at, else onnx_lowest(T)]
    k = (n*C + c)*prod(S) + (if storage_order == 0 {
      flat_index(at, S)
    } else {
      flat_index(reversed(at), reversed(S))
    })
    there = onnx_inside(at, [0 for s in S], S)
    select(v == largest[n, c, *o] and there, i64(k), 9223372036854775807) >> i[n, c, *o] (min)
  }
  y = largest
}

## The mean of each window; padding counts as zeros, or not at all.
fn onnx_average_pool(x: T[N, C, *S]; auto_pad: str = "NOTSET", dilations: list? = none,
    pads: list? = none, strides: list? = none, kernel_shape: list, ceil_mode: int = 0,
    count_include_pad: int = 0)
    -> y: T[N, C, *onnx_window_counts(S, kernel_shape,
        onnx_windows(S, kernel_shape, auto_pad, dilations, pads, strides), ceil_mode)]
    where T: float {
  W = onnx_windows(S, kernel_shape, auto_pad, dilations, pads, strides)
  O = onnx_window_counts(S, kernel_shape, W, ceil_mode)
  low = [if count_include_pad == 1 { -v[1] } else { 0 } for v in W]
  high = [if count_include_pad == 1 { n + W[i][2] } else { n } for i, n in enumerate(S)]
  s: T[N, C, *O]
  map n in N, k in C, *o in O, *r in kernel_shape {
    v << x[n, k, *onnx_window_index(o, r, W), else 0]
    v >> s[n, k, *o] (sum)
  }
  map n in N, k in C, *o in O {
    y[n, k, *o] = s[n, k, *o]/T(prod(
        [onnx_inside_count(i, kernel_shape[d], W[d], low[d], high[d]) for d, i in enumerate(o)]))
  }
}

# How many of the K elements of window O lie at LOW or behind, before HIGH.
fn onnx_inside_count(o: int, k: int, w: list, low: int, high: int) -> int {
  first = o*w[0] - w[1]
  min(k - 1, (high - 1 - first)//w[3]) - max(0, -((first - low)//w[3])) + 1
}

## The norm of each window.
fn onnx_lp_pool(x: T[N, C, *S]; auto_pad: str = "NOTSET", dilations: list? = none,
    pads: list? = none, strides: list? = none, kernel_shape: list, ceil_mode: int = 0, p: int = 2)
    -> y: T[N, C, *onnx_window_counts(S, kernel_shape,
        onnx_windows(S, kernel_shape, auto_pad, dilations, pads, strides), ceil_mode)]
    where T: float {
  W = onnx_windows(S, kernel_shape, auto_pad, dilations, pads, strides)
  O = onnx_window_counts(S, kernel_shape, W, ceil_mode)
  s: T[N, C, *O]
  map n in N, c in C, *o in O, *r in kernel_shape {
    v << x[n, c, *onnx_window_index(o, r, W), else 0]
    abs(v)**p >> s[n, c, *o] (sum)
  }
  y = if p == 1 { s } else if p == 2 { sqrt(s) } else { pow(s, T(1/p)) }
}

## The mean of each channel.
fn onnx_global_average_pool(x: T[N, C, *S]) -> T[N, C, *[1 for n in S]] where T: float {
  mean(x, axes = [2 + i for i in 0:len(S)], keepdims = true)
}

## The largest element of each channel.
fn onnx_global_max_pool(x: T[N, C, *S]) -> T[N, C, *[1 for n in S]] where T: float {
  max(x, axes = [2 + i for i in 0:len(S)], keepdims = true)
}

## Values of x at the positions i in zeros.
fn onnx_max_unpool(x: T[N, C, *S], i: i64[N, C, *S], to: list? = none;
    kernel_shape: list, pads: list? = none, strides: list? = none)
    -> T[*onnx_unpool_shape([N, C, *S], kernel_shape, pads, strides, to)] where T: float {
  reshape(onnx_unpool(x, i, onnx_unpool_shape([N, C, *S], kernel_shape, pads, strides, none),
      onnx_unpool_shape([N, C, *S], kernel_shape, pads, strides, to)),
      onnx_unpool_shape([N, C, *S], kernel_shape, pads, strides, to))
}

fn onnx_unpool_shape(S: list, K: list, pads: list?, strides: list?, to: list?) -> list {
  if to != none { return to }
  W = onnx_windows(S[2:], K, "NOTSET", none, pads, strides)
  [*S[:2], *[(n - 1)*W[d][0] - W[d][1] - W[d][2] + K[d] for d, n in enumerate(S[2:])]]
}

# The positions are those of the shape A; the result is of the shape R.
fn onnx_unpool(x: T[*S], i: i64[*S], A: list, R: list) -> y: T[prod(R)] where T: float {
  y = 0
  map *b in S {
    k = i[*b]
    w = k%A[len(A) - 1]
    h = (k//A[len(A) - 1])%A[len(A) - 2]
    n = k//(A[len(A) - 1]*A[len(A) - 2])
    x[*b] >> y[(n*R[len(R) - 2] + h)*R[len(R) - 1] + w]
  }
}

## The sum of windows, which are the columns of x, in an image.
fn onnx_col2im(x: T[N, P, L], image: list, block: list;
    dilations: list? = none, pads: list? = none, strides: list? = none)
    -> y: T[N, P//prod(block), *image] where T: float {
  W = onnx_windows(image, block, "NOTSET", dilations, pads, strides)
  O = onnx_window_counts(image, block, W, 0)
  map n in N, c in P//prod(block), *k in block, *o in O {
    x[n, c*prod(block) + flat_index(k, block), flat_index(o, O)] >>
        y[n, c, *onnx_window_index(o, k, W), else _] (sum)
  }
}
