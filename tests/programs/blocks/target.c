#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static volatile unsigned sink;
__attribute__((noinline)) static void digit(int c)
{
	switch (c) {
	case '1': sink += 1; break;
	case '2': sink *= 2; break;
	default:
		for (int i = c; i > '0'; i--)
			sink ^= (unsigned)i;
	}
}
static void *beside(void *unused)
{
	sink--;
	return unused;
}
__attribute__((noinline)) static void letter(int c)
{
	pthread_t thread;
	if (c == 't' && pthread_create(&thread, NULL, beside, NULL) == 0)
		pthread_join(thread, NULL);
	else if (c > 'm')
		sink = 7;
}
__attribute__((noinline)) static void take(int c)
{
	if (c >= '0' && c <= '9')
		digit(c);
	else
		letter(c);
}
int main(int argc, char **argv)
{
	char c;
	(void)argv;
	for (;;) {
		kill(getpid(), (argc > 1) * SIGSTOP);
		if (read(0, &c, 1) != 1)
			return 0;
		take(c);
	}
}
