# Softmax, written with explicit memlets: `<<` reads an element, `>>` writes one. As it is written,
# it reads x three times; the compiler runs the three maps as one, row by row, and reads it once.
#   dcl run examples/small/softmax.dcl
#   dcl movement examples/small/softmax.dcl --entry rows --shape x=f32[1000,64] [--after lower]

## exp(x) divided by its sum, in each row; the largest is subtracted first, so nothing overflows.
fn rows(x: f32[N, M]) -> y: f32[N, M] {
  top: f32[N]
  total: f32[N]
  map i in N, j in M {
    a << x[i, j]
    a >> top[i] (max)
  }
  map i in N, j in M {
    a << x[i, j]
    t << top[i]
    exp(a - t) >> total[i] (sum)
  }
  map i in N, j in M {
    a << x[i, j]
    t << top[i]
    s << total[i]
    exp(a - t) / s >> y[i, j]
  }
}

x: f32[2, 3]
map i, j { x[i, j] = f32(i * j) }
print(rows(x))
print("sum of each row:", sum(rows(x), axes = 1))
print("as the library's softmax:", all(abs(rows(x) - softmax(x)) < 0.000001))
