#include <unistd.h>
__attribute__((noinline)) void turn(void) { usleep(1000); }
int main(void)
{
	int child = fork();
	for (int i = 0; i < (child ? 100 : 300); i++) turn();
}
