// SPDX-License-Identifier: GPL-3.0-or-later
// Signals that come anywhere in a busy function: the handler sees where, walks the stack and goes on; exceptions leave
// such handlers, and those of faults (-fnon-call-exceptions). Prints what must be so in any run.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <execinfo.h>
#include <sys/time.h>
#include <ucontext.h>

static volatile unsigned long sink;
static volatile int seen, inside, walked;
static char *begin_of_busy, *end_of_busy;

__attribute__((noipa, section("busy"))) unsigned long busy(unsigned long n)
{
	unsigned long sum = 0;

	for (unsigned long i = 0; i < n; i++) {
		sum += i & 1 ? i * 3 : i ^ sum;
		if (sum & 64)
			sum ^= n;
	}
	return sum;
}

extern "C" char __start_busy[], __stop_busy[];

static void on_time(int, siginfo_t *, void *context)
{
	char *at = (char *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	void *frames[32];
	int n = backtrace(frames, 32);

	seen = seen + 1;
	if (at < __start_busy || at >= __stop_busy)
		return;
	inside = inside + 1;
	// below the handler and the kernel's frame stand busy() and main(), which called it
	for (int i = 0; i + 1 < n; i++)
		if ((char *)frames[i] == at && n > i + 2) {
			walked = walked + 1;
			break;
		}
}

static volatile int is_endless;

__attribute__((noipa)) void endless()
{
	is_endless = 1;
	for (;;)
		if (sink & 1)
			sink = sink + 3;
		else
			sink = sink ^ 5;
}

static void leave(int)
{
	if (!is_endless)
		return;
	is_endless = 0;
	throw 1;
}

static int leave_often()
{
	sigset_t alarm;
	int left = 0;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGVTALRM);
	while (left < 40)
		try {
			endless();
		} catch (int one) {
			left += one;
			sigprocmask(SIG_UNBLOCK, &alarm, nullptr); // the handler has not returned
		}
	return left;
}

static void on_fault(int)
{
	throw 7;
}

__attribute__((noinline)) int faults(volatile int *p)
{
	try {
		return *p;
	} catch (int caught) {
		return caught;
	}
}

int main()
{
	struct sigaction action = {};
	struct itimerval often = { { 0, 2000 }, { 0, 2000 } }, never = {};
	void *first[4];

	backtrace(first, 4); // loads what it needs
	action.sa_sigaction = on_time;
	action.sa_flags = SA_SIGINFO | SA_RESTART;
	sigaction(SIGVTALRM, &action, nullptr);
	setitimer(ITIMER_VIRTUAL, &often, nullptr);
	while (seen < 40)
		sink = sink + busy(100000);
	action.sa_handler = leave;
	action.sa_flags = 0;
	sigaction(SIGVTALRM, &action, nullptr);
	printf("%d\n", leave_often());
	setitimer(ITIMER_VIRTUAL, &never, nullptr);
	printf("%s %s\n", inside > seen / 2 ? "inside" : "outside", walked > seen / 2 ? "walked" : "cut");
	memset(&action, 0, sizeof(action));
	action.sa_handler = on_fault;
	action.sa_flags = SA_NODEFER;
	sigaction(SIGSEGV, &action, nullptr);
	printf("%d\n", faults(nullptr) + faults(nullptr));
	return 0;
}
