// Calls that do not return, and code after them on lines of its own. What ran is what gcov says.
#include <csetjmp>
#include <cstdio>
#include <cstdlib>

static jmp_buf back;

static void leave(int how)
{
	if (how == 0)
		throw 1;
	if (how == 1)
		longjmp(back, 1);
	if (how == 2)
		exit(0);
}

static int jumps(int how)
{
	if (setjmp(back))
		return 1;
	leave(how);
	puts("not jumped");
	return 0;
}

static int throws(int how)
{
	try {
		leave(how);
		puts("not thrown");
	} catch (int) {
		return 1;
	}
	return 0;
}

static void run(void (*f)(int), int how)
{
	int n = how + 1;

	f(how);
	n += how;
	printf("%d\n", n);
}

int main()
{
	int n = throws(0) + throws(3);
	n += jumps(1) + jumps(3);
	run(leave, 4);
	run(leave, 2);
	puts("not reached");
	return n;
}
