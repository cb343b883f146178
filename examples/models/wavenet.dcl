# Sound from sound: van den Oord and others, "WaveNet: A Generative Model for Raw Audio", 2016.

## A convolution that sees the present and the past only, in steps of `dilation`.
layer CausalConv(inputs: int, outputs: int, dilation: int) {
  conv = Conv1d(inputs, outputs, 2, dilation = dilation)
  fn forward(x: f32[N, inputs, L]) -> f32[N, outputs, L] {
    pad(x, [[0, 0], [0, 0], [dilation, 0]]) |> conv
  }
}

layer Residual(size: int, skip: int, dilation: int) {
  filter = CausalConv(size, size, dilation)
  gate = CausalConv(size, size, dilation)
  through = Conv1d(size, size, 1)
  aside = Conv1d(size, skip, 1)
  fn forward(x: f32[N, size, L]) -> (f32[N, size, L], f32[N, skip, L]) {
    z = tanh(filter(x)) * sigmoid(gate(x))
    (x + through(z), aside(z))
  }
}

## Scores of the next sample's 256 levels behind each sample.
layer WaveNet(size: int = 32, skip: int = 256, depth: int = 10, stacks: int = 2,
    levels: int = 256) {
  start = CausalConv(1, size, 1)
  blocks = [Residual(size, skip, 2**(i % depth)) for i in 0:stacks*depth]
  end1 = Conv1d(skip, skip, 1)
  end2 = Conv1d(skip, levels, 1)
  fn forward(x: f32[N, 1, L]) -> f32[N, levels, L] {
    x = start(x)
    s: f32[N, skip, L] = 0
    for f in blocks {
      y, z = f(x)
      x = y
      s = s + z
    }
    relu(s) |> end1 |> relu |> end2
  }
}
