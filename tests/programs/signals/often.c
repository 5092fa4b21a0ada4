#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#define SENT 3000
static volatile int wrong, is_done, *got; /* shared with the sender */
__attribute__((noinline)) unsigned leaf(unsigned x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 2654435761u + 1;
}
static void handler(int number, siginfo_t *info, void *context)
{
	(void)number, (void)context;
	wrong += info->si_code != SI_QUEUE || info->si_value.sival_int != *got;
	is_done = ++*got == SENT;
}
int main(int argc, char *argv[])
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	unsigned x = argv[0] == NULL;
	got = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGRTMIN + 3, &action, NULL);
	if (fork() == 0) {
		pid_t to = getppid();
		siginfo_t info = { .si_signo = SIGRTMIN + 3, .si_code = SI_QUEUE, .si_pid = getpid() };
		for (int i = 0; i < SENT; i++) {
			while (i - *got > 3)
				; /* or the program would only handle signals */
			info.si_value.sival_int = i;
			while (argc > 1 ? syscall(SYS_rt_tgsigqueueinfo, to, to, info.si_signo, &info) < 0
					: sigqueue(to, info.si_signo, info.si_value) < 0)
				usleep(100);
		}
		_exit(0);
	}
	while (!is_done) x = leaf(x);
	wait(NULL);
	printf("%d, wrong %d\n", *got, wrong);
	return 0;
}
