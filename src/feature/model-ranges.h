/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places in sources that VaRA's models name: a variable's name stands there, in the versions that
 * they are for. */
#ifndef RAROG_FEATURE_MODEL_RANGES_H
#define RAROG_FEATURE_MODEL_RANGES_H

#include <stdbool.h>

#include "base/vec.h"

struct rarog_model_range {
	char *path, *member; /* TYPE::MEMBER; NULL: a name stands in the source */
	int line, first, last;
	bool is_removed; /* it is of an older version */
};

struct rarog_model_ranges {
	RAROG_VEC(struct rarog_model_range) list;
};

#define RAROG_MODEL_SOURCES_MOST ((size_t)256 << 20) /* bytes */

struct rarog_model_source {
	char *path, *real; /* as it is named, and canonical */
	char *text;        /* NULL: it cannot be read */
	bool is_again;     /* the text is that of an earlier one of this real path */
};

/* Sources that were looked for, each once, while all fit. Zeroed but for the model: none yet. */
struct rarog_model_sources {
	const char *model; /* the file that names them: they are beside it, or in this folder */
	size_t bytes;      /* of all texts */
	RAROG_VEC(struct rarog_model_source) list;
};

void rarog_model_sources_release(struct rarog_model_sources *sources);

/** rarog_model_is_word() - may @c be in a name? */
bool rarog_model_is_word(char c);

/**
 * rarog_model_ranges_choose() - the range at which a name stands now
 * @sources: that are read as far as that is needed
 * @ret_word: the name, the caller's; set only if there is one
 *
 * One whose columns are a name before one that has a name among them, a present one before one of
 * an older version, a later one of the file before an earlier one. NULL: there is none.
 */
const struct rarog_model_range *rarog_model_ranges_choose(const struct rarog_model_ranges *ranges,
							  struct rarog_model_sources *sources,
							  char **ret_word);

void rarog_model_ranges_release(struct rarog_model_ranges *ranges);

#endif
