#!/usr/bin/env python3
"""pictures.t: images and plots: characters, what terminals understand, PNG and SVG."""
# test: timed

import base64
import os
import re
import signal
import struct
import time
import xml.dom.minidom
import zlib

import pngs
import tap
from pseudo import Terminal

IMAGES = """
ramp: f32[2, 10]
map i, j { ramp[i, j] = f32(j) / 9 }
bytes: u8[4, 4]
map i, j { bytes[i, j] = u8(80 * i) }
red: f32[3, 6, 12]
map i, j { red[0, i, j] = 1 }
last: u8[6, 12, 3]
map i, j { last[i, j, 2] = 255 }
big: f32[100, 200]
map i, j { big[i, j] = f32(i - j) }
"""


def read_png(path):
    """Width, height and rows of a PNG of colours."""
    with open(path, "rb") as f:
        width, height, samples, depth, rows = pngs.decode(f.read())
    assert (samples, depth) == (3, 8)
    return width, height, rows


for backend in "cpu", "ref":

    def run(text):
        status, out, err = tap.dcl("--backend", backend, input=IMAGES + text + "\n")
        tap.ok(status == (1 if err else 0), backend + ": " + text.split("\n")[0], status, err)
        return out, err

    def prints(text, want):
        tap.is_str(run(text)[0], want, backend + ": " + text)

    def tells(text, want):
        out, err = run(text)
        tap.ok(want in err and not out, backend + ": %s is told" % text, out, err)

    prints("show_image(ramp)", " .:-=+*#%@\n")
    prints("show_image(bytes)", "....\n####\n")
    prints("show_image(ramp * 7 - 3)", " .:-=+*#%@\n")
    prints("show_image(bool(ramp))", " @@@@@@@@@\n")
    prints("show_image(red); show_image(last)", 3 * (12 * "-" + "\n") + 3 * (12 * "." + "\n"))
    out = run("show_image(big)")[0].splitlines()
    tap.ok(len(out) == 16 and all(len(line) == 64 for line in out) and out[0][0] > out[0][-1],
           "a large one shrinks", out)
    run('show_image(red, "red.png"); show_image(last, "last.png"); show_image(bytes, "bytes.png")')
    tap.ok(read_png("red.png") == (12, 6, 6 * [12 * b"\xff\0\0"]), "PNG, colours first")
    tap.ok(read_png("last.png") == (12, 6, 6 * [12 * b"\0\0\xff"]), "PNG, colours last")
    tap.ok(read_png("bytes.png")[2] == [12 * bytes([80 * i]) for i in range(4)], "PNG of bytes")

    lines = run("plot([0, 1, 2, 3])")[0].splitlines()
    tap.ok(len(lines) == 17 and lines[0].startswith("         3 |") and lines[0].endswith("*") and
           lines[14] == "         0 |" + lines[14][12:] and lines[14][12] == "*" and
           lines[16].split() == ["0", "3"], "a plot of a list", *lines)
    lines = run("y: f32[3]\nmap i { y[i] = 10.0 - 5*i }\nplot([1, 2, 11], y)")[0].splitlines()
    tap.ok(lines[0][12] == "*" and lines[14][-1] == "*" and lines[16].split() == ["1", "11"] and
           "10 |" in lines[0] and "0 |" in lines[14], "of a tensor over a list", *lines)
    tap.ok(run("plot([2, 2, 2])")[0].count("*") == 60, "of equal numbers")
    tap.ok(run("plot([nan, inf])")[0].count("*") == 0, "of nothing finite")
    tap.ok(run("plot([1, nan, 3])")[0].count("*") == 2, "with a gap")
    for ends in "1e20, 1e20", "-1e308, 1e308", "1.79e308, 1.79e308", "0, 5e-324":
        lines = run("plot([%s]); plot([%s], \"e.svg\")" % (ends, ends))[0]
        with open("e.svg", encoding="ascii") as f:
            tap.ok(lines.count("*") == 60 and "nan" not in f.read(), "between %s" % ends, lines)
    run('plot([1, 2, nan, 4], "p.svg"); plot([0, 5], [2, 1], "p.png")')
    svg = xml.dom.minidom.parse("p.svg")
    lines = [e.getAttribute("points") for e in svg.getElementsByTagName("polyline")]
    tap.ok(lines == ["80.00,360.00 260.00,246.67", "620.00,20.00 620.00,20.00"], "SVG", lines)
    labels = [e.firstChild.data for e in svg.getElementsByTagName("text")]
    tap.ok(labels == ["4", "1", "0", "3"], "with labels", labels)
    width, height, rows = read_png("p.png")
    blue = b"\x1f\x5f\xa8"
    tap.ok((width, height) == (640, 400) and rows[20][240:243] == blue and
           rows[359][3 * 618:3 * 619] == blue and rows[0] == 1920 * b"\xff", "a plot as PNG")

    tells("show_image(ramp[0, :])", "the image must be [H, W]")
    tells("four: f32[1, 1, 2, 2] = 1\nshow_image(four)", "x[0] is the first of several images")
    tells("two: f32[5, 2, 2] = 1\nshow_image(two)", "1 or 3 colours")
    tells("none_of: f32[0, 3]\nshow_image(none_of)", "the image must be")
    tells("show_image(3)", "must be a tensor")
    tells('show_image(ramp, "x.gif")', "ends in .png or .jpg")
    tells('show_image(ramp, "/nosuch/x.png")', "cannot write /nosuch/x.png")
    tells("show_image()", "show_image(x, path)")
    tells("plot(ramp)", "a tensor of one dimension, not f32[")
    tells("plot([])", "plot: there are no ys")
    tells("plot(3)", "plot: ys must be a list of numbers, or a tensor of one dimension, not an int")
    tells("plot(relu, [1])", "plot: xs must be a list")
    tells("plot([[1]])", "not a list of other things")
    tells("plot([1], [1, 2])", "plot: there are 1 xs and 2 ys")
    tells('plot([1], "x.gif")', "ends in .svg or .png")
    tells("fn f(x: f32[2, 2]) -> f32 { show_image(x)\n1.0 }\nf(ramp[:, 0:2])", "belongs to scripts")


def on_terminal(name, env, lines, answer=None, before=""):
    """What LINES print on a terminal, which answers the query of its attributes with ANSWER."""
    clean = {"TERM": "xterm", "COLORTERM": "", "KITTY_WINDOW_ID": "", "DCL_HISTORY": ""}
    clean.update(env)
    t = Terminal(tap.DCL, "--backend", "ref", term=clean.pop("TERM"), env=clean)
    try:
        if answer is not None:
            t.until("\x1b[c")
            t.type(before + answer)
        t.prompt()
        if before:  # that prompt was answered already
            t.prompt()
        for line in IMAGES.strip().split("\n") + lines:
            t.type(line + "\r")
            got = t.prompt()
        t.type("\x04")
        t.wait()
        return got.replace("\r\n", "\n")
    except (TimeoutError, EOFError) as e:
        tap.fail(name, str(e))
        os.kill(t.pid, signal.SIGKILL)
        return ""


got = on_terminal("blocks", {"COLORTERM": "truecolor"}, ["show_image(last)"], "\x1b[?62;22c")
tap.ok(got.count("\u2580") == 36 and "\x1b[38;2;0;0;255m\x1b[48;2;0;0;255m\u2580" in got,
       "half blocks of 24-bit colours", repr(got))
got = on_terminal("mute", {}, ["show_image(ramp)"])
tap.ok(" .:-=+*#%@\n" in got, "a terminal that does not answer has shades", repr(got))
got = on_terminal("kitty", {"KITTY_WINDOW_ID": "1"}, ["show_image(last)"])
parts = re.findall("\x1b_G([^;]*);([^\x1b]*)\x1b\\\\", got)
pixels = base64.b64decode("".join(part[1] for part in parts))
tap.ok(parts and parts[0][0].startswith("a=T,f=24,s=168,v=84,") and parts[-1][0] == "m=0" and
       pixels == 168 * 84 * b"\0\0\xff", "kitty's protocol", [part[0] for part in parts])
got = on_terminal("sixel", {}, ["show_image(last)"], "\x1b[?62;4;22c")
tap.ok("\x1bPq\"1;1;168;84" in got and "#5!168~$-" in got and got.count("-") == 14,
       "sixel", repr(got))
got = on_terminal("typed", {}, ["before"], "\x1b[?62;4;22c", before="before = 41 + 1\r")
tap.ok("42" in got, "what is typed meanwhile is not lost", repr(got))


def late(name, first, second, want):
    """A terminal whose answer, or the SECOND part of it, comes when the prompt waits."""
    t = Terminal(tap.DCL, "--backend", "ref", term="xterm",
                 env={"COLORTERM": "", "KITTY_WINDOW_ID": "", "DCL_HISTORY": ""})
    try:
        t.until("\x1b[c")
        t.type(first)
        t.prompt()
        if not first:
            t.type("21 + ")
        t.type(second)
        time.sleep(0.1)
        t.type("21\r" if not first else "21 + 21\r")
        got = t.prompt()
        tap.ok("42" in got and "error" not in got, name + ": it is no text", repr(got))
        for line in IMAGES.strip().split("\n") + [":reset"] * name.endswith("reset"):
            t.type(line + "\r")
            t.prompt()
        t.type("y: f32[2, 2] = 1; show_image(y)\r")
        got = t.prompt()
        tap.ok(("\x1bPq" in got) == want, name + ": it is used" if want else name + ": shades",
               repr(got))
        t.type("\x04")
        t.wait()
    except (TimeoutError, EOFError) as e:
        tap.fail(name, str(e))
        os.kill(t.pid, signal.SIGKILL)


late("a late answer", "", "\x1b[?62;4;22c", True)
late("half an answer", "\x1b[?62;4", ";22c", True)
late("a late answer, then a reset", "", "\x1b[?62;4;22c", True)
late("a late answer without sixel", "", "\x1b[?62;22c", False)
late("a report of kitty", "", "\x1b_Gi=1;OK\x1b\\", False)
got = on_terminal("dumb", {"TERM": "dumb"}, ["show_image(ramp)"])
tap.ok(" .:-=+*#%@\n" in got and "\x1b" not in got, "a dumb terminal is not asked", repr(got))
got = on_terminal("dots", {"COLORTERM": "truecolor"}, ["plot([0, 1])"], "\x1b[?1c")
tap.ok(any(0x2800 < ord(c) < 0x2900 for c in got), "a plot with dots", repr(got))
tap.done_testing()
