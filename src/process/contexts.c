/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When a signal handler runs, what it interrupted lies on the stack above it, in a form that the
 * kernel's ABI fixes: the instruction pointer is followed by the flags, and these by a word with
 * the code segment. Every thread's stack is searched for that from its stack pointer upwards; a
 * handler on an alternate stack has the frame on that stack.
 */
#include "process/contexts.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "process/maps.h"

#define PIECE       8192          /* words at a time */
#define BEHIND      2             /* words that belong to a context after its address */
#define SEARCH_MOST (64ull << 20) /* bytes of a stack */

#define USER_CODE_SEGMENT 0x33
#define FLAGS_ALWAYS      0x2
#define FLAGS_END         (1ull << 22)

static bool is_context(const uint64_t word[BEHIND + 1])
{
	return word[1] & FLAGS_ALWAYS && word[1] < FLAGS_END &&
	       (word[2] & 0xffff) == USER_CODE_SEGMENT;
}

struct search {
	struct rarog_remote *remote;
	rarog_threads_inside inside;
	const void *context;
	struct rarog_interrupted *found;
};

static int search_stack(const struct search *s, uint64_t start, uint64_t end)
{
	uint64_t words[PIECE + BEHIND];

	for (uint64_t at = start; at + 8 * (BEHIND + 1) <= end; at += 8ull * PIECE) {
		size_t n = end - at < sizeof(words) ? end - at : sizeof(words);
		ssize_t got = pread(s->remote->memory, words, n, (off_t)at);

		for (ssize_t i = 0; i + BEHIND < got / 8 && i < PIECE; i++)
			if (is_context(&words[i]) && s->inside(s->context, words[i]) &&
			    rarog_vec_push(&s->found->v, words[i]) < 0)
				return rarog_oom();
		if (got < (ssize_t)n)
			break;
	}
	return 0;
}

static uint64_t end_of_stack(uint64_t sp, long n, const struct rarog_mapping mappings[])
{
	for (long i = 0; i < n; i++)
		if (sp >= mappings[i].start && sp < mappings[i].end)
			return mappings[i].end - sp < SEARCH_MOST ? mappings[i].end
								  : sp + SEARCH_MOST;
	return 0;
}

int rarog_contexts_find(struct rarog_remote *remote, const struct rarog_threads *threads,
			rarog_threads_inside inside, const void *context,
			struct rarog_interrupted *ret_contexts)
{
	const struct search search = { remote, inside, context, ret_contexts };
	rarog_cleanup(rarog_freep) struct rarog_mapping *mappings = NULL;
	long n = rarog_maps_read(threads->anyone, &mappings);
	int r = n < 0 ? (int)n : 0;

	for (size_t i = 0; r == 0 && i < threads->v.n; i++) {
		uint64_t sp = threads->v.v[i].regs.rsp & ~UINT64_C(7);

		r = search_stack(&search, sp, end_of_stack(sp, n, mappings));
	}
	return r;
}
