## One step of an LSTM (Hochreiter and Schmidhuber, 1997), its output and its cell: z are the sums
## of the input, forget, cell and output gates, c the last cell.
## `h, n = lstm_step(z, c)` with z: f32[2, 12], c: f32[2, 3]
fn lstm_step(z: T[B, G], c: T[B, H]) -> (h: T[B, H], n: T[B, H]) where T: float, G == 4*H {
  map b in B, k in H {
    s = sigmoid(z[b, H + k]) * c[b, k] + sigmoid(z[b, k]) * tanh(z[b, 2*H + k])
    n[b, k] = s
    h[b, k] = sigmoid(z[b, 3*H + k]) * tanh(s)
  }
}

## An LSTM over the first dimension of x, with PyTorch's weights and order of gates: all outputs,
## the last one and the last cell. `reverse` runs from the end; beyond its length a sequence stands
## still and gives 0.
## `y, h, c = lstm(x, w, u, b, h0, c0)` with x: f32[5, 2, 4], w: f32[12, 4], u: f32[12, 3], b:
## f32[12], h0: f32[2, 3], c0: f32[2, 3]
fn lstm(x: T[L, B, I], w: T[G, I], u: T[G, H], b: T[G], h0: T[B, H], c0: T[B, H], lengths: i64[B]?;
    reverse: bool = false) -> (T[L, B, H], T[B, H], T[B, H]) where T: float, G == 4*H {
  g = linear(x, w, b)
  y: T[L, B, H]
  h = h0
  c = c0
  for i in 0:L {
    t = if reverse { L - 1 - i } else { i }
    z = product(h, u) + g[t, :, :]
    next, cell = lstm_step(z, c)
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
  (y, h, c)
}

# The rows of a whose sequence reaches t, else those of b.
fn kept(a: T[B, H], b: T[B, H], lengths: i64[B], t: i64) -> y: T[B, H] where T: float {
  map n in B, k in H { y[n, k] = select(t < lengths[n], a[n, k], b[n, k]) }
}

## A GRU (Cho and others, 2014) over the first dimension of x, with PyTorch's weights and order of
## gates: reset, update, new. All outputs and the last one; lengths as in lstm.
## `y, h = gru(x, w, u, bw, bu, h0)` with x: f32[5, 2, 4], w: f32[9, 4], u: f32[9, 3], bw: f32[9],
## bu: f32[9], h0: f32[2, 3]
fn gru(x: T[L, B, I], w: T[G, I], u: T[G, H], bw: T[G], bu: T[G], h0: T[B, H], lengths: i64[B]?;
    reverse: bool = false) -> (T[L, B, H], T[B, H]) where T: float, G == 3*H {
  g = linear(x, w, bw)
  y: T[L, B, H]
  h = h0
  for i in 0:L {
    t = if reverse { L - 1 - i } else { i }
    next = gru_step(g[t, :, :], product(h, u) + bu, h)
    if lengths == none {
      h = next
      y[t, :, :] = next
    } else {
      y[t, :, :] = kept(next, 0*h, lengths, t)
      h = kept(next, h, lengths, t)
    }
  }
  (y, h)
}

# One step of a GRU: g are the sums of the gates from x, z those from h.
fn gru_step(g: T[B, G], z: T[B, G], h: T[B, H]) -> y: T[B, H] where T: float, G == 3*H {
  map b in B, k in H {
    r = sigmoid(g[b, k] + z[b, k])
    keep = sigmoid(g[b, H + k] + z[b, H + k])
    n = tanh(g[b, 2*H + k] + r * z[b, 2*H + k])
    y[b, k] = (1 - keep) * n + keep * h[b, k]
  }
}

## A plain recurrent network (Elman, 1990) over the first dimension of x: h = act(w x + u h + b).
## All outputs and the last one; lengths as in lstm.
## `y, h = rnn(x, w, u, b, h0, act = relu)` with x: f32[5, 2, 4], w: f32[3, 4], u: f32[3, 3], b:
## f32[3], h0: f32[2, 3]
fn rnn(x: T[L, B, I], w: T[H, I], u: T[H, H], b: T[H], h0: T[B, H], lengths: i64[B]?;
    reverse: bool = false, act = tanh) -> (T[L, B, H], T[B, H]) where T: float {
  g = linear(x, w, b)
  y: T[L, B, H]
  h = h0
  for i in 0:L {
    t = if reverse { L - 1 - i } else { i }
    next = act(product(h, u) + g[t, :, :])
    if lengths == none {
      h = next
      y[t, :, :] = next
    } else {
      y[t, :, :] = kept(next, 0*h, lengths, t)
      h = kept(next, h, lengths, t)
    }
  }
  (y, h)
}
