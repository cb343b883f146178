# check
# Texts that do not follow the grammar. Reading goes on with the next statement.
a = 5 $ 6
b = "no end
c = 12ab
d = 1e400
e = "\q"
f = (1, 2
g = 3)
h = 1 +* 2
i = 1 < 2 < 3
j = [1 for]
when = 3
k: f32[3] ~ 2
1 = 2
fn half(x: f32) -> f32
{ x }
fn kinds(x: f32[N]; f32) -> f32[N] { x }
fn packs(x: f32[*S, *R]) -> f32[*S] { x }
fn resolved(x: f32[N]) -> s: f32 {
  map i { x[i] >> s (3) }
  map i in N paralel { x[i] >> s (sum) }
  map in N { }
  map i in 0:N { x[i] >> s (sum)
}
if 1 { a = 2 }
else { a = 3 }
x = y = 3
x[0
1
fn double(x: f32, x2) { x * }
layer { }
layer Broken { x + 1 }
update a with b
minimize a over b
e = gradient f
z = if true 3 else 4
fn loop(x: f32[N]) -> y: f32[N] {
  y = 0
  for i in 0:N parallel { y[i] = x[i] }
}
fn storage(x: f32[N]) -> f32[N] {
  c: f32[N] in sahred = 0
  x + c
}
fn unrolled(x: f32[N]) -> y: f32[N] { map i in N unroll(0) { y[i] = x[i] } }
net.0
net.blocks.0.weight
