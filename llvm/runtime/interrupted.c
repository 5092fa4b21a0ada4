/* SPDX-License-Identifier: MIT */
/*
 * Is there a signal's frame on this stack? The kernel puts it there when a handler begins, always
 * with the same selectors of segments, and others' places follow from these. What an earlier
 * handler has left in memory that was not written since looks alike, but while a handler runs a
 * signal is blocked that was not before. Between here and the frame is only what the handler calls.
 * Nothing past the stack may be touched, another thread may unmap it at any time: of the main
 * stack the end is known, a thread's has its thread pointer above, and of handlers' own the kernel
 * knows it. Of coroutines' only the page that is in use is looked at.
 */
#include "runtime.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	NEAR = 64 << 20,   /* of the main stack: less than the kernel keeps free below it */
	DEPTH = 256 << 10, /* looked at of other stacks */
	SIGNALS = 64,
	SIGNALS_BYTES = 8, /* of the kernel's set of them */
};

#define SELECTORS UINT64_C(0x002b000000000033) /* of code, and of the stack */

/* As the kernel has it: what lies around the selectors. */
struct frame {
	uint64_t restorer, flags, link, stack[3];
	uint64_t registers[18], selectors, error, trap, mask, fault;
	uint64_t vectors; /* where their registers are, after this */
	uint64_t reserved[8];
	uint64_t blocked; /* before */
};

#define WORDS_BEFORE (offsetof(struct frame, selectors) / 8)
#define WORDS_BEHIND (sizeof(struct frame) / 8 - WORDS_BEFORE)

static bool is_frame(const struct frame *frame)
{
	uint64_t here = (uint64_t)(uintptr_t)frame;

	return frame->selectors == SELECTORS && here % 16 == 8 && frame->flags < 16 &&
	       frame->link == 0 &&
	       (frame->vectors == 0 || (frame->vectors > here && frame->vectors % 16 == 0));
}

/* As the kernel has it; all 0 if it does not tell. */
struct action {
	uint64_t handler, flags, restorer, mask;
};

static struct action action_of(int signal)
{
	struct action action = { 0 };

	syscall(SYS_rt_sigaction, signal, NULL, &action, SIGNALS_BYTES);
	return action;
}

bool rarog_runtime_has_handler(int signal)
{
	return !rarog_runtime_may_call() || action_of(signal).handler > (uintptr_t)SIG_IGN;
}

/* Is there a signal that its handler does not block? */
static bool is_never_blocked(void)
{
	for (int i = 1; i <= SIGNALS; i++)
		if (action_of(i).flags & SA_NODEFER)
			return true;
	return false;
}

/* Has its handler not returned? As long as no call may be made, so it seems. */
static bool is_open(const struct frame *frame)
{
	uint64_t blocked = 0;

	if (!rarog_runtime_may_call())
		return true;
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &blocked, SIGNALS_BYTES);
	return (blocked & ~frame->blocked) != 0 || is_never_blocked();
}

/* The words from @from to @to are there; frames begin eight bytes after a multiple of 16, so only
 * every other word may be the selectors. */
static unsigned count_frames(const uint64_t *from, const uint64_t *to)
{
	unsigned n = 0;

	from += WORDS_BEFORE;
	from += (uintptr_t)from % 16 == 0;
	for (const uint64_t *at = from; at + WORDS_BEHIND < to; at += 2) {
		const struct frame *frame;

		if (*at != SELECTORS)
			continue;
		frame = (const struct frame *)(const void *)(at - WORDS_BEFORE);
		n += is_frame(frame) && is_open(frame);
	}
	return n;
}

/* No such way to change the mask: whether the kernel says so, or that the mask cannot be read. */
static bool is_there(const void *place)
{
	return rarog_runtime_may_call() &&
	       syscall(SYS_rt_sigprocmask, -1, place, NULL, SIGNALS_BYTES) < 0 && errno == EINVAL;
}

/* Of the stack that handlers have for themselves, if this is it; else NULL. */
static const char *end_of_handlers(void)
{
	stack_t stack = { .ss_flags = SS_DISABLE };

	if (!rarog_runtime_may_call() || syscall(SYS_sigaltstack, NULL, &stack) < 0 ||
	    !(stack.ss_flags & SS_ONSTACK))
		return NULL;
	return (const char *)stack.ss_sp + stack.ss_size;
}

/* Above the stack that libc made, or was given, for a thread. */
static const char *thread_pointer(void)
{
	const char *pointer;

	__asm__("movq %%fs:0, %0" : "=r"(pointer));
	return pointer;
}

static const char *end_of_page(const char *here)
{
	return here - (uintptr_t)here % PAGE + PAGE;
}

/* Not past what is known to be the end; where nothing is known, this page. */
static const char *end_of_other(const char *here, size_t depth)
{
	const char *page = end_of_page(here), *end = here + depth;
	const char *thread = thread_pointer(), *limit = end_of_handlers();

	if (!limit && thread > here && thread - here < DEPTH)
		limit = thread;
	if (!limit)
		return page;
	if (limit < end)
		end = limit;
	while (page < end && is_there(page))
		page += PAGE;
	return page < end ? page : end;
}

static const char *end_of_stack(const char *here, size_t depth)
{
	const char *first;

	if (depth <= (size_t)(end_of_page(here) - here))
		return here + depth;
	first = (const char *)getauxval(AT_RANDOM); /* above all frames of the main one */
	if (first > here && first - here < NEAR)
		return (size_t)(first - here) < depth ? first : here + depth;
	return end_of_other(here, depth < DEPTH ? depth : DEPTH);
}

unsigned rarog_runtime_interruptions(size_t depth)
{
	const char *here = __builtin_frame_address(0);

	return count_frames((const uint64_t *)(const void *)here,
			    (const uint64_t *)(const void *)end_of_stack(here, depth));
}
