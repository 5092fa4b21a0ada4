#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: random-program.py SEED FUNCTIONS >FILE.cc

A C++ program of functions with random flow: jumps into the middle of loops, switches, computed gotos,
asm goto, exceptions through clean-ups and past them, setjmp, calls that never return. Which way it goes
is decided while it runs; it ends by itself. leave.cc has what leaves without returning.
"""
import random
import sys

HEAD = """#include "leave.h"
static unsigned state = %d;
static long steps;
static unsigned work;
static inline unsigned any(unsigned n)
{
	state = state * 1664525 + 1013904223;
	return (state >> 12) %% n;
}
struct guard {
	~guard() { work += any(3); }
};
"""


class Function:
    def __init__(self, rng, number, n_functions):
        self.rng = rng
        self.number = number
        self.n_functions = n_functions
        self.n_blocks = rng.randint(1, 14)
        self.computed = rng.random() < 0.15
        self.may_throw = rng.random() < 0.6

    def block(self):
        return "b%d" % self.rng.randrange(self.n_blocks)

    def call(self):
        if self.rng.random() < 0.3:
            return "leave(depth, any(40));"
        if self.rng.random() < 0.2:
            return "work += harmless(any(9));"
        return "if (depth < 6) f%d(depth + 1);" % self.rng.randrange(self.n_functions)

    def action(self):
        r = self.rng.random()
        if r < 0.35:
            return "work = work * 3 + %d;" % self.rng.randrange(100)
        if r < 0.45:
            return "for (unsigned i = any(20); i > 0; i--) work ^= i * %d;" % self.rng.randrange(99)
        if r < 0.65:
            return self.call()
        if not self.may_throw:
            return "work++;"
        if r < 0.72:
            return "{ guard g; %s }" % self.call()
        if r < 0.82:
            return "try { %s %s } catch (int e) { work += e; %s }" % (
                self.call(), self.call(), "if (any(3)) goto %s;" % self.block())
        if r < 0.86:
            return "if (setjmp(again[depth]) == 0) { again_here here(depth); %s }" % self.call()
        return "work += any(7);"

    def jump(self):
        r = self.rng.random()
        if r < 0.15:
            return "return;"
        if r < 0.25:
            return "goto %s;" % self.block()
        if r < 0.65:
            return "if (any(%d)) goto %s; else goto %s;" % (self.rng.randint(2, 9), self.block(), self.block())
        if r < 0.75 and self.computed:
            return "goto *table[any(%d)];" % self.n_blocks
        if r < 0.78 and not self.computed:
            return 'asm goto("testl $1, %%0; jne %%l1" : : "r"(any(2)) : "cc" : %s); goto %s;' % (
                self.block(), self.block())
        n = self.rng.randint(2, 6)
        cases = "".join("case %d: goto %s; " % (i, self.block()) for i in range(n))
        return "switch (any(%d)) { %sdefault: return; }" % (n + 1, cases)

    def text(self):
        lines = ["void f%d(int depth)" % self.number, "{"]
        if self.computed:
            lines.append("\tstatic void *const table[] = { %s };" %
                         ", ".join("&&b%d" % i for i in range(self.n_blocks)))
            lines.append("\tif (any(99) == 0) goto *table[any(%d)];" % self.n_blocks)
        for i in range(self.n_blocks):
            lines.append("b%d:" % i)
            lines.append("\tif (--steps < 0) return;" if self.rng.random() < 0.8 else
                         "\tif (--steps < 0) leave(depth, any(4));")
            for _ in range(self.rng.randint(0, 3)):
                lines.append("\t" + self.action())
            if self.rng.random() < 0.85:
                lines.append("\t" + self.jump())
        return "\n".join(lines + ["}", ""])


def main():
    seed, n = int(sys.argv[1]), int(sys.argv[2])
    rng = random.Random(seed)
    functions = [Function(rng, i, n) for i in range(n)]
    print(HEAD % (seed * 2654435761 % 2**32))
    for function in functions:
        static = "static " if rng.random() < 0.5 else ""
        function.static = static
        print("%svoid f%d(int depth);" % (static, function.number))
    for function in functions:
        print(function.static + function.text())
    print("static void (*const all[])(int) = { %s };" % ", ".join("f%d" % i for i in range(n)))
    print("""
int main()
{
	for (int round = 0; round < %d; round++) {
		steps = 60;
		try {
			if (setjmp(top) == 0)
				all[round %% %d](0);
		} catch (...) {
			work++;
		}
	}
	may_end = 1;
	for (;;) {
		steps = 60;
		try {
			all[any(%d)](0);
		} catch (...) {
			end();
		}
	}
}""" % (n * 10, n, n))


main()
