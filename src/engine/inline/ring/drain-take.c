/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Chunks of a strand carry sequence numbers and are taken strictly in that order; a chunk that
 * overtook its predecessor in one scan waits for the next. When a thread is gone, what its last
 * chunk holds up to the shared cursor is taken, then its record and chunk are free again.
 */
#include "base/clock.h"
#include "engine/inline/ring/drain-state.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/error.h"
#include "engine/delay.h"
#include "engine/inline/code/dropped.h"
#include "engine/inline/code/image-filters.h"
#include "engine/inline/coexist/breaks.h"
#include "engine/inline/ring/kept.h"
#include "process/filters.h"

void rarog_drain_keep(struct rarog_drain *d, int r)
{
	if (r >= 0 || d->result < 0)
		return;
	d->result = r;
	snprintf(d->message, sizeof(d->message), "%s", rarog_error_message());
}

/* --- processes --- */

/* A process that forked while we were not told of forks. */
static uint32_t process_index(struct rarog_drain *d, struct rarog_image *image, pid_t pid)
{
	struct rarog_drained *known = rarog_processes_inner(&d->processes, image, pid);
	struct rarog_process process = {
		.pid = (uint32_t)pid,
		.parent = RAROG_NONE,
		.start_ticks = __rdtsc(),
		.wait_status = -1,
	};
	long index;

	if (known)
		return known->index;
	index = rarog_recorder_add_process(d->recorder, &process);
	if (index < 0)
		return 0;
	rarog_drain_keep(
		d, rarog_vec_push(&d->processes, (struct rarog_drained){ .pid = pid,
									 .inner = pid,
									 .index = (uint32_t)index,
									 .image = image }));
	return (uint32_t)index;
}

/* --- chunks --- */

static int known_strand(struct rarog_drain *d, struct rarog_image *image, uint32_t index)
{
	struct rarog_strand_shared *s = rarog_image_strand(image, index);
	struct rarog_image_strand *known = &image->strands[index];
	struct rarog_strand strand;
	long recorded;

	if (known->generation == s->generation)
		return 0;
	strand = (struct rarog_strand){
		.process = process_index(d, image, (pid_t)s->pid),
		.tid = s->tid,
		.start_ticks = s->start_ticks,
	};
	recorded = rarog_recorder_add_strand(d->recorder, &strand, image->ids);
	if (recorded < 0)
		return (int)recorded;
	*known = (struct rarog_image_strand){ .generation = s->generation,
					      .recorded = (uint32_t)recorded };
	if (!d->switches)
		return 0;
	return rarog_switches_add(d->switches, known->recorded,
				  rarog_processes_foreign(&d->processes, image) ? RAROG_NONE
										: s->tid,
				  s->start_ticks);
}

static void take_words(struct rarog_drain *d, struct rarog_image *image, uint32_t index,
		       uint32_t chunk, size_t bytes)
{
	const uint8_t *at = image->chunks + (size_t)chunk * RAROG_CHUNK_SIZE;
	int r = known_strand(d, image, index);

	if (r == 0 && d->switches)
		r = rarog_switches_before(d->switches, image->strands[index].recorded);
	if (r == 0) {
		rarog_thinning_words(d->thinning, image, image->strands[index].recorded, bytes / 2,
				     (const uint16_t *)(const void *)at);
		r = rarog_thinning_look(d);
	}
	if (r == 0 && bytes > 0)
		r = rarog_recorder_words(d->recorder, image->strands[index].recorded, bytes / 2,
					 (const uint16_t *)(const void *)at);
	rarog_drain_keep(d, r);
}

static void free_chunk(struct rarog_image *image, uint32_t chunk)
{
	struct rarog_control *c = image->control;

	c->chunks[chunk].used = 0;
	__atomic_store_n(&c->chunks[chunk].owner, RAROG_CHUNK_FREE, __ATOMIC_RELEASE);
	__atomic_fetch_or(&c->chunks_free[chunk / 64], 1ull << chunk % 64, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&c->freed, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&c->waiters, __ATOMIC_SEQ_CST))
		rarog_drain_futex(&c->freed, FUTEX_WAKE, 1, NULL);
}

static int overwritten(void)
{
	return rarog_fail(-EBADMSG, "the program has overwritten the trace ring");
}

/* Is chunk @c its strand's next? */
static bool is_next(const struct rarog_image_strand *known, const struct rarog_chunk *c)
{
	return c->sequence == (known->generation == c->generation ? known->sequence : 0);
}

/* Take the full chunk @chunk if it is its strand's next. Everything is read once: the program can
 * write here at any time. */
static bool take_chunk(struct rarog_drain *d, struct rarog_image *image, uint32_t chunk)
{
	const struct rarog_chunk *shared = &image->control->chunks[chunk];
	uint32_t owner = __atomic_load_n(&shared->owner, __ATOMIC_ACQUIRE);
	uint32_t strand = RAROG_CHUNK_STRAND(owner);
	struct rarog_image_strand *known;
	struct rarog_chunk c;

	if (RAROG_CHUNK_STATE(owner) != RAROG_CHUNK_FULL)
		return false;
	c = *(const volatile struct rarog_chunk *)shared;
	if (strand >= RAROG_STRANDS || c.used > RAROG_CHUNK_SIZE) {
		rarog_drain_keep(d, overwritten());
		free_chunk(image, chunk);
		return true;
	}
	known = &image->strands[strand];
	if (!is_next(known, &c))
		return false;
	take_words(d, image, strand, chunk, c.used);
	known->sequence++;
	free_chunk(image, chunk);
	return true;
}

bool rarog_drain_take(struct rarog_drain *d, struct rarog_image *image)
{
	bool any = false, again = true;

	while (again) {
		again = false;
		for (uint32_t i = 0; i < image->chunks_given; i++)
			again |= take_chunk(d, image, i);
		any |= again;
	}
	return any;
}

/* More threads than chunks must not wait for each other. */
void rarog_drain_give_more(struct rarog_image *image)
{
	struct rarog_control *c = image->control;
	uint32_t more = image->chunks_given + 64;

	if (more > image->chunks_max)
		more = image->chunks_max;
	if (__atomic_load_n(&c->waiters, __ATOMIC_RELAXED) == 0 || more == image->chunks_given)
		return;
	for (uint32_t i = 0; i < image->chunks_given; i++)
		if (RAROG_CHUNK_STATE(__atomic_load_n(&c->chunks[i].owner, __ATOMIC_RELAXED)) !=
		    RAROG_CHUNK_OWNED)
			return;
	rarog_image_give_chunks(image, more);
	__atomic_fetch_add(&c->freed, 1, __ATOMIC_SEQ_CST);
	rarog_drain_futex(&c->freed, FUTEX_WAKE, 64, NULL);
}

/* --- strands --- */

/* Of a strand: calls of the function, or those that were not recorded; it may have no other. */
static int take_counter(struct rarog_drain *d, struct rarog_image *image, uint32_t index,
			uint32_t id, uint64_t value)
{
	uint32_t location = image->ids->locations[id];
	int r;

	if (image->modules->plan->detail == RAROG_DETAIL_COUNT)
		return rarog_recorder_count(d->recorder, location, value);
	r = known_strand(d, image, index);
	if (r == 0)
		r = rarog_thinning_ended(d->thinning, location, value);
	return r < 0 ? r
		     : rarog_recorder_skipped(d->recorder, location, image->strands[index].recorded,
					      value);
}

/* Which place has the id: modules have theirs in order, each its functions and then its marks.
 * Return: the last noise there. */
static uint32_t find_late(const struct rarog_image *image, uint32_t id,
			  struct rarog_delayed_calls *calls)
{
	size_t i = image->first_ids.n;
	const struct rarog_function *functions;
	const struct rarog_module *m;
	uint32_t n;

	while (i > 0 && image->first_id.v[i - 1] > id)
		i--;
	if (i == 0)
		return 0;
	m = image->first_ids.v[i - 1];
	n = id - image->first_id.v[i - 1];
	if (n >= m->probes.n + m->marks.names.n)
		return 0;
	calls->path = m->path;
	if (n >= m->probes.n) {
		calls->mark = m->marks.names.v[n - m->probes.n].text;
		calls->address = m->marks.names.v[n - m->probes.n].address;
		return m->mark_gates[n - m->probes.n].delay;
	}
	rarog_binary_functions(m->binary, &functions);
	calls->address = functions[m->probes.v[n].function].address;
	return m->probes.v[n].delay;
}

/* An account, and the strand that it is told of. */
struct teller {
	const struct rarog_drain *d;
	const struct rarog_delay_account *account;
	const struct rarog_image *image;
	uint32_t index;
};

static void tell_delay(const struct teller *t, uint32_t id, const uint64_t counters[2])
{
	const struct rarog_image *image = t->image;
	struct rarog_delayed_calls calls = {
		.tid = rarog_image_strand(image, t->index)->tid,
		.lapses = t->d->lapses,
		.calls = counters[1],
		.amount = counters[0],
		.gained_ns =
			rarog_gained_ns(__atomic_load_n(&image->control->gained, __ATOMIC_RELAXED)),
	};
	uint32_t late = find_late(image, id, &calls);

	if (!calls.path || !t->account->take)
		return;
	calls.late_ns =
		rarog_noise_spent_ns(image->modules->plan->noise, late, counters[0], counters[1]);
	t->account->take(t->account->user, &calls);
}

static void take_counters(struct rarog_drain *d, struct rarog_image *image, uint32_t index)
{
	uint32_t width =
		rarog_emit_counters_width(image->modules->plan->detail == RAROG_DETAIL_COUNT);
	uint64_t *row = image->counters + index * (image->counters_stride / sizeof(uint64_t));
	const struct teller teller = { d, &image->modules->plan->delayed, image, index };

	if (!image->counters_stride)
		return;
	for (uint32_t id = 0; id < image->ids->n; id++) {
		uint64_t *counter = &row[id * width + width - 1];

		if (*counter && image->modules->plan->delays && width == 2)
			tell_delay(&teller, id, counter - 1);
		if (*counter)
			rarog_drain_keep(d, take_counter(d, image, index, id, *counter));
	}
	memset(row, 0, image->ids->n * width * sizeof(*row));
}

static void tell_strand(const struct teller *t)
{
	const struct rarog_image *image = t->image;
	const uint64_t *row =
		image->counters + t->index * (image->counters_stride / sizeof(uint64_t));
	uint64_t counters[2];

	for (uint32_t id = 0; id < image->ids->n; id++) {
		counters[0] = __atomic_load_n(&row[2 * id], __ATOMIC_RELAXED);
		counters[1] = __atomic_load_n(&row[2 * id + 1], __ATOMIC_RELAXED);
		if (counters[1])
			tell_delay(t, id, counters);
	}
}

static void tell_image(const struct rarog_drain *d, const struct rarog_delay_account *account,
		       const struct rarog_image *image)
{
	for (uint32_t word = 0; image->counters_stride > 0 && word < RAROG_STRANDS / 64; word++) {
		uint64_t used =
			~__atomic_load_n(&image->control->strands_free[word], __ATOMIC_ACQUIRE);

		for (; used; used &= used - 1) {
			uint32_t strand = word * 64 + (uint32_t)__builtin_ctzll(used);

			if (rarog_image_strand(image, strand)->state == RAROG_STRAND_ACTIVE)
				tell_strand(&(const struct teller){ d, account, image, strand });
		}
	}
}

void rarog_drain_tell_counts(struct rarog_drain *d, const struct rarog_delay_account *account)
{
	pthread_mutex_lock(&d->lock);
	for (const struct rarog_image *image = d->images; image; image = image->next)
		tell_image(d, account, image);
	pthread_mutex_unlock(&d->lock);
}

/* What the strand's last chunk holds up to the cursor. A thread that still runs may have filled it
 * meanwhile: then this is not its next chunk any more. */
static void take_rest(struct rarog_drain *d, struct rarog_image *image, uint32_t index,
		      uint32_t chunk, uint64_t cursor)
{
	uint64_t start = image->their_chunks + (uint64_t)chunk * RAROG_CHUNK_SIZE;

	if (cursor - start <= RAROG_CHUNK_SIZE &&
	    is_next(&image->strands[index], &image->control->chunks[chunk]))
		take_words(d, image, index, chunk, cursor - start);
}

static void lose_strand(struct rarog_drain *d, const struct rarog_strand_shared *s)
{
	if (s->left_out)
		rarog_recorder_lose(d->recorder, "calls below a full shadow stack", s->left_out);
	if (s->unbegun)
		rarog_recorder_doubt(d->recorder, RAROG_DOUBT_UNBEGUN, s->unbegun);
	if (s->lost)
		rarog_recorder_lose(d->recorder, "events", s->lost);
	if (s->is_torn)
		rarog_recorder_lose(d->recorder,
				    "calls of a child that a handler forked in the midst of a "
				    "probe, and of its parent",
				    1);
}

/* A stack that its thread had left was not off-CPU because the thread was. */
static void end_switches(struct rarog_drain *d, const struct rarog_strand_shared *s,
			 uint32_t recorded)
{
	if (d->switches && s->switched)
		rarog_recorder_off_cpu_unknown(d->recorder, recorded);
	if (d->switches)
		rarog_drain_keep(d, rarog_switches_end(d->switches, recorded));
}

/* Nothing is written into the shared record: its thread may still run. */
static void close_strand(struct rarog_drain *d, struct rarog_image *image, uint32_t index,
			 uint64_t ticks)
{
	const struct rarog_strand_shared *s = rarog_image_strand(image, index);
	uint32_t chunk = __atomic_load_n(&s->chunk, __ATOMIC_ACQUIRE);
	uint64_t cursor = __atomic_load_n(&s->cursor, __ATOMIC_ACQUIRE);

	rarog_drain_take(d, image);
	if (chunk > RAROG_CHUNKS)
		rarog_drain_keep(d, overwritten());
	else if (chunk)
		take_rest(d, image, index, chunk - 1, cursor);
	take_counters(d, image, index);
	lose_strand(d, s);
	if (image->strands[index].generation != s->generation)
		return;
	end_switches(d, s, image->strands[index].recorded);
	rarog_drain_keep(
		d, rarog_recorder_end_strand(d->recorder, image->strands[index].recorded, ticks));
}

/* What the strand owns besides its chunk: its thread went, or a handler jumped, while it gave one
 * away, which then is taken, or took one. */
static void settle_chunks(struct rarog_image *image, uint32_t index, uint32_t own)
{
	for (uint32_t i = 0; i < image->chunks_given; i++) {
		struct rarog_chunk *c = &image->control->chunks[i];

		if (i + 1 == own || c->owner != RAROG_CHUNK_OF(index, RAROG_CHUNK_OWNED))
			continue;
		if (c->used)
			c->owner = RAROG_CHUNK_OF(index, RAROG_CHUNK_FULL);
		else
			free_chunk(image, i);
	}
}

/* Its thread is gone: the record and the chunk are free again. */
static void end_strand(struct rarog_drain *d, struct rarog_image *image, uint32_t index,
		       uint64_t ticks)
{
	struct rarog_strand_shared *s = rarog_image_strand(image, index);
	uint32_t chunk = s->chunk;

	settle_chunks(image, index, chunk);
	close_strand(d, image, index, ticks);
	if (chunk && chunk <= RAROG_CHUNKS)
		free_chunk(image, chunk - 1);
	s->chunk = 0;
	s->cursor = s->end = 0;
	image->strands[index] = (struct rarog_image_strand){ 0 };
	rarog_kept_free(image, index);
}

typedef void (*strand_function)(struct rarog_drain *d, struct rarog_image *image, uint32_t index,
				uint64_t ticks);

/* @end the strands of @image that @is_gone says; @pid is handed to it. */
static void end_strands(struct rarog_drain *d, struct rarog_image *image, strand_function end,
			bool (*is_gone)(struct rarog_drain *d, const struct rarog_image *image,
					const struct rarog_strand_shared *s, pid_t pid),
			pid_t pid, uint64_t ticks)
{
	for (uint32_t word = 0; word < RAROG_STRANDS / 64; word++) {
		uint64_t used =
			~__atomic_load_n(&image->control->strands_free[word], __ATOMIC_ACQUIRE);

		for (; used; used &= used - 1) {
			uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(used);
			struct rarog_strand_shared *s = rarog_image_strand(image, index);

			if (__atomic_load_n(&s->state, __ATOMIC_ACQUIRE) == RAROG_STRAND_ACTIVE &&
			    is_gone(d, image, s, pid))
				end(d, image, index, ticks);
		}
	}
}

static bool is_of_process(struct rarog_drain *d, const struct rarog_image *image,
			  const struct rarog_strand_shared *s, pid_t inner)
{
	(void)d;
	(void)image;
	return (pid_t)s->pid == inner;
}

static bool is_any(struct rarog_drain *d, const struct rarog_image *image,
		   const struct rarog_strand_shared *s, pid_t pid)
{
	(void)d;
	(void)image;
	(void)s;
	(void)pid;
	return true;
}

static bool is_dead(struct rarog_drain *d, const struct rarog_image *image,
		    const struct rarog_strand_shared *s, pid_t pid)
{
	(void)pid;
	if (s->outer_tid)
		return syscall(SYS_tgkill, s->outer_pid, s->outer_tid, 0) < 0 && errno == ESRCH;
	return !rarog_processes_foreign(&d->processes, image) &&
	       syscall(SYS_tgkill, s->pid, s->tid, 0) < 0 && errno == ESRCH;
}

static void know_strand(struct rarog_drain *d, struct rarog_image *image, uint32_t index,
			uint64_t ticks)
{
	(void)ticks;
	rarog_drain_keep(d, known_strand(d, image, index));
}

#define LOOK_MOST     16384    /* jumps looked at in one round, but at least those of a process */
#define LOOK_PAUSE_NS 10000000 /* between rounds; or … */
#define LOOK_SHARE    200      /* … so much longer than the round took */

void rarog_drain_look(struct rarog_drain *d)
{
	uint64_t start = rarog_now_ns(), spent;
	size_t looked = 0;

	if (start < d->next_look_ns)
		return;
	for (size_t i = 0; i < d->processes.n && looked < LOOK_MOST; i++) {
		const struct rarog_drained *p = &d->processes.v[d->next_look++ % d->processes.n];

		if (p->image)
			looked += rarog_breaks_look(p->image, p->pid);
	}
	spent = rarog_now_ns() - start;
	d->next_look_ns = start + spent +
			  (spent < LOOK_PAUSE_NS / LOOK_SHARE ? LOOK_PAUSE_NS : spent * LOOK_SHARE);
}

/* Ten times a second, look which threads are gone. */
void rarog_drain_sweep(struct rarog_drain *d)
{
	uint64_t begun = __rdtsc();
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	if ((now.tv_sec - d->last_sweep.tv_sec) * 1000 +
		    (now.tv_nsec - d->last_sweep.tv_nsec) / 1000000 <
	    100)
		return;
	d->last_sweep = now;
	for (struct rarog_image *i = d->images; i; i = i->next) {
		if (d->switches)
			end_strands(d, i, know_strand, is_any, 0, 0);
		end_strands(d, i, end_strand, is_dead, 0, __rdtsc());
		rarog_kept_sweep(i, 0);
		rarog_filters_look(i, rarog_processes_foreign(&d->processes, i));
	}
	if (d->images)
		rarog_dropped_say(d->images->modules);
	if (d->switches)
		rarog_drain_keep(d, rarog_switches_sweep(d->switches, begun));
}

void rarog_drain_end_of(struct rarog_drain *d, struct rarog_image *image, pid_t inner,
			uint64_t ticks)
{
	end_strands(d, image, end_strand, is_of_process, inner, ticks);
}

void rarog_drain_close_all(struct rarog_drain *d, struct rarog_image *image, uint64_t ticks)
{
	end_strands(d, image, close_strand, is_any, 0, ticks);
}
