# Recurrent networks. ONNX has other orders of gates, a dimension of directions, and i32 lengths.

# The rows of w, H for each gate, in another order, with that dimension.
fn gates(w, H: int, order: list) -> any {
  parts = [node("Slice", [w, [k * H], [k * H + H], [0]]) for k in order]
  node("Unsqueeze", [node("Concat", parts, [("axis", 0)]), [0]])
}

fn ahead(x) -> any { node("Unsqueeze", [x, [0]]) }

fn counted(lengths) -> any {
  if lengths == none { none } else { node("Cast", [lengths], [("to", i32)]) }
}

fn towards(reverse) -> str { if reverse { "reverse" } else { "forward" } }

fn lstm(x, w, u, b, h0, c0, lengths = none; reverse = false) -> any {
  H = h0.shape[1]
  order = [0, 3, 1, 2]
  zero = constant(x.dtype, [0 for _ in 0:4 * H])
  both = node("Concat", [gates(b, H, order), ahead(zero)], [("axis", 1)])
  n = node("LSTM", [x, gates(w, H, order), gates(u, H, order), both, counted(lengths), ahead(h0),
      ahead(c0)], [("hidden_size", H), ("direction", towards(reverse))])
  [node("Squeeze", [n, [1]]), node("Squeeze", [output(1, n), [0]]),
      node("Squeeze", [output(2, n), [0]])]
}

fn gru(x, w, u, bw, bu, h0, lengths = none; reverse = false) -> any {
  H = h0.shape[1]
  order = [1, 0, 2]
  both = node("Concat", [gates(bw, H, order), gates(bu, H, order)], [("axis", 1)])
  n = node("GRU", [x, gates(w, H, order), gates(u, H, order), both, counted(lengths), ahead(h0)],
      [("hidden_size", H), ("linear_before_reset", 1), ("direction", towards(reverse))])
  [node("Squeeze", [n, [1]]), node("Squeeze", [output(1, n), [0]])]
}
