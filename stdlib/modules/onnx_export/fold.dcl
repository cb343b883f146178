# Nodes that are one together: `fold_OP` is called for each node OP, with what it reads. README.md
# tells how a node is seen.

fn is_node(n) -> any {
  if kind(n) != "list" { return false }
  if len(n) == 5 { kind(n[0]) == "str" } else { false }
}

fn is_op(n, op: str) -> any { if is_node(n) { n[0] == op } else { false } }

# What is read, itself.
fn value_of(n) -> any { if is_node(n) { n[3] } else { n } }

# A bias belongs to the convolution or product whose result it is added to.
fn fold_add(a, b) -> any {
  n = with_bias(a, b)
  if kind(n) == "none" { with_bias(b, a) } else { n }
}

fn with_bias(n, b) -> any {
  if not is_node(n) { return none }
  op, inputs, attributes, value, alone = n
  if not alone or len(inputs) != 2 { return none }
  if op == "MatMul" { return product_with(inputs[0], inputs[1], b) }
  if op in ["Conv", "ConvTranspose"] { window_with(n, b) } else { none }
}

fn window_with(n, b) -> any {
  op, inputs, attributes, value, alone = n
  x, w = inputs
  groups = [v for k, v in attributes if k == "group"][0]
  if not is_op(b, "Unsqueeze") { return none }
  v, axes = b[1]
  if not (is_tensor(w) and is_tensor(v)) { return none }
  C = if op == "Conv" { value_of(w).shape[0] } else { value_of(w).shape[1] * groups }
  if axes != [d for d in 1:value_of(w).rank - 1] or not is_vector(v, C) { return none }
  node(op, [value_of(x), value_of(w), value_of(v)], attributes)
}

fn product_with(x, w, b) -> any {
  if not (is_tensor(x) and is_tensor(w) and is_tensor(b)) { return none }
  if value_of(x).rank != 2 or value_of(w).rank != 2 { return none }
  if not (value_of(x).dtype in [f16, f32, f64] and is_vector(b, value_of(w).shape[1])) {
    return none
  }
  t = is_op(w, "Transpose")
  W = if t { value_of(w[1][0]) } else { value_of(w) }
  node("Gemm", [value_of(x), W, value_of(b)], [("transB", if t { 1 } else { none })])
}

fn is_tensor(n) -> any { kind(value_of(n)) == "tensor" }

fn is_vector(n, size) -> any { value_of(n).rank == 1 and proved(value_of(n).shape[0] == size) }
