/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One consumer, one producer, a ring of JOBS slots whose buffers are swapped, never copied or freed
 * in between. The thread blocks all signals: they belong to the main thread, and a write over
 * RLIMIT_FSIZE becomes EFBIG instead of a deadly SIGXFSZ. The first error is kept with its text
 * (messages are per thread) and the queue is then drained without work.
 */
#include "profile/compressor.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <zstd.h>

#include "base/error.h"
#include "profile/calls-codec.h"
#include "profile/output.h"
#include "profile/rows.h"

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
	struct rarog_compressor_calls calls;
};

struct rarog_compressor {
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

void rarog_compressor_calls_release(struct rarog_compressor_calls *calls)
{
	rarog_vec_release(&calls->op);
	rarog_vec_release(&calls->open);
	rarog_vec_release(&calls->delta);
}

/* Write press->stored as the body of @block. */
static int write_block(struct rarog_compressor *compressor, struct rarog_block *block)
{
	uint8_t head[RAROG_BLOCK_HEAD_SIZE];

	if (block->raw > RAROG_BLOCK_MAX)
		return rarog_fail(-E2BIG, "a block of %u bytes of %s is too large to be stored",
				  block->raw, rarog_block_name(block->kind));
	block->offset = rarog_output_size(compressor->output);
	block->stored = (uint32_t)compressor->stored.n;
	block->checksum = rarog_block_checksum(compressor->stored.n, compressor->stored.v);
	rarog_block_head_store(head, block);
	int r = rarog_output_write(compressor->output, sizeof(head), head);

	if (r == 0)
		r = rarog_output_write(compressor->output, compressor->stored.n,
				       compressor->stored.v);
	return r;
}

static int write_table(struct rarog_compressor *compressor, struct rarog_block *block,
		       const struct rarog_bytes *raw)
{
	compressor->stored.n = 0;
	if (raw->n > RAROG_BLOCK_MAX)
		return rarog_fail(-E2BIG, "a text of %zu bytes is too long to be stored", raw->n);
	block->raw = (uint32_t)raw->n;
	int r = rarog_block_compress(compressor->context, LEVEL_TABLES, RAROG_BLOCK_MAX, raw->n,
				     raw->v, &compressor->stored);

	return r < 0 ? r : write_block(compressor, block);
}

static int write_calls(struct rarog_compressor *compressor,
		       const struct rarog_compressor_calls *from)
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
	struct rarog_bytes *raw = &compressor->raw;
	size_t split;

	raw->n = compressor->stored.n = 0;
	int r = rarog_calls_encode(&compressor->encoder, &calls, raw, &split);

	if (r < 0)
		return r;
	block.raw = raw->n > UINT32_MAX ? UINT32_MAX : (uint32_t)raw->n;
	r = rarog_block_compress(compressor->context, LEVEL_RANKS, RAROG_BLOCK_MAX, split, raw->v,
				 &compressor->stored);
	if (r == 0)
		r = rarog_block_compress(compressor->context, LEVEL_DELTAS, DELTA_PIECE,
					 raw->n - split, raw->v + split, &compressor->stored);
	if (r == 0)
		r = write_block(compressor, &block);
	return r < 0 ? r : rarog_vec_push(&compressor->index, block);
}

static int write_index(struct rarog_compressor *compressor, struct rarog_trailer *trailer)
{
	const size_t most = RAROG_BLOCK_RAW / RAROG_INDEX_ENTRY_SIZE;

	trailer->index_offset = rarog_output_size(compressor->output);
	for (size_t at = 0; at < compressor->index.n; at += most) {
		size_t n = compressor->index.n - at < most ? compressor->index.n - at : most;
		struct rarog_block block = {
			.kind = RAROG_BLOCK_INDEX,
			.version = 1,
			.first = at,
			.count = (uint32_t)n,
		};

		compressor->raw.n = 0;
		int r = rarog_bytes_room(&compressor->raw, n * RAROG_INDEX_ENTRY_SIZE);

		for (size_t i = 0; r == 0 && i < n; i++)
			rarog_index_entry_store(compressor->raw.v + i * RAROG_INDEX_ENTRY_SIZE,
						&compressor->index.v[at + i]);
		compressor->raw.n = n * RAROG_INDEX_ENTRY_SIZE;
		if (r == 0)
			r = write_table(compressor, &block, &compressor->raw);
		if (r < 0)
			return r;
		trailer->index_blocks++;
	}
	return 0;
}

static int finish(struct rarog_compressor *compressor)
{
	struct rarog_trailer trailer = { 0 };
	uint8_t bytes[RAROG_TRAILER_SIZE];
	int r = write_index(compressor, &trailer);

	if (r < 0)
		return r;
	trailer.file_size = rarog_output_size(compressor->output) + sizeof(bytes);
	rarog_trailer_store(bytes, &trailer);
	r = rarog_output_write(compressor->output, sizeof(bytes), bytes);
	return r < 0 ? r : rarog_output_commit(compressor->output);
}

static int run_job(struct rarog_compressor *compressor, struct job *job)
{
	int r;

	switch (job->kind) {
	case JOB_BLOCK:
		r = write_table(compressor, &job->block, &job->raw);
		return r < 0 ? r : rarog_vec_push(&compressor->index, job->block);
	case JOB_CALLS:
		return write_calls(compressor, &job->calls);
	case JOB_FINISH:
		return finish(compressor);
	default:
		return 0;
	}
}

static void keep_error(struct rarog_compressor *compressor, int code)
{
	compressor->error = code;
	snprintf(compressor->message, sizeof(compressor->message), "%s", rarog_error_message());
}

static void *compressor_main(void *arg)
{
	struct rarog_compressor *compressor = arg;
	bool quit = false;

	pthread_mutex_lock(&compressor->lock);
	while (!quit) {
		while (compressor->queued == 0)
			pthread_cond_wait(&compressor->filled, &compressor->lock);
		struct job *job = &compressor->jobs[compressor->head];
		bool work = compressor->error == 0;

		quit = job->kind == JOB_QUIT;
		pthread_mutex_unlock(&compressor->lock);
		int r = work ? run_job(compressor, job) : 0;

		pthread_mutex_lock(&compressor->lock);
		if (r < 0)
			keep_error(compressor, r);
		compressor->head = (compressor->head + 1) % JOBS;
		compressor->queued--;
		pthread_cond_signal(&compressor->emptied);
	}
	pthread_mutex_unlock(&compressor->lock);
	return NULL;
}

/* The press's first error with its message, 0 without; under the lock. */
static int current_error(const struct rarog_compressor *compressor)
{
	return compressor->error < 0 ? rarog_fail(compressor->error, "%s", compressor->message) : 0;
}

/* A free slot, waiting for one; called with the lock held, the slot is queued by queue(). */
static struct job *slot(struct rarog_compressor *compressor)
{
	while (compressor->queued == JOBS)
		pthread_cond_wait(&compressor->emptied, &compressor->lock);
	return &compressor->jobs[(compressor->head + compressor->queued) % JOBS];
}

static void queue(struct rarog_compressor *compressor)
{
	compressor->queued++;
	pthread_cond_signal(&compressor->filled);
}

int rarog_compressor_block(struct rarog_compressor *compressor, const struct rarog_block *block,
			   struct rarog_bytes *raw)
{
	pthread_mutex_lock(&compressor->lock);
	int r = current_error(compressor);

	if (r == 0) {
		struct job *job = slot(compressor);
		struct rarog_bytes empty = job->raw;

		job->kind = JOB_BLOCK;
		job->block = *block;
		job->raw = *raw;
		*raw = empty;
		queue(compressor);
	}
	pthread_mutex_unlock(&compressor->lock);
	raw->n = 0;
	return r;
}

int rarog_compressor_calls(struct rarog_compressor *compressor,
			   struct rarog_compressor_calls *calls)
{
	pthread_mutex_lock(&compressor->lock);
	int r = current_error(compressor);

	if (r == 0) {
		struct job *job = slot(compressor);
		struct rarog_compressor_calls empty = job->calls;

		job->kind = JOB_CALLS;
		job->calls = *calls;
		*calls = empty;
		queue(compressor);
	}
	pthread_mutex_unlock(&compressor->lock);
	calls->op.n = calls->delta.n = calls->open.n = 0;
	return r;
}

/* Queue a job without content and wait until the queue is empty. */
static int command(struct rarog_compressor *compressor, enum job_kind kind)
{
	pthread_mutex_lock(&compressor->lock);
	slot(compressor)->kind = kind;
	queue(compressor);
	while (compressor->queued > 0)
		pthread_cond_wait(&compressor->emptied, &compressor->lock);
	int r = current_error(compressor);

	pthread_mutex_unlock(&compressor->lock);
	return r;
}

int rarog_compressor_finish(struct rarog_compressor *compressor, uint64_t *ret_bytes)
{
	int r = command(compressor, JOB_FINISH);

	if (r == 0)
		*ret_bytes = rarog_output_size(compressor->output);
	return r;
}

static int start_thread(struct rarog_compressor *compressor)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int code = pthread_create(&compressor->thread, NULL, compressor_main, compressor);

	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (code != 0)
		return rarog_fail(-code, "cannot start a thread; raise `ulimit -u`");
	compressor->running = true;
	return 0;
}

int rarog_compressor_new(const char *path, struct rarog_compressor **ret_compressor)
{
	rarog_cleanup(rarog_compressor_freep) struct rarog_compressor *compressor =
		calloc(1, sizeof(*compressor));
	uint8_t head[RAROG_FILE_HEAD_SIZE];

	if (!compressor)
		return rarog_oom();
	pthread_mutex_init(&compressor->lock, NULL);
	pthread_cond_init(&compressor->filled, NULL);
	pthread_cond_init(&compressor->emptied, NULL);
	compressor->context = ZSTD_createCCtx();
	if (!compressor->context)
		return rarog_oom();
	int r = rarog_output_new(path, &compressor->output);

	rarog_file_head_store(head);
	if (r == 0)
		r = rarog_output_write(compressor->output, sizeof(head), head);
	if (r == 0)
		r = start_thread(compressor);
	if (r < 0)
		return r;
	*ret_compressor = rarog_take(compressor);
	return 0;
}

void rarog_compressor_free(struct rarog_compressor *compressor)
{
	if (!compressor)
		return;
	if (compressor->running) {
		command(compressor, JOB_QUIT);
		pthread_join(compressor->thread, NULL);
	}
	for (size_t i = 0; i < JOBS; i++) {
		rarog_bytes_release(&compressor->jobs[i].raw);
		rarog_compressor_calls_release(&compressor->jobs[i].calls);
	}
	ZSTD_freeCCtx(compressor->context);
	rarog_calls_encoder_release(&compressor->encoder);
	rarog_bytes_release(&compressor->raw);
	rarog_bytes_release(&compressor->stored);
	rarog_vec_release(&compressor->index);
	rarog_output_free(compressor->output);
	pthread_mutex_destroy(&compressor->lock);
	pthread_cond_destroy(&compressor->filled);
	pthread_cond_destroy(&compressor->emptied);
	free(compressor);
}
