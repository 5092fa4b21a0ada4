/* SPDX-License-Identifier: GPL-3.0-or-later */
/* By recursive descent: what binds least comes first. */
#include "feature/constraint.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define DEPTH 100 /* of parentheses and negations */

struct reader {
	const char *at;
	rarog_feature_is_on is_on;
	void *user;
	unsigned depth;
};

static int read_implied(struct reader *r);

static void skip_blanks(struct reader *r)
{
	while (isspace((unsigned char)*r->at))
		r->at++;
}

/* Take @word if it stands there. */
static bool takes(struct reader *r, const char *word)
{
	skip_blanks(r);
	if (strncmp(r->at, word, strlen(word)) != 0)
		return false;
	r->at += strlen(word);
	return true;
}

static int read_name(struct reader *r)
{
	const char *name = r->at;

	while (isalnum((unsigned char)*r->at) || (*r->at && strchr("_.-", *r->at)))
		r->at++;
	return r->at > name ? r->is_on(r->user, name, (size_t)(r->at - name)) : -EINVAL;
}

static int read_one(struct reader *r)
{
	int value;

	if (r->depth == DEPTH)
		return -EINVAL;
	r->depth++;
	if (takes(r, "!")) {
		value = read_one(r);
		value = value < 0 ? value : !value;
	} else if (takes(r, "(")) {
		value = read_implied(r);
		value = value < 0 || takes(r, ")") ? value : -EINVAL;
	} else {
		value = read_name(r);
	}
	r->depth--;
	return value;
}

static int read_and(struct reader *r)
{
	int value = read_one(r);

	while (value >= 0 && takes(r, "&")) {
		int other;

		takes(r, "&");
		other = read_one(r);
		value = other < 0 ? other : value && other;
	}
	return value;
}

static int read_or(struct reader *r)
{
	int value = read_and(r);

	while (value >= 0 && takes(r, "|")) {
		int other;

		takes(r, "|");
		other = read_and(r);
		value = other < 0 ? other : value || other;
	}
	return value;
}

static int read_implied(struct reader *r)
{
	int value = read_or(r), other;

	if (value >= 0 && takes(r, "<=>")) {
		other = read_implied(r);
		return other < 0 ? other : value == other;
	}
	if (value >= 0 && takes(r, "=>")) {
		other = read_implied(r);
		return other < 0 ? other : !value || other;
	}
	return value;
}

int rarog_feature_constraint(const char *text, rarog_feature_is_on is_on, void *user)
{
	struct reader r = { .at = text, .is_on = is_on, .user = user };
	int value = read_implied(&r);

	skip_blanks(&r);
	return value < 0 || *r.at ? -EINVAL : value;
}
