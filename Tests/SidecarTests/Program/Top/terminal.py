"""Runs a program on a terminal of its own; prints what was seen of it, as JSON.

usage: terminal.py COLUMNS ROWS TEXT KEY PROGRAM ARGUMENTS...

Waits until the program has drawn TEXT, then presses KEY ("^C" for Ctrl-C) and waits for its end.
"""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

columns, rows, text, key, *command = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    # The other side sets the size first.
    sys.stdin.readline()
    os.execv(command[0], command)
before = termios.tcgetattr(terminal)
size = struct.pack("HHHH", int(rows), int(columns), 0, 0)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
os.write(terminal, b"\n")

drawn = b""
during = None
# Ends a program that hangs; a busy machine takes its time.
end = time.monotonic() + 120
while time.monotonic() < end:
    if select.select([terminal], [], [], 1)[0]:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        drawn += piece
    if during is None and text.encode() in drawn and drawn.endswith(b"\x1b[J"):
        during = termios.tcgetattr(terminal)
        os.write(terminal, b"\x03" if key == "^C" else key.encode())

if time.monotonic() >= end:
    os.kill(child, signal.SIGKILL)
after = None
try:
    after = termios.tcgetattr(terminal)
except termios.error:
    pass
status = os.waitpid(child, 0)[1]
print(json.dumps({
    "code": os.waitstatus_to_exitcode(status),
    "drawn": drawn.decode(errors="replace"),
    "echoed": during is not None and bool(during[3] & termios.ECHO),
    "restored": after is None or after[3] == before[3],
}))
