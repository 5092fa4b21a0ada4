/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of functions and data that are no UTF-8. */
#define N __attribute__((noinline, noipa))

N int coffee(int x) __asm__("caf\351");
extern int cup __asm__("cup\377");
int cup = 3;

int coffee(int x) { return cup + x; }

int main(int argc, char **argv)
{
	int sum = 0;

	(void)argv;
	for (int i = 0; i < 5000; i++) sum += coffee(argc);
	return sum == 1;
}
