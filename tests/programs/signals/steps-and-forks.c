#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#define STEP 0x100 /* among the flags */
static volatile int is_child, steps;
__attribute__((noinline)) unsigned leaf(unsigned x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 2654435761u + 1;
}
static void handler(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info;
	if (++steps % 3 == 0 && fork() == 0) is_child = 1;
	if (is_child) ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~STEP;
}
int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	unsigned x = leaf(1);
	int status, wrong = 0;
	sigaction(SIGTRAP, &action, NULL);
	__asm__ volatile("pushf; orl $0x100,(%%rsp); popf" ::: "memory", "cc");
	x = leaf(x);
	if (!is_child) __asm__ volatile("pushf; andl $~0x100,(%%rsp); popf" ::: "memory", "cc");
	for (int i = 0; i < 30; i++) x = leaf(x);
	if (is_child) _exit(0);
	while (wait(&status) > 0) wrong += status != 0;
	printf("wrong %d\n", wrong);
	return 0;
}
