/* Recursion, threads, fork() in the middle of a call, jumps out of calls, tail calls, exec */
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define CALL __attribute__((noinline))
static jmp_buf back;
CALL int fib(int n)
{
	__asm__ volatile("" ::: "memory");
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
CALL void leap(int n)
{
	__asm__ volatile("" ::: "memory");
	if (n == 0) longjmp(back, 1);
	leap(n - 1);
	fib(1);
}
CALL int even(int n);
CALL int odd(int n)
{
	__asm__ volatile("" ::: "memory");
	return n == 0 ? 0 : even(n - 1);
}
CALL int even(int n)
{
	__asm__ volatile("" ::: "memory");
	return n == 0 ? 1 : odd(n - 1);
}
CALL void *work(void *argument)
{
	for (int i = 0; i < 9; i++) fib(7) + even(5);
	return argument;
}
CALL void split(char **argv)
{
	if (fork() == 0) {
		fib(6);
		execl(argv[0], argv[0], "again", (char *)0);
	}
	wait(NULL);
}
int main(int argc, char **argv)
{
	pthread_t threads[3];
	if (argc > 1) exit(fib(5));
	for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
	for (volatile int i = 0; i < 4; i++)
		if (setjmp(back) == 0) leap(i);
	split(argv);
	return 0;
}
