# Recommendations from numbers and categories: Naumov and others, "Deep Learning Recommendation
# Model for Personalization and Recommendation Systems", 2019, with its reference code's names.

## Linear maps at even places, as in a list with an activation after each.
fn tower(sizes: list) -> list {
  [if i % 2 == 0 { Linear(sizes[i//2], sizes[i//2 + 1]) } else { [] } for i in 0:2*len(sizes) - 3]
}

## The linear maps of a tower.
fn maps(tower: list) -> list { [f for i, f in enumerate(tower) if i % 2 == 0] }

## The products of all pairs of rows: row i by all rows before it.
fn pairs(x: f32[N, K, _]) -> y: f32[N, K*(K - 1)//2] {
  z = product_transposed(x, x)
  map n in N, i in K, j in 0:i { y[n, i*(i - 1)//2 + j] = z[n, i, j] }
}

layer DLRM(counts: list, size: int, numbers: int, bottom: list, top: list) {
  emb_l = [Embedding(n, size) for n in counts]
  bot_l = tower([numbers, *bottom, size])
  features = len(counts) + 1
  top_l = tower([size + features*(features - 1)//2, *top, 1])
  ## x are numbers, ids one word of each category.
  fn forward(x: f32[N, numbers], ids: i64[N, len(counts)]) -> f32[N, 1] {
    for f in maps(bot_l) { x = relu(f(x)) }
    rows = stack([x, *[f(ids[:, i]) for i, f in enumerate(emb_l)]], axis = 1)
    y = concat([x, pairs(rows)], axis = 1)
    for f in maps(top_l[:len(top_l) - 1]) { y = relu(f(y)) }
    y |> top_l[len(top_l) - 1] |> sigmoid
  }
}
