#!/bin/sh
# harness.t: the three TAP libraries count, name, fail and skip alike, and run keeps its promises.
. "$DCL_SRC/tests/harness/tap.sh"
harness=$DCL_SRC/tests/harness

cat >sample.c <<'END'
#include "tests/harness/tap.h"
int main(void) {
    ok(1, "one");
    ok(0, "two");
    is_int(2, 3, "three");
    is_str("a", "a", "four");
    skip("five");
    return done_testing();
}
END
cat >sample.py <<'END'
import tap
tap.ok(True, "one")
tap.ok(False, "two")
tap.is_int(2, 3, "three")
tap.is_str("a", "a", "four")
tap.skip("five")
tap.done_testing()
END
cat >sample.sh <<'END'
. "$DCL_SRC/tests/harness/tap.sh"
ok "one" true
ok "two" false
is_int 2 3 "three"
is_str a a "four"
skip "five"
done_testing
END

want='ok 1 - one
not ok 2 - two
not ok 3 - three
ok 4 - four
ok 5 # SKIP five
1..5'

ok "tap.h compiles" $CC $DCL_CFLAGS $DCL_CPPFLAGS -o sample sample.c -lm
got=$(./sample 2>errors)
is_int $? 1 "tap.h: status"
is_str "$got" "$want" "tap.h: output"
like "$(cat errors)" 'sample.c:4: failed: 0' "tap.h: says where"
like "$(cat errors)" 'got 2, want 3' "tap.h: says what"

got=$("$PYTHON" sample.py 2>errors)
is_int $? 1 "tap.py: status"
is_str "$got" "$want" "tap.py: output"
like "$(cat errors)" 'sample.py:3: failed' "tap.py: says where"

got=$(sh sample.sh 2>errors)
is_int $? 1 "tap.sh: status"
is_str "$got" "$want" "tap.sh: output"
like "$(cat errors)" 'got 2, want 3' "tap.sh: says what"

printf '#!/bin/sh\nsleep 60 & echo $! >%s/pid\nwait\n' "$PWD" >slow.t
chmod +x slow.t
got=$(DCL_TEST_TIMEOUT=1 "$harness/run" ./slow.t 2>&1)
is_int $? 124 "run stops a slow test"
like "$got" 'stopped after 1 s' "run says so"
alive=$(grep '^State:' "/proc/$(cat pid)/status" 2>/dev/null | grep -v '[ZX] (')
is_str "$alive" "" "run stops what the test started"

rm pid
"$harness/run" ./slow.t 2>errors &
harness_pid=$!
while [ ! -s pid ]; do sleep 0.05; done
kill -TERM $harness_pid
wait $harness_pid
is_int $? 124 "run ends on a signal"
alive=$(grep '^State:' "/proc/$(cat pid)/status" 2>/dev/null | grep -v '[ZX] (')
is_str "$alive" "" "and so does what the test started"

printf '#!/bin/sh\n[ "$PWD" = "$TMPDIR" ] && [ -d "$DCL_CACHE_DIR" ] && pwd\n' >folder.t
chmod +x folder.t
one=$("$harness/run" ./folder.t) && two=$("$harness/run" ./folder.t)
is_int $? 0 "run sets the folders"
ok "run gives each test its own folder" [ "$one" != "$two" ]
fails "run removes the folder" [ -e "$one" ]

done_testing
