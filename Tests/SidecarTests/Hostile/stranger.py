"""Another user at a Unix socket: becomes him, and does as it is told, one command a line.

usage: stranger.py SOCKET UID

  hold COUNT   opens so many connections that begin a stream and say no more; prints how many
  left         prints how many of them the server has left open
  ask          asks whether the server is there, on a connection of its own; prints the answer
"""

import os
import resource
import select
import socket
import sys

path, user = sys.argv[1], int(sys.argv[2])
_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
os.setgroups([])
os.setgid(user)
os.setuid(user)
held = []


def connect(said):
    one = socket.socket(socket.AF_UNIX)
    one.connect(path)
    one.sendall(said)
    return one


def all_of(one):
    answer = b""
    try:
        while piece := one.recv(65536):
            answer += piece
    except ConnectionError:
        pass
    return answer.decode().replace("\r", "").replace("\n", " ")


for line in sys.stdin:
    command, *rest = line.split()
    if command == "hold":
        held += [connect(b"{") for _ in range(int(rest[0]))]
        print(len(held), flush=True)
    elif command == "left":
        # The server says nothing to a stream that says nothing: what can be read is its end.
        poll = select.poll()
        for one in held:
            poll.register(one, select.POLLIN | select.POLLHUP)
        print(len(held) - len(poll.poll(0)), flush=True)
    elif command == "ask":
        one = connect(b"GET /healthz HTTP/1.1\r\nHost: o\r\nConnection: close\r\n\r\n")
        print(all_of(one), flush=True)
