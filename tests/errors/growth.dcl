# run
# Static values have a most: a program that doubles them without end is told.
fn lists(l: list) -> list { lists(l + l) }
fn strings(s: str) -> str { strings(s + s) }
fn calls(n: int) -> int { calls(n + 1) }
#---
lists([1])
#---
strings("ab")
#---
calls(0)
#---
[i for i in 0:1000001]
