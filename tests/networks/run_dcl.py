"""Runs a network by DCL: run_dcl.py TEXT SIGNATURE INPUT OUTPUT ROUNDS THREADS; prints seconds of
loading, of compiling, of the first call, and of each round."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.environ["DCL_SRC"], "tests", "harness"))
import numpy as np
import dclpy

text, signature, given, wanted, rounds, threads = sys.argv[1:]
x = np.load(given)
times = [time.perf_counter()]
s = dclpy.Session("threads=" + threads)
s.run(text)
times.append(time.perf_counter())
f = s.compile(signature)
times.append(time.perf_counter())
np.save(wanted, f.call(x))
times.append(time.perf_counter())
for _ in range(int(rounds)):
    f.call(x)
    times.append(time.perf_counter())
print(*np.diff(times))
