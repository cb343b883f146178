## The matrix product of the last two dimensions; those before broadcast.
fn matmul(A: T[*P, M, K], B: T[*P, K, N]) -> C: T[*P, M, N] where T: number {
  map *p, i, j, k { C[*p, i, j] += A[*p, i, k] * B[*p, k, j] }
}

## x W^T + b, with W as weight files hold it.
fn linear(x: T[*B, I], W: T[O, I], b: T[O]) -> y: T[*B, O] where T: float {
  z: T[*B, O]
  map *n in B, o in O, i in I { z[*n, o] += x[*n, i] * W[o, i] }
  map *n in B, o in O { y[*n, o] = z[*n, o] + b[o] }
}

## The same elements with the last two dimensions exchanged.
fn transpose(x: T[*P, M, N]) -> y: T[*P, N, M] where T: any {
  map *p, i in M, j in N { y[*p, j, i] = x[*p, i, j] }
}
