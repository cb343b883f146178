# Layer D of a stack.
fn onnx_layer_at(h: T[D, *S], d: int) -> y: T[*S] where T: any { map *i in S { y[*i] = h[d, *i] } }

# Rows of w in blocks of H, in another order, from block `from` on.
fn onnx_blocks(w: T[G, *S], H: int, order: list, from: int) -> y: T[len(order)*H, *S] where T: any {
  for j, k in enumerate(order) { map i in H, *s in S { y[j*H + i, *s] = w[(from + k)*H + i, *s] } }
}

fn onnx_turned_time(x: T[A, B, *S], batch_first: int) -> any where T: any {
  if batch_first == 1 { swap_axes(x, 0, 1) } else { x }
}

fn onnx_start(h, d: int, B: int, H: int, batch_first: int, t: dtype) -> any {
  if h == none { return onnx_constant_of_shape([B, H], t = t, value = 0) }
  onnx_layer_at(onnx_turned_time(h, batch_first), d)
}

fn onnx_biases(b, d: int, n: int, t: dtype) -> any {
  if b == none { onnx_constant_of_shape([n], t = t, value = 0) } else { onnx_layer_at(b, d) }
}

# The activation of one gate, where all are the usual ones or a plain layer has one.
fn onnx_activation(activations: list?, usual: str, d: int) -> any {
  f = if activations == none { usual } else { activations[d*(len(activations) - 1)] }
  if f == "Tanh" {
    tanh
  } else if f == "Relu" {
    relu
  } else if f == "Sigmoid" {
    sigmoid
  } else {
    error("the activation", f, "is not known")
  }
}

fn onnx_usual_activations(activations: list?, usual: list) -> int {
  for i, f in enumerate(if activations == none { [] } else { activations }) {
    if f != usual[i%len(usual)] {
      error("the activation", f, "in the place of", usual[i%len(usual)])
    }
  }
  0
}

fn onnx_lengths(lengths) -> any { if lengths == none { none } else { i64(lengths) } }

fn onnx_reverse(direction: str, d: int) -> any { direction == "reverse" or d == 1 }

# What the directions gave: outputs of each time side by side, last states one above the other.
fn onnx_all_times(ys: list, batch_first: int) -> any {
  y = stack(ys, axis = 1)
  if batch_first == 1 { transpose(y, perm = [2, 0, 1, 3]) } else { y }
}

fn onnx_all_states(hs: list, batch_first: int) -> any {
  if batch_first == 1 { stack(hs, axis = 1) } else { stack(hs) }
}

## A plain recurrent layer in one or two directions: all outputs, and the last ones.
fn onnx_rnn(x: T[A, C, I], w: T[D, H, I], r: T[D, H, H], b: T[D, _]? = none, lengths: any = none,
    h0: any = none; direction: str = "forward", batch_first: int = 0, activations: list? = none)
    -> list where T: float {
  z = onnx_turned_time(x, batch_first)
  all = [onnx_rnn_one(z, onnx_layer_at(w, d), onnx_layer_at(r, d), onnx_biases(b, d, 2*H, T),
      onnx_lengths(lengths), onnx_start(h0, d, z.shape[1], H, batch_first, T),
      onnx_activation(activations, "Tanh", d), onnx_reverse(direction, d)) for d in range(D)]
  [onnx_all_times([v[0] for v in all], batch_first),
      onnx_all_states([v[1] for v in all], batch_first)]
}

fn onnx_rnn_one(x: T[L, B, I], w: T[H, I], r: T[H, H], b: T[G], lengths, h0: T[B, H], act, reverse)
    -> list where T: float {
  c = onnx_blocks(b, H, [0], 0) + onnx_blocks(b, H, [0], 1)
  y, h = rnn(x, w, r, c, h0, lengths, reverse = reverse, act = act)
  [y, h]
}

## A GRU in one or two directions: all outputs, and the last ones.
fn onnx_gru(x: T[A, C, I], w: T[D, G, I], r: T[D, G, H], b: T[D, _]? = none, lengths: any = none,
    h0: any = none; direction: str = "forward", batch_first: int = 0, activations: list? = none,
    linear_before_reset: int = 0) -> list where T: float {
  _ = onnx_usual_activations(activations, ["Sigmoid", "Tanh"])
  z = onnx_turned_time(x, batch_first)
  all = [onnx_gru_one(z, onnx_layer_at(w, d), onnx_layer_at(r, d), onnx_biases(b, d, 2*G, T),
      onnx_lengths(lengths), onnx_start(h0, d, z.shape[1], H, batch_first, T), linear_before_reset,
      onnx_reverse(direction, d)) for d in range(D)]
  [onnx_all_times([v[0] for v in all], batch_first),
      onnx_all_states([v[1] for v in all], batch_first)]
}

# The gates of ONNX are update, reset, new; those of the library reset, update, new.
fn onnx_gru_one(x: T[L, B, I], w: T[G, I], r: T[G, H], b: T[_], lengths, h0: T[B, H], linear: int,
    reverse) -> list where T: float {
  wb = onnx_blocks(b, H, [1, 0, 2], 0)
  rb = onnx_blocks(b, H, [1, 0, 2], 3)
  v = onnx_blocks(w, H, [1, 0, 2], 0)
  u = onnx_blocks(r, H, [1, 0, 2], 0)
  if linear == 1 {
    y, h = gru(x, v, u, wb, rb, h0, lengths, reverse = reverse)
    return [y, h]
  }
  onnx_gru_late(x, v, u, wb, rb, h0, lengths, reverse)
}

# The reset gate acts on the state, before the product.
fn onnx_gru_late(x: T[L, B, I], w: T[G, I], u: T[G, H], wb: T[G], ub: T[G], h0: T[B, H], lengths,
    reverse) -> list where T: float {
  g = linear(x, w, wb)
  first = onnx_blocks(u, H, [0, 1], 0)
  new = onnx_blocks(u, H, [2], 0)
  y: T[L, B, H]
  h = h0
  for i in 0:L {
    t = if reverse { L - 1 - i } else { i }
    next = onnx_gru_step(g[t, :, :], product(h, first), new, ub, h)
    if lengths == none {
      h = next
      y[t, :, :] = next
    } else {
      y[t, :, :] = kept(next, 0*h, lengths, t)
      h = kept(next, h, lengths, t)
    }
  }
  [y, h]
}

fn onnx_gru_step(g: T[B, G], z: T[B, F], new: T[H, H], ub: T[G], h: T[B, H]) -> y: T[B, H]
    where T: float {
  reset: T[B, H]
  map b in B, k in H { reset[b, k] = sigmoid(g[b, k] + z[b, k] + ub[k])*h[b, k] }
  p = product(reset, new)
  map b in B, k in H {
    keep = sigmoid(g[b, H + k] + z[b, H + k] + ub[H + k])
    n = tanh(g[b, 2*H + k] + p[b, k] + ub[2*H + k])
    y[b, k] = (1 - keep)*n + keep*h[b, k]
  }
}

## An LSTM in one or two directions: all outputs, the last ones, the last cells.
fn onnx_lstm(x: T[A, C, I], w: T[D, G, I], r: T[D, G, H], b: T[D, _]? = none, lengths: any = none,
    h0: any = none, c0: any = none, p: any = none; direction: str = "forward", batch_first: int = 0,
    activations: list? = none, input_forget: int = 0) -> list where T: float {
  _ = onnx_usual_activations(activations, ["Sigmoid", "Tanh", "Tanh"])
  z = onnx_turned_time(x, batch_first)
  all = [onnx_lstm_one(z, onnx_layer_at(w, d), onnx_layer_at(r, d), onnx_biases(b, d, 2*G, T),
      onnx_lengths(lengths), onnx_start(h0, d, z.shape[1], H, batch_first, T),
      onnx_start(c0, d, z.shape[1], H, batch_first, T),
      if p == none { none } else { onnx_layer_at(p, d) }, input_forget, onnx_reverse(direction, d))
      for d in range(D)]
  [onnx_all_times([v[0] for v in all], batch_first),
      onnx_all_states([v[1] for v in all], batch_first),
      onnx_all_states([v[2] for v in all], batch_first)]
}

# The gates of ONNX are input, output, forget, cell; those of the library input, forget, cell,
# output.
fn onnx_lstm_one(x: T[L, B, I], w: T[G, I], r: T[G, H], b: T[_], lengths, h0: T[B, H], c0: T[B, H],
    p, coupled: int, reverse) -> list where T: float {
  order = [0, 2, 3, 1]
  c = onnx_blocks(b, H, order, 0) + onnx_blocks(b, H, order, 4)
  v = onnx_blocks(w, H, order, 0)
  u = onnx_blocks(r, H, order, 0)
  if p == none and coupled == 0 {
    y, h, n = lstm(x, v, u, c, h0, c0, lengths, reverse = reverse)
    return [y, h, n]
  }
  onnx_lstm_peeping(x, v, u, c, h0, c0, lengths,
      if p == none { onnx_constant_of_shape([3*H], t = T, value = 0) } else { p }, coupled, reverse)
}

fn onnx_lstm_peeping(x: T[L, B, I], w: T[G, I], u: T[G, H], b: T[G], h0: T[B, H], c0: T[B, H],
    lengths, p: T[_], coupled: int, reverse) -> list where T: float {
  g = linear(x, w, b)
  y: T[L, B, H]
  h = h0
  c = c0
  for i in 0:L {
    t = if reverse { L - 1 - i } else { i }
    next, cell = onnx_lstm_step(product(h, u) + g[t, :, :], c, p, coupled)
    if lengths == none {
      h = next
      c = cell
      y[t, :, :] = next
    } else {
      h = kept(next, h, lengths, t)
      c = kept(cell, c, lengths, t)
      y[t, :, :] = kept(next, 0*h, lengths, t)
    }
  }
  [y, h, c]
}

# The gates see the cell: p are its weights for input, output, forget.
fn onnx_lstm_step(z: T[B, G], c: T[B, H], p: T[_], coupled: int) -> (h: T[B, H], n: T[B, H])
    where T: float {
  map b in B, k in H {
    i = sigmoid(z[b, k] + p[k]*c[b, k])
    f = if coupled == 1 { 1 - i } else { sigmoid(z[b, H + k] + p[2*H + k]*c[b, k]) }
    s = f*c[b, k] + i*tanh(z[b, 2*H + k])
    o = sigmoid(z[b, 3*H + k] + p[H + k]*s)
    n[b, k] = s
    h[b, k] = o*tanh(s)
  }
}
