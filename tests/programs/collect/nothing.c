#include <stdlib.h>
__attribute__((noinline)) void nothing(void) { __asm__ volatile("nop; nop; nop; nop; nop"); }
int main(int argc, char **argv)
{
	for (long i = atol(argv[1]); i > 0; i--) nothing();
	for (volatile long i = atol(argv[2]); i > 0; i--)
		;
	return argc - 3;
}
