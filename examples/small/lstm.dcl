# An LSTM learns a short text by heart, character by character: what comes behind each one. A loop
# over a list is unrolled, so that a gradient goes through it; one over a range has none.
#   dcl run examples/small/lstm.dcl

layer Reader(letters: int, size: int) {
  letter = Embedding(letters, size)
  input = Linear(size, 4*size)
  state = Linear(size, 4*size, with_bias = false)
  next = Linear(size, letters)
  ## The scores of the letter behind each one.
  fn forward(ids: i64[_]; count: int) -> f32[count, letters] {
    x = input(letter(ids))
    zero: f32[1, size] = 0
    h, c = (zero, zero)
    all = []
    for t in range(count) {
      h, c = lstm_step(x[t:t + 1, :] + state(h), c)
      all = all + [h]
    }
    concat(all) |> next
  }
}

## One step: the loss before it, and new weights.
fn step(net: Reader, optimizer: Adam, ids: i64[_], n: int) -> f32 {
  minimize cross_entropy(net(ids[:n], count = n), ids[1:]) over net with optimizer
}

text = "hello, world"
bytes = list(text)
letters = [c for i, c in enumerate(bytes) if not (c in bytes[:i])]
ids = stack([position(c, letters) for c in bytes])
n = len(text) - 1

net = Reader(len(letters), 16)
optimizer = Adam(net, rate = 0.02)
for round in 0:100 {
  loss = step(net, optimizer, ids, n)
  if round % 25 == 0 { print("round", round, "loss", loss) }
}
guess = argmax(net(ids[:n], count = n))
print("letters that it gets right:", sum(i64(guess == ids[1:])), "of", n)
