"""What pyperformance has groups for: arithmetic, regular expressions, matrices, programs with classes and
strings, serialisation. The same work on every run (run with PYTHONHASHSEED=0)."""
import json
import math
import pickle
import re
import sys


def planets(steps):
    bodies = [[float(i), i / 2.0, 1.0 / (i + 1), 0.0, 0.1 * i, 0.0, 1.0 / (1 + i)] for i in range(5)]
    for _ in range(steps):
        for n, one in enumerate(bodies):
            for other in bodies[n + 1:]:
                d = [one[k] - other[k] for k in range(3)]
                pull = 0.01 / (math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) + 0.1) ** 3
                for k in range(3):
                    one[3 + k] -= d[k] * other[6] * pull
                    other[3 + k] += d[k] * one[6] * pull
        for one in bodies:
            for k in range(3):
                one[k] += 0.01 * one[3 + k]
    return sum(b[0] for b in bodies)


def queens(n, columns=0, down=0, up=0):
    found, free = 0, ~(columns | down | up) & ((1 << n) - 1)
    if columns == (1 << n) - 1:
        return 1
    while free:
        bit = free & -free
        free ^= bit
        found += queens(n, columns | bit, (down | bit) << 1, (up | bit) >> 1)
    return found


def relax(size, rounds):
    grid = [[math.sin(x * y) for x in range(size)] for y in range(size)]
    for _ in range(rounds):
        for y in range(1, size - 1):
            above, row, below = grid[y - 1], grid[y], grid[y + 1]
            for x in range(1, size - 1):
                row[x] = 0.3 * (above[x] + below[x] + row[x - 1] + row[x + 1]) - 0.2 * row[x]
    return grid[size // 2][size // 2]


class Task:
    def __init__(self, name, work):
        self.name, self.work, self.done = name, work, 0

    def step(self, queue):
        self.done += 1
        if self.done < self.work:
            queue.append(self)
        return f"{self.name}:{self.done}"


def schedule(n):
    queue = [Task(f"task{i}", 3 + i % 7) for i in range(n)]
    log = []
    while queue:
        log.append(queue.pop(0).step(queue) if len(queue) % 3 else queue.pop().step(queue))
    return log


def texts(log, rounds):
    page, found = " ".join(log), 0
    for _ in range(rounds):
        found += len(re.findall(r"task(\d+):[13579]\b", page))
        found += len(re.sub(r"[aeiou](?=s)", "*", page).split("*"))
        found += sum(1 for _ in re.finditer(r"(?i)(?:K1|k2)+\d{1,2}", page))
    return found


def serial(log, rounds):
    value = {name: [i, i / 7, name[::-1], {"n": None, "ok": True}] for i, name in enumerate(log)}
    for _ in range(rounds):
        assert json.loads(json.dumps(value)) == value
        assert pickle.loads(pickle.dumps(value)) == value
    return len(value)


def main(size):
    log = schedule(20 * size)
    print(planets(40 * size), queens(6), relax(24, size), texts(log, size), serial(log, 1 + size // 2))


main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
