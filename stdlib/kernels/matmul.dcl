## B in panels of `w` columns, the last one filled with zeros: what matmul_packed reads.
fn pack_columns(B: f32[*P, K, N]; w: int = 2*lanes(f32)) -> Q: f32[*P, (N + w - 1)//w, K, w] {
  map *p in P parallel, jb in (N + w - 1)//w parallel, k in K, j in w vector {
    Q[*p, jb, k, j] = B[*p, k, jb*w + j, else 0]
  }
}

## A B for B in panels (pack_columns), n columns in all. Register tiles of `rows` x `w`; rows
## beyond M repeat the last one and are not stored.
fn matmul_packed(A: f32[*P, M, K], Q: f32[*P, NB, K, w], n: i64;
    rows: int = 6, w: int = 2*lanes(f32)) -> C: f32[*P, M, n] {
  map *p in P parallel, mo in 0:M:11*rows parallel, jb in NB parallel {
    map io in mo:min(mo + 11*rows, M):rows {
      acc: f32[rows, w] in register = 0
      map k in K seq, i in rows unroll, j in w vector {
        acc[i, j] += A[*p, min(io + i, M - 1), k] * Q[*p, jb, k, j]
      }
      map i in rows unroll, j in w vector { acc[i, j] >> C[*p, io + i, jb*w + j, else _] }
    }
  }
}

## A B of any sizes; B is brought into panels first.
fn matmul_tiled(A: f32[*P, M, K], B: f32[*Q, K, N]) -> f32[*broadcast(P, Q), M, N] {
  matmul_packed(A, pack_columns(B), N)
}

grad matmul_tiled(A: f32[*P, M, K], B: f32[*Q, K, N], dy: f32[*R, M, N])
    -> (dA: f32[*R, M, K], dB: f32[*R, K, N]) {
  dA = matmul_transposed(dy, B)
  dB = matmul_tiled(transpose(A), dy)
}

## A B for few rows, where bringing B into panels would take longer than the product.
fn matmul_thin(A: f32[*P, M, K], B: f32[*P, K, N]; w: int = 4*lanes(f32)) -> C: f32[*P, M, N] {
  map *p in P parallel, i in M parallel, jo in 0:N:w parallel {
    acc: f32[w] in register = 0
    map k in K seq, j in w vector { acc[j] += A[*p, i, k] * B[*p, k, jo + j, else 0] }
    map j in w vector { acc[j] >> C[*p, i, jo + j, else _] }
  }
}

grad matmul_thin(A: f32[*P, M, K], B: f32[*P, K, N], dC: f32[*P, M, N])
    -> (dA: f32[*P, M, K], dB: f32[*P, K, N]) {
  dA = matmul_transposed(dC, B)
  dB = matmul_tiled(transpose(A), dC)
}

## A B^T of any sizes, both read as they lie: tiles of 3 rows x 4 columns, each element a vector of
## partial sums along K.
fn matmul_transposed(A: f32[*P, M, K], B: f32[*P, N, K]; v: int = lanes(f32)) -> C: f32[*P, M, N] {
  map *p in P parallel, mo in 0:M:48 parallel, no in 0:N:4 parallel {
    map io in mo:min(mo + 48, M):3 {
      acc: f32[3, 4, v] in register = 0
      map ko in 0:K:v seq, j in 4 unroll, i in 3 unroll, k in v vector {
        acc[i, j, k] += A[*p, min(io + i, M - 1), ko + k, else 0] *
            B[*p, min(no + j, N - 1), ko + k, else 0]
      }
      map i in 3 unroll, j in 4 unroll {
        s: f32 in register
        map k in v vector { acc[i, j, k] >> s (sum) }
        s >> C[*p, io + i, no + j, else _]
      }
    }
  }
}

grad matmul_transposed(A: f32[*P, M, K], B: f32[*P, N, K], dC: f32[*P, M, N])
    -> (dA: f32[*P, M, K], dB: f32[*P, N, K]) {
  dA = matmul_tiled(dC, B)
  dB = matmul_tiled(transpose(dC), A)
}
