/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Read by recursive descent, what binds least first; kept as postfix, as it is asked often. */
#include "feature/constraint.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/error.h"

#define DEPTH 100 /* of parentheses, negations, and one implication in another */
#define STACK 256 /* of truths while one is asked */

struct reader {
	const char *at;
	rarog_feature_number number;
	const void *user;
	struct rarog_constraint *into;
	unsigned depth, height; /* height: of the stack when this is asked */
};

static int read_equal(struct reader *r);

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

static int add(struct reader *r, int32_t what)
{
	return rarog_vec_push(&r->into->code, what) < 0 ? rarog_oom() : 0;
}

/* Two truths become one. */
static int add_sign(struct reader *r, enum rarog_constraint_sign sign)
{
	r->height--;
	return add(r, sign);
}

static int read_name(struct reader *r)
{
	const char *name = r->at;
	int32_t number;

	while (isalnum((unsigned char)*r->at) || (*r->at && strchr("_.-", *r->at)))
		r->at++;
	number = r->at > name ? r->number(r->user, name, (size_t)(r->at - name)) : -1;
	if (number < 0 || r->height == STACK)
		return -EINVAL;
	r->height++;
	return add(r, number);
}

static int read_one(struct reader *r);

static int read_negated(struct reader *r)
{
	int e = read_one(r);

	return e < 0 ? e : add(r, RAROG_CONSTRAINT_NOT);
}

static int read_enclosed(struct reader *r)
{
	int e = read_equal(r);

	return e < 0 || takes(r, ")") ? e : -EINVAL;
}

static int read_one(struct reader *r)
{
	int e;

	if (r->depth == DEPTH)
		return -EINVAL;
	r->depth++;
	if (takes(r, "!"))
		e = read_negated(r);
	else
		e = takes(r, "(") ? read_enclosed(r) : read_name(r);
	r->depth--;
	return e;
}

static int read_and(struct reader *r)
{
	int e = read_one(r);

	while (e == 0 && takes(r, "&")) {
		takes(r, "&");
		e = read_one(r);
		if (e == 0)
			e = add_sign(r, RAROG_CONSTRAINT_AND);
	}
	return e;
}

static int read_or(struct reader *r)
{
	int e = read_and(r);

	while (e == 0 && takes(r, "|")) {
		takes(r, "|");
		e = read_and(r);
		if (e == 0)
			e = add_sign(r, RAROG_CONSTRAINT_OR);
	}
	return e;
}

static int read_implied(struct reader *r)
{
	int e = r->depth < DEPTH ? read_or(r) : -EINVAL;

	if (e < 0 || !takes(r, "=>"))
		return e;
	r->depth++;
	e = read_implied(r);
	r->depth--;
	return e < 0 ? e : add_sign(r, RAROG_CONSTRAINT_IMPLIES);
}

static int read_equal(struct reader *r)
{
	int e = read_implied(r);

	while (e == 0 && takes(r, "<=>")) {
		e = read_implied(r);
		if (e == 0)
			e = add_sign(r, RAROG_CONSTRAINT_EQUALS);
	}
	return e;
}

int rarog_constraint_read(const char *text, rarog_feature_number number, const void *user,
			  struct rarog_constraint *ret_constraint)
{
	struct reader r = { .at = text, .number = number, .user = user, .into = ret_constraint };
	int e;

	*ret_constraint = (struct rarog_constraint){ 0 };
	e = read_equal(&r);
	skip_blanks(&r);
	return e < 0 || *r.at == '\0' ? e : -EINVAL;
}

void rarog_constraint_release(struct rarog_constraint *constraint)
{
	rarog_vec_release(&constraint->code);
}

/* Bit 2a + b: what becomes of the truths a and b. */
static const uint8_t truths[] = {
	[RAROG_CONSTRAINT_AND - RAROG_CONSTRAINT_NOT] = 8,
	[RAROG_CONSTRAINT_OR - RAROG_CONSTRAINT_NOT] = 14,
	[RAROG_CONSTRAINT_IMPLIES - RAROG_CONSTRAINT_NOT] = 11,
	[RAROG_CONSTRAINT_EQUALS - RAROG_CONSTRAINT_NOT] = 9,
};

bool rarog_constraint_holds(const struct rarog_constraint *constraint, const bool on[])
{
	bool stack[STACK];
	size_t n = 0;

	stack[0] = true; /* an empty one holds */
	for (size_t i = 0; i < constraint->code.n; i++) {
		int32_t what = constraint->code.v[i];

		if (what >= 0) {
			stack[n++] = on[what];
		} else if (what == RAROG_CONSTRAINT_NOT) {
			assert(n > 0);
			stack[n - 1] = !stack[n - 1];
		} else {
			assert(n > 1);
			n--;
			stack[n - 1] = truths[what - RAROG_CONSTRAINT_NOT] >>
					       (2 * stack[n - 1] + stack[n]) &
				       1;
		}
	}
	return stack[0];
}
