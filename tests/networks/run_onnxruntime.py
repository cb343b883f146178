"""Runs a network by ONNX Runtime: run_onnxruntime.py MODEL INPUT OUTPUT ROUNDS THREADS; prints
seconds of loading, of the first call, and of each round."""
import sys
import time

import numpy as np
import onnxruntime

model, given, wanted, rounds, threads = sys.argv[1:]
x = np.load(given)
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = int(threads)
times = [time.perf_counter()]
s = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
name = s.get_inputs()[0].name
times.append(time.perf_counter())
np.save(wanted, s.run(None, {name: x})[0])
times.append(time.perf_counter())
for _ in range(int(rounds)):
    s.run(None, {name: x})
    times.append(time.perf_counter())
print(*np.diff(times))
