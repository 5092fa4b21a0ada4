// Loops that note how many rounds each entry had: least, most, sum, entries with 1 round, 2 and 3, 4 to 7 …
#include <cstdio>
#include <csetjmp>
#include <cstring>
static unsigned state = 1;
static unsigned any(unsigned n)
{
	state = state * 1664525 + 1013904223;
	return (state >> 12) % n;
}
static struct { unsigned long least, most, sum, bars[32]; } noted[8];
static void note(int loop, unsigned long rounds)
{
	if (rounds == 0)
		return;
	noted[loop].least = noted[loop].least && noted[loop].least < rounds ? noted[loop].least : rounds;
	noted[loop].most = noted[loop].most > rounds ? noted[loop].most : rounds;
	noted[loop].sum += rounds;
	noted[loop].bars[63 - __builtin_clzl(rounds)]++;
}
/* a loop with a break, in a loop that starts over */
__attribute__((noinline)) void nested(unsigned n)
{
	unsigned long outer = 0, inner = 0;
	do {
		outer++;
		inner = 0;
		do
			inner++;
		while (any(9));
		note(1, inner);
		if (any(20) == 0)
			break;
	} while (--n);
	note(0, outer);
}
/* left by an exception that is caught in the function */
__attribute__((noinline)) void thrower(unsigned n)
{
	if (n == 0)
		throw 1;
}
__attribute__((noinline)) void caught()
{
	unsigned long rounds = 0;
	try {
		for (;;) {
			rounds++;
			thrower(any(7));
		}
	} catch (int) {
		note(2, rounds);
	}
}
/* left by an indirect jump */
__attribute__((noinline)) void indirect()
{
	static void *const ways[] = { &&out, &&again, &&again, &&out };
	unsigned long rounds = 0;
again:
	rounds++;
	goto *ways[any(4)];
out:
	note(3, rounds);
}
/* left by longjmp to where the function called setjmp */
static jmp_buf place;
__attribute__((noinline)) void jumper(unsigned n)
{
	if (n == 0)
		longjmp(place, 1);
}
__attribute__((noinline)) void jumped()
{
	volatile unsigned long rounds = 0;
	if (setjmp(place) == 0)
		for (;;) {
			rounds = rounds + 1;
			jumper(any(6));
		}
	note(4, rounds);
}
int main()
{
	for (int i = 0; i < 200; i++) {
		nested(any(30) + 1);
		caught();
		indirect();
		jumped();
	}
	static const char *const names[] = { "nested", "nested", "caught", "indirect", "jumped" };
	for (int i = 0; i < 5; i++) {
		printf("%s %lu %lu %lu", names[i], noted[i].sum, noted[i].least, noted[i].most);
		for (int k = 0; k < 32; k++)
			if (noted[i].bars[k])
				printf(" %lu:%lu", 1ul << k, noted[i].bars[k]);
		puts("");
	}
}
