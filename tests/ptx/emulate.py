"""emulate.py: runs the PTX that we emit on the host, to hold it against NumPy without a GPU.

    kernel = emulate.Kernel(text)                        # the first .entry of the text
    kernel.run((2, 2, 1), [a, b, c], [70, 20])           # grid; arrays, then integers

Only the instructions that our kernels have. Each thread is a generator that stops at barriers;
blocks run one after the other, the threads of a block in the order that is asked for. Two threads
that touch an element of shared memory between the same two barriers, one of them writing, are a
Fault, and so are addresses outside of an array and barriers that not all threads reach.
"""

import re
import struct


class Fault(Exception):
    """What a GPU might do wrong."""


BINARY = {"add": "+", "sub": "-", "mul": "*", "or": "|", "and": "&", "xor": "^", "shl": "<<",
          "shr": ">>"}
COMPARE = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
           "ltu": "<", "geu": ">=", "gtu": ">", "leu": "<=", "neu": "!=", "equ": "=="}
CAST = {"f32": "float", "f64": "float"}
SPECIAL = re.compile(r"%(n?tid|n?ctaid)\.([xyz])")
STRIDE = 1 << 40  # between the addresses of arrays


class Translation:
    """A kernel as the text of a Python generator."""

    def __init__(self, text):
        entry = re.search(r"\.entry (\w+)\((.*?)\)(.*?)\{(.*?)\n\}", text, re.S)
        self.name, parameters, head, body = entry.groups()
        self.parameters = re.findall(r"(\w+_param_\d+)", parameters)
        block = re.search(r"\.reqntid (\d+), (\d+), (\d+)", head)
        self.block = tuple(int(n) for n in block.groups())
        self.shared, self.bytes = {}, 0
        for name, size in re.findall(r"\.shared .*?\.b8 (\w+)\[(\d+)\];", text):
            self.shared[name] = self.bytes
            self.bytes += -(-int(size) // 16) * 16
        self.lines = ["def thread(p, tid, ctaid, ntid, nctaid, load, store, meet):", "  at = ''",
                      "  if not tid: yield  # a generator, even without barriers",
                      "  while True:", "    if at == '':"]
        self.open = True
        for line in body.split("\n"):
            self.line(line.split("//")[0].strip())
        self.lines.append("      return")

    def line(self, line):
        if not line or line.startswith("."):
            return
        label = re.fullmatch(r"(\$\w+):", line)
        if label:
            if self.open:
                self.say("at = '%s'" % label.group(1))
            self.lines.append("    if at == '%s':" % label.group(1))
            self.open = True
            return
        guard, line = re.fullmatch(r"(?:@(!?%p\d+) )?(.*);", line).groups()
        if guard:
            test = "not " + self.value(guard[1:]) if guard[0] == "!" else self.value(guard)
            self.lines.append("      if %s:" % test)
        op, _, rest = line.partition(" ")
        operands = [x.strip() for x in re.findall(r"\[[^]]*\]|[^,\s][^,]*", rest)]
        for text in self.instruction(op.split("."), operands):
            self.say("  " + text if guard else text)
        self.open = guard is not None or op.split(".")[0] not in ("bra", "ret")

    def say(self, text):
        self.lines.append("      " + text)

    def value(self, operand):
        special = SPECIAL.fullmatch(operand)
        if special:
            return "%s[%d]" % (special.group(1), "xyz".index(special.group(2)))
        if operand.startswith("%"):
            return operand[1:]
        if operand in self.shared:
            return str(self.shared[operand])
        number = re.fullmatch(r"0([fd])([0-9A-Fa-f]+)", operand)
        if number:
            form = ">f" if number.group(1) == "f" else ">d"
            return "float('%r')" % struct.unpack(form, bytes.fromhex(number.group(2)))[0]
        return str(int(operand, 0))

    def address(self, operand):
        base, _, offset = operand.strip("[]").partition("+")
        return "%s + %s" % (self.value(base), offset or "0")

    def instruction(self, op, x):
        kind, last = op[0], op[-1]
        if kind == "bra":
            return ["at = '%s'" % x[0], "continue"]
        if kind == "ret":
            return ["return"]
        if kind in ("bar", "barrier"):
            return ["yield meet()"]
        if kind == "trap":
            return ["raise Fault('trap')"]
        if kind == "st":
            return ["store('%s', %s, %s)" % (op[1], self.address(x[0]), self.value(x[1]))]
        to = self.value(x[0])
        if kind == "ld" and op[1] == "param":
            return ["%s = p[%d]" % (to, self.parameters.index(x[1].strip("[]")))]
        if kind == "ld":
            return ["%s = load('%s', %s)" % (to, op[1], self.address(x[1]))]
        v = [self.value(y) for y in x[1:]]
        if kind == "mov":
            return ["%s = %s" % (to, v[0])]
        if kind == "cvt":
            return ["%s = %s(%s)" % (to, CAST.get(op[-2], "int"), v[0])]
        if kind == "setp":
            return ["%s = %s %s %s" % (to, v[0], COMPARE[op[1]], v[1])]
        if kind == "selp":
            return ["%s = %s if %s else %s" % (to, v[0], v[2], v[1])]
        if kind in ("fma", "mad"):
            return ["%s = %s * %s + %s" % (to, v[0], v[1], v[2])]
        if kind in ("min", "max"):
            return ["%s = %s(%s, %s)" % (to, kind, v[0], v[1])]
        if kind == "not" and last == "pred":
            return ["%s = not %s" % (to, v[0])]
        if kind == "neg":
            return ["%s = -%s" % (to, v[0])]
        if kind == "div" and last in CAST:
            return ["%s = %s / %s" % (to, v[0], v[1])]
        if kind in BINARY:
            return ["%s = %s %s %s" % (to, v[0], BINARY[kind], v[1])]
        raise Fault("the emulator does not know " + ".".join(op))


class Block:
    """The memory that the threads of a block see."""

    def __init__(self, kernel, arrays):
        self.arrays = arrays
        self.shared = [None] * (kernel.code.bytes // 4)
        self.readers, self.writers = {}, {}  # since the last barrier
        self.thread = None

    def where(self, address):
        array, offset = divmod(address, STRIDE)
        values = self.arrays[array - 1] if 0 < array <= len(self.arrays) else None
        if values is None or offset % values.itemsize or offset // values.itemsize >= values.size:
            raise Fault("address %d of argument %d" % (offset, array - 1))
        return values, offset // values.itemsize

    def load(self, space, address):
        if space == "global":
            values, at = self.where(address)
            return values[at].item()
        if self.writers.get(address, self.thread) != self.thread:
            raise Fault("thread %d reads shared byte %d, which thread %d wrote"
                        % (self.thread, address, self.writers[address]))
        self.readers.setdefault(address, set()).add(self.thread)
        if self.shared[address // 4] is None:
            raise Fault("shared byte %d is read and nothing has written it" % address)
        return self.shared[address // 4]

    def store(self, space, address, value):
        if space == "global":
            values, at = self.where(address)
            values[at] = value
            return
        others = self.readers.get(address, set()) | {self.writers.get(address, self.thread)}
        if others - {self.thread}:
            raise Fault("thread %d writes shared byte %d, which others use"
                        % (self.thread, address))
        self.writers[address] = self.thread
        self.shared[address // 4] = value


class Kernel:
    def __init__(self, text):
        self.code = Translation(text)
        names = {"Fault": Fault}
        exec("\n".join(self.code.lines), names)
        self.thread = names["thread"]

    def run(self, grid, arrays, integers, order=lambda n: range(n)):
        flat = [a.reshape(-1) for a in arrays]
        p = [(i + 1) * STRIDE for i in range(len(flat))] + list(integers)
        for z in range(grid[2]):
            for y in range(grid[1]):
                for x in range(grid[0]):
                    self.run_block(p, flat, (x, y, z), grid, order)

    def run_block(self, p, flat, ctaid, grid, order):
        block, size = Block(self, flat), self.code.block
        n = size[0] * size[1] * size[2]
        threads = {}
        for i in order(n):
            tid = (i % size[0], i // size[0] % size[1], i // (size[0] * size[1]))
            threads[i] = self.thread(p, tid, ctaid, size, grid, block.load, block.store,
                                     lambda: "meets")
        while threads:
            ended = []
            for i, thread in threads.items():
                block.thread = i
                if next(thread, None) is None:
                    ended.append(i)
            if ended and len(ended) < len(threads):
                raise Fault("a barrier that thread %d does not reach" % ended[0])
            block.readers, block.writers = {}, {}
            if ended:
                return
