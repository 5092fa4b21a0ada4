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

#include "base/error.h"
#include "base/log.h"

struct drained_process {
	pid_t pid;
	uint32_t index; /* in the profile */
	struct rarog_image *image;
};

struct rarog_drain {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_mutex_t *install_lock;
	struct rarog_recorder *recorder;
	struct rarog_image *images;
	struct rarog_image *done; /* to be freed by the thread, which may be asleep on one */
	RAROG_VEC(struct drained_process) processes;
	bool stop;
	int result; /* first error of the recorder */
	char message[512];
	struct timespec last_sweep;
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

	while (*at && *at != image)
		at = &(*at)->next;
	if (*at)
		*at = image->next;
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

static struct drained_process *find_process(struct rarog_drain *d, pid_t pid)
{
	for (size_t i = 0; i < d->processes.n; i++)
		if (d->processes.v[i].pid == pid)
			return &d->processes.v[i];
	return NULL;
}

/* A process that forked while nobody told us of forks. */
static uint32_t process_index(struct rarog_drain *d, struct rarog_image *image, pid_t pid)
{
	struct drained_process *known = find_process(d, pid);
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
				      (struct drained_process){ pid, (uint32_t)index, image }));
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
	return 0;
}

static void take_words(struct rarog_drain *d, struct rarog_image *image, uint32_t index,
		       uint32_t chunk, size_t bytes)
{
	const uint8_t *at = image->chunks + (size_t)chunk * RAROG_CHUNK_SIZE;
	int r = known_strand(d, image, index);

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

/* Take the full chunk @chunk if it is its strand's next. */
static bool take_chunk(struct rarog_drain *d, struct rarog_image *image, uint32_t chunk)
{
	struct rarog_chunk *c = &image->control->chunks[chunk];
	struct rarog_image_strand *known;

	if (__atomic_load_n(&c->state, __ATOMIC_ACQUIRE) != RAROG_CHUNK_FULL)
		return false;
	if (c->strand >= RAROG_STRANDS || c->used > RAROG_CHUNK_SIZE) {
		keep_result(d, overwritten());
		free_chunk(image, chunk);
		return true;
	}
	known = &image->strands[c->strand];
	if (known->generation == c->generation ? c->sequence != known->sequence : c->sequence != 0)
		return false;
	take_words(d, image, c->strand, chunk, c->used);
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

	if (__atomic_load_n(&c->waiters, __ATOMIC_RELAXED) == 0 || more > RAROG_CHUNKS)
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

static void end_strand(struct rarog_drain *d, struct rarog_image *image, uint32_t index,
		       uint64_t ticks)
{
	struct rarog_strand_shared *s = rarog_image_strand(image, index);
	uint32_t chunk = s->chunk - 1;
	uint64_t start = image->their_chunks + (uint64_t)chunk * RAROG_CHUNK_SIZE;

	take_chunks(d, image);
	if (s->chunk > RAROG_CHUNKS)
		keep_result(d, overwritten());
	else if (s->chunk && s->cursor - start <= RAROG_CHUNK_SIZE)
		take_words(d, image, index, chunk, s->cursor - start);
	if (s->chunk && s->chunk <= RAROG_CHUNKS)
		free_chunk(image, chunk);
	take_counters(d, image, index);
	if (s->left_out)
		rarog_recorder_lose(d->recorder, "calls below a full shadow stack", s->left_out);
	if (s->lost)
		rarog_recorder_lose(d->recorder, "events", s->lost);
	if (image->strands[index].generation == s->generation)
		keep_result(d, rarog_recorder_end_strand(d->recorder,
							 image->strands[index].recorded, ticks));
	s->chunk = 0;
	s->cursor = s->end = 0;
	image->strands[index] = (struct rarog_image_strand){ 0 };
	__atomic_store_n(&s->state, RAROG_STRAND_FREE, __ATOMIC_RELEASE);
	__atomic_fetch_or(&image->control->strands_free[index / 64], 1ull << index % 64,
			  __ATOMIC_RELEASE);
}

/* End the strands of @image that @is_gone says; @argument is handed to it. */
static void end_strands(struct rarog_drain *d, struct rarog_image *image, uint64_t ticks,
			bool (*is_gone)(const struct rarog_strand_shared *s, pid_t pid), pid_t pid)
{
	for (uint32_t word = 0; word < RAROG_STRANDS / 64; word++) {
		uint64_t used =
			~__atomic_load_n(&image->control->strands_free[word], __ATOMIC_ACQUIRE);

		for (; used; used &= used - 1) {
			uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(used);
			struct rarog_strand_shared *s = rarog_image_strand(image, index);

			if (__atomic_load_n(&s->state, __ATOMIC_ACQUIRE) == RAROG_STRAND_ACTIVE &&
			    is_gone(s, pid))
				end_strand(d, image, index, ticks);
		}
	}
}

static bool is_of_process(const struct rarog_strand_shared *s, pid_t pid)
{
	return (pid_t)s->pid == pid;
}

static bool is_dead(const struct rarog_strand_shared *s, pid_t pid)
{
	(void)pid;
	return syscall(SYS_tgkill, s->pid, s->tid, 0) < 0 && errno == ESRCH;
}

/* Ten times a second, look which threads are gone. */
static void sweep(struct rarog_drain *d)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	if ((now.tv_sec - d->last_sweep.tv_sec) * 1000 +
		    (now.tv_nsec - d->last_sweep.tv_nsec) / 1000000 <
	    100)
		return;
	d->last_sweep = now;
	for (struct rarog_image *i = d->images; i; i = i->next)
		end_strands(d, i, __rdtsc(), is_dead, 0);
}

/* --- libraries --- */

static void answer(struct rarog_drain *d, struct rarog_image *image, struct rarog_request *request)
{
	struct rarog_remote remote;
	pid_t pid = (pid_t)request->pid;
	int r;

	pthread_mutex_lock(d->install_lock);
	r = rarog_remote_open_waiting(pid, request, &remote);
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

static bool answer_requests(struct rarog_drain *d, struct rarog_image *image)
{
	bool any = false;

	for (int i = 0; i < RAROG_REQUESTS; i++) {
		struct rarog_request *request = &image->control->requests[i];

		if (__atomic_load_n(&request->state, __ATOMIC_ACQUIRE) != RAROG_REQUEST_POSTED)
			continue;
		answer(d, image, request);
		any = true;
	}
	return any;
}

/* --- the thread --- */

static bool work(struct rarog_drain *d)
{
	bool any = false;

	for (struct rarog_image *i = d->images; i; i = i->next) {
		__atomic_fetch_add(&i->control->beat, 1, __ATOMIC_RELAXED);
		any |= take_chunks(d, i);
		any |= answer_requests(d, i);
		give_more(i);
	}
	sweep(d);
	return any;
}

/* Nothing to do: sleep until an agent fills a chunk; with several images, for a moment. */
static void doze(struct rarog_drain *d)
{
	struct timespec moment = { .tv_nsec = 1000 * 1000 }, longer = { .tv_nsec = 20 * 1000000 };
	struct rarog_control *c = NULL;
	uint32_t filled = 0;

	pthread_mutex_lock(&d->lock);
	if (d->images && !d->images->next) {
		c = d->images->control;
		filled = __atomic_load_n(&c->filled, __ATOMIC_SEQ_CST);
		__atomic_store_n(&c->sleeping, 1, __ATOMIC_SEQ_CST);
		if (work(d) || d->stop)
			filled--; /* do not sleep */
	}
	pthread_mutex_unlock(&d->lock);
	if (c) {
		futex(&c->filled, FUTEX_WAIT, filled, &longer);
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
		if (!any && !stop)
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
	sigfillset(&all); /* signals are the tracer's business */
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&d->thread, NULL, run, d);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r != 0) {
		free(d);
		return rarog_fail(-r, "cannot start a thread: %s", strerror(r));
	}
	*ret_drain = d;
	return 0;
}

void rarog_drain_image(struct rarog_drain *d, struct rarog_image *image)
{
	pthread_mutex_lock(&d->lock);
	image->strands = calloc(RAROG_STRANDS, sizeof(*image->strands));
	if (!image->strands)
		abort();
	image->next = d->images;
	d->images = image;
	pthread_mutex_unlock(&d->lock);
}

int rarog_drain_process(struct rarog_drain *d, pid_t pid, struct rarog_image *image, uint32_t index)
{
	struct drained_process *p;
	int r = 0;

	pthread_mutex_lock(&d->lock);
	p = find_process(d, pid);
	if (p)
		*p = (struct drained_process){ pid, index, image };
	else
		r = rarog_vec_push(&d->processes, (struct drained_process){ pid, index, image });
	pthread_mutex_unlock(&d->lock);
	return r;
}

struct rarog_image *rarog_drain_image_of(struct rarog_drain *d, pid_t pid)
{
	struct drained_process *p;
	struct rarog_image *image;

	pthread_mutex_lock(&d->lock);
	p = find_process(d, pid);
	image = p ? p->image : NULL;
	pthread_mutex_unlock(&d->lock);
	return image;
}

static bool is_used(struct rarog_drain *d, const struct rarog_image *image)
{
	for (size_t i = 0; i < d->processes.n; i++)
		if (d->processes.v[i].image == image)
			return true;
	return false;
}

void rarog_drain_process_gone(struct rarog_drain *d, pid_t pid, uint64_t ticks)
{
	struct drained_process *p;
	struct rarog_image *image;

	pthread_mutex_lock(&d->lock);
	p = find_process(d, pid);
	image = p ? p->image : NULL;
	if (image) {
		take_chunks(d, image);
		end_strands(d, image, ticks, is_of_process, pid);
	}
	if (p)
		*p = d->processes.v[--d->processes.n];
	if (image && !is_used(d, image))
		forget_image(d, image);
	pthread_mutex_unlock(&d->lock);
}

static bool is_any(const struct rarog_strand_shared *s, pid_t pid)
{
	(void)s;
	(void)pid;
	return true;
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
		end_strands(d, d->images, __rdtsc(), is_any, 0);
		forget_image(d, d->images);
	}
	free_done(d);
	rarog_vec_release(&d->processes);
	pthread_mutex_destroy(&d->lock);
	r = d->result;
	if (r < 0)
		rarog_fail(r, "%s", d->message);
	free(d);
	return r;
}
