# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of two threads on a processor each, simulated: what runs under noise would take is written as a journal of
`rarog blow`, which makes no run then. The truth is the same program with a function that really is faster.

usage: simulated.py RAROG MODE SEEDS POINTS; fails if the mean error is more than POINTS, or too few intervals have the
truth
"""
import functools
import json
import os
import random
import subprocess
import sys
import tempfile

STEPS = 200
STRENGTH = 0.5  # --strength 50
PART = 0.25     # by which a function is faster at first
ERROR = 0.01    # of a run's time
COMMAND = ["true"]


def serial(shared):
    for _ in range(STEPS):
        yield "call", "heavy", 70
        yield "call", "light", 30


def loop(name, ns):
    def thread(shared):
        for _ in range(STEPS):
            yield "call", name, ns
    return thread


def taking_turns(me):
    """In a lock that is never free, and then outside of it."""
    def thread(shared):
        for _ in range(STEPS):
            yield "wait", "turn", lambda: shared["turn"] == me
            yield "call", "inside", 100
            yield "wake", "turn", lambda: shared.update(turn=1 - me)
            yield "call", "outside", 20
    return thread


def producer(shared):
    for _ in range(STEPS):
        yield "wait", "items", lambda: shared["items"] < 4
        yield "call", "produce", 60
        yield "wake", "items", lambda: shared.update(items=shared["items"] + 1)


def consumer(shared):
    for _ in range(STEPS):
        yield "wait", "items", lambda: shared["items"] > 0
        yield "wake", "items", lambda: shared.update(items=shared["items"] - 1)
        yield "call", "consume", 40


def with_lock(lock, work, name, ns):
    """Work that is in no function, with a lock held that nobody else takes, and a call."""
    def thread(shared):
        for _ in range(STEPS):
            yield "wait", lock, lambda: True
            yield "work", work
            yield "wake", lock, lambda: None
            yield "call", name, ns
    return thread


PROGRAMS = {
    "serial": ([serial], {"heavy": 70, "light": 30}),
    "equal": ([loop("left", 100), loop("right", 100)], {"left": 100, "right": 100}),
    "off-path": ([loop("long", 100), loop("short", 50)], {"long": 100, "short": 50}),
    "same": ([loop("both", 100), loop("both", 100)], {"both": 100}),
    "lock-bound": ([taking_turns(0), taking_turns(1)], {"inside": 100, "outside": 20}),
    "own-locks": ([with_lock("one", 90, "long", 10), with_lock("other", 1, "short", 50)], {"long": 10, "short": 50}),
    "pipeline": ([producer, consumer], {"produce": 60, "consume": 40}),
}


class Thread:
    def __init__(self, number, program, shared):
        self.number, self.steps, self.time = number, program(shared), 0.0
        self.settled, self.waits, self.lock, self.pending = 0.0, None, None, None
        self.blocked = self.over = False

    def settle(self, world):
        """What was gained while it waited is forgiven, until one was last woken by the same lock."""
        if self.waits is not None:
            self.settled += max(world.woken.get(self.lock, 0) - self.waits, 0)
            self.waits = None

    def pay(self, world):
        self.settle(world)
        if world.gained > self.settled:
            world.paused += world.gained - self.settled
            self.time += world.gained - self.settled
            self.settled = world.gained


class World:
    """scale: what a function's time is multiplied by; delay: what it is late by; gains: what a call gains."""

    def __init__(self, program, scale=None, delay=None, gains=None):
        self.scale, self.delay, self.gains = scale or {}, delay or {}, gains or {}
        self.gained, self.paused, self.woken, self.calls = 0.0, 0.0, {}, {}
        shared = {"turn": 0, "items": 0}
        self.threads = [Thread(i, p, shared) for i, p in enumerate(PROGRAMS[program][0])]

    def call(self, thread, name, ns):
        self.calls[name] = self.calls.get(name, 0) + 1
        if name in self.gains:
            thread.settle(self)
            thread.settled += self.gains[name]
            self.gained = max(self.gained, thread.settled)
        thread.pay(self)
        thread.time += self.delay.get(name, 0) + ns * self.scale.get(name, 1)

    def wake(self, thread, lock):
        thread.pay(self)
        self.woken[lock] = self.gained

    def step(self, thread):
        """Return: could it go on?"""
        if thread.pending is None:
            thread.pending = next(thread.steps, None)
            if thread.pending is None:
                self.wake(thread, None)
                thread.over = True
                return True
        kind, which = thread.pending[:2]
        if kind == "call":
            self.call(thread, which, thread.pending[2])
        elif kind == "work":
            thread.time += which
        elif kind == "wake":
            self.wake(thread, which)
            thread.pending[2]()
            for other in self.threads:
                if other is not thread and other.blocked and other.lock == which:
                    other.time = max(other.time, thread.time)
                    other.blocked = False
        else:
            if not thread.blocked:
                thread.pay(self)
                thread.waits, thread.lock = self.gained, which
                thread.blocked = True
            if not thread.pending[2]():
                return False
        thread.blocked = False
        thread.pending = None
        return True

    def run(self):
        """The thread that is furthest behind goes on, of those that can; ends when the last one does."""
        while True:
            alive = sorted((t for t in self.threads if not t.over), key=lambda t: (t.time, t.number))
            if not alive:
                return max(t.time for t in self.threads)
            if not any(self.step(t) for t in alive):
                raise SystemExit("the program hangs")


@functools.cache
def world_of(mode, program, what, own, delay):
    """The run itself is the same each time; delay: of each call of a function, as a part of it. Return: it, when it
    ended, by what each call is late or gains."""
    late, gains = {}, {}
    for i, (name, ns) in enumerate(PROGRAMS[program][1].items()):
        if mode == "slow" and what == 2 and i == own:
            late[name] = delay * ns
        if mode == "speed" and what > 0 and i != own:
            late[name] = STRENGTH * ns
        if mode == "causal" and what >= 2 and i == own:
            gains[name] = PART * ns
            if what == 3:  # a control: it is late by as much
                late[name] = PART * ns
    world = World(program, delay=late, gains=gains)
    return world, world.run(), late, gains


def truth(mode, program, name, ns):
    base = World(program).run()
    if mode == "slow":
        delay = 0.05 * ns
        noisy = World(program, delay={name: delay})
        return (noisy.run() - base) / (delay * noisy.calls[name])
    part = STRENGTH / (1 + STRENGTH) if mode == "speed" else PART
    return (base - World(program, scale={name: 1 - part}).run()) / part / base


class Journal:
    def __init__(self, mode, program, seed):
        self.mode, self.program, self.random = mode, program, random.Random(f"{program} {seed}")
        self.functions = PROGRAMS[program][1]
        world, self.base = world_of(mode, program, 0, -1, 0)[:2]
        self.calls = world.calls

    def functions_line(self):
        rows = [{"binary": "/p", "name": name, "address": 16 * (i + 1), "calls": self.calls[name],
                 "total_ns": int(ns * self.calls[name] * 1000), "exclusive_ns": int(ns * self.calls[name] * 1000),
                 "waited_ns": 0, "self_ns": int(ns * self.calls[name] * 1000)}
                for i, (name, ns) in enumerate(self.functions.items())]
        return {"functions": rows, "status": 0, "passes": 0, "called": len(rows), "traced_ns": int(self.base * 1000)}

    def run_line(self, what, own, delay):
        names = list(self.functions)
        world, end, late, gains = world_of(self.mode, self.program, what, own, delay)
        time = end + self.random.gauss(0, ERROR) * self.base
        each = gains.get(names[own], late.get(names[own], STRENGTH * self.functions[names[own]])) if own >= 0 else 0
        return {"run": {"what": what, "own": own, "delay_ns": int(1000 * each), "time_ns": 1000 * time,
                        "gained_ns": 1000 * world.gained, "paused_ns": 1000 * world.paused, "passes": 0, "status": 0,
                        "timed_out": False,
                        "spent": [[1000 * late.get(n, 0) * world.calls[n], world.calls[n]] for n in names]}}

    def lines(self, runs):
        yield self.functions_line()
        yield self.run_line(0, -1, 0)
        for i in range(runs):
            if self.mode != "causal":
                yield self.run_line(1, -1, 0)
            for own, (name, ns) in enumerate(self.functions.items()):
                noise = min(0.01 * 2 ** i, 0.4) * self.base  # as rarog does: 1 % of the run, doubled up to 40 %
                yield self.run_line(2, own, noise / self.calls[name] / ns)
                if self.mode == "causal":
                    yield self.run_line(3, own, 0)


@functools.lru_cache(maxsize=None)
def first_line(rarog, mode):
    """Of a journal, as rarog begins it for a program that is too short to be measured."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "journal")
        subprocess.run([rarog, "blow", mode, "--resume", path, "--", *COMMAND], check=False, stderr=subprocess.DEVNULL)
        with open(path, encoding="utf-8") as lines:
            return json.loads(next(lines))["blow"]


def answer(rarog, mode, program, seed):
    """What rarog says when it is given all runs."""
    session = {**first_line(rarog, mode), "seed": seed}
    with open("runs.journal", "w", encoding="utf-8") as out:
        print(json.dumps({"blow": session}), file=out)
        for line in Journal(mode, program, seed).lines(40):
            print(json.dumps(line), file=out)
    told = json.loads(subprocess.run([rarog, "blow", mode, "--seed", str(seed), "--resume", "runs.journal",
                                      "--noise-growth", "1", "--budget", "30", "--json", "--", *COMMAND],
                                     check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
    assert told["resumed"] == told["runs"], told
    return {f["name"]: f for f in told["functions"]}


def main():
    rarog, mode, seeds, most = sys.argv[1:]
    errors, within = [], []
    for program, (_, functions) in PROGRAMS.items():
        truths = {name: truth(mode, program, name, ns) for name, ns in functions.items()}
        for seed in range(1, int(seeds) + 1):
            told = answer(rarog, mode, program, seed)
            assert set(told) == set(truths), told
            for name, value in truths.items():
                errors.append(abs(told[name]["estimate"] - value))
                within.append(told[name]["low"] <= value <= told[name]["high"])
    error, part = sum(errors) / len(errors), sum(within) / len(within)
    print(f"{len(errors)} answers, mean error {100 * error:.1f} points, {100 * part:.0f} % of intervals have the truth")
    assert error <= float(most) / 100 and part >= 0.9


if __name__ == "__main__":
    main()
