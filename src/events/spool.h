/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The raw spool: the word streams of all strands in the order they were drained, in a file without
 * a name, kept while the program runs and assembled afterwards.
 */
#ifndef RAROG_EVENTS_SPOOL_H
#define RAROG_EVENTS_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct rarog_spool;

/**
 * rarog_spool_new() - an empty spool on the file system of @directory
 *
 * Nothing of it is left behind however the process ends.
 * Return: 0, -errno with message.
 */
int rarog_spool_new(const char *directory, struct rarog_spool **ret_spool);
void rarog_spool_free(struct rarog_spool *spool);
RAROG_DEFINE_FREEP(rarog_spool);

/**
 * rarog_spool_append() - add the next @n words of @strand
 *
 * All or nothing. With -ENOSPC these words are not in the spool, everything appended before is and
 * stays; the caller counts the loss and may go on (a later append succeeds if there is room again;
 * it must then begin with a LOST escape and what follows one). The process has to ignore SIGXFSZ
 * for a file size limit to arrive here as -ENOSPC.
 *
 * Return: 0, -ENOSPC (full disk, quota, file size limit), -errno; with message.
 */
int rarog_spool_append(struct rarog_spool *spool, uint32_t strand, size_t n, const uint16_t *words);

/** rarog_spool_size() - bytes of the records accepted so far; what --max-size is compared with. */
uint64_t rarog_spool_size(const struct rarog_spool *spool);

/** rarog_spool_room() - bytes that its file system still has; UINT64_MAX: unknown. */
uint64_t rarog_spool_room(const struct rarog_spool *spool);

const char *rarog_spool_directory(const struct rarog_spool *spool);

/** rarog_spool_end() - @strand has ended: nothing more will be appended for it; as an append. */
int rarog_spool_end(struct rarog_spool *spool, uint32_t strand);

/* @n is 0 where @strand ends, else @words is borrowed until the call returns; a negative return
 * ends the replay. */
typedef int rarog_spool_visit(void *context, uint32_t strand, size_t n, const uint16_t *words);

/**
 * rarog_spool_replay() - give every record to @visit, in order
 *
 * An append may come back in several pieces. Memory stays constant: pages already read are dropped
 * from the cache. May be repeated. Return: 0, -EIO with message, what @visit returned.
 */
int rarog_spool_replay(struct rarog_spool *spool, rarog_spool_visit *visit, void *context);

/**
 * rarog_spool_take() - give the next records to @visit, each of them once: for a spool that is read
 * while it grows, instead of rarog_spool_replay()
 * @bytes: of the spool, at least so many if it has them; records are not split
 *
 * What was taken needs no room any more, where the file system can do that.
 * Return: 1: that was all; 0: there is more; -ENOMEM, -EIO with message, what @visit returned (that
 * record comes again).
 */
int rarog_spool_take(struct rarog_spool *spool, uint64_t bytes, rarog_spool_visit *visit,
		     void *context);

/** rarog_spool_taken() - bytes of the records that were taken, in rarog_spool_size()'s. */
uint64_t rarog_spool_taken(const struct rarog_spool *spool);

#endif
