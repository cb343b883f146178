"""tap.py: tests in Python.

    import tap
    tap.is_int(1 + 1, 2, "sum")
    tap.done_testing()

A failed check prints where it stands and what came out, and the test goes on. An exception that
nobody catches fails the test. The paths of the build are in tap.SRC, tap.BUILD and tap.DCL.
"""

import os
import subprocess
import sys

SRC = os.environ.get("DCL_SRC") or os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("DCL_BUILD") or SRC
DCL = os.environ.get("DCL") or os.path.join(BUILD, "dcl")

_count = 0
_failures = 0

# The harness made this Python load the sanitizers' library; the programs that it starts bring
# their own and look for leaks.
if "DCL_ASAN_OPTIONS" in os.environ:
    os.environ.pop("LD_PRELOAD", None)
    os.environ["ASAN_OPTIONS"] = os.environ.pop("DCL_ASAN_OPTIONS")


def diag(text):
    """Prints lines that are no checks."""
    sys.stdout.flush()
    for line in str(text).splitlines() or [""]:
        print("#", line, file=sys.stderr)
    sys.stderr.flush()


def _report(passed, name, *details):
    global _count, _failures
    _count += 1
    # A name may not hold what TAP reads as a directive.
    name = " ".join(str(name).split()).replace("#", "\\#")
    print("ok" if passed else "not ok", _count, "-", name, flush=True)
    if not passed:
        _failures += 1
        frame = sys._getframe(2)
        while frame.f_back and frame.f_globals.get("__name__") != "__main__":
            frame = frame.f_back
        diag("%s:%d: failed" % (os.path.relpath(frame.f_code.co_filename, SRC), frame.f_lineno))
        for detail in details:
            diag(detail)
    return bool(passed)


def ok(condition, name, *details):
    """The condition holds; the details are printed when it does not."""
    return _report(condition, name, *details)


def fail(name, *details):
    return _report(False, name, *details)


def is_int(got, want, name):
    return _report(int(got) == int(want), name, "got %s, want %s" % (got, want))


def is_str(got, want, name):
    return _report(got == want, name, "   got: %r" % (got,), "  want: %r" % (want,))


def is_close(got, want, name, rtol=1e-5, atol=1e-6):
    """Arrays or numbers of one shape agree: |got - want| <= atol + rtol * |want|, NaN with NaN."""
    import numpy
    got, want = numpy.asarray(got), numpy.asarray(want)
    if got.shape != want.shape:
        return _report(False, name, "got shape %s, want %s" % (got.shape, want.shape))
    close = numpy.isclose(got, want, rtol=rtol, atol=atol, equal_nan=True)
    if close.all():
        return _report(True, name)
    worst = numpy.argwhere(~close)[0]
    at = tuple(int(i) for i in worst)
    return _report(False, name, "%d of %d differ, first at %s: got %r, want %r" % (
        (~close).sum(), close.size, list(at), got[at].item(), want[at].item()))


def skip(reason):
    """Stands for one check that cannot be made here."""
    global _count
    _count += 1
    print("ok", _count, "# SKIP", reason, flush=True)


def skip_all(reason):
    """Ends a test none of whose checks can be made here."""
    print("1..0 # SKIP", reason, flush=True)
    sys.exit(0)


def need_numpy():
    """Returns NumPy, or skips the whole test."""
    try:
        import numpy
    except ImportError:
        skip_all("NumPy is not installed (python3-numpy)")
    return numpy


def run(*command, input=None, timeout=None, env=None, **options):
    """Runs a program; returns (status, output, errors), the texts as str. env adds variables, other
    options are those of subprocess."""
    done = subprocess.run([str(word) for word in command], input=input, text=True, timeout=timeout,
                          stdin=subprocess.DEVNULL if input is None else None,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, errors="replace",
                          env={**os.environ, **env} if env else None, check=False, **options)
    return done.returncode, done.stdout, done.stderr


def dcl(*arguments, **options):
    """Runs the program dcl, see run."""
    return run(DCL, *arguments, **options)


def done_testing():
    """Prints the plan and ends the test."""
    print("1..%d" % _count, flush=True)
    if _failures:
        diag("%d of %d failed" % (_failures, _count))
    sys.exit(1 if _failures or not _count else 0)
