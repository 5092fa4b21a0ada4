// SPDX-License-Identifier: GPL-3.0-or-later
// leaf() is called so often inside of root() as this prints, and so often outside.
#include <csetjmp>
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>
static volatile int sink;
static int inside, outside, depth;
__attribute__((noinline)) void leaf()
{
	sink = sink + 1;
	++(depth > 0 ? inside : outside);
}
static jmp_buf place;
__attribute__((noinline)) void root(int n)
{
	depth++;
	leaf();
	if (n == -1) {
		depth = 0;
		throw 1;
	}
	if (n == -2) {
		depth = 0;
		longjmp(place, 1);
	}
	if (n > 0)
		root(n - 1);
	leaf();
	depth--;
}
__attribute__((noinline)) void catches(int n)
{
	try {
		root(n);
	} catch (int) {
		leaf();
	}
	leaf();
}
__attribute__((noinline)) void jumps()
{
	if (setjmp(place) == 0)
		root(-2);
	leaf();
}
__attribute__((noinline)) void inner()
{
	depth++;
	try {
		root(-1);
	} catch (int) {
		depth = 2;
		leaf();
	}
	leaf();
	depth--;
}
// itself a root, in which another one throws
__attribute__((noinline)) void root_outer()
{
	inner();
	leaf();
}
__attribute__((noinline)) void root_forks()
{
	depth++;
	if (fork() == 0) {
		leaf();
		_exit(0);
	}
	inside++;
	wait(nullptr);
	leaf();
	depth--;
}
int main()
{
	for (int i = 0; i < 10; i++) {
		leaf();
		root(3);
		catches(i % 2 ? -1 : 2);
		jumps();
		depth = 1;
		root_outer();
		depth = 0;
		root_forks();
	}
	printf("%d %d\n", inside, outside);
}
