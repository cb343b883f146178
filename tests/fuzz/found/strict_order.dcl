# In a strict program no pass changes the order of a sum: not by another innermost index, not by
# running what sums where its input is made, not by shared outer indices.
# sizes: N = 33, M = 7, K = 5
fn f(x: f32[N], z: f32[M, K]) -> (y: f32[3], w: f32[K], v: f32[M]) {
  map i in N, j in M, l in 0:3 { x[i] * 0.1 >> y[l] (sum) }
  e: f32[M, K]
  map a in K, b in M { e[b, a] = z[b, a] * 3 }
  map b in M, a in K { e[b, a] >> w[a] (sum) }
  map a in K, b in M { e[b, a] >> v[b] (prod) }
  s: f32
  map b in M, a in K { e[b, a] >> s (sum) }
  map b in M { s >> v[b] (prod) }
}
