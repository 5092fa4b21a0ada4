/* A region is left by longjmp, which another file calls. */
#include <setjmp.h>

#include <rarog.h>

void jump(jmp_buf back);

#ifdef JUMP
void jump(jmp_buf back) { longjmp(back, 1); }
#else
static int way RAROG_FEATURE_VARIABLE(Left);
static volatile long sink;
static jmp_buf back;

static void __attribute__((noinline)) work(long n)
{
	for (long i = 0; i < n; i++) sink = sink + i;
}

static void __attribute__((noinline)) leave(void)
{
	if (way) {
		work(10);
		jump(back);
		work(20);
	}
	work(30);
}

static void __attribute__((noinline)) turn(int depth)
{
	volatile char place[64];

	place[0] = (char)depth;
	if (depth > 0)
		turn(depth - 1);
	else
		leave();
	sink = sink + place[0];
}

int main(int argc, char **argv)
{
	(void)argv;
	way = argc > 1;
	for (volatile int i = 0; i < 6; i = i + 1)
		if (!setjmp(back)) turn(i);
	return 0;
}
#endif
