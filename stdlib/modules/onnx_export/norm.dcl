# Softmax and normalizations.

fn softmax(x; axis: int = -1) -> any { node("Softmax", [x], [("axis", axis)]) }

fn log_softmax(x; axis: int = -1) -> any { node("LogSoftmax", [x], [("axis", axis)]) }

fn layer_norm(x, g, b; eps: float = 1e-5) -> any {
  node("LayerNormalization", [x, g, b], [("axis", -1), ("epsilon", eps)])
}

fn batch_norm(x, mean, variance, g, b; eps: float = 1e-5) -> any {
  node("BatchNormalization", [x, g, b, mean, variance], [("epsilon", eps)])
}

fn instance_norm(x, g, b; eps: float = 1e-5) -> any {
  node("InstanceNormalization", [x, g, b], [("epsilon", eps)])
}
