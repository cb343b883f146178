# The game of life on a torus, what leaves on one side comes back on the other: a loop of maps. A
# cell lives on with two or three neighbours, and is born with three.
#   dcl run examples/small/life.dcl

## The next generation: a cell reads its eight neighbours, `%` brings them back onto the torus.
fn next(x: i32[H, W]) -> y: i32[H, W] {
  map i in H, j in W {
    n: i32
    map a in 3, b in 3 {
      c << x[(i + a - 1) % H, (j + b - 1) % W]
      c >> n (sum)
    }
    alive << x[i, j]
    others = n - alive
    i32(others == 3 or alive == 1 and others == 2) >> y[i, j]
  }
}

## `turns` generations. The loop runs in order; each of its maps has no order.
fn life(x: i32[H, W], turns: i64) -> i32[H, W] {
  for t in 0:turns { x = next(x) }
  x
}

x: i32[6, 6]
for i, j in [(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)] { x[i, j] = 1 }
print(x)
print(life(x, 4))
print("back after 24 turns:", all(life(x, 24) == x))
