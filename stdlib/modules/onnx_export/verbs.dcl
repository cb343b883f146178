# What the evaluator says about tensors, in ONNX's operators: README.md tells how. C calls these by
# name, with values of the model.

# A node of one result, or the first of its results.
fn node(op: str, inputs: list, attributes: list = []) -> any { (op, inputs, attributes) }

# Result K of a node of several.
fn output(k: int, n) -> any { (k, n) }

# A number, or a list of numbers, of element type T.
fn constant(t: dtype, v) -> any { (t, v) }

# --- scalar operators, with broadcast ---

fn scalar_add(a, b) -> any { node("Add", [a, b]) }

fn scalar_sub(a, b) -> any { node("Sub", [a, b]) }

fn scalar_mul(a, b) -> any { node("Mul", [a, b]) }

fn scalar_div(a, b) -> any { node("Div", [a, b]) }

fn scalar_lt(a, b) -> any { node("Less", [a, b]) }

fn scalar_le(a, b) -> any { node("LessOrEqual", [a, b]) }

fn scalar_gt(a, b) -> any { node("Greater", [a, b]) }

fn scalar_ge(a, b) -> any { node("GreaterOrEqual", [a, b]) }

fn scalar_eq(a, b) -> any { node("Equal", [a, b]) }

fn scalar_ne(a, b) -> any { node("Not", [node("Equal", [a, b])]) }

fn scalar_and(a, b) -> any { node("And", [a, b]) }

fn scalar_or(a, b) -> any { node("Or", [a, b]) }

fn scalar_not(a) -> any { node("Not", [a]) }

fn scalar_neg(a, type: dtype) -> any {
  if type in [u8, u16, u32, u64] { return node("Sub", [constant(type, 0), a]) }
  node("Neg", [a])
}

fn scalar_max(a, b) -> any { node("Max", [a, b]) }

fn scalar_min(a, b) -> any { node("Min", [a, b]) }

fn scalar_abs(a) -> any { node("Abs", [a]) }

fn scalar_sqrt(a) -> any { node("Sqrt", [a]) }

fn scalar_exp(a) -> any { node("Exp", [a]) }

fn scalar_log(a) -> any { node("Log", [a]) }

fn scalar_tanh(a) -> any { node("Tanh", [a]) }

fn scalar_floor(a) -> any { node("Floor", [a]) }

fn scalar_round(a) -> any { node("Round", [a]) }

fn scalar_bit_and(a, b, opset: int) -> any {
  if opset < 18 { none } else { node("BitwiseAnd", [a, b]) }
}

fn scalar_bit_or(a, b, opset: int) -> any {
  if opset < 18 { none } else { node("BitwiseOr", [a, b]) }
}

fn scalar_bit_xor(a, b, opset: int) -> any {
  if opset < 18 { none } else { node("BitwiseXor", [a, b]) }
}

fn scalar_bit_not(a, opset: int) -> any { if opset < 18 { none } else { node("BitwiseNot", [a]) } }

# ONNX shifts what has no sign, and says nothing of counts beyond the bits.
fn scalar_shr(a, b, type: dtype) -> any { shifted(a, b, type, "RIGHT") }

fn scalar_shl(a, b, type: dtype) -> any { shifted(a, b, type, "LEFT") }

fn shifted(a, b, type: dtype, way: str) -> any {
  found = [n for t, n in [(u8, 8), (u32, 32), (u64, 64)] if t == type]
  if len(found) == 0 { return none }
  n = node("BitShift", [a, b], [("direction", way)])
  node("Mul", [n, node("Cast", [node("Less", [b, constant(type, found[0])])], [("to", type)])])
}

fn scalar_select(c, a, b) -> any { node("Where", [c, a, b]) }

# --- resolutions, over axes ---

# ONNX adds up numbers of 32 bits and more; what wraps there wraps the same in fewer.
fn reduce_sum(x, axes: list, keep, type: dtype) -> any {
  if type in [i8, u8, i16, u16] { return narrow_sum(x, axes, keep, type) }
  node("ReduceSum", [x, axes], [("keepdims", keep)])
}

fn reduce_prod(x, axes: list, keep, opset: int, type: dtype) -> any {
  reduce_wide("ReduceProd", [i8, u8, i16, u16], x, axes, keep, opset, type)
}

fn reduce_max(x, axes: list, keep, opset: int, type: dtype) -> any {
  reduce_wide("ReduceMax", [i16, u16], x, axes, keep, opset, type)
}

fn reduce_min(x, axes: list, keep, opset: int, type: dtype) -> any {
  reduce_wide("ReduceMin", [i16, u16], x, axes, keep, opset, type)
}

fn narrow_sum(x, axes: list, keep, type: dtype) -> any {
  n = node("Cast", [x], [("to", i32)])
  node("Cast", [node("ReduceSum", [n, axes], [("keepdims", keep)])], [("to", type)])
}

# In i32 for the types NARROW.
fn reduce_wide(op: str, narrow: list, x, axes: list, keep, opset: int, type: dtype) -> any {
  if not (type in narrow) { return reduce_over(op, x, axes, keep, opset) }
  n = node("Cast", [x], [("to", i32)])
  node("Cast", [reduce_over(op, n, axes, keep, opset)], [("to", type)])
}

# Truth values have a smallest and a largest one only as numbers.
fn reduce_and(x, axes: list, keep, opset: int) -> any {
  n = node("Cast", [x], [("to", u8)])
  node("Cast", [reduce_over("ReduceMin", n, axes, keep, opset)], [("to", bool)])
}

fn reduce_or(x, axes: list, keep, opset: int) -> any {
  n = node("Cast", [x], [("to", u8)])
  node("Cast", [reduce_over("ReduceMax", n, axes, keep, opset)], [("to", bool)])
}

fn reduce_over(op: str, x, axes: list, keep, opset: int) -> any {
  if opset < 18 {
    node(op, [x], [("axes", axes), ("keepdims", keep)])
  } else {
    node(op, [x, axes], [("keepdims", keep)])
  }
}

# --- whole tensors ---

fn move_transpose(x, perm: list) -> any { node("Transpose", [x], [("perm", perm)]) }

fn move_squeeze(x, axes: list) -> any { node("Squeeze", [x, axes]) }

fn move_unsqueeze(x, axes: list) -> any { node("Unsqueeze", [x, axes]) }

# A 0 is a size of 0 and not that of x.
fn move_reshape(x, shape) -> any { node("Reshape", [x, shape], [("allowzero", 1)]) }

fn move_expand(x, shape) -> any { node("Expand", [x, shape]) }

fn move_slice(x, from, to, axes, steps) -> any { node("Slice", [x, from, to, axes, steps]) }

fn move_take(x, i, axis: int) -> any { node("Gather", [x, i], [("axis", axis)]) }

fn move_put(x, i, v, how: str) -> any {
  names = [("none", "none"), ("sum", "add"), ("prod", "mul"), ("max", "max"), ("min", "min")]
  found = [b for a, b in names if a == how]
  if len(found) == 0 { none } else { node("ScatterND", [x, i, v], [("reduction", found[0])]) }
}

fn move_join(xs: list, axis: int) -> any { node("Concat", xs, [("axis", axis)]) }

fn move_size(x, axis: int) -> any { node("Shape", [x], [("start", axis), ("end", axis + 1)]) }

fn move_count(n) -> any { node("Range", [constant(i64, 0), n, constant(i64, 1)]) }

fn move_product(a, b, equation: str) -> any { node("Einsum", [a, b], [("equation", equation)]) }

fn move_same(x) -> any { node("Identity", [x]) }
