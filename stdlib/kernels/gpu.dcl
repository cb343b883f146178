## a x + b, a thread an element.
fn scale_add(x: f32[N], a: f32, b: f32) -> y: f32[N] {
  map io in 0:N:256 grid {
    map i in io:min(io + 256, N) block { y[i] = a * x[i] + b }
  }
}

## A B of any sizes: each block makes a tile of 64 x 64 in steps of 16 along K. The tiles of A and B
## lie in shared memory, filled with zeros beyond the edges; a thread has 4 x 4 sums in registers.
fn matmul_shared(A: f32[M, K], B: f32[K, N]) -> C: f32[M, N] {
  map io in 0:M:64 grid, jo in 0:N:64 grid {
    acc: f32[16, 16, 4, 4] in register = 0
    a: f32[64, 16] in shared
    b: f32[16, 64] in shared
    for ko in 0:K:16 {
      map u in 4 unroll, i in 16 block, j in 16 block {
        a[16*u + i, j] = A[io + 16*u + i, ko + j, else 0]
        b[i, 16*u + j] = B[ko + i, jo + 16*u + j, else 0]
      }
      map i in 16 block, j in 16 block, k in 16 unroll, u in 4 unroll, v in 4 unroll {
        acc[i, j, u, v] += a[16*u + i, k] * b[k, 16*v + j]
      }
    }
    map u in 4 unroll, v in 4 unroll, i in 16 block, j in 16 block {
      acc[i, j, u, v] >> C[io + 16*u + i, jo + 16*v + j, else _]
    }
  }
}
