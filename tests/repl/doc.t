#!/usr/bin/env python3
"""doc.t: dcl doc: the reference of a file and of the library, as Markdown and HTML."""

import glob
import html.parser
import os
import re
import resource

import tap

with open("a.dcl", "w", encoding="utf-8") as file:
    file.write("""\
## Scales x < y & `z > 0`
## in two lines.
##
## By *k*.
## `scale(x, 2)` with x: f32[2] = [1, 2] is `[2,
## 4]`
fn scale(x: f32[N],
    k: f32) -> f32[N] where N > 0 { x * k }

# Internal.
fn hidden(x: f32[N]) -> f32[N] { x }

## A layer.
layer Add(n: int) {
  param w: f32[n] ~ zeros
  ## Adds.
  fn forward(x: f32[n]) -> f32[n] { x + w }
  fn other(x: f32[n],
      y: f32[n]) -> f32[n] { x }
}
print("not run")
""")
status, out, err = tap.dcl("doc", "a.dcl")
tap.is_str(out, """\
# a

## scale

```dcl
fn scale(x: f32[N],
    k: f32) -> f32[N] where N > 0
```

Scales x \\< y & `z > 0`
in two lines.

By \\*k\\*.

```dcl
scale(x, 2)
```

with `x: f32[2] = [1, 2]` is `[2, 4]`

## Add

```dcl
layer Add(n: int)
```

A layer.

### forward

```dcl
fn forward(x: f32[n]) -> f32[n]
```

Adds.

```dcl
fn other(x: f32[n],
    y: f32[n]) -> f32[n]
```

""", "as Markdown")
tap.ok(status == 0 and err == "", "nothing else", status, err)
status, out, err = tap.dcl("doc", "--html", "a.dcl")
for text in ('<h2 id="scale">scale</h2>',
             "<p>Scales x &lt; y &amp; <code>z &gt; 0</code>\nin two lines.</p>", "<p>By *k*.</p>",
             "<p>with <code>x: f32[2] = [1, 2]</code> is <code>[2, 4]</code></p>"):
    tap.ok(text in out, "as HTML: " + text, out)
tap.ok("hidden" not in out, "what has no ## is not for the public")


class Balance(html.parser.HTMLParser):
    """Tags that are opened are closed, in order."""

    def __init__(self):
        super().__init__()
        self.open, self.wrong = [], []

    def handle_starttag(self, tag, attrs):
        if tag not in ("html", "meta"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


names = {os.path.basename(path)[:-4]: set() for path in glob.glob(tap.SRC + "/stdlib/*.dcl")}
for name in names:
    with open(tap.SRC + "/stdlib/%s.dcl" % name, encoding="utf-8") as file:
        names[name] = set(re.findall(r"^##.*\n(?:fn|layer) (\w+)", file.read(), re.M))
for form in "md", "html":
    status, out, err = tap.dcl("doc", "-o", "reference/" + form, *["--html"] * (form == "html"))
    tap.ok((status, out, err) == (0, "", ""), "the library as " + form, status, out, err)
    found = {os.path.basename(path)[:-len(form) - 1] for path in glob.glob("reference/*/*." + form)}
    tap.ok(found == set(names) | {"index"}, "a page for each file", found ^ set(names))
    missing = []
    for name in names:
        with open("reference/%s/%s.%s" % (form, name, form), encoding="utf-8") as file:
            page = file.read()
        missing += [word for word in names[name] if not re.search(
            r"^## %s$" % word.replace("_", r"\\_") if form == "md" else r'<h2 id="%s">' % word,
            page, re.M)]
        if form == "html":
            balance = Balance()
            balance.feed(page)
            missing += ["%s: </%s>" % (name, tag) for tag in balance.wrong + balance.open]
    tap.ok(not missing, "with everything that is public", *missing)
    with open("reference/%s/index.%s" % (form, form), encoding="utf-8") as file:
        index = file.read()
    tap.ok(all("%s.%s" % (name, form) in index for name in names), "and an index")

with open("bad.dcl", "w", encoding="utf-8") as file:
    file.write("a = (\n")
status, out, err = tap.dcl("doc", "bad.dcl", "none.dcl", "a.dcl")
tap.ok(status == 1 and out == "" and "bad.dcl:1:" in err and "none.dcl" in err, "wrong files", err)
status, out, err = tap.dcl("doc", "-o", "a.dcl/pages", "a.dcl")
tap.ok(status == 1 and "cannot be" in err, "a folder that cannot be made", status, err)

# Each page has its name.
for folder in "one", "two":
    os.makedirs(folder)
    with open(folder + "/same.dcl", "w", encoding="utf-8") as file:
        file.write("## Of %s.\nfn %s(x: f32) -> f32 { x }\n" % (folder, folder))
with open("index.dcl", "w", encoding="utf-8") as file:
    file.write("## Of the index.\nfn first(x: f32) -> f32 { x }\n")
for files, words in ((("one/same.dcl", "two/same.dcl"),
                      "one/same.dcl and two/same.dcl would both be the page same"),
                     (("a.dcl", "index.dcl"), "index.dcl would be the page index")):
    status, out, err = tap.dcl("doc", "-o", "pages", *files)
    tap.ok(status == 1 and words in err, words, status, err)
    tap.ok(not os.path.exists("pages"), "nothing is written")
    status, out, err = tap.dcl("doc", *files)
    tap.ok(status == 0 and out.count("\n## ") == (2 if "one" in words else 3), "one text of both",
           status, out, err)

# A disk that is full.
os.makedirs("pages")
with open("pages/a.md", "w", encoding="utf-8") as file:
    file.write("former")
status, out, err = tap.dcl("doc", "-o", "pages", "a.dcl", restore_signals=False,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200)))
tap.ok(status == 1 and "pages/a.md cannot be written: File too large" in err, "a full disk is told",
       status, err)
with open("pages/a.md", encoding="utf-8") as file:
    tap.is_str(file.read(), "former", "the former page stays")
tap.is_str(sorted(os.listdir("pages")), ["a.md", "index.md"], "and no half of another")
tap.done_testing()
