# Layers: members see those above them, methods see all.
layer Net(size: int, size: int) {
  param W: f32[size, wdith] ~ unknown_initializer(3, depth)
  head = tail
  tail = Linear(size, size)
  param W: f32[size] ~ zero
  fn zero() -> f32 { 0.0 }
  fn zero() -> f32 { 1.0 }
  fn forward(x: f32[N], W: f32[N]) -> f32[N] {
    head = 3
    zero = 4
    size = 5
    tial(x)
  }
  fn clash(x: f32[W], y: f32[zero]) -> f32[W] { x }
  a, b = pair(size)
}
layer Linear(inputs: int, outputs: int) {
  k = if inputs > 3 { 3 } else { 4 }
  fn forward(x: f32[N]) -> f32[N] { x * k }
}
