#!/bin/sh
# Every function of one float, of all 2^32 numbers of f32, within the bounds of math_test.c.
# test: full timed long

. "$DCL_SRC/tests/harness/tap.sh"
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}
test=$DCL_BUILD/obj/tests/stdlib/math_test.t
DCL_MATH_ONLY='' "$test" >names
DCL_MATH_STEP=1 xargs -P "$jobs" -I NAME sh -c \
    'DCL_MATH_ONLY=NAME "$0" >NAME.out 2>&1' "$test" <names
while read -r name; do
    ok "$name" grep -q '^ok 1' "$name.out"
    diag "$(sed -n 's/^# //p' "$name.out")"
done <names
done_testing
