# Functions of numbers for which ONNX has an operator.

fn relu(x) -> any { node("Relu", [x]) }

fn leaky_relu(x; slope: float = 0.01) -> any { node("LeakyRelu", [x], [("alpha", slope)]) }

fn sigmoid(x) -> any { node("Sigmoid", [x]) }

fn softplus(x) -> any { node("Softplus", [x]) }

fn softsign(x) -> any { node("Softsign", [x]) }

fn silu(x) -> any { node("Mul", [x, node("Sigmoid", [x])]) }

fn hardswish(x) -> any { node("HardSwish", [x]) }

fn gelu(x) -> any {
  e = node("Erf", [node("Mul", [x, constant(x.dtype, 0.7071067811865476)])])
  node("Mul", [node("Mul", [x, constant(x.dtype, 0.5)]), node("Add", [e, constant(x.dtype, 1)])])
}

fn erf(x) -> any { node("Erf", [x]) }

fn sin(x) -> any { node("Sin", [x]) }

fn cos(x) -> any { node("Cos", [x]) }

fn tan(x) -> any { node("Tan", [x]) }

fn asin(x) -> any { node("Asin", [x]) }

fn acos(x) -> any { node("Acos", [x]) }

fn atan(x) -> any { node("Atan", [x]) }

fn sinh(x) -> any { node("Sinh", [x]) }

fn cosh(x) -> any { node("Cosh", [x]) }

fn asinh(x) -> any { node("Asinh", [x]) }

fn acosh(x) -> any { node("Acosh", [x]) }

fn atanh(x) -> any { node("Atanh", [x]) }

fn sign(x) -> any { node("Sign", [x]) }

fn ceil(x) -> any { node("Ceil", [x]) }

fn reciprocal(x) -> any { node("Reciprocal", [x]) }
