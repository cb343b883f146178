# Matrix products, elements by position.

fn matmul(A, B) -> any { node("MatMul", [A, B]) }

fn linear(x, W, b) -> any {
  if x.rank == 2 { return node("Gemm", [x, W, b], [("transB", 1)]) }
  node("Add", [node("MatMul", [x, turned(W)]), b])
}

fn product(x, W) -> any { node("MatMul", [x, turned(W)]) }

fn product_transposed(A, B) -> any {
  r = B.rank
  p = [*[d for d in 0:r - 2], r - 1, r - 2]
  node("MatMul", [A, node("Transpose", [B], [("perm", p)])])
}

# A matrix with its dimensions exchanged.
fn turned(W) -> any { node("Transpose", [W], [("perm", [1, 0])]) }

fn embedding(i, w) -> any { node("Gather", [w, i], [("axis", 0)]) }

fn take(x, i; axis: int = 0) -> any { node("Gather", [x, i], [("axis", axis)]) }

fn gather(x, i; axis: int = -1) -> any { node("GatherElements", [x, i], [("axis", axis)]) }
