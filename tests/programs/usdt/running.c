#include <rarog.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned long total;
__attribute__((noinline)) void turn(unsigned n)
{
	RAROG_ASM_(RAROG_MARK_TEXT_("turn__begin", "4@%[n]") : : [n] "r"(n));
	total += n;
	RAROG_ASM_(RAROG_MARK_TEXT_("turn__end", "8@%[t] 4@%[n]") : : [t] "m"(total), [n] "r"(n));
}
int main(int argc, char **argv)
{
	unsigned n = 0;
	(void)argv;
	while (n < 1000) turn(n++);
	if (fork() == 0) {
		for (total = 0; n < 1010;) turn(n++);
		_exit(0);
	}
	wait(NULL);
	while (argc > 1) turn(n++);
	return printf("%lu\n", total) < 0;
}
