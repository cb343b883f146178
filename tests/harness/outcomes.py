"""outcomes.py: for tests whose programs may crash: a test runs itself again with options of a
session as its argument, prints a line for each case, and compares the lines with the reference's.

    if len(sys.argv) > 1:
        outcomes_of(sys.argv[1])            # prints "CASE: ..." lines
        sys.exit()
    status, expected = outcomes.run(__file__, "backend=ref")
    outcomes.compare(__file__, "backend=cpu", ["CASE", ..], ": ", expected)
"""

import os
import subprocess
import sys

import tap


def run(script, options):
    """The exit status, and the lines."""
    env = dict(os.environ)
    if env.get("DCL_ASAN_PRELOAD"):  # the child is Python too: it loads the sanitizers first
        env["LD_PRELOAD"] = env["DCL_ASAN_PRELOAD"]
        env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    done = subprocess.run([sys.executable, script, options], stdout=subprocess.PIPE, text=True,
                          env=env, check=False)
    return done.returncode, done.stdout.splitlines()


def compare(script, options, cases, behind, expected):
    """A test for each case: its lines, which begin with its name and BEHIND, are the expected."""
    status, found = run(script, options)
    tap.ok(status == 0, options + ": no crash", "status %d after %s" % (status, found[-1:]))
    for what in cases:
        mine = [[line for line in lines if line.startswith(what + behind)]
                for lines in (found, expected)]
        wrong = ["%s, not %s" % pair for pair in zip(*mine) if pair[0] != pair[1]]
        tap.ok(mine[0] and not wrong and len(mine[0]) == len(mine[1]), "%s: %s" % (options, what),
               "; ".join(wrong[:3]))
