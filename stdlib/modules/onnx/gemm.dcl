## alpha A B + beta C, of A and B as they are or transposed (1); C broadcasts.
fn gemm(A: T[I, J], B: T[K, L], C: T[*S] = 0; alpha: float = 1, beta: float = 1, transA: int = 0,
    transB: int = 0) -> Y: T[I + transA*(J - I), L + transB*(K - L)] where T: number {
  a = if transA == 1 { A.T } else { A }
  b = if transB == 1 { B.T } else { B }
  Y = if alpha == 1 and beta == 1 { a @ b + C } else { alpha * (a @ b) + beta * C }
}

## The sum of products that a text says.
fn onnx_einsum(xs: T[*_][]; equation: str) -> T[*einsum_shape(equation, [x.shape for x in xs])]
    where T: number {
  einsum(equation, xs)
}

## The matrix product of the last two dimensions, where a vector is a row on the left and a column
## on the right, whose dimension of one element goes.
fn onnx_matmul(a: T[*S], b: T[*R]) -> any where T: number {
  m = if len(S) == 1 { unsqueeze(a, [0]) } else { a }
  n = if len(R) == 1 { unsqueeze(b, [-1]) } else { b }
  p = m @ n
  gone = [i for i, k in enumerate(p.shape)
      if (i == len(p.shape) - 2 and len(S) == 1) or (i == len(p.shape) - 1 and len(R) == 1)]
  squeeze(p, axes = gone)
}
