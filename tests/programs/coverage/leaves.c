/* Calls that do not return: exit, abort behind a condition, longjmp, a function that never does. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf back;
static int turns;

static void jump(int n)
{
	turns += n;
	longjmp(back, n);
	turns = -1;
}

static void maybe(int n)
{
	if (n == 2)
		jump(5);
	turns++;
}

__attribute__((noreturn)) static void stop(int status)
{
	printf("%d\n", turns);
	exit(status);
}

static void last(int n)
{
	if (n > 100)
		abort();
	turns += n;
	stop(0);
	turns = -2;
}

int main(void)
{
	int got = setjmp(back);

	if (got) {
		turns += 100;
		last(got);
		turns = -3;
	}
	for (int i = 0; i < 4; i++) {
		maybe(i);
		turns++;
	}
	return 7;
}
