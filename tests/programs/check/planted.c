#include <stdlib.h>
#include <unistd.h>
static volatile unsigned sink;
__attribute__((noinline)) void heavy(int n)
{
	for (int i = 0; i < n; i++)
		sink += i % 3 ? 1 : 2;
}
__attribute__((noinline)) void light(int n)
{
	for (int i = 0; i < n; i++) {
		if (i % 100 == 7)
			sink += PLANT;
		sink++;
	}
}
__attribute__((noinline)) void chance(int n)
{
	for (int i = 0; i < n; i++)
		sink++;
}
int main(int argc, char **argv)
{
	light(1000);
	heavy(4000);
	if (argc > 1)
		chance(getpid() % 4000 + 100);
	(void)argv;
	return 0;
}
