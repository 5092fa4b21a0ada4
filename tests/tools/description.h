/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What make-profile reads: statements, one a line; each mistake ends it. */
#ifndef RAROG_TESTS_DESCRIPTION_H
#define RAROG_TESTS_DESCRIPTION_H

#include <stdint.h>
#include <stdio.h>

#include "base/vec.h"

#define MAX_WORDS 12

struct line {
	size_t number, n;
	char *words[MAX_WORDS];
	size_t jump; /* repeat: its end; end: its repeat */
};

struct description {
	RAROG_VEC(struct line) lines;
};

void description_read(struct description *description, FILE *in);
void description_release(struct description *description);

void die(size_t number, const char *what);
void must(long r);
void *must_alloc(void *pointer);

uint64_t number_of(const struct line *line, size_t i, uint64_t otherwise);
const char *word_of(const struct line *line, size_t i);

/* Of KEY=VALUE among the words after the first two. */
const char *value_of(const struct line *line, const char *key);
uint64_t number_value(const struct line *line, const char *key, uint64_t otherwise);

#endif
