# A language model of two LSTM layers: Zaremba, Sutskever, Vinyals, "Recurrent Neural Network
# Regularization", 2014, with the names of PyTorch's example word_language_model.

layer TwoLSTM(inputs: int, size: int) {
  param weight_ih_l0: f32[4*size, inputs] ~ uniform(1/sqrt(size))
  param weight_hh_l0: f32[4*size, size] ~ uniform(1/sqrt(size))
  param bias_ih_l0: f32[4*size] ~ uniform(1/sqrt(size))
  param bias_hh_l0: f32[4*size] ~ uniform(1/sqrt(size))
  param weight_ih_l1: f32[4*size, size] ~ uniform(1/sqrt(size))
  param weight_hh_l1: f32[4*size, size] ~ uniform(1/sqrt(size))
  param bias_ih_l1: f32[4*size] ~ uniform(1/sqrt(size))
  param bias_hh_l1: f32[4*size] ~ uniform(1/sqrt(size))
  fn forward(x: f32[L, B, inputs]) -> f32[L, B, size] {
    zero: f32[B, size] = 0
    y, _, _ = lstm(x, weight_ih_l0, weight_hh_l0, bias_ih_l0 + bias_hh_l0, zero, zero)
    z, _, _ = lstm(y, weight_ih_l1, weight_hh_l1, bias_ih_l1 + bias_hh_l1, zero, zero)
    z
  }
}

## The scores of the next word behind each word; the words run along the first dimension.
layer WordModel(words: int = 33278, size: int = 200) {
  encoder = Embedding(words, size)
  rnn = TwoLSTM(size, size)
  decoder = Linear(size, words)
  fn forward(ids: i64[L, B]) -> f32[L, B, words] { ids |> encoder |> rnn |> decoder }
}
