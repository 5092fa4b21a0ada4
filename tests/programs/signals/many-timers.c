#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#define THREADS 32
#define TURNS   200000
static long works[THREADS];
static volatile long handled;
static void handler(int number)
{
	(void)number;
	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}
__attribute__((noinline)) void leaf(volatile long *work) { ++*work; }
__attribute__((noinline)) void leaves(volatile long *work)
{
	leaf(work);
	leaf(work);
}
static void *run(void *work)
{
	const struct itimerspec every = { { 0, 1000000 }, { 0, 1000000 } };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN };
	timer_t timer;
	event._sigev_un._tid = (int)syscall(SYS_gettid);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &every, NULL);
	for (int i = 0; i < TURNS; i++) leaves(work);
	timer_delete(timer);
	return NULL;
}
/* So most threads have no strand: their agents may make no call that opens its memory. */
static void filter(void)
{
	struct sock_filter code[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	const struct sock_fprog program = { 1, code };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		_exit(1);
}
int main(int argc, char *argv[])
{
	const struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	pthread_t threads[THREADS];
	long all = 0;
	(void)argv;
	if (argc > 1) filter();
	sigaction(SIGRTMIN, &action, NULL);
	for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, run, &works[i]);
	for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
	for (int i = 0; i < THREADS; i++) all += works[i];
	printf("%ld %s\n", all, handled ? "handled" : "no signal");
	return 0;
}
