/* SPDX-License-Identifier: MIT */
/*
 * Is there a signal's frame on this stack? The kernel puts it there when a handler begins, always
 * with the same selectors of segments, and others' places follow from these. What an earlier
 * handler has left in memory that was not written since looks alike, but while a handler runs a
 * signal is blocked that was not before. Where the main thread's stack ends is known; of others,
 * also those that handlers and coroutines have for themselves, the kernel says which pages are
 * there.
 */
#include "runtime.h"

#include <errno.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	NEAR = 64 << 20, /* of the main stack: less than the kernel keeps free below it */
	PAGES = 4096,    /* looked at of other stacks */
	SIGNALS = 64,
	SIGNALS_BYTES = 8, /* of the kernel's set of them */
};

#define SELECTORS UINT64_C(0x002b000000000033) /* of code, and of the stack */

/* As the kernel has it: what lies around the selectors. */
struct frame {
	uint64_t restorer, flags, link, stack[3];
	uint64_t registers[18], selectors, error, trap, mask, fault;
	uint64_t vectors; /* where their registers are, behind this */
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

/* Is there a signal that its handler does not block? */
static bool is_never_blocked(void)
{
	for (int i = 1; i <= SIGNALS; i++) {
		struct {
			uint64_t handler, flags, restorer, mask;
		} action = { 0 };

		if (syscall(SYS_rt_sigaction, i, NULL, &action, SIGNALS_BYTES) == 0 &&
		    (action.flags & SA_NODEFER))
			return true;
	}
	return false;
}

/* Has its handler not returned? */
static bool is_open(const struct frame *frame)
{
	uint64_t blocked = 0;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &blocked, SIGNALS_BYTES);
	return (blocked & ~frame->blocked) != 0 || is_never_blocked();
}

/* The words from @from to @to are there. */
static bool has_frame(const uint64_t *from, const uint64_t *to)
{
	for (const uint64_t *at = from + WORDS_BEFORE; at + WORDS_BEHIND < to; at++) {
		const struct frame *frame;

		if (*at != SELECTORS)
			continue;
		frame = (const struct frame *)(const void *)(at - WORDS_BEFORE);
		if (is_frame(frame) && is_open(frame))
			return true;
	}
	return false;
}

/* No such way to change the mask: whether the kernel says so, or that the mask cannot be read. */
static bool is_there(const char *page)
{
	return syscall(SYS_rt_sigprocmask, -1, page, NULL, SIGNALS_BYTES) == 0 || errno != EFAULT;
}

static const char *end_of_stack(const char *here, size_t depth)
{
	const char *first =
		(const char *)getauxval(AT_RANDOM); /* above all frames of the main one */
	const char *page = here - (uintptr_t)here % PAGE + PAGE;

	if (first > here && first - here < NEAR)
		return (size_t)(first - here) < depth ? first : here + depth;
	for (int i = 0; i < PAGES && (size_t)(page - here) < depth && is_there(page); i++)
		page += PAGE;
	return page;
}

bool rarog_runtime_is_interrupted(size_t depth)
{
	const char *here = __builtin_frame_address(0);

	return has_frame((const uint64_t *)(const void *)here,
			 (const uint64_t *)(const void *)end_of_stack(here, depth));
}
