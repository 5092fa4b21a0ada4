/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Eight threads that never rest, to be attached to: recursion, longjmp, exceptions, signals at a high
 * rate on a stack of their own, and all kinds of sleeping, none of which may end early.
 *
 * Until SIGTERM, which they all have blocked and main waits for. Prints "counters ADDRESS NUMBER" and
 * then, when every thread has found what it did to be right, "fine".
 *
 * Every function hit_… counts its calls in its very first instruction, which no probe comes between.
 * So the differences of these counters between two moments when all threads stand still are the
 * calls that began between them.
 */
#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

extern "C" {
uint64_t busy_counts[16] __attribute__((visibility("hidden")));

#define HIT(number, name)                                                                          \
	asm(".text\n.globl hit_" #name "\n.type hit_" #name ", @function\nhit_" #name ":\n"        \
	    ".cfi_startproc\nlock incq busy_counts+8*" #number "(%rip)\njmp do_" #name             \
	    "\n.cfi_endproc\n.size hit_" #name ", .-hit_" #name "\n")
HIT(0, fib);
HIT(1, even);
HIT(2, odd);
HIT(3, escape);
HIT(4, toss);
HIT(5, signal);
HIT(6, nested);
HIT(7, nap);
HIT(8, leaf);

long hit_fib(long n);
long hit_even(long n);
long hit_odd(long n);
void hit_escape(long n, jmp_buf *to);
long hit_toss(long n);
void hit_signal(int signal);
long hit_nested(long n);
long hit_nap(long n);
long hit_leaf(long n);

#define BODY __attribute__((used, noinline))
BODY long do_leaf(long n)
{
	return n + 1;
}
BODY long do_fib(long n)
{
	return n < 2 ? n : hit_fib(n - 1) + hit_fib(n - 2);
}
BODY long do_even(long n)
{
	return n == 0 ? 1 : hit_odd(n - 1);
}
BODY long do_odd(long n)
{
	return n == 0 ? 0 : hit_even(n - 1) + hit_leaf(0) - 1;
}
BODY void do_escape(long n, jmp_buf *to)
{
	if (n == 0)
		longjmp(*to, 7);
	hit_escape(n - 1, to);
	abort();
}
BODY long do_nested(long n)
{
	return hit_leaf(n) + hit_leaf(n);
}
static std::atomic<long> signals, results;
BODY void do_signal(int)
{
	signals++;
	results += hit_nested(1);
}
BODY long do_nap(long ns)
{
	struct timespec moment = { 0, ns };

	return nanosleep(&moment, nullptr);
}
}
struct Ball {
	long from;
};
extern "C" BODY long do_toss(long n)
{
	struct Guard {
		~Guard()
		{
			hit_leaf(1);
		}
	} guard;

	if (n == 0)
		throw Ball{ 5 };
	return hit_toss(n - 1) + 1;
}

static std::atomic<bool> ends;

static void check(bool right, const char *what)
{
	if (right)
		return;
	printf("wrong: %s: %s\n", what, strerror(errno));
	fflush(stdout);
	_exit(1);
}

static void *recurse(void *)
{
	while (!ends) {
		check(hit_fib(16) == 987, "fib");
		check(hit_even(501) == 0 && hit_odd(501) == 1, "even and odd");
	}
	return nullptr;
}

static void *jump(void *)
{
	while (!ends) {
		jmp_buf here;

		if (int got = setjmp(here); got == 0)
			hit_escape(30, &here);
		else
			check(got == 7, "longjmp");
	}
	return nullptr;
}

static void *toss(void *)
{
	while (!ends) {
		long got = 0;

		try {
			hit_toss(20);
		} catch (const Ball &ball) {
			got = ball.from;
		}
		check(got == 5, "throw");
	}
	return nullptr;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static long turn;

static void *play(void *me)
{
	for (long rounds = 0; !ends; rounds++) {
		pthread_mutex_lock(&lock);
		while ((turn & 1) != (me != nullptr) && !ends) {
			struct timespec until;

			clock_gettime(CLOCK_REALTIME, &until);
			until.tv_sec += 1;
			int r = pthread_cond_timedwait(&turned, &lock, &until);
			check(r == 0 || r == ETIMEDOUT, "condition");
		}
		turn += hit_leaf(0);
		pthread_cond_broadcast(&turned);
		pthread_mutex_unlock(&lock);
	}
	return nullptr;
}

/* None of these ever sees a signal of the program's own. */
static void *sleep_all_ways(void *)
{
	struct sembuf down = { 0, -1, 0 };
	struct timespec moment = { 0, 1000000 };
	struct epoll_event event;
	struct timeval limit = { 0, 1000 };
	int semaphore = semget(IPC_PRIVATE, 1, 0600), pair[2], epoll = epoll_create1(0);
	char byte;

	check(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "socketpair");
	check(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0, "limit");
	while (!ends) {
		sigset_t set;

		check(hit_nap(300000) == 0, "nanosleep");
		check(epoll_wait(epoll, &event, 1, 1) == 0, "epoll_wait");
		check(poll(nullptr, 0, 1) == 0, "poll");
		check(semtimedop(semaphore, &down, 1, &moment) < 0 && errno == EAGAIN,
		      "semtimedop");
		sigemptyset(&set);
		sigaddset(&set, SIGUSR2);
		check(sigtimedwait(&set, nullptr, &moment) < 0 && errno == EAGAIN,
		      "sigtimedwait");
		check(recv(pair[0], &byte, 1, 0) < 0 && errno == EAGAIN, "recv");
	}
	semctl(semaphore, 0, IPC_RMID);
	return nullptr;
}

static void *take_signals(void *)
{
	static char memory[65536];
	stack_t stack = {};
	sigset_t alarm;
	long n = 0;

	stack.ss_sp = memory;
	stack.ss_size = sizeof(memory);
	sigaltstack(&stack, nullptr);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &alarm, nullptr);
	while (!ends)
		n = hit_leaf(n);
	pthread_sigmask(SIG_BLOCK, &alarm, nullptr);
	return nullptr;
}

int main()
{
	void *(*const work[])(void *) = { recurse, recurse,        jump,        toss,
					  play,    sleep_all_ways, take_signals, play };
	struct itimerval rate = { { 0, 500 }, { 0, 500 } };
	struct timespec limit = { 1000000, 0 };
	struct sigaction action = {};
	pthread_t thread[8];
	sigset_t all, end;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, nullptr);
	action.sa_handler = hit_signal;
	action.sa_flags = SA_ONSTACK | SA_RESTART;
	sigaction(SIGALRM, &action, nullptr);
	for (long i = 0; i < 8; i++)
		pthread_create(&thread[i], nullptr, work[i], i == 7 ? &turn : nullptr);
	setitimer(ITIMER_REAL, &rate, nullptr);
	printf("counters %p 9\n", (void *)busy_counts);
	fflush(stdout);
	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	check(sigtimedwait(&end, nullptr, &limit) == SIGTERM, "sigtimedwait of main");
	ends = true;
	for (pthread_t &t : thread)
		pthread_join(t, nullptr);
	check(signals > 0 && results == 4 * signals, "signals");
	puts("fine");
	return 0;
}
