## The matrix product of the last two dimensions; those before broadcast.
fn matmul(A: T[*P, M, K], B: T[*P, K, N]) -> T[*P, M, N] where T: number {
  if T == f32 and len(P) == 0 and not training { matmul_tiled(A, B) } else { matmul_plain(A, B) }
}

## The matrix product as its definition; what gradients are taken of.
fn matmul_plain(A: T[*P, M, K], B: T[*P, K, N]) -> C: T[*P, M, N] where T: number {
  map *p, i, j, k { C[*p, i, j] += A[*p, i, k] * B[*p, k, j] }
}

## x W^T + b, with W as weight files hold it.
fn linear(x: T[*B, I], W: T[O, I], b: T[O]) -> T[*B, O] where T: float {
  fast = T == f32 and len(B) == 1 and not training
  z = if fast { matmul_transposed(x, W) } else { rows(x, W) }
  add(z, b)
}

## x W^T, row by row.
fn rows(x: T[*B, I], W: T[O, I]) -> y: T[*B, O] where T: float {
  map *n in B, o in O, i in I { y[*n, o] += x[*n, i] * W[o, i] }
}

## The same elements with the last two dimensions exchanged.
fn transpose(x: T[*P, M, N]) -> y: T[*P, N, M] where T: any {
  map *p, i in M, j in N { y[*p, j, i] = x[*p, i, j] }
}
