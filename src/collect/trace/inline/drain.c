/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Chunks of a strand carry sequence numbers and are taken strictly in that order; a chunk that
 * overtook its predecessor in one scan waits for the next. When a thread is gone, what its last
 * chunk holds up to the shared cursor is taken, then its record and chunk are free again.
 *
 * One lock guards everything of the drain; the thread holds it while it works, not while it sleeps.
 */
#include <pthread.h>

#include "collect/trace/inline/drain.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "collect/trace/inline/filters.h"
#include "collect/trace/inline/kept.h"
#include "collect/trace/inline/owner.h"
#include "collect/trace/inline/processes.h"

struct rarog_drain {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_mutex_t *install_lock;
	struct rarog_recorder *recorder;
	struct rarog_switches *switches; /* NULL: nothing is known of them */
	struct rarog_image *images;
	struct rarog_image *done; /* to be freed by the thread, which may be asleep on one */
	struct rarog_processes processes;
	struct rarog_owner owner;
	pid_t answered; /* whose request is being answered */
	uint32_t answered_is_gone;
	bool stop;
	int result; /* first error of the recorder */
	char message[512];
	struct timespec last_sweep;
	uint32_t rounds_idle;
};

static long futex(uint32_t *word, int operation, uint32_t value, const struct timespec *timeout)
{
	return syscall(SYS_futex, word, operation, value, timeout, NULL, 0);
}

static void keep_result(struct rarog_drain *d, int r)
{
	if (r >= 0 || d->result < 0)
		return;
	d->result = r;
	snprintf(d->message, sizeof(d->message), "%s", rarog_error_message());
}

static void forget_image(struct rarog_drain *d, struct rarog_image *image)
{
	struct rarog_image **at = &d->images;
	uint64_t left_out = rarog_image_strand(image, 0)->left_out;

	if (left_out)
		rarog_recorder_lose(d->recorder, "calls of more threads than can be followed",
				    left_out);
	if (image->control->unasked)
		rarog_recorder_lose(d->recorder,
				    "calls of threads that began after a seccomp filter was set",
				    image->control->unasked);
	while (*at && *at != image)
		at = &(*at)->next;
	if (*at)
		*at = image->next;
	rarog_owner_remove(&d->owner, rarog_image_owned(image));
	image->next = d->done;
	d->done = image;
}

static void free_done(struct rarog_drain *d)
{
	while (d->done) {
		struct rarog_image *next = d->done->next;

		rarog_image_free(d->done);
		d->done = next;
	}
}

/* --- processes --- */

/* A process that forked while nobody told us of forks. */
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
	keep_result(d, rarog_vec_push(&d->processes,
				      (struct rarog_drained){ pid, pid, (uint32_t)index, image }));
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
	if (r == 0 && bytes > 0)
		r = rarog_recorder_words(d->recorder, image->strands[index].recorded, bytes / 2,
					 (const uint16_t *)(const void *)at);
	keep_result(d, r);
}

static void free_chunk(struct rarog_image *image, uint32_t chunk)
{
	struct rarog_control *c = image->control;

	__atomic_store_n(&c->chunks[chunk].state, RAROG_CHUNK_FREE, __ATOMIC_RELEASE);
	__atomic_fetch_or(&c->chunks_free[chunk / 64], 1ull << chunk % 64, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&c->freed, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&c->waiters, __ATOMIC_SEQ_CST))
		futex(&c->freed, FUTEX_WAKE, 1, NULL);
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
	struct rarog_image_strand *known;
	struct rarog_chunk c;

	if (__atomic_load_n(&shared->state, __ATOMIC_ACQUIRE) != RAROG_CHUNK_FULL)
		return false;
	c = *(const volatile struct rarog_chunk *)shared;
	if (c.strand >= RAROG_STRANDS || c.used > RAROG_CHUNK_SIZE) {
		keep_result(d, overwritten());
		free_chunk(image, chunk);
		return true;
	}
	known = &image->strands[c.strand];
	if (!is_next(known, &c))
		return false;
	take_words(d, image, c.strand, chunk, c.used);
	known->sequence++;
	free_chunk(image, chunk);
	return true;
}

static bool take_chunks(struct rarog_drain *d, struct rarog_image *image)
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
static void give_more(struct rarog_image *image)
{
	struct rarog_control *c = image->control;
	uint32_t more = image->chunks_given + 64;

	if (more > image->chunks_max)
		more = image->chunks_max;
	if (__atomic_load_n(&c->waiters, __ATOMIC_RELAXED) == 0 || more == image->chunks_given)
		return;
	for (uint32_t i = 0; i < image->chunks_given; i++)
		if (__atomic_load_n(&c->chunks[i].state, __ATOMIC_RELAXED) != RAROG_CHUNK_OWNED)
			return;
	rarog_image_give_chunks(image, more);
	__atomic_fetch_add(&c->freed, 1, __ATOMIC_SEQ_CST);
	futex(&c->freed, FUTEX_WAKE, 64, NULL);
}

/* --- strands --- */

static void take_counters(struct rarog_drain *d, struct rarog_image *image, uint32_t index)
{
	uint64_t *row = image->counters + index * (image->counters_stride / sizeof(uint64_t));

	for (uint32_t id = 0; id < image->ids->n && image->counters_stride; id++) {
		if (row[id])
			keep_result(d, rarog_recorder_count(d->recorder, image->ids->locations[id],
							    row[id]));
		row[id] = 0;
	}
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
	if (s->lost)
		rarog_recorder_lose(d->recorder, "events", s->lost);
}

/* A stack that was switched away from was not away because its thread was. */
static void end_switches(struct rarog_drain *d, const struct rarog_strand_shared *s,
			 uint32_t recorded)
{
	if (d->switches && s->switched)
		rarog_recorder_away_unknown(d->recorder, recorded);
	if (d->switches)
		keep_result(d, rarog_switches_end(d->switches, recorded));
}

/* Nothing is written into the shared record: its thread may still run. */
static void close_strand(struct rarog_drain *d, struct rarog_image *image, uint32_t index,
			 uint64_t ticks)
{
	const struct rarog_strand_shared *s = rarog_image_strand(image, index);
	uint32_t chunk = __atomic_load_n(&s->chunk, __ATOMIC_ACQUIRE);
	uint64_t cursor = __atomic_load_n(&s->cursor, __ATOMIC_ACQUIRE);

	take_chunks(d, image);
	if (chunk > RAROG_CHUNKS)
		keep_result(d, overwritten());
	else if (chunk)
		take_rest(d, image, index, chunk - 1, cursor);
	take_counters(d, image, index);
	lose_strand(d, s);
	if (image->strands[index].generation != s->generation)
		return;
	end_switches(d, s, image->strands[index].recorded);
	keep_result(d,
		    rarog_recorder_end_strand(d->recorder, image->strands[index].recorded, ticks));
}

/* Its thread is gone: the record and the chunk are free again. */
static void end_strand(struct rarog_drain *d, struct rarog_image *image, uint32_t index,
		       uint64_t ticks)
{
	struct rarog_strand_shared *s = rarog_image_strand(image, index);
	uint32_t chunk = s->chunk;

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
	keep_result(d, known_strand(d, image, index));
}

/* Ten times a second, look which threads are gone. */
static void sweep(struct rarog_drain *d)
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
		rarog_kept_sweep(i);
		rarog_filters_look(i, rarog_processes_foreign(&d->processes, i));
	}
	if (d->switches)
		keep_result(d, rarog_switches_sweep(d->switches, begun));
}

/* --- libraries --- */

/* The lock is not held: the thread that waits for the answer may be stopped for the tracer, which
 * may be waiting for the lock. The image stays, because only this thread frees images. */
static void answer(struct rarog_drain *d, struct rarog_image *image, struct rarog_request *request,
		   pid_t pid)
{
	struct rarog_remote remote;
	int r;

	pthread_mutex_lock(d->install_lock);
	r = rarog_remote_open_waiting(pid, request, &d->answered_is_gone, &remote);
	if (r == 0) {
		r = rarog_image_loaded(image, &remote);
		rarog_remote_close(&remote);
	}
	pthread_mutex_unlock(d->install_lock);
	if (r < 0)
		rarog_debug(RAROG_LOG_INSTALL, "process %d: libraries: %s", (int)pid,
			    rarog_error_message());
	__atomic_store_n(&request->state, RAROG_REQUEST_DONE, __ATOMIC_SEQ_CST);
	futex(&request->state, FUTEX_WAKE, 1, NULL);
}

static struct rarog_request *find_request(struct rarog_drain *d, struct rarog_image **ret_image)
{
	for (struct rarog_image *image = d->images; image; image = image->next)
		for (int i = 0; i < RAROG_REQUESTS; i++) {
			struct rarog_request *request = &image->control->requests[i];

			*ret_image = image;
			if (__atomic_load_n(&request->state, __ATOMIC_ACQUIRE) ==
			    RAROG_REQUEST_POSTED)
				return request;
		}
	return NULL;
}

/* Answer one request, if there is one. */
static bool answer_request(struct rarog_drain *d)
{
	struct rarog_image *image = NULL;
	struct rarog_request *request;
	struct rarog_drained *process;

	pthread_mutex_lock(&d->lock);
	request = find_request(d, &image);
	if (request) {
		process = rarog_processes_inner(&d->processes, image, (pid_t)request->pid);
		d->answered = process ? process->pid : (pid_t)request->pid;
		d->answered_is_gone = 0;
	}
	pthread_mutex_unlock(&d->lock);
	if (request)
		answer(d, image, request, d->answered);
	return request;
}

/* --- the thread --- */

/* Also from within the recorder, which may assemble for longer than agents wait for us. The lock is
 * held. */
static void beat(void *context)
{
	struct rarog_drain *d = context;

	if (d->switches)
		keep_result(d, rarog_switches_read(d->switches));

	for (struct rarog_image *i = d->images; i; i = i->next)
		__atomic_fetch_add(&i->control->beat, 1, __ATOMIC_RELAXED);
}

static bool work(struct rarog_drain *d)
{
	bool any = false;

	beat(d);
	for (struct rarog_image *i = d->images; i; i = i->next) {
		any |= take_chunks(d, i);
		give_more(i);
	}
	sweep(d);
	return any;
}

#define ROUNDS_BUSY 100 /* without anything to do, until we sleep longer */

/* Nothing to do: sleep for a moment, or until a library is loaded. Agents do not say that chunks
 * run low, so it is we who look: a ring of 8 MiB is full after 10 ms at the earliest. */
static void doze(struct rarog_drain *d)
{
	const struct timespec moment = {
		.tv_nsec = d->rounds_idle++ < ROUNDS_BUSY ? 1000000 : 5000000,
	};
	struct rarog_image *image;
	struct rarog_control *c = NULL;
	uint32_t filled = 0;

	pthread_mutex_lock(&d->lock);
	if (d->images && !d->images->next) {
		c = d->images->control;
		filled = __atomic_load_n(&c->filled, __ATOMIC_SEQ_CST);
		__atomic_store_n(&c->sleeping, 1, __ATOMIC_SEQ_CST);
		if (work(d) || d->stop || find_request(d, &image))
			filled--; /* do not sleep */
	}
	pthread_mutex_unlock(&d->lock);
	if (c) {
		futex(&c->filled, FUTEX_WAIT, filled, &moment);
		__atomic_store_n(&c->sleeping, 0, __ATOMIC_SEQ_CST);
	} else {
		nanosleep(&moment, NULL);
	}
}

static void *run(void *argument)
{
	struct rarog_drain *d = argument;
	bool stop = false, any;

	while (!stop) {
		pthread_mutex_lock(&d->lock);
		free_done(d);
		any = work(d);
		stop = d->stop;
		pthread_mutex_unlock(&d->lock);
		any |= answer_request(d);
		if (any)
			d->rounds_idle = 0;
		else if (!stop)
			doze(d);
	}
	return NULL;
}

/* --- for the tracer --- */

int rarog_drain_new(struct rarog_recorder *recorder, pthread_mutex_t *lock,
		    struct rarog_drain **ret_drain)
{
	struct rarog_drain *d = calloc(1, sizeof(*d));
	sigset_t all, old;
	int r;

	if (!d)
		return rarog_oom();
	d->recorder = recorder;
	d->install_lock = lock;
	pthread_mutex_init(&d->lock, NULL);
	rarog_owner_begin(&d->owner, rarog_image_owner_distance);
	rarog_recorder_set_pulse(recorder, beat, d);
	sigfillset(&all); /* signals are the tracer's business */
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&d->thread, NULL, run, d);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r != 0) {
		rarog_recorder_set_pulse(recorder, NULL, NULL);
		rarog_owner_end(&d->owner);
		free(d);
		return rarog_fail(-r, "cannot start a thread: %s", strerror(r));
	}
	*ret_drain = d;
	return 0;
}

void rarog_drain_switches(struct rarog_drain *d, struct rarog_switches *take_switches)
{
	pthread_mutex_lock(&d->lock);
	d->switches = take_switches;
	pthread_mutex_unlock(&d->lock);
}

void rarog_drain_image(struct rarog_drain *d, struct rarog_image *image)
{
	pthread_mutex_lock(&d->lock);
	image->strands = calloc(RAROG_STRANDS, sizeof(*image->strands));
	if (!image->strands)
		abort();
	image->next = d->images;
	d->images = image;
	rarog_owner_add(&d->owner, rarog_image_owned(image));
	pthread_mutex_unlock(&d->lock);
}

int rarog_drain_process(struct rarog_drain *d, pid_t pid, struct rarog_image *image, uint32_t index)
{
	const struct rarog_drained process = { pid, rarog_process_inner(pid), index, image };
	struct rarog_drained *p;
	int r = 0;

	pthread_mutex_lock(&d->lock);
	p = rarog_processes_find(&d->processes, pid);
	if (p)
		*p = process;
	else
		r = rarog_vec_push(&d->processes, process);
	pthread_mutex_unlock(&d->lock);
	return r;
}

struct rarog_image *rarog_drain_image_of(struct rarog_drain *d, pid_t pid)
{
	struct rarog_drained *p;
	struct rarog_image *image;

	pthread_mutex_lock(&d->lock);
	p = rarog_processes_find(&d->processes, pid);
	image = p ? p->image : NULL;
	pthread_mutex_unlock(&d->lock);
	return image;
}

/* After the last process nobody is left that we know of; children that nobody told us of may be
 * (--no-follow), and go on unmeasured. What is taken here is @p's, so @p is still known. */
static void end_process(struct rarog_drain *d, const struct rarog_drained *p, uint64_t ticks)
{
	if (rarog_processes_other(&d->processes, p, true))
		return;
	if (rarog_processes_other(&d->processes, p, false)) {
		end_strands(d, p->image, end_strand, is_of_process, p->inner, ticks);
		return;
	}
	__atomic_store_n(&p->image->control->gone, 1, __ATOMIC_SEQ_CST);
	end_strands(d, p->image, close_strand, is_any, 0, ticks);
	forget_image(d, p->image);
}

void rarog_drain_process_gone(struct rarog_drain *d, pid_t pid, uint64_t ticks)
{
	struct rarog_drained *p, process;

	pthread_mutex_lock(&d->lock);
	p = rarog_processes_find(&d->processes, pid);
	process = p ? *p : (struct rarog_drained){ 0 };
	if (process.image) {
		take_chunks(d, process.image);
		end_process(d, &process, ticks);
	}
	p = rarog_processes_find(&d->processes, pid); /* the list may have grown meanwhile */
	if (p)
		*p = d->processes.v[--d->processes.n];
	if (d->answered == pid)
		__atomic_store_n(&d->answered_is_gone, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&d->lock);
}

int rarog_drain_stop(struct rarog_drain *d)
{
	int r;

	pthread_mutex_lock(&d->lock);
	d->stop = true;
	pthread_mutex_unlock(&d->lock);
	pthread_join(d->thread, NULL);
	while (d->images) {
		__atomic_store_n(&d->images->control->gone, 1, __ATOMIC_SEQ_CST);
		end_strands(d, d->images, close_strand, is_any, 0, __rdtsc());
		forget_image(d, d->images);
	}
	rarog_recorder_set_pulse(d->recorder, NULL, NULL);
	rarog_owner_end(&d->owner);
	free_done(d);
	rarog_switches_free(d->switches);
	rarog_vec_release(&d->processes);
	pthread_mutex_destroy(&d->lock);
	r = d->result;
	if (r < 0)
		rarog_fail(r, "%s", d->message);
	free(d);
	return r;
}
