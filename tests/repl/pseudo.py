"""pseudo.py: a program on a pseudo-terminal, for tests of the prompt."""

import os
import pty
import select
import termios
import time


class Terminal:
    """What the program writes is read by until(); what it is typed, written by type()."""

    def __init__(self, *command, term="dumb", env=None):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = term
            os.environ.update(env or {})
            os.execv(command[0], command)
        self.seen = ""

    def until(self, text, timeout=20):
        """What comes until TEXT has come; fails the test if it does not."""
        end, looked = time.monotonic() + timeout, 0
        while self.seen.find(text, max(0, looked - len(text))) < 0:
            looked = len(self.seen)
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.fd], [], [], left)[0]:
                raise TimeoutError("%r does not come: %r" % (text, self.seen))
            try:
                more = os.read(self.fd, 65536)
            except OSError:
                more = b""
            if not more:
                raise EOFError("%r does not come: %r" % (text, self.seen))
            self.seen += more.decode(errors="replace")
        got, self.seen = self.seen.split(text, 1)
        return got

    def prompt(self, text="dcl> ", timeout=20):
        """What comes until the prompt, which then reads keys: what is typed before is read as
        lines."""
        got = self.until(text, timeout)
        end = time.monotonic() + timeout
        while termios.tcgetattr(self.fd)[3] & termios.ICANON and time.monotonic() < end:
            time.sleep(0.001)
        return got

    def type(self, text):
        os.write(self.fd, text.encode())

    def type_slowly(self, text):
        """As type, of any length: what comes meanwhile is read."""
        data = text.encode()
        while data:
            readable, writable, _ = select.select([self.fd], [self.fd], [], 20)
            if readable:
                self.seen += os.read(self.fd, 65536).decode(errors="replace")
            if writable:
                data = data[os.write(self.fd, data[:1000]):]

    def wait(self, timeout=20):
        """The exit status; fails the test if the program does not end."""
        end = time.monotonic() + timeout
        while True:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.fd], [], [], left)[0]:
                raise TimeoutError("the program does not end")
            try:
                if not os.read(self.fd, 65536):
                    break
            except OSError:  # it has ended
                break
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
