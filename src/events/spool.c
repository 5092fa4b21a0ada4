/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records of {u32 strand, u32 n, words[n]} (n is 0 where a strand ends), gathered in a buffer and
 * written with pwrite at an offset of our own. Invariant: the spool is the file's first `written`
 * bytes followed by the `buffered` bytes of the buffer. A write that fails leaves its bytes in the
 * buffer, and an append that fails is taken back by its length, so a full disk loses nothing
 * accepted before.
 *
 * No write-back is forced: the file is unlinked and usually read again within seconds, so pages
 * that never reach the disk are pages saved.
 */
#include "events/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"

#define BUFFER_BYTES ((size_t)1 << 20)
#define WINDOW_BYTES ((size_t)1 << 20)
#define HEADER_BYTES (2 * sizeof(uint32_t))
#define PIECE_WORDS  ((size_t)64 << 10) /* longest record: fits into buffer and window */

/* What part of the spool is in memory while it is read. */
struct window {
	char *bytes;     /* [WINDOW_BYTES] */
	size_t from, to; /* unread part */
	uint64_t next;   /* offset in the spool of bytes[to] */
	bool is_last;    /* the file is not read again */
};

struct rarog_spool {
	char *directory; /* for messages */
	int fd;
	uint64_t written;
	size_t buffered;
	char *buffer; /* [BUFFER_BYTES] */
	struct window taken;
};

static int open_named(const char *directory)
{
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/.rarog-spool-XXXXXX", directory);
	int fd;

	if (!path)
		return rarog_oom();
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return rarog_fail_errno("%s: cannot make a temporary file", directory);
	unlink(path);
	return fd;
}

/* File systems without O_TMPFILE say so in one of three ways. */
static int open_unnamed(const char *directory)
{
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
		return open_named(directory);
	if (fd < 0)
		return rarog_fail_errno("%s: cannot make a temporary file", directory);
	return fd;
}

int rarog_spool_new(const char *directory, struct rarog_spool **ret_spool)
{
	rarog_cleanup(rarog_spool_freep) struct rarog_spool *spool = calloc(1, sizeof(*spool));

	if (!spool)
		return rarog_oom();
	spool->fd = -1;
	spool->directory = strdup(directory);
	spool->buffer = malloc(BUFFER_BYTES);
	if (!spool->directory || !spool->buffer)
		return rarog_oom();
	int fd = open_unnamed(directory);

	if (fd < 0)
		return fd;
	spool->fd = fd;
	*ret_spool = rarog_take(spool);
	return 0;
}

void rarog_spool_free(struct rarog_spool *spool)
{
	if (!spool)
		return;
	rarog_closep(&spool->fd);
	free(spool->directory);
	free(spool->buffer);
	free(spool->taken.bytes);
	free(spool);
}

uint64_t rarog_spool_room(const struct rarog_spool *spool)
{
	struct statvfs status;

	if (fstatvfs(spool->fd, &status) < 0)
		return UINT64_MAX;
	return (uint64_t)status.f_bavail * status.f_frsize;
}

const char *rarog_spool_directory(const struct rarog_spool *spool)
{
	return spool->directory;
}

uint64_t rarog_spool_size(const struct rarog_spool *spool)
{
	return spool->written + spool->buffered;
}

static int write_error(const struct rarog_spool *spool)
{
	if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)
		return rarog_fail(-ENOSPC,
				  "%s: no room for the raw trace; free some or use another folder",
				  spool->directory);
	return rarog_fail_errno("%s: cannot write the raw trace", spool->directory);
}

static int flush(struct rarog_spool *spool)
{
	size_t done = 0;
	int r = 0;

	while (r == 0 && done < spool->buffered) {
		ssize_t n = pwrite(spool->fd, spool->buffer + done, spool->buffered - done,
				   (off_t)(spool->written + done));

		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			r = write_error(spool);
	}
	memmove(spool->buffer, spool->buffer + done, spool->buffered - done);
	spool->written += done;
	spool->buffered -= done;
	return r;
}

static int append_piece(struct rarog_spool *spool, uint32_t strand, uint32_t n,
			const uint16_t *words)
{
	size_t bytes = n * sizeof(*words);
	char *to;

	if (BUFFER_BYTES - spool->buffered < HEADER_BYTES + bytes) {
		int r = flush(spool);

		if (r < 0 && BUFFER_BYTES - spool->buffered < HEADER_BYTES + bytes)
			return r;
	}
	to = spool->buffer + spool->buffered;
	memcpy(to, &strand, sizeof(strand));
	memcpy(to + sizeof(strand), &n, sizeof(n));
	memcpy(to + HEADER_BYTES, words, bytes);
	spool->buffered += HEADER_BYTES + bytes;
	return 0;
}

/* Take back what was appended after the spool had @size bytes. */
static void cut(struct rarog_spool *spool, uint64_t size)
{
	if (size < spool->written) {
		spool->written = size;
		spool->buffered = 0;
	} else {
		spool->buffered = (size_t)(size - spool->written);
	}
}

int rarog_spool_append(struct rarog_spool *spool, uint32_t strand, size_t n, const uint16_t *words)
{
	uint64_t size = rarog_spool_size(spool);

	while (n > 0) {
		size_t piece = n < PIECE_WORDS ? n : PIECE_WORDS;
		int r = append_piece(spool, strand, (uint32_t)piece, words);

		if (r < 0) {
			cut(spool, size);
			return r;
		}
		words += piece;
		n -= piece;
	}
	return 0;
}

/* A record without words. */
int rarog_spool_end(struct rarog_spool *spool, uint32_t strand)
{
	static const uint16_t none;

	return append_piece(spool, strand, 0, &none);
}

/* Bytes of the spool from @offset on: of the file, then of the buffer. */
static ssize_t read_spool(const struct rarog_spool *spool, uint64_t offset, size_t n, char *to)
{
	uint64_t size = rarog_spool_size(spool);

	if (offset < spool->written) {
		uint64_t rest = spool->written - offset;

		return pread(spool->fd, to, n < rest ? n : (size_t)rest, (off_t)offset);
	}
	if (n > size - offset)
		n = (size_t)(size - offset);
	memcpy(to, spool->buffer + (offset - spool->written), n);
	return (ssize_t)n;
}

/* What is in the window leaves the page cache, and the file if it can be so. */
static void drop_pages(const struct rarog_spool *spool, const struct window *w, size_t n)
{
	if (w->is_last && fallocate(spool->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				    (off_t)w->next, (off_t)n) == 0)
		return;
	posix_fadvise(spool->fd, (off_t)w->next, (off_t)n, POSIX_FADV_DONTNEED);
}

/* Fill the window up; the unread part moves to its beginning. */
static int refill(const struct rarog_spool *spool, struct window *w)
{
	uint64_t size = rarog_spool_size(spool);

	memmove(w->bytes, w->bytes + w->from, w->to - w->from);
	w->to -= w->from;
	w->from = 0;
	while (w->to < WINDOW_BYTES && w->next < size) {
		ssize_t n = read_spool(spool, w->next, WINDOW_BYTES - w->to, w->bytes + w->to);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return rarog_fail_errno("%s: cannot read the raw trace back",
						spool->directory);
		if (n == 0)
			return rarog_fail(-EIO, "%s: the raw trace is cut off", spool->directory);
		drop_pages(spool, w, (size_t)n);
		w->next += (uint64_t)n;
		w->to += (size_t)n;
	}
	return 0;
}

/* The record at the window's unread part, if it is there as a whole; else 0 bytes. */
static size_t whole_record(const struct window *w, uint32_t *ret_strand, uint32_t *ret_n)
{
	size_t have = w->to - w->from;

	if (have < HEADER_BYTES)
		return 0;
	memcpy(ret_strand, w->bytes + w->from, sizeof(*ret_strand));
	memcpy(ret_n, w->bytes + w->from + sizeof(*ret_strand), sizeof(*ret_n));
	if ((have - HEADER_BYTES) / sizeof(uint16_t) < *ret_n)
		return 0;
	return HEADER_BYTES + *ret_n * sizeof(uint16_t);
}

/* Offset in the spool of the window's unread part. */
static uint64_t position(const struct window *w)
{
	return w->next - (w->to - w->from);
}

/* Those of the window's records that begin in front of @end. */
static int visit_window(struct window *w, uint64_t end, rarog_spool_visit *visit, void *context)
{
	uint32_t strand, n;
	size_t bytes;

	while (position(w) < end && (bytes = whole_record(w, &strand, &n)) > 0) {
		/* Records are of even length, so the words are aligned. */
		const void *words = w->bytes + w->from + HEADER_BYTES;
		int r = visit(context, strand, n, words);

		if (r < 0)
			return r;
		w->from += bytes;
	}
	return 0;
}

/* From the window on. */
static int visit_until(const struct rarog_spool *spool, struct window *w, uint64_t end,
		       rarog_spool_visit *visit, void *context)
{
	int r = visit_window(w, end, visit, context);

	while (r >= 0 && position(w) < end) {
		size_t had = w->to - w->from;

		r = refill(spool, w);
		if (r >= 0 && w->to - w->from == had) /* the file was changed under us */
			return rarog_fail(-EIO, "%s: the raw trace is damaged", spool->directory);
		if (r >= 0)
			r = visit_window(w, end, visit, context);
	}
	return r < 0 ? r : 0;
}

int rarog_spool_replay(struct rarog_spool *spool, rarog_spool_visit *visit, void *context)
{
	rarog_cleanup(rarog_freep) char *bytes = malloc(WINDOW_BYTES);
	struct window w = { .bytes = bytes };

	if (!bytes)
		return rarog_oom();
	return visit_until(spool, &w, rarog_spool_size(spool), visit, context);
}

uint64_t rarog_spool_taken(const struct rarog_spool *spool)
{
	return position(&spool->taken);
}

int rarog_spool_take(struct rarog_spool *spool, uint64_t bytes, rarog_spool_visit *visit,
		     void *context)
{
	struct window *w = &spool->taken;
	uint64_t size = rarog_spool_size(spool), left = size - position(w);
	int r;

	if (!w->bytes)
		*w = (struct window){ .bytes = malloc(WINDOW_BYTES), .is_last = true };
	if (!w->bytes)
		return rarog_oom();
	r = visit_until(spool, w, size - left + (bytes < left ? bytes : left), visit, context);
	return r < 0 ? r : position(w) == size;
}
