/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread that was stopped anywhere makes a system call for us. It is sent to a `syscall; ret` of
 * the program's own code, on its own stack below what is in use (and below the red zone), where we
 * laid a frame like that of a signal handler: the `ret` leads to the program's own sigreturn, which
 * brings back every register and the signal mask. Normally we put the registers back ourselves
 * after the last call; but should we be killed at any moment, the thread makes the call that it was
 * sent to, returns through that frame, and goes on where it was.
 *
 *	saved rsp - 128		red zone
 *	… vector registers	as XSAVE writes them, 64-byte aligned
 *	… ucontext
 *	frame			address of `mov $15,%eax; syscall`
 *
 * While the thread is ours its signals are blocked.
 *
 * What lies there is put back: below a stack that the program made itself (a coroutine's, or one
 * for signals) may be other things of it. So is the pointer to a restartable sequence that it is in
 * (rseq(2)), which the kernel drops when it finds the thread elsewhere: without it the thread would
 * go on in the middle of that sequence, on another processor perhaps.
 */
#include "process/remote.h"

#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "process/filters.h"
#include "process/maps.h"
#include "process/threads.h"

#define RED_ZONE   128
#define XSAVE_MOST 16384 /* bytes of vector registers; AMX has 11,008 */
#define ROOM       (XSAVE_MOST + 4096)
#define SCRATCH    512 /* bytes below the frame */

/* The kernel's struct rt_sigframe, without the signal's own description. */
struct frame {
	uint64_t sigreturn;
	uint64_t flags, link;
	uint64_t stack[3];
	struct sigcontext registers;
	uint64_t mask;
};

struct rarog_borrowed {
	pid_t pid;
	struct rarog_thread *thread; /* with the registers that it had */
	uint64_t gate, sigreturn;    /* `syscall; ret`, `mov $15,%eax; syscall` */
	uint64_t frame;              /* its address */
	uint64_t mask;               /* of signals, as it was */
	bool is_sent;                /* to the gate */
	int memory;                  /* of its process; borrowed */
	uint64_t sequence_at;        /* where its rseq_cs is, 0: nowhere */
	uint64_t sequence;           /* what that was */
	size_t n_below;
	uint8_t below[ROOM]; /* what was where the frame is, from SCRATCH below it */
};

/* --- what the program has that we need --- */

static bool find_code(size_t n, const uint8_t code[], uint64_t at, struct rarog_borrowed *b)
{
	static const uint8_t gate[] = { 0x0f, 0x05, 0xc3 };
	static const uint8_t sigreturn[][9] = {
		{ 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 },
		{ 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 },
	};
	static const size_t length[] = { 9, 7 };
	const uint8_t *found = b->gate ? NULL : memmem(code, n, gate, sizeof(gate));

	if (found)
		b->gate = at + (uint64_t)(found - code);
	for (size_t i = 0; i < 2 && !b->sigreturn; i++) {
		found = memmem(code, n, sigreturn[i], length[i]);
		if (found)
			b->sigreturn = at + (uint64_t)(found - code);
	}
	return b->gate && b->sigreturn;
}

#define PIECE   65536
#define OVERLAP 16

static bool look_in(struct rarog_remote *remote, const struct rarog_mapping *m,
		    struct rarog_borrowed *b)
{
	uint8_t code[PIECE];

	for (uint64_t at = m->start; at < m->end; at += PIECE - OVERLAP) {
		size_t n = m->end - at < PIECE ? m->end - at : PIECE;

		if (pread(remote->memory, code, n, (off_t)at) != (ssize_t)n)
			return false;
		if (find_code(n, code, at, b))
			return true;
	}
	return false;
}

static bool is_writable(const struct rarog_mapping *m)
{
	return m->permissions[0] == 'r' && m->permissions[1] == 'w';
}

#define STACK_GUARD (2ull << 20) /* the kernel keeps 1 MiB free below, if not told otherwise */

/* How far down the first thread's stack may reach; it grows when the frame is written. */
static uint64_t lowest_of_stack(pid_t pid, const struct rarog_mapping *stack,
				const struct rarog_mapping *below)
{
	uint64_t free_from = below ? below->end + STACK_GUARD : STACK_GUARD, lowest = free_from;
	struct rlimit limit;

	if (free_from >= stack->start || prlimit(pid, RLIMIT_STACK, NULL, &limit) < 0)
		return stack->start;
	if (limit.rlim_cur < stack->end - free_from)
		lowest = stack->end - limit.rlim_cur;
	return lowest < stack->start ? lowest : stack->start;
}

/* Bytes below the thread's stack pointer. */
static uint64_t room_below(pid_t pid, uint64_t sp, long n, const struct rarog_mapping mappings[])
{
	for (long i = 0; i < n; i++) {
		const struct rarog_mapping *m = &mappings[i];

		if (sp <= m->start || sp > m->end || !is_writable(m))
			continue;
		return sp -
		       (m->is_stack ? lowest_of_stack(pid, m, i > 0 ? m - 1 : NULL) : m->start);
	}
	return 0;
}

/* One with enough stack, and no seccomp filter, which could end the program for our call; better
 * one that no signal waits for. */
static struct rarog_thread *choose(struct rarog_threads *threads, long n,
				   const struct rarog_mapping mappings[], bool *ret_filtered)
{
	struct rarog_thread *best = NULL;
	long inherited = rarog_filters_inherited();

	for (size_t i = 0; i < threads->v.n; i++) {
		struct rarog_thread *thread = &threads->v.v[i];

		if (room_below(threads->anyone, thread->regs.rsp, n, mappings) < ROOM + RED_ZONE)
			continue;
		if (rarog_filters_has(thread->tid, inherited)) {
			*ret_filtered = true;
			continue;
		}
		if (thread->status >> 16)
			return thread;
		best = thread;
	}
	return best;
}

static int look_around(struct rarog_threads *threads, struct rarog_remote *remote)
{
	struct rarog_borrowed *b = remote->borrowed;
	rarog_cleanup(rarog_freep) struct rarog_mapping *mappings = NULL;
	long n = rarog_maps_read(threads->anyone, &mappings);
	bool found = threads->gate != 0, filtered = false;

	if (n < 0)
		return (int)n;
	b->gate = threads->gate;
	b->sigreturn = threads->sigreturn;
	for (long i = 0; i < n && !found; i++)
		if (mappings[i].is_file && mappings[i].permissions[0] == 'r' &&
		    mappings[i].permissions[2] == 'x')
			found = look_in(remote, &mappings[i], b);
	if (!found)
		return rarog_fail(-ENOTSUP,
				  "process %d: its code has no system call that could be used",
				  (int)threads->pid);
	threads->gate = b->gate;
	threads->sigreturn = b->sigreturn;
	b->thread = choose(threads, n, mappings, &filtered);
	if (!b->thread && filtered)
		return rarog_fail(-EBUSY, "a thread has a seccomp filter; memory stays mapped");
	if (!b->thread)
		return rarog_fail(-EBUSY,
				  "process %d: no thread has %d KiB of its stack free; try again",
				  (int)threads->pid, ROOM / 1024);
	return 0;
}

/* --- the frame --- */

/* What the thread shall find when it returns through the frame by itself: an interrupted system
 * call is made again. (A sleep is then longer than it should be, instead of ending early.) */
static struct sigcontext context_of(const struct user_regs_struct *r)
{
	bool again =
		(int64_t)r->orig_rax >= 0 && (int64_t)r->rax <= -512 && (int64_t)r->rax >= -516;

	return (struct sigcontext){
		.r8 = r->r8,
		.r9 = r->r9,
		.r10 = r->r10,
		.r11 = r->r11,
		.r12 = r->r12,
		.r13 = r->r13,
		.r14 = r->r14,
		.r15 = r->r15,
		.rdi = r->rdi,
		.rsi = r->rsi,
		.rbp = r->rbp,
		.rbx = r->rbx,
		.rdx = r->rdx,
		.rax = again ? r->orig_rax : r->rax,
		.rcx = r->rcx,
		.rsp = r->rsp,
		.rip = again ? r->rip - 2 : r->rip,
		.eflags = r->eflags,
		.cs = (uint16_t)r->cs,
		.__pad0 = (uint16_t)r->ss, /* ss */
	};
}

#define UC_FLAGS  7  /* UC_FP_XSTATE | UC_SIGCONTEXT_SS | UC_STRICT_RESTORE_SS */
#define NO_CHANGE 64 /* as flags of an alternate stack: the kernel passes it over */

#define TILES 18 /* component that a task has only if it asked for it */

/* Where the vector registers end that the task has. */
static size_t end_of_vectors(size_t n, const uint8_t vectors[], uint64_t *features)
{
	unsigned size, offset, flags, reserved;
	uint64_t in_use;

	memcpy(&in_use, vectors + 512, 8);
	if (!(*features >> TILES & 1) || in_use >> TILES & 1 ||
	    !__get_cpuid_count(0xd, TILES, &size, &offset, &flags, &reserved) || offset > n)
		return n;
	*features &= ~(UINT64_C(1) << TILES);
	return offset;
}

/* The vector registers as the kernel lays them into a signal's frame: with a description in bytes
 * that XSAVE leaves free, and a magic number after. */
static size_t describe(size_t n, uint8_t vectors[])
{
	uint32_t magic = FP_XSTATE_MAGIC2;
	struct _fpx_sw_bytes software = { .magic1 = FP_XSTATE_MAGIC1 };
	uint64_t features;

	memcpy(&features, vectors + 464, 8); /* as PTRACE_GETREGSET tells them */
	n = end_of_vectors(n, vectors, &features);
	software.xstate_bv = features;
	software.xstate_size = (uint32_t)n;
	software.extended_size = (uint32_t)(n + FP_XSTATE_MAGIC2_SIZE);
	memcpy(vectors + 464, &software, sizeof(software));
	memcpy(vectors + n, &magic, sizeof(magic));
	return n + sizeof(magic);
}

/* Bytes that are not there need not be put back. */
static void keep_below(struct rarog_borrowed *b, uint64_t end)
{
	uint64_t start = b->frame - SCRATCH;
	size_t n = end - start;

	if (n <= sizeof(b->below) && pread(b->memory, b->below, n, (off_t)start) == (ssize_t)n)
		b->n_below = n;
}

#ifndef PTRACE_GET_RSEQ_CONFIGURATION
#define PTRACE_GET_RSEQ_CONFIGURATION 0x420f
#endif

struct rseq_place { /* as the kernel tells it */
	uint64_t address;
	uint32_t size, signature, flags, pad;
};

#define RSEQ_CS 8 /* in the program's struct rseq */

static void keep_sequence(struct rarog_borrowed *b)
{
	struct rseq_place place = { 0 };

	if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, b->thread->tid, sizeof(place), &place) <= 0 ||
	    place.address == 0 ||
	    pread(b->memory, &b->sequence, 8, (off_t)(place.address + RSEQ_CS)) != 8 ||
	    b->sequence == 0)
		return;
	b->sequence_at = place.address + RSEQ_CS;
}

/* After its registers are: nothing of this is used any more. */
static void put_back(const struct rarog_borrowed *b)
{
	if (b->n_below && pwrite(b->memory, b->below, b->n_below, (off_t)(b->frame - SCRATCH)) < 0)
		rarog_debug(RAROG_LOG_INSTALL, "process %d: its stack is not what it was",
			    (int)b->pid);
	if (b->sequence_at && pwrite(b->memory, &b->sequence, 8, (off_t)b->sequence_at) < 0)
		rarog_debug(RAROG_LOG_INSTALL, "process %d: a sequence was not restored",
			    (int)b->pid);
}

static int lay_frame(struct rarog_remote *remote)
{
	struct rarog_borrowed *b = remote->borrowed;
	uint8_t vectors[XSAVE_MOST + 64];
	struct iovec io = { vectors, XSAVE_MOST };
	struct frame frame = {
		.sigreturn = b->sigreturn,
		.flags = UC_FLAGS,
		.stack = { 0, NO_CHANGE, 0 },
		.registers = context_of(&b->thread->regs),
		.mask = b->mask,
	};
	uint64_t at;
	size_t n;
	int r;

	if (ptrace(PTRACE_GETREGSET, b->thread->tid, NT_X86_XSTATE, &io) < 0)
		return rarog_fail_errno("process %d: cannot read vector registers", (int)b->pid);
	n = describe(io.iov_len, vectors);
	at = (b->thread->regs.rsp - RED_ZONE - n) & ~UINT64_C(63);
	frame.registers.__fpstate_word = at;
	b->frame = ((at - sizeof(frame)) & ~UINT64_C(15)) - 8;
	keep_below(b, b->thread->regs.rsp - RED_ZONE);
	keep_sequence(b);
	r = rarog_remote_write(remote, at, n, vectors);
	return r < 0 ? r : rarog_remote_write(remote, b->frame, sizeof(frame), &frame);
}

/* --- calls --- */

static int send(struct rarog_borrowed *b, int64_t number, const int64_t a[6])
{
	struct user_regs_struct regs = b->thread->regs;

	regs.rip = b->gate;
	regs.rsp = b->frame;
	rarog_remote_set_call(&regs, number, a);
	regs.eflags &= ~UINT64_C(0x500); /* direction, single step */
	return ptrace(PTRACE_SETREGS, b->thread->tid, NULL, &regs) < 0 ? -ESRCH : 0;
}

/* SIGSTOP cannot be blocked. The process stops with it when we let it go on. */
static bool is_stopped_by_signal(int status)
{
	return status >> 16 == 0 && WSTOPSIG(status) == SIGSTOP;
}

/* On to the next entry into or return from a system call. Only stops of the whole process (SIGSTOP)
 * may come in between; of other signals only those that are an instruction's fault. */
static int go_on(struct rarog_borrowed *b)
{
	long signal = 0;

	do {
		if (ptrace(PTRACE_SYSCALL, b->thread->tid, NULL, (void *)signal) < 0 ||
		    rarog_threads_await_stop(b->thread) < 0)
			return -ESRCH;
		if (b->thread->status >> 8 == (SIGTRAP | 0x80))
			return 0;
		signal = is_stopped_by_signal(b->thread->status) ? SIGSTOP : 0;
	} while (signal || b->thread->status >> 16 == PTRACE_EVENT_STOP);
	return -EFAULT;
}

static int64_t call_borrowed(struct rarog_remote *remote, int64_t number, const int64_t a[6])
{
	static const uint64_t all = ~UINT64_C(0);
	struct rarog_borrowed *b = remote->borrowed;
	struct user_regs_struct regs;
	int r;

	if (send(b, number, a) < 0)
		return -ESRCH;
	if (!b->is_sent) /* from here on the frame puts the mask back, too */
		ptrace(PTRACE_SETSIGMASK, b->thread->tid, sizeof(all), &all);
	b->is_sent = true;
	r = go_on(b);
	if (r == 0)
		r = go_on(b);
	if (r == 0 && ptrace(PTRACE_GETREGS, b->thread->tid, NULL, &regs) < 0)
		r = -ESRCH;
	return r != 0 ? r : (int64_t)regs.rax;
}

#define SA_RESTORER_ 0x04000000ull

int rarog_remote_set_trap(struct rarog_remote *remote, const struct rarog_signal_action *action,
			  struct rarog_signal_action *ret_old)
{
	const struct rarog_borrowed *b = remote->borrowed;
	uint64_t at = b->frame - SCRATCH, old = at + sizeof(*action);
	/* the gate's `ret` returns at once, to sigreturn */
	const struct rarog_signal_action nothing = {
		.handler = b->gate + 2,
		.flags = SA_RESTORER_,
		.restorer = b->sigreturn,
	};
	int64_t r = rarog_remote_write(remote, at, sizeof(nothing), action ? action : &nothing);

	if (r == 0)
		r = remote->call(remote, SYS_rt_sigaction,
				 (int64_t[6]){ SIGTRAP, (int64_t)at, (int64_t)old, 8 });
	if (r < 0)
		return rarog_fail((int)r, "process %d: rt_sigaction: %s", (int)remote->pid,
				  strerror((int)-r));
	return ret_old ? rarog_remote_read(remote, old, sizeof(*ret_old), ret_old) : 0;
}

/*
 * The stop after a system call is not one where the kernel makes an interrupted call of the
 * program's again; that after PTRACE_INTERRUPT is, and it comes before anything is run.
 */
static void give_back(struct rarog_borrowed *b)
{
	if (b && b->is_sent) {
		ptrace(PTRACE_SETSIGMASK, b->thread->tid, sizeof(b->mask), &b->mask);
		ptrace(PTRACE_SETREGS, b->thread->tid, NULL, &b->thread->regs);
		put_back(b);
		ptrace(PTRACE_INTERRUPT, b->thread->tid, NULL, NULL);
		ptrace(PTRACE_CONT, b->thread->tid, NULL, NULL);
		rarog_threads_await_stop(b->thread);
	}
	free(b);
}

static int borrow(struct rarog_threads *threads, struct rarog_remote *remote)
{
	struct rarog_borrowed *b = remote->borrowed;
	int r = look_around(threads, remote);

	if (r == 0 && rarog_threads_deliver(b->thread) < 0)
		r = rarog_fail(-EBUSY, "process %d: a thread does not stop", (int)b->pid);
	if (r < 0)
		return r;
	if (ptrace(PTRACE_GETSIGMASK, b->thread->tid, sizeof(b->mask), &b->mask) < 0)
		return rarog_fail_errno("process %d: cannot read registers", (int)b->pid);
	return lay_frame(remote);
}

int rarog_remote_open_running(struct rarog_threads *threads, struct rarog_remote *ret_remote)
{
	int r;

	*ret_remote = (struct rarog_remote){ .memory = -1,
					     .call = call_borrowed,
					     .give_back = give_back };
	ret_remote->borrowed = calloc(1, sizeof(*ret_remote->borrowed));
	if (!ret_remote->borrowed)
		return rarog_oom();
	ret_remote->borrowed->pid = threads->pid;
	r = rarog_remote_open_memory(threads->anyone, ret_remote);
	ret_remote->borrowed->memory = ret_remote->memory;
	if (r == 0)
		r = borrow(threads, ret_remote);
	if (r < 0)
		rarog_remote_close(ret_remote);
	return r;
}
