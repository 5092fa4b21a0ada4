/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One consumer, one producer, a ring of JOBS slots whose buffers are swapped, never copied or freed
 * in between. The thread blocks all signals: they belong to the main thread, and a write over
 * RLIMIT_FSIZE becomes EFBIG instead of a deadly SIGXFSZ. The first error is kept with its text
 * (messages are per thread) and the queue is then drained without work.
 */
#include "profile/press.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <zstd.h>

#include "base/error.h"
#include "profile/calls-codec.h"
#include "profile/output.h"

#define JOBS 4

/* Levels measured (profile-format.md): ranks repeat and pay for a search, deltas are noise. */
#define LEVEL_RANKS  5
#define LEVEL_DELTAS 1
#define LEVEL_TABLES 5

/* Durations drift: fresh Huffman tables pay for themselves (2 % on all programs measured). */
#define DELTA_PIECE 16384

enum job_kind { JOB_BLOCK = 0, JOB_CALLS, JOB_FINISH, JOB_QUIT };

struct job {
	enum job_kind kind;
	struct rarog_block block;
	struct rarog_bytes raw;
	struct rarog_press_calls calls;
};

struct rarog_press {
	struct rarog_output *output;
	pthread_t thread;
	bool running;

	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	struct job jobs[JOBS];
	unsigned head, queued; /* jobs[head] is the oldest of the queued */
	int error;             /* first error, under the lock like its text */
	char message[1024];

	/* The thread's own. */
	ZSTD_CCtx *context;
	struct rarog_calls_encoder encoder;
	struct rarog_bytes raw, stored;
	RAROG_VEC(struct rarog_block) index;
};

void rarog_press_calls_release(struct rarog_press_calls *calls)
{
	rarog_vec_release(&calls->op);
	rarog_vec_release(&calls->open);
	rarog_vec_release(&calls->delta);
}

/* Write press->stored as the body of @block. */
static int write_block(struct rarog_press *press, struct rarog_block *block)
{
	uint8_t head[RAROG_BLOCK_HEAD_SIZE];

	if (block->raw > RAROG_BLOCK_MAX)
		return rarog_fail(-E2BIG, "a block of %u bytes of %s is too large to be stored",
				  block->raw, rarog_block_name(block->kind));
	block->offset = rarog_output_size(press->output);
	block->stored = (uint32_t)press->stored.n;
	block->checksum = rarog_block_checksum(press->stored.n, press->stored.v);
	rarog_block_head_store(head, block);
	int r = rarog_output_write(press->output, sizeof(head), head);

	if (r == 0)
		r = rarog_output_write(press->output, press->stored.n, press->stored.v);
	return r;
}

static int write_table(struct rarog_press *press, struct rarog_block *block,
		       const struct rarog_bytes *raw)
{
	press->stored.n = 0;
	if (raw->n > RAROG_BLOCK_MAX)
		return rarog_fail(-E2BIG, "a text of %zu bytes is too long to be stored", raw->n);
	block->raw = (uint32_t)raw->n;
	int r = rarog_block_compress(press->context, LEVEL_TABLES, RAROG_BLOCK_MAX, raw->n, raw->v,
				     &press->stored);

	return r < 0 ? r : write_block(press, block);
}

static int write_calls(struct rarog_press *press, const struct rarog_press_calls *from)
{
	struct rarog_calls calls = {
		.n_open = from->open.n,
		.open = from->open.v,
		.n = from->op.n,
		.op = from->op.v,
		.delta = from->delta.v,
	};
	struct rarog_block block = {
		.kind = RAROG_BLOCK_CALLS,
		.version = 1,
		.strand = from->strand,
		.count = (uint32_t)calls.n,
		.first = from->start_ticks,
		.last = from->start_ticks + rarog_calls_time(calls.n, calls.op, calls.delta),
	};
	struct rarog_bytes *raw = &press->raw;
	size_t split;

	raw->n = press->stored.n = 0;
	int r = rarog_calls_encode(&press->encoder, &calls, raw, &split);

	if (r < 0)
		return r;
	block.raw = raw->n > UINT32_MAX ? UINT32_MAX : (uint32_t)raw->n;
	r = rarog_block_compress(press->context, LEVEL_RANKS, RAROG_BLOCK_MAX, split, raw->v,
				 &press->stored);
	if (r == 0)
		r = rarog_block_compress(press->context, LEVEL_DELTAS, DELTA_PIECE, raw->n - split,
					 raw->v + split, &press->stored);
	if (r == 0)
		r = write_block(press, &block);
	return r < 0 ? r : rarog_vec_push(&press->index, block);
}

static int write_index(struct rarog_press *press, struct rarog_trailer *trailer)
{
	const size_t most = RAROG_BLOCK_RAW / RAROG_INDEX_ENTRY_SIZE;

	trailer->index_offset = rarog_output_size(press->output);
	for (size_t at = 0; at < press->index.n; at += most) {
		size_t n = press->index.n - at < most ? press->index.n - at : most;
		struct rarog_block block = {
			.kind = RAROG_BLOCK_INDEX,
			.version = 1,
			.first = at,
			.count = (uint32_t)n,
		};

		press->raw.n = 0;
		int r = rarog_bytes_room(&press->raw, n * RAROG_INDEX_ENTRY_SIZE);

		for (size_t i = 0; r == 0 && i < n; i++)
			rarog_index_entry_store(press->raw.v + i * RAROG_INDEX_ENTRY_SIZE,
						&press->index.v[at + i]);
		press->raw.n = n * RAROG_INDEX_ENTRY_SIZE;
		if (r == 0)
			r = write_table(press, &block, &press->raw);
		if (r < 0)
			return r;
		trailer->index_blocks++;
	}
	return 0;
}

static int finish(struct rarog_press *press)
{
	struct rarog_trailer trailer = { 0 };
	uint8_t bytes[RAROG_TRAILER_SIZE];
	int r = write_index(press, &trailer);

	if (r < 0)
		return r;
	trailer.file_size = rarog_output_size(press->output) + sizeof(bytes);
	rarog_trailer_store(bytes, &trailer);
	r = rarog_output_write(press->output, sizeof(bytes), bytes);
	return r < 0 ? r : rarog_output_commit(press->output);
}

static int run_job(struct rarog_press *press, struct job *job)
{
	int r;

	switch (job->kind) {
	case JOB_BLOCK:
		r = write_table(press, &job->block, &job->raw);
		return r < 0 ? r : rarog_vec_push(&press->index, job->block);
	case JOB_CALLS:
		return write_calls(press, &job->calls);
	case JOB_FINISH:
		return finish(press);
	default:
		return 0;
	}
}

static void keep_error(struct rarog_press *press, int code)
{
	press->error = code;
	snprintf(press->message, sizeof(press->message), "%s", rarog_error_message());
}

static void *press_main(void *arg)
{
	struct rarog_press *press = arg;
	bool quit = false;

	pthread_mutex_lock(&press->lock);
	while (!quit) {
		while (press->queued == 0)
			pthread_cond_wait(&press->filled, &press->lock);
		struct job *job = &press->jobs[press->head];
		bool work = press->error == 0;

		quit = job->kind == JOB_QUIT;
		pthread_mutex_unlock(&press->lock);
		int r = work ? run_job(press, job) : 0;

		pthread_mutex_lock(&press->lock);
		if (r < 0)
			keep_error(press, r);
		press->head = (press->head + 1) % JOBS;
		press->queued--;
		pthread_cond_signal(&press->emptied);
	}
	pthread_mutex_unlock(&press->lock);
	return NULL;
}

/* The press's first error with its message, 0 without; under the lock. */
static int current_error(const struct rarog_press *press)
{
	return press->error < 0 ? rarog_fail(press->error, "%s", press->message) : 0;
}

/* A free slot, waiting for one; called with the lock held, the slot is queued by queue(). */
static struct job *slot(struct rarog_press *press)
{
	while (press->queued == JOBS)
		pthread_cond_wait(&press->emptied, &press->lock);
	return &press->jobs[(press->head + press->queued) % JOBS];
}

static void queue(struct rarog_press *press)
{
	press->queued++;
	pthread_cond_signal(&press->filled);
}

int rarog_press_block(struct rarog_press *press, const struct rarog_block *block,
		      struct rarog_bytes *raw)
{
	pthread_mutex_lock(&press->lock);
	int r = current_error(press);

	if (r == 0) {
		struct job *job = slot(press);
		struct rarog_bytes empty = job->raw;

		job->kind = JOB_BLOCK;
		job->block = *block;
		job->raw = *raw;
		*raw = empty;
		queue(press);
	}
	pthread_mutex_unlock(&press->lock);
	raw->n = 0;
	return r;
}

int rarog_press_calls(struct rarog_press *press, struct rarog_press_calls *calls)
{
	pthread_mutex_lock(&press->lock);
	int r = current_error(press);

	if (r == 0) {
		struct job *job = slot(press);
		struct rarog_press_calls empty = job->calls;

		job->kind = JOB_CALLS;
		job->calls = *calls;
		*calls = empty;
		queue(press);
	}
	pthread_mutex_unlock(&press->lock);
	calls->op.n = calls->delta.n = calls->open.n = 0;
	return r;
}

/* Queue a job without content and wait until the queue is empty. */
static int command(struct rarog_press *press, enum job_kind kind)
{
	pthread_mutex_lock(&press->lock);
	slot(press)->kind = kind;
	queue(press);
	while (press->queued > 0)
		pthread_cond_wait(&press->emptied, &press->lock);
	int r = current_error(press);

	pthread_mutex_unlock(&press->lock);
	return r;
}

int rarog_press_finish(struct rarog_press *press, uint64_t *ret_bytes)
{
	int r = command(press, JOB_FINISH);

	if (r == 0)
		*ret_bytes = rarog_output_size(press->output);
	return r;
}

static int start_thread(struct rarog_press *press)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int code = pthread_create(&press->thread, NULL, press_main, press);

	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (code != 0)
		return rarog_fail(-code, "cannot start a thread; raise `ulimit -u`");
	press->running = true;
	return 0;
}

int rarog_press_new(const char *path, struct rarog_press **ret_press)
{
	rarog_cleanup(rarog_press_freep) struct rarog_press *press = calloc(1, sizeof(*press));
	uint8_t head[RAROG_FILE_HEAD_SIZE];

	if (!press)
		return rarog_oom();
	pthread_mutex_init(&press->lock, NULL);
	pthread_cond_init(&press->filled, NULL);
	pthread_cond_init(&press->emptied, NULL);
	press->context = ZSTD_createCCtx();
	if (!press->context)
		return rarog_oom();
	int r = rarog_output_new(path, &press->output);

	rarog_file_head_store(head);
	if (r == 0)
		r = rarog_output_write(press->output, sizeof(head), head);
	if (r == 0)
		r = start_thread(press);
	if (r < 0)
		return r;
	*ret_press = rarog_take(press);
	return 0;
}

void rarog_press_free(struct rarog_press *press)
{
	if (!press)
		return;
	if (press->running) {
		command(press, JOB_QUIT);
		pthread_join(press->thread, NULL);
	}
	for (size_t i = 0; i < JOBS; i++) {
		rarog_bytes_release(&press->jobs[i].raw);
		rarog_press_calls_release(&press->jobs[i].calls);
	}
	ZSTD_freeCCtx(press->context);
	rarog_calls_encoder_release(&press->encoder);
	rarog_bytes_release(&press->raw);
	rarog_bytes_release(&press->stored);
	rarog_vec_release(&press->index);
	rarog_output_free(press->output);
	pthread_mutex_destroy(&press->lock);
	pthread_cond_destroy(&press->filled);
	pthread_cond_destroy(&press->emptied);
	free(press);
}
