#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <time.h>
#define PERIOD 50000
#define MANY   300000
static volatile long calls, expired;
static volatile long work;
static void handler(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	calls++;
	expired += 1 + info->si_overrun;
}
static long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}
__attribute__((noinline)) void leaf(void) { work++; }
__attribute__((noinline)) void leaves(int n)
{
	for (int i = 0; i < n; i++) leaf();
}
int main(void)
{
	const struct itimerspec every = { { 0, PERIOD }, { 0, PERIOD } }, never = { { 0 } };
	const struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
	timer_t timer;
	long start, most;
	sigaction(SIGRTMIN, &action, NULL);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	start = now();
	timer_settime(timer, 0, &every, NULL);
	while (work < MANY) leaves(1);
	for (long last = calls; calls < last + 20;)
		;
	timer_settime(timer, 0, &never, NULL);
	most = (now() - start) / PERIOD;
	printf("%s %s\n", expired <= most ? "none invented" : "invented",
	       expired >= most * 9 / 10 ? "none lost" : "lost");
	return 0;
}
