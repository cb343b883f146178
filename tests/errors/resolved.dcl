# run
# Resolutions by functions: what the function is, where the element starts, what runs in order.
fn larger(a: f32, b: f32) -> f32 { if b > a { b } else { a } }
fn twice(a: f32) -> f32 { a * 2 }
fn pick(a: f32, b: i64) -> f32 { a }
fn halved(a: f32[2], b: f32[2]) -> f32[2] { a }
fn truth(a: f32, b: f32) -> bool { a > b }
fn into(inout s: f32[], v: f32) { v >> s (larger) }
x: f32[3]
s: f32 = 0
#---
map i in 3 { x[i] >> s (twice) }
#---
map i in 3 { x[i] >> s (pick) }
#---
map i in 3 { x[i] >> s (halved) }
#---
map i in 3 { x[i] >> s (truth) }
#---
map i in 3 { x[i] >> s (x) }
#---
map i in 3 { x[i] >> x[i, else _] (larger) }
#---
map i in 3 parallel { x[i] >> s (larger) }
#---
fn f(x: f32[_]) -> s: f32 { map i { x[i] >> s (larger) } }
#---
fn f(x: f32[N]) -> s: f32 {
  s = 0
  map i in N { into(s, x[i]) }
}
