# run
# Static values have a most: a program that doubles them without end is told.
fn lists(l: list) -> list { lists(l + l) }
fn strings(s: str) -> str { strings(s + s) }
fn calls(n: int) -> int { calls(n + 1) }
fn doubles(n: int) -> int { if n == 0 { 1 } else { doubles(n - 1) + doubles(n - 1) } }
#---
lists([1])
#---
strings("ab")
#---
calls(0)
#---
[i for i in 0:1000001]
#---
doubles(60)
#---
len([[k for k in 0:10000] for i in 0:10000])
