/* A loop that begins a region anew so close to its end that both cannot have probes of their own. */
#include <rarog.h>

static int way RAROG_FEATURE_VARIABLE(Near);
static int other RAROG_FEATURE_VARIABLE(Far);
static volatile int sink;

static int __attribute__((noinline)) work(int n)
{
	for (int i = 0; i < n; i++) sink = sink + i;
	return n & 1;
}

static int __attribute__((noinline)) loop(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++) {
		if (way) {
			s += work(10);
			if (i == 3) break;
			if (i == 1) continue;
			s += work(5);
		}
		s += work(20);
		sink += s;
	}
	s += work(30);
	sink += s;
	return s;
}

int main(int argc, char **argv)
{
	(void)argv;
	way = argc > 1;
	other = argc > 2;
	if (other) {
		sink = sink + work(10);
		sink = sink + work(20);
	}
	return loop(6) == 1000;
}
