# check
# Words that are reserved, and what the language has not.
as = 1
x = expand(3)
instr = 2
pipeline f { }
using = 3
a = 1.
b = .5
é = 2
c = 9223372036854775808
d = "\x00"
e = 'text'
f = 1 && 2
g = 3 || 4
h = !true
i++
def g(x) { x }
import numpy
let k = 3
l = x ? 1 : 2
m: f32[2 + ?] = 0
if x = 3 { print(x) }
f32[3] n = 0
return 1, 2
