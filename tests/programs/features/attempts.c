/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <rarog.h>
void jump(void);
void attempt(void (*f)(void));
static int way RAROG_FEATURE_VARIABLE(Left);
static volatile int sink;
static void work(void)
{
	if (way) {
		sink = 1;
		jump();
		sink = 2;
	}
}
int main(int argc, char **argv)
{
	way = argc;
	for (int i = 0; i < 6; i++) attempt(work);
	return 0;
}
