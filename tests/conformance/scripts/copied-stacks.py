# SPDX-License-Identifier: GPL-3.0-or-later
# Greenlets: coroutines whose stacks are copied away and back, left from within calls of C.
try:
    import greenlet
except ImportError:
    raise SystemExit(77)

main = greenlet.getcurrent()


def coroutine(start):
    total = start
    for step in range(40):
        total += sorted([3, 1, 2], key=lambda v: main.switch(v))[0]
    return total


greenlets = [greenlet.greenlet(coroutine) for _ in range(6)]
switches = 0
while any(not g.dead for g in greenlets):
    for number, g in enumerate(greenlets):
        if not g.dead:
            g.switch(number)
            switches += 1
print(switches)
