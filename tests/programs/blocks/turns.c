/*
 * Loops of two blocks that run by turns: so many dependent additions each, which take one cycle
 * each. No block goes back to itself, so each execution has a time stamp.
 */
#include <stdio.h>
#include <stdlib.h>

#define TURNS(a, b)                                                                                \
	__attribute__((noipa)) static long turns_##a##_##b(long count)                             \
	{                                                                                          \
		long sum = 0;                                                                      \
                                                                                                   \
		__asm__ volatile("jmp 1f\n"                                                        \
				 "2: .rept " #b "\nadd $1, %0\n.endr\ndec %1\njz 3f\n"             \
				 "1: .rept " #a "\nadd $1, %0\n.endr\ntest %1, %1\njns 2b\n3:"     \
				 : "+r"(sum), "+r"(count)                                          \
				 :                                                                 \
				 : "cc");                                                          \
		return sum;                                                                        \
	}

TURNS(100, 100)
TURNS(1000, 100)

int main(int argc, char **argv)
{
	long k = argc > 1 ? atol(argv[1]) : 20; /* thousand turns */

	printf("%ld %ld\n", turns_100_100(1000 * k), turns_1000_100(1000 * k));
	return 0;
}
