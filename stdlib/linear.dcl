## The shape that two shapes broadcast to, aligned from the right; a 1 stretches.
## `broadcast([2, 1], [3])` is `[2, 3]`
fn broadcast(a: list, b: list) -> list {
  n = max(len(a), len(b))
  x = [1 for _ in len(a):n] + a
  y = [1 for _ in len(b):n] + b
  [if proved(x[i] == 1) { y[i] } else { x[i] } for i in 0:n]
}

## The matrix product of the last two dimensions; those before broadcast. What `A @ B` means.
## `matmul(A, B)` with A: f32[2, 2] = [[1, 2], [3, 4]], B: f32[2, 1] = [[5], [6]] is `[[17], [39]]`
fn matmul(A: T[*P, M, K], B: T[*Q, K, N]) -> T[*broadcast(P, Q), M, N] where T: number {
  if T != f32 or derived {
    matmul_plain(A, B)
  } else if proved(M < 3) {
    matmul_thin(A, B)
  } else {
    matmul_tiled(A, B)
  }
}

# The matrix product as its definition.
fn matmul_plain(A: T[*P, M, K], B: T[*P, K, N]) -> C: T[*P, M, N] where T: number {
  map *p, i, j, k { C[*p, i, j] += A[*p, i, k] * B[*p, k, j] }
}

## x W^T + b over the last dimension of x, with W as weight files hold it.
## `linear(x, W, b)` with x: f32[4, 3], W: f32[2, 3], b: f32[2]
fn linear(x: T[*B, I], W: T[O, I], b: T[O]) -> T[*B, O] where T: float { add(product(x, W), b) }

## x W^T over the last dimension of x, with W as weight files hold it.
## `product(x, W)` with x: f32[4, 3], W: f32[2, 3]
fn product(x: T[*B, I], W: T[O, I]) -> T[*B, O] where T: number {
  if T == f32 and len(B) > 0 and not derived { matmul_transposed(x, W) } else { rows(x, W) }
}

## A B^T over the last two dimensions; those before broadcast.
## `product_transposed(A, B)` with A: f32[2, 3, 4], B: f32[2, 5, 4]
fn product_transposed(A: T[*P, M, K], B: T[*P, N, K]) -> T[*P, M, N] where T: number {
  if T == f32 and not derived { matmul_transposed(A, B) } else { matmul_plain(A, transpose(B)) }
}

# x W^T, row by row.
fn rows(x: T[*B, I], W: T[O, I]) -> y: T[*B, O] where T: number {
  map *n in B, o in O, i in I { y[*n, o] += x[*n, i] * W[o, i] }
}
