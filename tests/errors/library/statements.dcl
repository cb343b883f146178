fn fine(x: f32[N]) -> f32[N] { x }
x = 3
print(x)
