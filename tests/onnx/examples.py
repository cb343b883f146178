#!/usr/bin/env python3
"""examples.py: what the programs of examples/onnx print, beside what is right, and what ONNX
Runtime gives for the same inputs (tests/harness/oracles models), prepared here with NumPy."""

import json
import os
import re
import subprocess
import sys
import wave

import numpy
import onnxruntime

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import tap  # noqa: E402

ORACLES = os.path.join(tap.BUILD, "oracles")
EXAMPLES = os.path.join(tap.SRC, "examples", "onnx")
LIMIT = 1e-4


def session(*path):
    return onnxruntime.InferenceSession(os.path.join(ORACLES, "onnx-models", *path))


def printed(name):
    done = subprocess.run([tap.DCL, "run", os.path.join(EXAMPLES, name)], cwd=ORACLES,
                          capture_output=True, text=True, check=False)
    print(done.stdout + done.stderr, end="", flush=True)
    return done.stdout.splitlines()


def near(text, want):
    return abs(float(text) - want) < LIMIT


# --- speech ---------------------------------------------------------------------------------------


def third(x):
    """48 kHz to 16 kHz, as speech.dcl does it."""
    t = numpy.arange(-48, 49)
    h = numpy.sinc(t / 3) * (0.5 + 0.5 * numpy.cos(t * numpy.pi / 48)) / 3
    return numpy.convolve(x, h)[48:48 + len(x)][::3].astype("f4")


def speech():
    model = session("silero_vad", "data", "silero_vad.onnx")
    lines = printed("speech.dcl")
    good = len(lines) == 2
    for line, name, is_speech in zip(lines, ("Front_Center.wav", "Noise.wav"), (True, False)):
        with wave.open(os.path.join(ORACLES, "onnx-inputs", name)) as file:
            data = numpy.frombuffer(file.readframes(file.getnframes()), "<i2")
            x = third(data.reshape(-1, file.getnchannels())[:, 0] / 32768)
        x, state, likely = numpy.pad(x, (64, 0)), numpy.zeros((2, 1, 128), "f4"), []
        for k in range((len(x) - 64) // 512):
            p, state = model.run(None, {"input": x[None, 512 * k:512 * k + 576], "state": state,
                                        "sr": numpy.array(16000)})
            likely.append(float(p[0, 0]))
        got = re.fullmatch(r"%s: (no )?speech, in (\d+) of (\d+) parts; at most (.*)" % name, line)
        good = bool(got and (got[1] is None) == is_speech and near(got[4], max(likely)) and
                    int(got[2]) == sum(p > 0.5 for p in likely) and int(got[3]) == len(likely)
                    ) and good
    return good


# --- types ----------------------------------------------------------------------------------------

RIGHT = {"README.md": "markdown", "fetch": "shell", "train.py": "python", "chelsea.jpg": "jpeg",
         "digits.npz": "npz", "dcl.h": "c", "page.png": "png", "Noise.wav": "wav"}


def types():
    model = session("magika", "models", "standard_v3_3", "model.onnx")
    with open(os.path.join(ORACLES, "onnx-models", "magika", "models", "standard_v3_3",
                           "config.min.json"), encoding="utf-8") as file:
        labels = json.load(file)["target_labels_space"]
    lines = printed("types.dcl")
    good = len(lines) == len(RIGHT)
    for line, (name, right) in zip(lines, RIGHT.items()):
        path, label, chance = line.replace(":", "").split()
        folder = ORACLES if path.startswith("onnx-inputs") else EXAMPLES
        with open(os.path.join(folder, path), "rb") as file:
            data = file.read()
        head, tail = data[:4096].lstrip()[:1024], data[-4096:].rstrip()[-1024:]
        x = [*head] + [256] * (2048 - len(head) - len(tail)) + [*tail]
        p = model.run(None, {"bytes": numpy.array([x], "i4")})[0][0]
        good = (os.path.basename(path) == name and label == right and near(chance, p.max()) and
                labels[int(p.argmax())] == right) and good
    return good


# --- a line ---------------------------------------------------------------------------------------

LINES = {(8, 37): "Region-based segmentation",
         (44, 70): "Let us first determine markers of the coins and the"}


def png_of(path):
    """The grays of page.png, as DCL reads them."""
    import dclpy
    with dclpy.Session() as s:
        s.run('save("page.npy", load("%s"))' % path)
    return numpy.load("page.npy")


def resized(x, h, w):
    """Bilinear, as line.dcl asks for it."""
    for axis, n in enumerate((h, w)):
        size = x.shape[axis]
        at = numpy.clip((numpy.arange(n) + 0.5) * size / n - 0.5, 0, size - 1)
        low = numpy.floor(at).astype(int)
        part = (at - low).reshape((-1, 1) if axis == 0 else (1, -1))
        x = (numpy.take(x, low, axis) * (1 - part) +
             numpy.take(x, numpy.minimum(low + 1, size - 1), axis) * part)
    return x


def line():
    model = session("rapidocr_onnxruntime", "models", "ch_PP-OCRv4_rec_infer.onnx")
    letters = model.get_modelmeta().custom_metadata_map["character"].splitlines()
    letters = ["", *letters, " "]
    lines = printed("line.dcl")
    good = len(lines) == len(LINES)
    page = png_of(os.path.join(ORACLES, "onnx-inputs", "page.png"))
    for got, ((top, bottom), right) in zip(lines, LINES.items()):
        x = page[top:bottom].astype("f8")
        x = resized(x, 48, 48 * x.shape[1] // x.shape[0]) / 127.5 - 1
        p = model.run(None, {"x": numpy.repeat(x[None, None], 3, 1).astype("f4")})[0][0]
        best = p.argmax(1)
        read = "".join(letters[k] for t, k in enumerate(best) if t == 0 or k != best[t - 1])
        good = got == right == read and good
    return good


if __name__ == "__main__":
    failed = [f.__name__ for f in (speech, types, line) if not f()]
    print("not as they should be: %s" % ", ".join(failed) if failed else "all is as it should be")
    sys.exit(bool(failed))
