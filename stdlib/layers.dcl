## x W^T + b.
layer Linear(inputs: int, outputs: int, bias: bool = true) {
  param weight: f32[outputs, inputs] ~ kaiming_uniform
  param bias_: f32[outputs] ~ zeros
  fn forward(x: f32[*B, inputs]) -> f32[*B, outputs] {
    linear(x, weight, bias_)
  }
}
