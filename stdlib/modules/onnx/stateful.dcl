## Attention as a recurrence: a state of each head takes in k and v of one position after the other,
## and q reads it. The rule says whether the state decays, and whether what it has of v is taken
## off. Yang and others, "Gated Delta Networks", 2024.
fn onnx_linear_attention(q: T[B, S, _], k: T[B, S, _], v: T[B, S, _], past: any = none,
    decay: any = none, beta: any = none; kv_num_heads: int, q_num_heads: int, scale: float = 0,
    update_rule: str = "gated_delta") -> list where T: float {
  H = kv_num_heads
  D = k.shape[2]//H
  E = v.shape[2]//H
  zero: f32[B, H, D, E] = 0
  start = if past == none { zero } else { f32(past) }
  c = if scale == 0 { 1/sqrt(1.0*D) } else { scale }
  y, state = onnx_linear_states(q, k, v, start, decay, beta, q_num_heads, c, update_rule)
  [y, if past == none { T(state) } else { past.dtype(state) }]
}

fn onnx_linear_states(q: T[B, S, _], k: T[B, S, _], v: T[B, S, _], start: f32[B, H, D, E], decay,
    beta, heads: int, scale: float, rule: str) -> (y: T[B, S, heads*E], state: f32[B, H, D, E])
    where T: float {
  gated = rule == "gated" or rule == "gated_delta"
  delta = rule == "delta" or rule == "gated_delta"
  each = if gated { proved(decay.shape[2] != H) } else { false }
  state = start
  for t in 0:S {
    if gated {
      map b in B, h in H, d in D, e in E {
        g = decay[b, t, if each { h*D + d } else { h }]
        state[b, h, d, e] = state[b, h, d, e]*exp(f32(g))
      }
    }
    w: f32[B, H, E]
    map b in B, h in H, e in E { w[b, h, e] = f32(v[b, t, h*E + e]) }
    if delta {
      r: f32[B, H, E] = 0
      map b in B, h in H, e in E, d in D { r[b, h, e] += state[b, h, d, e]*f32(k[b, t, h*D + d]) }
      map b in B, h in H, e in E {
        rate = f32(beta[b, t, if proved(beta.shape[2] == 1) { 0 } else { h }])
        w[b, h, e] = rate*(w[b, h, e] - r[b, h, e])
      }
    }
    map b in B, h in H, d in D, e in E {
      state[b, h, d, e] = state[b, h, d, e] + f32(k[b, t, h*D + d])*w[b, h, e]
    }
    o: f32[B, heads, E] = 0
    map b in B, n in heads, e in E, d in D {
      o[b, n, e] += f32(q[b, t, n*D + d])*state[b, n//(heads//H), d, e]
    }
    map b in B, n in heads, e in E { y[b, t, n*E + e] = T(scale*o[b, n, e]) }
  }
}

## A convolution of each channel by itself over what was before, with the last elements to go on
## with.
fn onnx_causal_conv(x: T[B, C, L], w: T[C, 1, K], b: T[C]? = none, past: T[B, C, _]? = none;
    activation: str = "none") -> list where T: float {
  zero: T[B, C, K - 1] = 0
  all = concat([if past == none { zero } else { past }, x], axis = 2)
  s: f32[B, C, L] = 0
  map n in B, c in C, l in L, k in K { s[n, c, l] += f32(all[n, c, l + k])*f32(w[c, 0, k]) }
  y = if b == none { T(s) } else { T(s + f32(unsqueeze(b, [1]))) }
  [if activation == "none" { y } else { T(silu(f32(y))) }, part(all, 2, L, K - 1, 1)]
}
