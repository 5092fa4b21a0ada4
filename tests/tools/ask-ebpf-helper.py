#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: ask-ebpf-helper.py HELPER OWN OTHER PID

Talks to rarog-ebpf-helper as rarog does (src/engine/ebpf/split-wire.h) and as it never would. OWN and OTHER are
programs, of this user and of somebody else, PID a process of root's. Prints what is answered, one line a request.
"""
import array
import os
import random
import re
import socket
import struct
import subprocess
import sys

MAGIC = 0x52534c33
COUNTS, MODES = 3, 4  # of enum rarog_ebpf_mode
LOAD, WATCH, ATTACH, MARKS, SEAL, STOP = range(1, 7)
WAITING, FOLLOWED, EVERYBODY = 1, 2, 3
TELLS = 1 << 32  # of a cookie: its number is that of a mark with values
ANSWER = struct.Struct("IiII512s")
PHRASES = (r"asked for something that it does not know|of another version|before it had loaded|are too many for the helper|"
           r"for links, or a mode, that there are not|for more values than it was told of|to load twice|to watch no process|to watch everybody, for one process|for a state that there is not|"
           r"does not run with the rights of this user|there is no process|to attach nothing, or too much|"
           r"is not open for reading|only files can be probed|belongs to somebody else|what is not in the file|"
           r"for more probes than it was told of|after it was sealed")


def request(kind, n=0, sets=0, marks=0, first=0, pid=0, state=0, mode=COUNTS, links=0, magic=MAGIC, everybody=0):
    return struct.pack("IIIIIIiIIIIIIIQ", magic, kind, n, sets, marks, first, pid, state, mode, 1, 0, links, everybody, 0, 0)


class Helper:
    def __init__(self, path):
        self.socket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.process = subprocess.Popen([path], stdin=other)
        other.close()
        self.socket.settimeout(60 * int(os.environ.get("RAROG_TIME_SCALE", "1")))

    def ask(self, what, files=()):
        """(result, message, descriptors)"""
        control = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))] if files else []
        self.socket.sendmsg([what], control)
        answer, control, _, _ = self.socket.recvmsg(1 << 16, 1024)
        got = array.array("i")
        for level, kind, data in control:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                got.frombytes(data)
        magic, result, _, _, message = ANSWER.unpack(answer[:ANSWER.size])
        assert magic == MAGIC
        return result, message.split(b"\0")[0].decode(), list(got)

    def say(self, name, what, files=()):
        result, message, got = self.ask(what, files)
        found = re.search(PHRASES, message)
        more = (found[0] if found else message) if result else f"with {len(got)} descriptors" if got else ""
        assert result == 0 or message.startswith("--engine=ebpf: "), message
        print(f"{name}: {result} {more}".rstrip(), flush=True)

    def end(self):
        self.socket.close()
        return self.process.wait(60)


def main():
    path, own, other, root = sys.argv[1:]
    root = int(root)
    mine, theirs = os.open(own, os.O_RDONLY), os.open(other, os.O_RDONLY)
    with open(own, "rb") as file:
        text = file.read()
    entry = struct.unpack("Q", text[24:32])[0]  # a PIE's code is where it is in the file
    offsets = struct.pack("Q", entry)
    far = struct.pack("Q", 1 << 40)
    child = subprocess.Popen(["sleep", "600"])
    h = Helper(path)
    h.say("too short", b"x")
    h.say("another version", request(LOAD, 1, magic=MAGIC + 1))
    h.say("unknown", request(99))
    h.say("attach before load", request(ATTACH, 1) + offsets, [mine])
    h.say("too many probes", request(LOAD, 1 << 20))
    h.say("links", request(LOAD, 1, links=9))
    h.say("mode", request(LOAD, 1, mode=MODES))
    h.say("sets", request(LOAD, 1, sets=2))
    h.say("told marks", request(LOAD, 1, marks=1 << 20))
    h.say("load", request(LOAD, 2, marks=1))
    h.say("load twice", request(LOAD, 2))
    h.say("watch nobody", request(WATCH, pid=0, state=FOLLOWED))
    h.say("watch all", request(WATCH, pid=-1, state=FOLLOWED))
    h.say("watch state", request(WATCH, pid=os.getpid(), state=7))
    h.say("watch everybody, loaded for one", request(WATCH, pid=0, state=EVERYBODY))
    h.say("watch init", request(WATCH, pid=1, state=FOLLOWED))
    h.say("watch root's", request(WATCH, pid=root, state=FOLLOWED))
    h.say("watch nobody there", request(WATCH, pid=(1 << 22) - 1, state=FOLLOWED))
    h.say("watch own", request(WATCH, pid=child.pid, state=FOLLOWED))
    h.say("attach without file", request(ATTACH, 1) + offsets)
    h.say("attach nothing", request(ATTACH, 0), [mine])
    h.say("attach by path", request(ATTACH, 1) + offsets, [os.open("secret", os.O_PATH)])
    writable = os.open("written", os.O_WRONLY | os.O_CREAT)
    h.say("attach for writing", request(ATTACH, 1) + offsets, [writable])
    h.say("attach a pipe", request(ATTACH, 1) + offsets, [os.pipe()[0]])
    h.say("attach others', everywhere", request(ATTACH, 1) + offsets, [theirs])
    h.say("attach others', in root's process", request(ATTACH, 1, pid=root) + offsets, [theirs])
    h.say("attach behind the end", request(ATTACH, 1) + far, [mine])
    h.say("attach more than said", request(ATTACH, 2) + offsets, [mine])
    h.say("attach with a number too high", request(ATTACH, 1, first=2) + offsets, [mine])
    h.say("marks behind the end", request(MARKS, 1) + struct.pack("QQQ", 1 << 40, 0, 0), [mine])
    h.say("marks with a number too high", request(MARKS, 1) + struct.pack("QQQ", entry, 0, 2), [mine])
    h.say("told marks with a number too high", request(MARKS, 1) + struct.pack("QQQ", entry, 0, TELLS | 1), [mine])
    h.say("two files", request(ATTACH, 1) + offsets, [mine, theirs])
    h.say("attach own", request(ATTACH, 1) + offsets, [mine])
    h.say("seal", request(SEAL))
    h.say("attach after seal", request(ATTACH, 1) + offsets, [mine])
    h.say("stop", request(STOP))
    generator = random.Random(7)
    refused = 0
    for _ in range(200):
        result, _, got = h.ask(generator.randbytes(generator.randrange(1, 300)), [mine] * generator.randrange(2))
        refused += result < 0 and not got
    print(f"garbage: refused {refused} of 200")
    child.kill()
    child.wait()
    print(f"end: {h.end()}")
    h = Helper(path)
    h.say("load for everybody", request(LOAD, 2, everybody=1))
    h.say("everybody, but init", request(WATCH, pid=1, state=EVERYBODY))
    h.say("init, of everybody", request(WATCH, pid=1, state=FOLLOWED))
    h.say("everybody's others", request(ATTACH, 1) + offsets, [theirs])
    h.say("everybody", request(WATCH, pid=0, state=EVERYBODY))
    print(f"end: {h.end()}")


main()
