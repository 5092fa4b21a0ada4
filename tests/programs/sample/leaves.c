#include <stdio.h>
#include <unistd.h>
volatile unsigned long own;
__attribute__((noinline)) static void works(void)
{
	for (long i = 0; i < 100000000; i++) own = own * 3;
}
int main(int argc, char **argv)
{
	usleep(200000);
	if (argc == 1)
		unlink(argv[0]);
	else
		rename(argv[1], argv[0]);
	works();
}
