/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Three things of a program lead to an image: the patches; the return addresses of the calls that
 * are open; and threads that are in a stub or in the agent, or will return there from a signal
 * handler or through the unwinder. The last are brought out first, so that what has begun is
 * recorded to its end. Then nothing changes any more: return addresses are replaced by the true
 * ones, patches by the original bytes, %gs is set to 0, and the memory is unmapped, in this order:
 * if we are killed in between, whatever in the program still leads to the image finds it,
 * and in which the unwinder either has its hooks or does not need them.
 *
 * The true return addresses are in the shadow stacks. A slot is written only if it still holds the
 * address that the probe put there. Records of calls long gone may name the same slot; so those of
 * the threads' own strands go first, then those of other strands, and last what is in the
 * saved-return table: each leaves no slot as it was for the next.
 */
#include "engine/inline/attach/detach.h"
#include "engine/inline/code/known-areas.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "engine/inline/attach/agent-await.h"
#include "engine/inline/code/area.h"
#include "engine/inline/code/emit.h"
#include "engine/inline/coexist/break-traps.h"
#include "engine/inline/coexist/breaks.h"
#include "process/contexts.h"
#include "process/memory.h"
#include "process/thread.h"

/* --- out of our code --- */

struct ours {
	struct rarog_image *image;
	struct rarog_remote *remote;
};

/* … or on the way there, by a jump that a breakpoint had changed. */
static bool is_in_areas(const void *context, uint64_t address)
{
	const struct ours *ours = context;

	return rarog_breaks_is_astray(ours->image, ours->remote, address);
}

/* … but not in what all stubs share. */
static bool is_on_the_way(const void *context, uint64_t address)
{
	const struct ours *ours = context;
	uint64_t at;

	return is_in_areas(context, address) &&
	       rarog_known_code_at(ours->image, address, &at) != RAROG_CODE_AGENT;
}

/* The strands' private records: *ret_n of them have been used. */
static int read_records(const struct rarog_image *image, struct rarog_remote *remote,
			uint8_t **ret_records, uint32_t *ret_n)
{
	uint64_t at = image->base + RAROG_PRIVATE;
	struct rarog_strand_private first;
	uint8_t *records;
	int r = rarog_remote_read(remote, at, sizeof(first), &first);

	if (r < 0)
		return r;
	*ret_n = first.next < RAROG_STRANDS ? first.next : RAROG_STRANDS;
	records = malloc((size_t)RAROG_STRAND_STRIDE * (*ret_n + 1));
	if (!records)
		return rarog_oom();
	r = rarog_remote_read(remote, at, (size_t)RAROG_STRAND_STRIDE * *ret_n, records);
	if (r < 0)
		free(records);
	else
		*ret_records = records;
	return r;
}

static const struct rarog_strand_private *record_of(const uint8_t *records, uint32_t index)
{
	return (const void *)(records + (size_t)index * RAROG_STRAND_STRIDE);
}

/* Has a personality routine told the unwinder to land in the agent? */
static int is_landing(const struct rarog_image *image, struct rarog_remote *remote)
{
	rarog_cleanup(rarog_freep) uint8_t *records = NULL;
	uint32_t n;
	int r = read_records(image, remote, &records, &n);

	for (uint32_t i = 1; r == 0 && i < n; i++)
		if (record_of(records, i)->landing)
			return 1;
	return r;
}

#define TURNS_MOST 8 /* a probe has two */

static bool is_any_there(const struct ours *ours, const struct rarog_threads *threads)
{
	for (size_t i = 0; i < threads->v.n; i++)
		if (is_in_areas(ours, threads->v.v[i].regs.rip))
			return true;
	return false;
}

/* A probe begins in a stub, may go on in the agent, and then ends in a stub. Where no step can be
 * made, since every thread has a seccomp filter, there are moments only. */
static int leave_probes(const struct ours *ours, struct rarog_threads *threads)
{
	long n = 0;
	int r = 0;

	for (int i = 0; n == 0 && r == 0 && i < TURNS_MOST && is_any_there(ours, threads); i++) {
		n = rarog_agents_end(ours->image, threads);
		if (n < 0)
			return (int)n;
		r = rarog_threads_step_out(threads, is_on_the_way, ours);
	}
	return r < 0 && r != -EBUSY ? r : rarog_threads_leave(threads, is_in_areas, ours);
}

static int settle(const struct ours *ours, struct rarog_threads *threads,
		  struct rarog_interrupted *contexts)
{
	int r;

	r = leave_probes(ours, threads);
	if (r == 0)
		r = rarog_contexts_find(ours->remote, threads, is_in_areas, ours, contexts);
	return r < 0 ? r : is_landing(ours->image, ours->remote);
}

int rarog_detach_settle(struct rarog_image *image, struct rarog_threads *threads)
{
	struct rarog_remote remote = { .memory = -1 };
	const struct ours ours = { image, &remote };
	struct rarog_interrupted contexts = { 0 };
	int r;

	rarog_breaks_look(image, threads->anyone); /* so that all are known that may lead astray */
	r = rarog_remote_open_memory(threads->anyone, &remote);
	if (r == 0)
		r = settle(&ours, threads, &contexts);
	if (r == 1)
		r = rarog_fail(-EBUSY, "an exception is on its way to a probe");
	else if (r == 0 && contexts.v.n > 0)
		r = rarog_fail(-EBUSY, "a signal handler does not return to a probe");
	else if (r < 0 && r != -EBUSY && rarog_thread_is_dead(threads->anyone))
		r = -ESRCH; /* killed meanwhile */
	rarog_vec_release(&contexts.v);
	rarog_remote_close(&remote);
	return r;
}

/* --- return addresses --- */

#define BATCH 512

struct slots {
	pid_t pid;
	size_t n;
	uint64_t slot[BATCH], stub_return[BATCH], ret[BATCH];
};

/* One word each, to or from @words. Words that are not there (their stack is gone) are passed over.
 */
static void transfer(pid_t pid, size_t n, const uint64_t addresses[], uint64_t words[],
		     ssize_t (*move)(pid_t, const struct iovec *, size_t, const struct iovec *))
{
	struct iovec ours[BATCH], theirs[BATCH];

	for (size_t i = 0; i < n; i++) {
		ours[i] = (struct iovec){ words + i, 8 };
		theirs[i] = (struct iovec){ (void *)(uintptr_t)addresses[i], 8 };
	}
	for (size_t done = 0; done < n; done++) {
		ssize_t moved = move(pid, ours + done, n - done, theirs + done);

		done += moved > 0 ? (size_t)moved / 8 : 0;
	}
}

static void restore_slots(struct slots *s)
{
	uint64_t seen[BATCH] = { 0 };
	size_t n = 0;

	transfer(s->pid, s->n, s->slot, seen, rarog_memory_readv);
	for (size_t i = 0; i < s->n; i++) {
		if (seen[i] != s->stub_return[i])
			continue;
		s->slot[n] = s->slot[i];
		s->ret[n++] = s->ret[i];
	}
	transfer(s->pid, n, s->slot, s->ret, rarog_memory_writev);
	s->n = 0;
}

/* The frame inside of it may have the same slot, and return into this one's stub: a tail call. */
static void add_slot(struct slots *s, uint64_t slot, uint64_t stub, uint64_t ret)
{
	uint64_t plain = slot & ~(uint64_t)RAROG_SLOT_SLOW;
	uint64_t stub_return = stub + rarog_emit_return_distance();

	if (slot & RAROG_SLOT_REGION)
		return; /* nothing stands there */
	/* a call in tail position whose caller's frame stayed returns into the caller's stub */
	if (s->n > 0 && s->slot[s->n - 1] == plain && s->ret[s->n - 1] == stub_return) {
		s->ret[s->n - 1] = ret;
		return;
	}
	s->slot[s->n] = plain;
	s->stub_return[s->n] = stub_return;
	s->ret[s->n] = ret;
	if (++s->n == BATCH)
		restore_slots(s);
}

static uint64_t word_at(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* From the inner frame outwards. */
static void restore_strand(struct rarog_remote *remote, const struct rarog_strand_private *p)
{
	struct slots slots = { .pid = remote->pid };
	uint8_t frames[BATCH * RAROG_FRAME_SIZE];
	uint64_t at = p->top;

	while (p->base && at > p->base) {
		uint64_t size = at - p->base < sizeof(frames) ? at - p->base : sizeof(frames);

		if (pread(remote->memory, frames, size, (off_t)(at - size)) != (ssize_t)size)
			break;
		at -= size;
		for (uint64_t i = size; i >= RAROG_FRAME_SIZE; i -= RAROG_FRAME_SIZE) {
			const uint8_t *frame = frames + i - RAROG_FRAME_SIZE;

			add_slot(&slots, word_at(frame + RAROG_FRAME_SLOT),
				 word_at(frame + RAROG_FRAME_STUB),
				 word_at(frame + RAROG_FRAME_RETURN));
		}
	}
	restore_slots(&slots);
}

struct restoring {
	struct rarog_image *image;
	struct rarog_remote *remote;
	uint8_t *records;
	uint32_t n;
	bool done[RAROG_STRANDS];
};

static void restore_once(struct restoring *r, uint32_t index)
{
	if (index == 0 || index >= r->n || r->done[index])
		return;
	r->done[index] = true;
	restore_strand(r->remote, record_of(r->records, index));
}

/* A process that has made no call yet may have a strand already: the calls that are open in it are
 * on its parent's. */
static uint32_t with_calls(const struct restoring *r, uint32_t index)
{
	struct rarog_strand_private p = { 0 };
	uint64_t at = r->image->base + RAROG_PRIVATE + (uint64_t)index * RAROG_STRAND_STRIDE;

	if (index == 0 || rarog_remote_read(r->remote, at, sizeof(p), &p) < 0 || !p.inherits)
		return index;
	return p.inherits;
}

static void restore_threads(struct restoring *r, const struct rarog_threads *threads)
{
	for (size_t i = 0; i < threads->v.n; i++) {
		uint64_t at = threads->v.v[i].regs.gs_base - r->image->base;
		uint32_t index = at < RAROG_STRAND_ARRAY ? (uint32_t)(at / RAROG_STRAND_STRIDE) : 0;

		index = with_calls(r, index);
		while (index != 0 && index < r->n && !r->done[index]) {
			restore_once(r, index);
			index = record_of(r->records, index)->outer;
		}
	}
}

static void restore_saved_returns(struct restoring *r)
{
	rarog_cleanup(rarog_freep) struct rarog_saved_returns_frame *saved_returns =
		malloc(RAROG_SAVED_RETURNS_SIZE);
	struct slots slots = { .pid = r->remote->pid };

	if (!saved_returns || rarog_remote_read(r->remote, r->image->header.saved_returns,
						RAROG_SAVED_RETURNS_SIZE, saved_returns) < 0)
		return;
	for (size_t i = 0; i < RAROG_SAVED_RETURNS_FRAMES; i++)
		if (saved_returns[i].slot > 1)
			add_slot(&slots, saved_returns[i].slot, saved_returns[i].stub,
				 saved_returns[i].ret);
	restore_slots(&slots);
}

static int restore_returns(struct rarog_image *image, struct rarog_remote *remote,
			   const struct rarog_threads *threads)
{
	struct restoring r = { .image = image, .remote = remote };
	int result = read_records(image, remote, &r.records, &r.n);

	if (result < 0)
		return result;
	restore_threads(&r, threads);
	for (uint32_t i = 1; i < r.n; i++)
		if (rarog_image_strand(image, i)->state == RAROG_STRAND_ACTIVE)
			restore_once(&r, i);
	for (uint32_t i = 1; i < r.n; i++)
		restore_once(&r, i);
	restore_saved_returns(&r);
	free(r.records);
	return 0;
}

/* --- everything --- */

int rarog_detach_entries(struct rarog_image *image, struct rarog_threads *threads)
{
	struct rarog_remote remote = { .memory = -1 };
	int r = rarog_remote_open_memory(threads->anyone, &remote);

	if (r == 0)
		r = rarog_area_restore(image, &remote);
	rarog_remote_close(&remote);
	return r;
}

int rarog_detach_quiet(struct rarog_image *image, struct rarog_threads *threads)
{
	struct rarog_remote remote = { .memory = -1 };
	int r = rarog_remote_open_memory(threads->anyone, &remote);

	if (r == 0)
		r = restore_returns(image, &remote, threads);
	rarog_remote_close(&remote);
	return r < 0 ? r : rarog_detach_entries(image, threads);
}

int rarog_detach_clean(struct rarog_image *image, struct rarog_threads *threads)
{
	struct rarog_remote remote;
	int r = rarog_detach_quiet(image, threads);

	if (r == 0)
		r = rarog_threads_set_gs(threads, 0);
	if (r == 0)
		r = rarog_remote_open_running(threads, &remote);
	if (r < 0)
		return r;
	r = rarog_image_withdraw(image, &remote);
	rarog_remote_close(&remote);
	return r;
}
