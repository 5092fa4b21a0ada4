#include <setjmp.h>
static jmp_buf place;
__attribute__((noinline)) int jumping(int n) { return setjmp(place) ? n : 0; }
int main(int argc, char **argv)
{
	volatile int i = 0;
	while (i < 10)
		i++;
	return jumping(argc) + i - 10;
}
