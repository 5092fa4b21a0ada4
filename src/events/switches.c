/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread's records come from several processors, each in order, together in none. Those that it
 * wrote before it did something in user mode have been read when what it did is taken, so sorted by
 * time they are complete up to there: out, in, out, in …; what does not look so waits for records
 * that are still to come.
 *
 * Every thread keeps its off-CPU spans since the sweep before last, because a strand of it may
 * be heard of that much later than it began. Numbers of threads are used again: a thread is its
 * number and the time from its birth to its end.
 *
 * When the kernel lost records, all strands that are there have unknown off-CPU time: which threads
 * it concerns is not known.
 */
#include "events/switches.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/vec.h"

/* uthash would end the program without memory, and its own functions are for texts. */
#define HASH_NONFATAL_OOM 1
#define HASH_FUNCTION(key, length, hash)                                                           \
	((hash) = *(const uint32_t *)(key)*UINT32_C(2654435761) >> 8)
#include <uthash.h>

#define FOREVER    (UINT64_C(1) << 62)
#define LATE_TICKS (UINT64_C(1) << 32) /* a second or two: no record comes that late */

struct mark {
	uint64_t ticks;
	enum rarog_switch_kind kind;
};

struct attached {
	uint32_t strand;
	size_t given; /* spans that the recorder has */
};

struct thread {
	uint32_t tid;
	uint64_t born, gone; /* ticks; 0, UINT64_MAX: not known */
	RAROG_VEC(struct mark) marks;
	RAROG_VEC(struct rarog_off_cpu_span) spans;
	RAROG_VEC(struct attached) strands;
	struct thread *older; /* that had the same number */
	UT_hash_handle hh;
};

struct rarog_switches {
	struct rarog_recorder *recorder;
	struct rarog_switch_rings *rings;
	struct thread *threads;           /* the youngest of each number */
	RAROG_VEC(struct thread *) owner; /* by strand; NULL: none */
	uint64_t swept;                   /* when all strands were known last */
	uint64_t lost_at;                 /* last loss of records */
	bool has_lost;                    /* that strands are still to be told of */
};

int rarog_switches_new(struct rarog_recorder *recorder, struct rarog_switch_rings *take_rings,
		       struct rarog_switches **ret_switches)
{
	struct rarog_switches *s = calloc(1, sizeof(*s));

	if (!s) {
		rarog_switch_rings_free(take_rings);
		return rarog_oom();
	}
	s->recorder = recorder;
	s->rings = take_rings;
	rarog_recorder_know_off_cpu(recorder);
	*ret_switches = s;
	return 0;
}

static void free_thread(struct thread *thread)
{
	rarog_vec_release(&thread->marks);
	rarog_vec_release(&thread->spans);
	rarog_vec_release(&thread->strands);
	free(thread);
}

void rarog_switches_free(struct rarog_switches *switches)
{
	struct thread *thread, *next;

	if (!switches)
		return;
	HASH_ITER(hh, switches->threads, thread, next)
	{
		HASH_DEL(switches->threads, thread);
		for (struct thread *older; thread; thread = older) {
			older = thread->older;
			free_thread(thread);
		}
	}
	rarog_switch_rings_free(switches->rings);
	rarog_vec_release(&switches->owner);
	free(switches);
}

/* --- threads --- */

static struct thread *youngest(struct rarog_switches *s, uint32_t tid)
{
	struct thread *thread;

	HASH_FIND(hh, s->threads, &tid, sizeof(tid), thread);
	return thread;
}

/* The thread that had this number at @ticks. */
static struct thread *find(struct rarog_switches *s, uint32_t tid, uint64_t ticks)
{
	struct thread *thread = youngest(s, tid);

	while (thread && thread->older && ticks < thread->born)
		thread = thread->older;
	return thread;
}

/* The youngest of its number from now on. NULL: no memory. */
static struct thread *add_thread(struct rarog_switches *s, uint32_t tid, uint64_t born)
{
	struct thread *thread = calloc(1, sizeof(*thread)), *older = youngest(s, tid);

	if (!thread)
		return NULL;
	thread->tid = tid;
	thread->born = born;
	thread->gone = UINT64_MAX;
	thread->older = older;
	if (older)
		HASH_DEL(s->threads, older);
	HASH_ADD(hh, s->threads, tid, sizeof(thread->tid), thread);
	return thread;
}

/* --- records --- */

static int add_mark(struct thread *thread, const struct mark *mark)
{
	size_t at = thread->marks.n;

	if (rarog_vec_push(&thread->marks, *mark) < 0)
		return rarog_oom();
	for (; at > 0 && thread->marks.v[at - 1].ticks > mark->ticks; at--)
		thread->marks.v[at] = thread->marks.v[at - 1];
	thread->marks.v[at] = *mark;
	return 0;
}

/* A thread that takes another's number by execve() has no birth of its own. */
static int take_switch(struct rarog_switches *s, const struct rarog_switch *record)
{
	struct thread *thread = find(s, record->tid, record->ticks);

	if (!thread || record->ticks > thread->gone)
		thread = add_thread(s, record->tid, thread ? thread->gone : 0);
	return thread ? add_mark(thread, &(struct mark){ record->ticks, record->kind })
		      : rarog_oom();
}

/* Its first records may have come before it: they are its, not its predecessor's. */
static int take_birth(struct rarog_switches *s, const struct rarog_switch *record)
{
	struct thread *older = youngest(s, record->tid), *thread;
	size_t n = older ? older->marks.n : 0;
	int r = 0;

	thread = add_thread(s, record->tid, record->ticks);
	if (!thread)
		return rarog_oom();
	while (n > 0 && older->marks.v[n - 1].ticks >= record->ticks)
		n--;
	for (size_t i = n; r == 0 && older && i < older->marks.n; i++)
		r = add_mark(thread, &older->marks.v[i]);
	if (older)
		older->marks.n = n;
	if (older && older->gone == UINT64_MAX)
		older->gone = record->ticks;
	return r;
}

/* A birth that is read later ends it, too. */
static int take_end(struct rarog_switches *s, const struct rarog_switch *record)
{
	struct thread *thread = find(s, record->tid, record->ticks);

	if (thread && (thread->gone == UINT64_MAX || thread->gone > record->ticks))
		thread->gone = record->ticks;
	return 0;
}

static void forget_strand(struct rarog_switches *s, uint32_t strand)
{
	struct thread *thread = strand < s->owner.n ? s->owner.v[strand] : NULL;

	for (size_t i = 0; thread && i < thread->strands.n; i++)
		if (thread->strands.v[i].strand == strand) {
			thread->strands.v[i] = thread->strands.v[--thread->strands.n];
			s->owner.v[strand] = NULL;
			return;
		}
}

static void lose_strands(struct rarog_switches *s, struct thread *thread)
{
	while (thread->strands.n > 0) {
		uint32_t strand = thread->strands.v[0].strand;

		rarog_recorder_off_cpu_unknown(s->recorder, strand);
		forget_strand(s, strand);
	}
}

/* What follows for strands is for later: the recorder may be at work now. */
static int take_loss(struct rarog_switches *s, const struct rarog_switch *record)
{
	if (s->lost_at == 0)
		rarog_debug(RAROG_LOG_DRAIN, "the kernel lost records of context switches");
	s->lost_at = record->ticks > s->lost_at ? record->ticks : s->lost_at;
	s->has_lost = true;
	return 0;
}

int rarog_switches_take(void *switches, const struct rarog_switch *record)
{
	static int (*const takers[])(struct rarog_switches * s,
				     const struct rarog_switch *record) = {
		[RAROG_SWITCH_IN] = take_switch,        [RAROG_SWITCH_WAITS] = take_switch,
		[RAROG_SWITCH_PREEMPTED] = take_switch, [RAROG_SWITCH_BORN] = take_birth,
		[RAROG_SWITCH_GONE] = take_end,         [RAROG_SWITCH_LOST] = take_loss,
	};

	return takers[record->kind](switches, record);
}

int rarog_switches_read(struct rarog_switches *switches)
{
	if (!switches->rings)
		return 0;
	return rarog_switch_rings_read(switches->rings, rarog_switches_take, switches);
}

/* --- losses --- */

static void lose_all(struct rarog_switches *s)
{
	struct thread *thread, *next;

	HASH_ITER(hh, s->threads, thread, next)
	for (struct thread *t = thread; t; t = t->older) {
		lose_strands(s, t);
		t->marks.n = 0;
	}
	s->has_lost = false;
}

static int read_all(struct rarog_switches *s)
{
	int r = rarog_switches_read(s);

	if (s->has_lost)
		lose_all(s);
	return r;
}

/* --- spans --- */

static int add_span(struct thread *thread, const struct mark *out, uint64_t in)
{
	const struct rarog_off_cpu_span span = {
		.start = out->ticks,
		.ticks = (in - out->ticks) |
			 (out->kind == RAROG_SWITCH_PREEMPTED ? RAROG_OFF_CPU_PREEMPTED : 0),
	};

	return rarog_vec_push(&thread->spans, span) < 0 ? rarog_oom() : 0;
}

/* Two of a kind: what lies between them is still to come, or was never written. */
static bool is_missing(struct rarog_switches *s, struct thread *thread, size_t at)
{
	const struct mark *marks = thread->marks.v, *last = &marks[thread->marks.n - 1];

	if (last->ticks - marks[at + 1].ticks < LATE_TICKS)
		return false;
	lose_strands(s, thread);
	return true;
}

/* Marks become spans, as far as they are in turn. The last one waits for its successor. */
static int make_spans(struct rarog_switches *s, struct thread *thread)
{
	const struct mark *marks = thread->marks.v;
	size_t at = 0, n = thread->marks.n;
	int r = 0;

	for (; r == 0 && at + 1 < n; at++) {
		bool is_out = marks[at].kind != RAROG_SWITCH_IN;
		bool is_out_next = marks[at + 1].kind != RAROG_SWITCH_IN;

		if (is_out == is_out_next && !is_missing(s, thread, at))
			break;
		if (is_out && !is_out_next)
			r = add_span(thread, &marks[at], marks[at + 1].ticks);
	}
	if (at > 0)
		memmove(thread->marks.v, marks + at, (n - at) * sizeof(*marks));
	thread->marks.n -= at;
	return r;
}

static int give(struct rarog_switches *s, struct thread *thread)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < thread->strands.n; i++) {
		struct attached *a = &thread->strands.v[i];

		if (a->given < thread->spans.n)
			r = rarog_recorder_off_cpu(s->recorder, a->strand,
						   thread->spans.n - a->given,
						   thread->spans.v + a->given);
		a->given = thread->spans.n;
	}
	return r;
}

static int flush(struct rarog_switches *s, struct thread *thread)
{
	int r = make_spans(s, thread);

	return r < 0 ? r : give(s, thread);
}

/* --- strands --- */

static int attach(struct rarog_switches *s, struct thread *thread, uint32_t strand,
		  uint64_t start_ticks)
{
	struct attached attached = { .strand = strand };

	while (attached.given < thread->spans.n &&
	       thread->spans.v[attached.given].start < start_ticks)
		attached.given++;
	while (s->owner.n <= strand)
		if (rarog_vec_push(&s->owner, NULL) < 0)
			return rarog_oom();
	if (rarog_vec_push(&thread->strands, attached) < 0)
		return rarog_oom();
	s->owner.v[strand] = thread;
	return 0;
}

int rarog_switches_add(struct rarog_switches *switches, uint32_t strand, uint32_t tid,
		       uint64_t start_ticks)
{
	int r = read_all(switches);
	struct thread *thread = tid == RAROG_NONE ? NULL : find(switches, tid, start_ticks);

	if (r < 0)
		return r;
	if (thread && thread->gone < start_ticks) { /* another took its number by execve() */
		thread = add_thread(switches, tid, thread->gone);
		if (!thread)
			return rarog_oom();
	}
	if (thread && start_ticks > switches->lost_at)
		return attach(switches, thread, strand, start_ticks);
	rarog_recorder_off_cpu_unknown(switches->recorder, strand);
	return 0;
}

static struct thread *owner_of(const struct rarog_switches *s, uint32_t strand)
{
	return strand < s->owner.n ? s->owner.v[strand] : NULL;
}

int rarog_switches_before(struct rarog_switches *switches, uint32_t strand)
{
	int r = read_all(switches);
	struct thread *thread = owner_of(switches, strand);

	return r < 0 || !thread ? r : flush(switches, thread);
}

/* The strand ends while its thread is off-CPU, or has ended: it will not come back. */
static int give_end(struct rarog_switches *s, const struct thread *thread, uint32_t strand)
{
	size_t n = thread->marks.n;
	struct mark last = n > 0 ? thread->marks.v[n - 1] : (struct mark){ 0 };
	bool is_off_cpu = n > 0 && last.kind != RAROG_SWITCH_IN;
	uint64_t start = is_off_cpu ? last.ticks : thread->gone;
	bool is_preempted = is_off_cpu && last.kind == RAROG_SWITCH_PREEMPTED;
	const struct rarog_off_cpu_span span = {
		.start = start,
		.ticks = (FOREVER - start) | (is_preempted ? RAROG_OFF_CPU_PREEMPTED : 0),
	};

	return start < FOREVER ? rarog_recorder_off_cpu(s->recorder, strand, 1, &span) : 0;
}

int rarog_switches_end(struct rarog_switches *switches, uint32_t strand)
{
	int r = rarog_switches_before(switches, strand);
	const struct thread *thread = owner_of(switches, strand);

	if (thread && r == 0)
		r = give_end(switches, thread, strand);
	forget_strand(switches, strand);
	return r;
}

/* --- forgetting --- */

/* A strand that is not known yet began after the last sweep. */
static void trim(const struct rarog_switches *s, struct thread *thread)
{
	size_t n = 0;

	while (n < thread->spans.n && thread->spans.v[n].start < s->swept)
		n++;
	for (size_t i = 0; i < thread->strands.n; i++)
		n = thread->strands.v[i].given < n ? thread->strands.v[i].given : n;
	if (n == 0)
		return;
	memmove(thread->spans.v, thread->spans.v + n,
		(thread->spans.n - n) * sizeof(*thread->spans.v));
	thread->spans.n -= n;
	for (size_t i = 0; i < thread->strands.n; i++)
		thread->strands.v[i].given -= n;
}

static int sweep_thread(struct rarog_switches *s, struct thread *thread)
{
	int r = flush(s, thread);

	trim(s, thread);
	return r;
}

/* It cannot be asked for any more: all that began while it was there have been added, and ended. */
static bool is_forgotten(const struct rarog_switches *s, const struct thread *thread)
{
	return thread->gone < s->swept && thread->strands.n == 0;
}

static int sweep_older(struct rarog_switches *s, struct thread *youngest)
{
	int r = 0;

	for (struct thread **at = &youngest->older; r == 0 && *at;) {
		struct thread *thread = *at;

		r = sweep_thread(s, thread);
		if (is_forgotten(s, thread)) {
			*at = thread->older;
			free_thread(thread);
		} else {
			at = &thread->older;
		}
	}
	return r;
}

int rarog_switches_sweep(struct rarog_switches *switches, uint64_t now)
{
	struct thread *thread = NULL, *next = NULL;
	int r = read_all(switches);

	HASH_ITER(hh, switches->threads, thread, next)
	{
		if (r == 0)
			r = sweep_older(switches, thread);
		if (r == 0)
			r = sweep_thread(switches, thread);
		if (!thread->older && is_forgotten(switches, thread)) {
			HASH_DEL(switches->threads, thread);
			free_thread(thread);
		}
	}
	switches->swept = now;
	return r;
}
