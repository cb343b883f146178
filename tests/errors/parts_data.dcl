# run
# A subscript from data, of blocks: compiled code tells of the part that is outside.
fn found(x: f32[_] layout(m => m%2, m//2), k: i64[1]) -> f32 {
  n << k[0]
  x[n]
}
y: f32[5] = 1
k: i64[1] = 5
print(found(y, k))
