/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program in rarog's process group that does kill(0, SIGUSR1) would end rarog, and one that does
 * kill(0, SIGTERM) would get it a second time from us. What a program must never get is a signal
 * twice; so only those are passed on by which people end or interrupt what they have started, and
 * only if the witness says that they went to us alone.
 */
#include "collect/relay.h"

#include <errno.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "collect/trace/inline/remote.h"
#include "collect/witness.h"

#define RECENT_NS 1000000000ull

static const int passed[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void rarog_relay_signals(sigset_t *ret_signals)
{
	static const int some[] = { SIGHUP,  SIGINT,    SIGQUIT,   SIGTERM,  SIGUSR1,
				    SIGUSR2, SIGALRM,   SIGVTALRM, SIGPROF,  SIGIO,
				    SIGPWR,  SIGSTKFLT, SIGABRT,   SIGWINCH, SIGURG };

	sigemptyset(ret_signals);
	for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++)
		sigaddset(ret_signals, some[i]);
	for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
		sigaddset(ret_signals, i);
}

void rarog_relay_begin(struct rarog_relay *relay)
{
	sigset_t signals;

	sigemptyset(&signals);
	for (size_t i = 0; i < RAROG_COUNT(passed); i++)
		sigaddset(&signals, passed[i]);
	*relay = (struct rarog_relay){ .witness = rarog_witness_new(&signals) };
}

void rarog_relay_end(struct rarog_relay *relay)
{
	rarog_witness_free(relay->witness);
	*relay = (struct rarog_relay){ 0 };
}

static bool is_passed(int signal)
{
	for (size_t i = 0; i < RAROG_COUNT(passed); i++)
		if (passed[i] == signal)
			return true;
	return false;
}

/* Of several that come at once the witness has one. */
static bool is_one_of_many(const struct rarog_relay *relay, const siginfo_t *from)
{
	uint64_t then = relay->group[from->si_signo].ns;

	return then && relay->group[from->si_signo].sender == from->si_pid &&
	       now_ns() - then < RECENT_NS;
}

bool rarog_relay_wants(struct rarog_relay *relay, const siginfo_t *from)
{
	if (!relay->witness || !is_passed(from->si_signo))
		return false;
	if (!rarog_witness_saw(relay->witness, from->si_signo))
		return !is_one_of_many(relay, from);
	relay->group[from->si_signo].sender = from->si_pid;
	relay->group[from->si_signo].ns = now_ns();
	return false;
}

void rarog_relay_send(struct rarog_relay *relay, pid_t program, const siginfo_t *from)
{
	siginfo_t info = *from;

	if (from->si_pid == program)
		return;
	if (info.si_code >= 0 || info.si_code == SI_TKILL)
		info.si_code = SI_QUEUE;
	relay->sent[from->si_signo].sender = from->si_pid;
	relay->sent[from->si_signo].code = from->si_code;
	relay->sent[from->si_signo].is_on_its_way = true;
	if (syscall(SYS_rt_sigqueueinfo, program, info.si_signo, &info) < 0 && errno == EAGAIN)
		kill(program, info.si_signo);
}

static bool is_thread_of(pid_t program, pid_t tid)
{
	return tid == program || rarog_process_status(tid, "Tgid:") == program;
}

void rarog_relay_arrives(struct rarog_relay *relay, pid_t program, pid_t tid, int signal)
{
	siginfo_t info;

	if (signal <= 0 || signal >= _NSIG || !relay->sent[signal].is_on_its_way ||
	    !is_thread_of(program, tid) || ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) < 0 ||
	    info.si_code != SI_QUEUE || info.si_pid != relay->sent[signal].sender)
		return;
	info.si_code = relay->sent[signal].code;
	relay->sent[signal].is_on_its_way = false;
	ptrace(PTRACE_SETSIGINFO, tid, NULL, &info);
}

void rarog_relay_drop(void)
{
	const struct timespec none = { 0 };
	sigset_t signals;

	rarog_relay_signals(&signals);
	while (sigtimedwait(&signals, NULL, &none) > 0 || errno == EINTR)
		;
}
