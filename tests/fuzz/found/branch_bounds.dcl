# Bounds below a branch keep the iterations around it apart.
# sizes: K = 3
fn f(x: f32[K]) -> y: f32[K] {
  map i in K { y[i] = 0 }
  map o in 0:K:8 {
    if K > 3 {
    } else {
      map l in 0:min(8, K - o), k in K { x[k] >> y[o + l] (sum) }
    }
  }
}
