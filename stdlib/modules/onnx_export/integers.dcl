# Integers as DCL has them: what is divided by 0 is 0, a float becomes the nearest integer of the
# type, NaN is 0. ONNX leaves all of that open, and runtimes differ or end.

# --- quotients, rounded down, and remainders, which have the sign of the divisor ---

fn scalar_floordiv(a, b, type: dtype, numbers: list) -> any {
  t = divided_as(type)
  if t == type { return quotient(a, b, t, numbers) }
  as_type(quotient(as_type(a, t), as_type(b, t), t, numbers), type)
}

fn scalar_mod(a, b, type: dtype, numbers: list) -> any {
  t = divided_as(type)
  if t == type { return node("Mod", [a, divisor(b, t, numbers)]) }
  as_type(node("Mod", [as_type(a, t), divisor(as_type(b, t), t, numbers)]), type)
}

# Of sizes and subscripts, which are far from the ends of their type, by what is not negative.
fn size_floordiv(a, b, numbers: list) -> any {
  d = if divides(numbers) { b } else { node("Max", [b, constant(i64, 1)]) }
  q = node("Div", [node("Sub", [a, node("Mod", [a, d])]), d])
  if divides(numbers) { q } else { node("Mul", [q, node("Min", [b, constant(i64, 1)])]) }
}

fn size_mod(a, b, numbers: list) -> any {
  node("Mod", [a, if divides(numbers) { b } else { node("Max", [b, constant(i64, 1)]) }])
}

# The type in which runtimes divide: few know numbers of 16 bits.
fn divided_as(type: dtype) -> dtype {
  if type in [i8, i16] { i32 } else { if type in [u8, u16] { u32 } else { type } }
}

fn unsigned(t: dtype) -> any { t in [u8, u16, u32, u64] }

# Whether the second number is known, and may divide every other one: it is not 0, and not -1, by
# which the least number of a type cannot be divided.
fn divides(numbers: list) -> any { numbers[1] != none and not (numbers[1] in [0, -1]) }

# b, or 1 in its place if it does not divide.
fn divisor(b, t: dtype, numbers: list) -> any {
  if divides(numbers) { return b }
  if unsigned(t) { return node("Max", [b, constant(t, 1)]) }
  node("Where", [is_unit(b, t), constant(t, 1), b])
}

fn is_unit(b, t: dtype) -> any {
  node("Or", [node("Equal", [b, constant(t, 0)]), node("Equal", [b, constant(t, -1)])])
}

# By 0 and -1 a quotient is the product.
fn quotient(a, b, t: dtype, numbers: list) -> any {
  d = divisor(b, t, numbers)
  q = if unsigned(t) { node("Div", [a, d]) } else { rounded_down(a, d, t) }
  if divides(numbers) { return q }
  if unsigned(t) { return node("Mul", [q, node("Min", [b, constant(t, 1)])]) }
  node("Where", [is_unit(b, t), node("Mul", [a, b]), q])
}

# ONNX cuts: one less where what is left of the product is not the remainder.
fn rounded_down(a, d, t: dtype) -> any {
  q = node("Div", [a, d])
  whole = node("Add", [node("Mul", [q, d]), node("Mod", [a, d])])
  node("Sub", [q, as_type(node("Not", [node("Equal", [whole, a])]), t)])
}

# --- casts ---

fn as_type(x, t: dtype) -> any { node("Cast", [x], [("to", t)]) }

fn move_cast(x, to: dtype, type: dtype) -> any {
  if not (type in [f64, f32, f16, bf16]) or to in [bool, f64, f32, f16, bf16] {
    return as_type(x, to)
  }
  if type in [f16, bf16] { return move_cast(as_type(x, f32), to, f32) }
  if to in [i64, u64] { return to_64(x, to, type) }
  if to in [i32, u32] and type == f32 { return move_cast(as_type(x, f64), to, f64) }
  low, high = [(a, b) for t, a, b in [(i8, -128, 127), (u8, 0, 255), (i16, -32768, 32767),
      (u16, 0, 65535), (i32, -2147483648, 2147483647), (u32, 0, 4294967295)] if t == to][0]
  as_type(node("Clip", [no_nan(x, type), constant(type, low), constant(type, high)]), to)
}

# Floats have no largest number of 64 bits: LAST is the largest of them that is below it, and LEFT
# what it lacks.
fn to_64(x, to: dtype, type: dtype) -> any {
  low, last, left = [(a, b, c) for t, f, a, b, c in [
      (i64, f32, -9223372036854775808.0, 9223371487098961920.0, 549755813887),
      (i64, f64, -9223372036854775808.0, 9223372036854774784.0, 1023),
      (u64, f32, 0.0, 18446742974197923840.0, 1099511627775),
      (u64, f64, 0.0, 18446744073709549568.0, 2047)] if t == to and f == type][0]
  n = no_nan(x, type)
  most = constant(type, last)
  beyond = as_type(node("Greater", [n, most]), to)
  node("Add", [as_type(node("Clip", [n, constant(type, low), most]), to),
      node("Mul", [beyond, constant(to, left)])])
}

fn no_nan(x, type: dtype) -> any {
  node("Where", [node("IsNaN", [x]), constant(type, 0), x])
}
