#include <stdlib.h>
static volatile unsigned sink;
__attribute__((noinline)) void f(int n)
{
	for (int i = 0; i < n; i++)
		sink++;
}
int main(int argc, char **argv)
{
	f(BASE + (argc > 1 ? atoi(argv[1]) : 0));
	return 0;
}
