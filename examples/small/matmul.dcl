# A product of matrices three times: as one map of memlets, in blocks that stay in registers, and as
# the library has it. The meaning is the same; what is moved, and how often, is not.
#   dcl run examples/small/matmul.dcl
#   dcl movement examples/small/matmul.dcl --entry blocked --shape A=f32[64,64] --shape B=f32[64,64]

## Each element of C is a sum over k, which meet there with the resolution `sum`.
fn plain(A: f32[M, K], B: f32[K, N]) -> C: f32[M, N] {
  map i in M, j in N, k in K {
    a << A[i, k]
    b << B[k, j]
    a * b >> C[i, j] (sum)
  }
}

## Blocks of 4 x 16: each element of A that is read serves 16 sums, each of B serves 4. `else 0` is
## what is read outside of a matrix, `else _` drops what would be written there.
fn blocked(A: f32[M, K], B: f32[K, N]) -> C: f32[M, N] {
  map io in 0:M:4 parallel, jo in 0:N:16 parallel {
    acc: f32[4, 16] in register = 0
    map k in K seq, i in 4 unroll, j in 16 vector {
      a << A[io + i, k, else 0]
      b << B[k, jo + j, else 0]
      a * b >> acc[i, j] (sum)
    }
    map i in 4 unroll, j in 16 vector {
      v << acc[i, j]
      v >> C[io + i, jo + j, else _]
    }
  }
}

A: f32[6, 20]
B: f32[20, 18]
map i, k { A[i, k] = f32(i + k) }
map k, j { B[k, j] = f32(k - j) }
print("first row:", plain(A, B)[0, :4])
print("blocked agrees:", all(blocked(A, B) == plain(A, B)))
print("A @ B agrees:  ", all(A @ B == plain(A, B)))
