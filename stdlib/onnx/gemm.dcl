## alpha A B + beta C, of A and B as they are or transposed (1); C broadcasts.
fn gemm(A: T[I, J], B: T[K, L], C: T[*S] = 0; alpha: float = 1, beta: float = 1, transA: int = 0,
    transB: int = 0) -> Y: T[I + transA*(J - I), L + transB*(K - L)] where T: float {
  a = if transA == 1 { A.T } else { A }
  b = if transB == 1 { B.T } else { B }
  Y = alpha * (a @ b) + beta * C
}
