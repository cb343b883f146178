## The largest element of each window of the dimensions behind batch and channel, any number of
## them; what lies in the padding does not count. Sizes are numbers, or lists with one for each
## dimension; a window steps by its size without `stride`.
## `max_pool(x, 2)` with x: f32[1, 1, 2, 4] = [[[[1, 2, 3, 4], [5, 6, 7, 8]]]] is `[[[[6, 8]]]]`
fn max_pool(x: T[N, C, *S], k; stride = none, pad = 0, dilation = 1)
    -> y: T[N, C, *windows(S, k, stride, pad, dilation)] where T: float {
  step, before, apart = window_sizes(S, k, stride, pad, dilation)
  map n in N, c in C, *o in windows(S, k, stride, pad, dilation), *r in each(k, S) {
    v << x[n, c, *window_index(o, r, step, before, apart), else -inf]
    v >> y[n, c, *o] (max)
  }
}

## The mean of each window, as max_pool has them; the padding counts as zeros.
## `avg_pool(x, [2, 2], stride = 1, pad = [1, 0])` with x: f32[2, 3, 4, 5]
fn avg_pool(x: T[N, C, *S], k; stride = none, pad = 0, dilation = 1)
    -> y: T[N, C, *windows(S, k, stride, pad, dilation)] where T: float {
  step, before, apart = window_sizes(S, k, stride, pad, dilation)
  s: T[N, C, *windows(S, k, stride, pad, dilation)]
  map n in N, c in C, *o in windows(S, k, stride, pad, dilation), *r in each(k, S) {
    v << x[n, c, *window_index(o, r, step, before, apart), else 0]
    v >> s[n, c, *o] (sum)
  }
  y = s / T(prod(each(k, S)))
}

# A size for each dimension of S: V, or the elements of V.
fn each(v, S: list) -> list {
  l = if kind(v) == "list" { v } else { [v for n in S] }
  if len(l) != len(S) { error(len(l), "sizes for", len(S), "dimensions:", l) }
  l
}

# Steps, padding and distances for each dimension; a window steps by its size unless told.
fn window_sizes(S: list, k, stride, pad, dilation) -> list {
  [each(if stride == none { k } else { stride }, S), each(pad, S), each(dilation, S)]
}

# How many windows there are in each dimension.
fn windows(S: list, k, stride, pad, dilation) -> list {
  step, before, apart = window_sizes(S, k, stride, pad, dilation)
  window_fits(S, each(k, S), before, apart)
  [(n + 2*before[i] - apart[i]*(each(k, S)[i] - 1) - 1)//step[i] + 1 for i, n in enumerate(S)]
}

# Where the element R of the window O lies.
fn window_index(o: list, r: list, step: list, before: list, apart: list) -> list {
  [o[i]*step[i] + r[i]*apart[i] - before[i] for i in 0:len(o)]
}
