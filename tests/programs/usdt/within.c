#include <rarog.h>
__attribute__((noinline)) void turn(void)
{
	RAROG_BEGIN(turn);
	RAROG_POINT(within);
	RAROG_END(turn);
}
int main(void)
{
	for (;;) turn();
}
