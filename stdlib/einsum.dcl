## Einstein's sum: a letter for each dimension of each tensor, and those of the result behind `->`;
## letters that the result lacks are summed over. Without `->` the result has those that stand once,
## in the order of the alphabet. `...` stands for all other dimensions of a tensor, of which those
## of several tensors are the same from the last one on; without `->` they are the first ones.
## `einsum("bij,bjk->bik", [x, y])` with x: f32[2, 3, 4], y: f32[2, 4, 2]
fn einsum(spec: str, xs: T[*_][]) -> y: T[*einsum_shape(spec, [x.shape for x in xs])]
    where T: number {
  shapes = [x.shape for x in xs]
  inputs, output = einsum_letters(spec, [len(s) for s in shapes])
  letters = distinct([*output, *joined(inputs)])
  map *i in [letter_size(l, inputs, shapes) for l in letters] {
    product = prod([x[*[i[position(l, letters)] for l in inputs[k]]] for k, x in enumerate(xs)])
    product >> y[*i[:len(output)]] (sum)
  }
}

# The letters of each of the tensors, which have RANKS dimensions, and those of the result: without
# `->` those that stand once, in the order of the alphabet.
fn einsum_letters(spec: str, ranks: list) -> list {
  all = [c for c in list(spec) if c != " "]
  arrow = if "-" in all { position("-", all) } else { len(all) }
  terms = cut(all[:arrow], ",")
  n = len(ranks)
  if len(terms) != n { error("\"" + spec + "\" names", len(terms), "tensors, given are", n) }
  others = [if "." in l { max(0, ranks[k] - len(l) + 3) } else { 0 } for k, l in enumerate(terms)]
  inputs = [einsum_others(spec, l, others[k]) for k, l in enumerate(terms)]
  if arrow < len(all) {
    if all[arrow:arrow + 2] != ["-", ">"] { error("no letters and commas with one ->:", spec) }
    return [inputs, einsum_others(spec, all[arrow + 2:], max(others))]
  }
  letters = joined(inputs)
  rest = einsum_others(spec, [".", ".", "."], max(others))
  [inputs, rest + [c for c in list("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
      if len([d for d in letters if d == c]) == 1]]
}

# The letters L with N names in place of `...`, which count from the last one.
fn einsum_others(spec: str, l: list, n: int) -> list {
  if not ("." in l) { return l }
  at = position(".", l)
  if l[at:at + 3] != [".", ".", "."] or "." in l[at + 3:] { error("no ... in letters:", spec) }
  [*l[:at], *[str(n - 1 - i) for i in 0:n], *l[at + 3:]]
}

# The shape of the result.
fn einsum_shape(spec: str, shapes: list) -> shape {
  inputs, output = einsum_letters(spec, [len(s) for s in shapes])
  for k, l in enumerate(inputs) {
    if len(l) != len(shapes[k]) {
      error(len(l), "letters for", len(shapes[k]), "dimensions in", spec)
    }
  }
  for l in output {
    if not (l in joined(inputs)) {
      error("no tensor has the dimension", l, "of the result in", spec)
    }
  }
  [letter_size(l, inputs, shapes) for l in output]
}

# The size that all dimensions called L have.
fn letter_size(l: str, inputs: list, shapes: list) -> int {
  sizes = joined([[n for c, n in zip(inputs[k], shapes[k]) if c == l] for k in 0:len(shapes)])
  for n in sizes { if proved(n != sizes[0]) { error("dimension", l, "is", sizes[0], "and", n) } }
  sizes[0]
}

## All elements of a list of lists.
## `joined([[1], [2, 3]])` is `[1, 2, 3]`
fn joined(l: list) -> list {
  all = []
  for part in l { all = [*all, *part] }
  all
}

## Each element of a list once, where it stands first.
## `distinct([2, 1, 2])` is `[2, 1]`
fn distinct(l: list) -> list { [x for i, x in enumerate(l) if not (x in l[:i])] }

## Where X stands first in the list L; an error if it does not.
## `position("b", ["a", "b"])` is `1`
fn position(x, l: list) -> int {
  all = [i for i, y in enumerate(l) if y == x]
  if len(all) == 0 { error("no", x, "in", l) }
  all[0]
}

## The parts of the list L between elements that are X.
## `cut([1, 0, 2], 0)` is `[[1], [2]]`
fn cut(l: list, x) -> list {
  if not (x in l) { return [l] }
  i = position(x, l)
  [l[:i], *cut(l[i + 1:], x)]
}
