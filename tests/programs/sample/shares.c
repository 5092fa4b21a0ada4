#include <stdlib.h>
volatile unsigned long sink;
#define WORK                                                                                                           \
	for (unsigned long i = 0; i < n; i++) sink = sink * 3 + i
__attribute__((noipa)) void fifty(unsigned long n) { WORK; }
__attribute__((noipa)) void thirty(unsigned long n) { WORK; }
__attribute__((noipa)) void twenty(unsigned long n) { WORK; }
__attribute__((noipa)) void outer(unsigned long n)
{
	for (unsigned i = 0; i < 400 || n == 7777; i++) {
		unsigned long some = n / 200 * (1 + i * 37 % 99);

		fifty(5 * some);
		thirty(3 * some);
		twenty(2 * some);
	}
	sink++;
}
int main(int argc, char **argv)
{
	outer(argc > 1 ? strtoul(argv[1], NULL, 0) : 400000); /* 7777: for ever */
	return 3;
}
