/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function and data that are called the same, and data of two functions that is: of -DPART=1, 2 and 3. */
#define N __attribute__((noinline, noipa))

#if PART == 1
N int both(int x) { return x * 3; }
#elif PART == 2
static int both[2] = { 1, VALUE };

N int reads(int i) { return both[i & 1]++; }

N int first(void)
{
	static int calls = FIRST;

	return calls++;
}

N int second(void)
{
	static int calls = 7;

	return calls++;
}
#else
int both(int x), reads(int i), first(void), second(void);

int main(int argc, char **argv)
{
	(void)argv;
	return both(argc) + reads(argc) + first() + second() == 0;
}
#endif
