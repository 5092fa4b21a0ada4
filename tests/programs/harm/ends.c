#include <stdio.h>
extern const unsigned char __executable_start[], etext[];
#ifdef DATA
const unsigned char *volatile from = __executable_start, *volatile to = etext;
#else
#define from __executable_start
#define to   etext
#endif
__attribute__((noinline)) unsigned sum(const unsigned char *a, const unsigned char *b)
{
	unsigned s = 0;
	while (a < b) s = s * 31 + *a++;
	return s;
}
int main(void)
{
	printf("%x %d\n", sum(to - 64, to), to > from);
	return 0;
}
