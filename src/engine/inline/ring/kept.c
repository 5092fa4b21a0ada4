/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread's number and the memory its shadow stack may use is settled before its first
 * instruction, so that its first probe need not ask the kernel, which the program may have
 * forbidden by then. Only threads that were seen to begin have that: those that the tracer follows.
 */
#include "engine/inline/ring/kept.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "process/memory.h"

#define SPARE 512 /* strands for threads that do make calls, where most do not */

static uint64_t at_wiped(const struct rarog_image *image, uint32_t index)
{
	return image->base + RAROG_WIPED + (uint64_t)index * RAROG_STRAND_STRIDE;
}

static uint64_t at_private(const struct rarog_image *image, uint32_t index)
{
	return image->base + RAROG_PRIVATE + (uint64_t)index * RAROG_STRAND_STRIDE;
}

static struct iovec piece(uint64_t address, size_t n)
{
	return (struct iovec){ (void *)(uintptr_t)address, n };
}

/* --- free and claimed --- */

void rarog_kept_free(struct rarog_image *image, uint32_t index)
{
	__atomic_store_n(&rarog_image_strand(image, index)->state, RAROG_STRAND_FREE,
			 __ATOMIC_RELEASE);
	__atomic_fetch_or(&image->control->strands_free[index / 64], 1ull << index % 64,
			  __ATOMIC_RELEASE);
}

static bool is_spare(const struct rarog_image *image)
{
	int n = 0;

	for (size_t i = 0; i < RAROG_STRANDS / 64 && n <= SPARE; i++)
		n += __builtin_popcountll(image->control->strands_free[i]);
	return n > SPARE;
}

static uint32_t claim_in(uint64_t *word)
{
	uint64_t bits = __atomic_load_n(word, __ATOMIC_ACQUIRE);

	while (bits)
		if (__atomic_compare_exchange_n(word, &bits, bits & (bits - 1), false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return (uint32_t)__builtin_ctzll(bits);
	return 64;
}

static uint32_t claim(struct rarog_image *image)
{
	if (!is_spare(image))
		return 0;
	for (uint32_t i = 0; i < RAROG_STRANDS / 64; i++) {
		uint32_t bit = claim_in(&image->control->strands_free[i]);

		if (bit < 64)
			return i * 64 + bit;
	}
	return 0;
}

static bool is_kept(const struct rarog_strand_shared *s)
{
	return __atomic_load_n(&s->state, __ATOMIC_ACQUIRE) == RAROG_STRAND_KEPT;
}

static bool is_gone(const struct rarog_strand_shared *s)
{
	return syscall(SYS_tgkill, s->outer_pid, s->outer_tid, 0) < 0 && errno == ESRCH;
}

void rarog_kept_sweep(struct rarog_image *image, pid_t execed)
{
	for (uint32_t word = 0; word < RAROG_STRANDS / 64; word++) {
		uint64_t used =
			~__atomic_load_n(&image->control->strands_free[word], __ATOMIC_ACQUIRE);

		for (; used; used &= used - 1) {
			uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(used);
			const struct rarog_strand_shared *s = rarog_image_strand(image, index);

			if (is_kept(s) && (s->outer_pid == (uint32_t)execed || is_gone(s)) &&
			    is_kept(s)) /* it may have run, and ended, meanwhile */
				rarog_kept_free(image, index);
		}
	}
}

/* --- for a thread --- */

/* Has it one already, and stops once more before it runs? */
static bool has_one(struct rarog_image *image, const struct rarog_task *task, uint32_t at)
{
	struct rarog_strand_wiped w = { 0 };
	const struct iovec ours = { &w, sizeof(w) };
	const struct iovec theirs = piece(at_wiped(image, at), sizeof(w));

	return rarog_memory_readv(task->tid, &ours, 1, &theirs) == sizeof(w) && w.kept &&
	       w.kept < RAROG_STRANDS &&
	       rarog_image_strand(image, w.kept)->outer_tid == (uint32_t)task->tid;
}

static bool tell(struct rarog_image *image, const struct rarog_task *task, uint32_t at,
		 uint32_t index, uint32_t inherits)
{
	struct rarog_strand_wiped w = { .kept = index, .inherits = inherits };
	struct rarog_strand_private p = { .index = index, .inherits = inherits };
	const struct iovec ours[] = { { &w, sizeof(w) }, { &p, sizeof(p) } };
	const struct iovec theirs[] = { piece(at_wiped(image, at), sizeof(w)),
					piece(at_private(image, index), sizeof(p)) };

	return rarog_memory_writev(task->tid, ours, 2, theirs) == (ssize_t)(sizeof(w) + sizeof(p));
}

#define OUTER_MOST 64 /* handlers in handlers */

/* Was it forked by a handler that has interrupted a probe? If that is gone on with, it writes into
 * its parent's record. What could be deferred was (deferred-signals.h); this is a fault's. */
static bool is_torn(const struct rarog_image *image, const struct rarog_task *task, uint32_t from)
{
	struct rarog_strand_private p = { .outer = from };
	const struct iovec ours = { &p, sizeof(p) };

	for (int i = 0; i < OUTER_MOST && p.outer && p.outer < RAROG_STRANDS; i++) {
		const struct iovec theirs = piece(at_private(image, p.outer), sizeof(p));

		if (rarog_memory_readv(task->tid, &ours, 1, &theirs) != sizeof(p))
			return false;
		if (p.busy)
			return true;
	}
	return false;
}

/* A process that was forked before it made a call, by one that had made none either, inherits what
 * that one does. */
static uint32_t inherited(const struct rarog_image *image, const struct rarog_task *task,
			  uint32_t from)
{
	struct rarog_strand_private p = { 0 };
	const struct iovec ours = { &p, sizeof(p) };
	const struct iovec theirs = piece(at_private(image, from), sizeof(p));

	if (from && rarog_memory_readv(task->tid, &ours, 1, &theirs) == sizeof(p) && p.inherits &&
	    p.inherits < RAROG_STRANDS)
		return p.inherits;
	return from;
}

int rarog_kept_new(struct rarog_image *image, const struct rarog_task *task, uint32_t from,
		   bool inherits, bool *ret_is_there)
{
	struct rarog_strand_shared *s;
	uint32_t index;
	bool is_there;

	if (has_one(image, task, from))
		return -EEXIST;
	index = claim(image);
	*ret_is_there = !inherits;
	if (!index)
		return 0;
	s = rarog_image_strand(image, index);
	s->pid = (uint32_t)task->inner_pid;
	s->tid = (uint32_t)task->inner_tid;
	s->outer_pid = (uint32_t)task->pid;
	s->outer_tid = (uint32_t)task->tid;
	s->signals = inherits ? UINT64_MAX : image->control->signals;
	s->is_torn = inherits && is_torn(image, task, from);
	__atomic_store_n(&s->state, RAROG_STRAND_KEPT, __ATOMIC_RELEASE);
	/* what a torn one goes on with is in the record that it came from */
	is_there = !inherits || ((image->header.flags & RAROG_AREA_CALLS_FOR_GS) && !s->is_torn);
	from = inherits ? inherited(image, task, from) : 0;
	if (tell(image, task, is_there ? index : from, index, is_there ? from : 0)) {
		*ret_is_there = is_there;
		return (int)index;
	}
	rarog_kept_free(image, index);
	return 0;
}

bool rarog_kept_must_open(struct rarog_image *image, const struct rarog_task *task, uint32_t index)
{
	uint32_t open = 0, wanted = index;
	const struct iovec ours[] = { { &open, sizeof(open) }, { &wanted, sizeof(wanted) } };
	const struct iovec theirs[] = {
		piece(at_private(image, 0) + offsetof(struct rarog_strand_private, open),
		      sizeof(open)),
		piece(at_wiped(image, 0) + offsetof(struct rarog_strand_wiped, wanted),
		      sizeof(wanted)),
	};

	if (index < RAROG_STRANDS_OPEN ||
	    rarog_memory_readv(task->tid, ours, 1, theirs) != sizeof(open) || index < open)
		return false;
	return rarog_memory_writev(task->tid, ours + 1, 1, theirs + 1) == sizeof(wanted);
}
