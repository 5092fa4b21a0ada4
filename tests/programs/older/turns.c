#include <unistd.h>
__attribute__((noinline)) void turn(void) { usleep(1000); }
int main(int argc, char **argv)
{
	for (int i = 0; argc == 1 || i < 300; i++) turn();
}
