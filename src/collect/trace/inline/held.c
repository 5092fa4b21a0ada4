/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A held signal has been taken from the kernel's queue, and a thread can be given one only when it
 * has stopped for one. So when its probe is over the signal is sent to it once more, and as it
 * arrives it gets back what was known of the first.
 *
 * Faults of the thread's own are not held: they would come again at the same instruction.
 */
#include "collect/trace/inline/held.h"

#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "collect/trace/inline/remote.h"

#define MOMENT_NS 40000 /* an agent's work takes a few thousand */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static struct rarog_held *find(const struct rarog_holding *h, pid_t tid)
{
	for (size_t i = 0; i < h->threads.n; i++)
		if (h->threads.v[i].tid == tid)
			return &h->threads.v[i];
	return NULL;
}

static void forget(struct rarog_holding *h, struct rarog_held *held)
{
	rarog_vec_release(&held->waiting);
	*held = h->threads.v[--h->threads.n];
}

/* Of those that may be faults the cause is asked. */
static bool can_hold(pid_t tid, int signal)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
	siginfo_t info;

	for (size_t i = 0; i < RAROG_COUNT(faults); i++)
		if (signal == faults[i])
			return ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) == 0 &&
			       info.si_code <= 0;
	return signal != SIGSTOP;
}

static struct rarog_held *add(struct rarog_holding *h, pid_t tid)
{
	if (rarog_vec_push(&h->threads, (struct rarog_held){ .tid = tid }) < 0)
		return NULL;
	return &h->threads.v[h->threads.n - 1];
}

/* So that the thread stops for the first one. */
static void send_again(struct rarog_held *held)
{
	pid_t pid = (pid_t)rarog_process_status(held->tid, "Tgid:");

	held->is_sent = syscall(SYS_tgkill, pid, held->tid, held->waiting.v[0].si_signo) == 0;
}

/* The first one, in place of what the thread has stopped for. */
static int deliver_first(struct rarog_holding *h, struct rarog_held *held)
{
	siginfo_t first = held->waiting.v[0];

	ptrace(PTRACE_SETSIGINFO, held->tid, NULL, &first);
	held->waiting.n--;
	memmove(held->waiting.v, held->waiting.v + 1, held->waiting.n * sizeof(first));
	held->is_sent = false;
	if (held->waiting.n > 0)
		send_again(held);
	else
		forget(h, held);
	return first.si_signo;
}

static int go_on_without(struct rarog_held *held)
{
	held->since_ns = now_ns();
	held->is_paused = false;
	return 0;
}

/* By send_again(); where the thread cannot see us, from nobody. */
static bool is_own(const siginfo_t *info)
{
	return info->si_code == SI_TKILL && (info->si_pid == getpid() || info->si_pid == 0);
}

/* Is it the first one once more? One of the old signals that waited already was not added to: then
 * it is itself, and @info is of one more. */
static bool takes_place_of_first(struct rarog_held *held, const siginfo_t *info, bool *ret_is_new)
{
	*ret_is_new = !held->is_sent || !is_own(info);
	if (!held->is_sent || info->si_signo != held->waiting.v[0].si_signo ||
	    (*ret_is_new && info->si_signo >= SIGRTMIN))
		return false;
	held->is_sent = false;
	return true;
}

/* Has the thread, which may have some already, stopped for one that waits? It is the last of them
 * then; *ret_is_first: or the first once more. NULL: it need not wait. */
static struct rarog_held *keep(struct rarog_holding *h, pid_t tid, int signal, bool *ret_is_first)
{
	struct rarog_held *held = find(h, tid);
	siginfo_t info;
	bool is_new;

	if (!can_hold(tid, signal) || (!held && h->is_clear(h->context, tid)))
		return NULL;
	if (ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) < 0)
		return NULL;
	held = held ? held : add(h, tid);
	if (!held)
		return NULL;
	*ret_is_first = takes_place_of_first(held, &info, &is_new);
	if (is_new && rarog_vec_push(&held->waiting, info) < 0) {
		if (held->waiting.n == 0)
			forget(h, held);
		return NULL;
	}
	h->n_held += is_new;
	return held;
}

int rarog_held_signal(struct rarog_holding *h, pid_t tid, int signal)
{
	bool is_first;
	struct rarog_held *held = keep(h, tid, signal, &is_first);

	if (!held)
		return signal;
	if (held->is_sent && !is_first)
		return go_on_without(held); /* it comes at once */
	return h->is_clear(h->context, tid) ? deliver_first(h, held) : go_on_without(held);
}

bool rarog_held_keeps(struct rarog_holding *h, pid_t tid, int signal)
{
	bool is_first;
	struct rarog_held *held = keep(h, tid, signal, &is_first);

	if (held)
		go_on_without(held);
	return held != NULL;
}

bool rarog_held_stopped(struct rarog_holding *h, pid_t tid, bool is_paused)
{
	struct rarog_held *held = find(h, tid);

	if (!held)
		return false;
	go_on_without(held);
	held->is_paused = is_paused;
	if (!is_paused && !held->is_sent && h->is_clear(h->context, tid))
		send_again(held);
	return true;
}

/* To a thread that we do not trace any more. Who sent it only the kernel may say. */
static void hand_over(const struct rarog_held *held)
{
	pid_t pid = (pid_t)rarog_process_status(held->tid, "Tgid:");

	for (size_t i = 0; i < held->waiting.n; i++) {
		siginfo_t info = held->waiting.v[i];

		if (syscall(SYS_rt_tgsigqueueinfo, pid, held->tid, info.si_signo, &info) < 0)
			syscall(SYS_tgkill, pid, held->tid, info.si_signo);
	}
}

void rarog_held_attend(struct rarog_holding *h)
{
	uint64_t now = h->threads.n > 0 ? now_ns() : 0;

	for (size_t i = h->threads.n; i-- > 0;) {
		struct rarog_held *held = &h->threads.v[i];

		if (held->is_paused || held->is_sent || now - held->since_ns < MOMENT_NS)
			continue;
		if (ptrace(PTRACE_INTERRUPT, held->tid, NULL, NULL) == 0) {
			held->since_ns = now;
			continue;
		}
		hand_over(held);
		forget(h, held);
	}
}

long rarog_held_wants(const struct rarog_holding *h)
{
	for (size_t i = 0; i < h->threads.n; i++)
		if (!h->threads.v[i].is_paused)
			return MOMENT_NS;
	return 0;
}

void rarog_held_end(struct rarog_holding *h, pid_t tid)
{
	struct rarog_held *held = find(h, tid);

	if (held)
		forget(h, held);
}

void rarog_held_release(struct rarog_holding *h)
{
	while (h->threads.n > 0) {
		hand_over(&h->threads.v[0]);
		forget(h, &h->threads.v[0]);
	}
	rarog_debug(RAROG_LOG_DRAIN, "%llu signals waited for the end of a probe",
		    (unsigned long long)h->n_held);
	rarog_vec_release(&h->threads);
}
