# run
# Definitions of other files.
#---
use missing
#---
use "nowhere/missing.dcl"
#---
use broken
#---
use statements
#---
use helper
print(helper_of(3))
#---
use helper
x: f32[3] = 1
print(helped(x, 3))
#---
use helper
x: f32[3] = 1
print(refused(x, k = 3))
#---
fn f(x: f32[N]) -> f32[N] {
  use helper
  x
}
