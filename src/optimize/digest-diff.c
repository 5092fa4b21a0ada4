/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "optimize/digest-diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

#define NOBODY (-1L)

/* A function now that may be a copy of one then. */
struct pair {
	long now, then;
	uint32_t older; /* of the same now: number from 1; 0: none */
	bool differs;
};

struct diff {
	const struct rarog_code_digest *then, *now;
	long *before;      /* [now]: the item of then that it was; NOBODY: it is new */
	bool *is_met;      /* [then]: it is some item now */
	uint32_t *pair_of; /* [now]: its youngest: number from 1; 0: none */
	RAROG_VEC(struct pair) pairs;
};

/* --- which function was which --- */

struct alike {
	const struct rarog_digest_item *item;
	uint32_t number;
};

static int by_hash(const void *left, const void *right)
{
	const struct alike *x = left, *y = right;
	const struct rarog_digest_item *a = x->item, *b = y->item;

	if (a->is_function != b->is_function)
		return a->is_function - b->is_function;
	for (int i = 0; i < 2; i++)
		if (a->hash[i] != b->hash[i])
			return a->hash[i] < b->hash[i] ? -1 : 1;
	return (a->n_refs > b->n_refs) - (a->n_refs < b->n_refs);
}

static int by_hash_and_number(const void *left, const void *right)
{
	const struct alike *x = left, *y = right;
	int order = by_hash(left, right);

	return order ? order : (x->number > y->number) - (x->number < y->number);
}

static void match_names(struct diff *d)
{
	for (size_t i = 0; i < d->now->v.n; i++) {
		d->before[i] = rarog_code_digest_find(d->then, d->now->v.v[i].name);
		if (d->before[i] < 0 ||
		    d->then->v.v[d->before[i]].is_function != d->now->v.v[i].is_function)
			d->before[i] = NOBODY;
		else
			d->is_met[d->before[i]] = true;
	}
}

static size_t list(const struct rarog_code_digest *digest, const long before[], const bool is_met[],
		   struct alike ret[])
{
	size_t n = 0;

	for (uint32_t i = 0; i < digest->v.n; i++)
		if (before ? before[i] == NOBODY : !is_met[i])
			ret[n++] = (struct alike){ &digest->v.v[i], i };
	if (n > 1)
		qsort(ret, n, sizeof(*ret), by_hash_and_number);
	return n;
}

/* Those that are alike, in the order of their names. */
static int match_renamed(struct diff *d)
{
	rarog_cleanup(rarog_freep) struct alike *fresh = calloc(d->now->v.n + 1, sizeof(*fresh));
	rarog_cleanup(rarog_freep) struct alike *gone = calloc(d->then->v.n + 1, sizeof(*gone));
	size_t n_fresh, n_gone;

	if (!fresh || !gone)
		return rarog_oom();
	n_fresh = list(d->now, d->before, NULL, fresh);
	n_gone = list(d->then, NULL, d->is_met, gone);
	for (size_t i = 0, k = 0; i < n_fresh && k < n_gone;) {
		int order = by_hash(&fresh[i], &gone[k]);

		if (order == 0) {
			d->before[fresh[i].number] = gone[k].number;
			d->is_met[gone[k].number] = true;
		}
		i += order <= 0;
		k += order >= 0;
	}
	return 0;
}

/* --- what is different --- */

static const char *ref(const struct rarog_code_digest *digest, const struct rarog_digest_item *item,
		       uint32_t k)
{
	return digest->refs.v[item->first_ref + k];
}

/* Was it what @then is? */
static bool was(const struct diff *d, const char *now, const char *then)
{
	long number = rarog_code_digest_find(d->now, now);

	if (number < 0)
		return strcmp(now, then) == 0;
	return d->before[number] != NOBODY &&
	       strcmp(d->then->v.v[d->before[number]].name, then) == 0;
}

/* Several have one name: what stands before the source file's. */
static bool is_namesake(const char *now, const char *then)
{
	size_t n = strcspn(now, "@");

	return now[n] && strcspn(then, "@") == n && then[n] && memcmp(now, then, n) == 0;
}

/* Nobody knows whose they are. */
static bool has_thread_data(const struct rarog_code_digest *digest,
			    const struct rarog_digest_item *item)
{
	for (uint32_t k = 0; k < item->n_refs; k++)
		if (strcmp(ref(digest, item, k), RAROG_DIGEST_THREAD_DATA) == 0)
			return true;
	return false;
}

/* As far as their own code tells. */
static bool may_be_copy(const struct diff *d, long now, long then)
{
	const struct rarog_digest_item *a = &d->now->v.v[now], *b = &d->then->v.v[then];

	return a->is_function && !has_thread_data(d->now, a) && is_namesake(a->name, b->name) &&
	       by_hash(&(struct alike){ a, 0 }, &(struct alike){ b, 0 }) == 0;
}

static uint32_t find_pair(const struct diff *d, long now, long then)
{
	uint32_t number = d->pair_of[now];

	while (number && d->pairs.v[number - 1].then != then)
		number = d->pairs.v[number - 1].older;
	return number;
}

/* Equal until it is known better. 1, 0: they are not, -ENOMEM. */
static int take_for_copy(struct diff *d, const char *now, const char *then)
{
	long i = rarog_code_digest_find(d->now, now), k = rarog_code_digest_find(d->then, then);
	uint32_t number;

	if (i < 0 || k < 0 || !may_be_copy(d, i, k))
		return 0;
	number = find_pair(d, i, k);
	if (number)
		return !d->pairs.v[number - 1].differs;
	if (rarog_vec_push(&d->pairs, (struct pair){ i, k, d->pair_of[i], false }) < 0)
		return rarog_oom();
	d->pair_of[i] = (uint32_t)d->pairs.n;
	return 1;
}

/* Does one refer to what the other referred to, or to a copy of it? 1, 0, -ENOMEM. */
static int compare_refs(struct diff *d, long now, long then,
			int (*is_copy)(struct diff *d, const char *now, const char *then))
{
	const struct rarog_digest_item *a = &d->now->v.v[now], *b = &d->then->v.v[then];
	int r = 1;

	for (uint32_t k = 0; r > 0 && k < a->n_refs; k++)
		if (!was(d, ref(d->now, a, k), ref(d->then, b, k)))
			r = is_copy(d, ref(d->now, a, k), ref(d->then, b, k));
	return r;
}

static void forget_pairs(struct diff *d, size_t n)
{
	while (d->pairs.n > n) {
		const struct pair *pair = &d->pairs.v[--d->pairs.n];

		d->pair_of[pair->now] = pair->older;
	}
}

/*
 * Each file that uses an inline function has its own copies of what that calls, and one of them is
 * linked. A variable of another file is another one, however alike. Functions that call each other
 * are copies if nothing contradicts it. If something does, the first pair is none; what was taken
 * for equal on the way is not known.
 */
static int is_copy(struct diff *d, const char *now, const char *then)
{
	size_t first = d->pairs.n;
	int r = take_for_copy(d, now, then);

	for (size_t i = first; r > 0 && i < d->pairs.n; i++)
		r = compare_refs(d, d->pairs.v[i].now, d->pairs.v[i].then, take_for_copy);
	if (r == 0 && d->pairs.n > first) {
		forget_pairs(d, first + 1);
		d->pairs.v[first].differs = true;
	}
	return r;
}

/* enum rarog_code_change, or -ENOMEM. */
static int compare(struct diff *d, size_t i)
{
	const struct rarog_digest_item *now = &d->now->v.v[i], *then;
	int r;

	if (d->before[i] == NOBODY)
		return RAROG_CHANGE_NEW;
	then = &d->then->v.v[d->before[i]];
	if (memcmp(now->hash, then->hash, sizeof(now->hash)) != 0 || now->n_refs != then->n_refs)
		return RAROG_CHANGE_CODE;
	r = compare_refs(d, (long)i, d->before[i], is_copy);
	if (r <= 0)
		return r < 0 ? r : RAROG_CHANGE_CALLS;
	return strcmp(now->name, then->name) == 0 ? RAROG_CHANGE_NONE : RAROG_CHANGE_RENAMED;
}

static bool is_like_before(uint8_t change)
{
	return change == RAROG_CHANGE_NONE || change == RAROG_CHANGE_RENAMED;
}

static bool reads_changed(const struct diff *d, size_t i, const uint8_t changes[])
{
	const struct rarog_digest_item *item = &d->now->v.v[i];

	for (uint32_t k = 0; k < item->n_refs; k++) {
		long to = rarog_code_digest_find(d->now, ref(d->now, item, k));

		if (to >= 0 && !d->now->v.v[to].is_function && !is_like_before(changes[to]))
			return true;
	}
	return false;
}

/* Data that points to data that is different is different, too, and so on. */
static void spread(const struct diff *d, uint8_t changes[])
{
	bool again = true;

	while (again) {
		again = false;
		for (size_t i = 0; i < d->now->v.n; i++) {
			if (!is_like_before(changes[i]) || !reads_changed(d, i, changes))
				continue;
			changes[i] = RAROG_CHANGE_DATA;
			again |= !d->now->v.v[i].is_function;
		}
	}
}

int rarog_digest_diff(const struct rarog_code_digest *then, const struct rarog_code_digest *now,
		      uint8_t ret_changes[])
{
	rarog_cleanup(rarog_freep) long *before = calloc(now->v.n + 1, sizeof(*before));
	rarog_cleanup(rarog_freep) bool *is_met = calloc(then->v.n + 1, sizeof(*is_met));
	rarog_cleanup(rarog_freep) uint32_t *pair_of = calloc(now->v.n + 1, sizeof(*pair_of));
	struct diff d = {
		.then = then, .now = now, .before = before, .is_met = is_met, .pair_of = pair_of
	};
	int r = before && is_met && pair_of ? 0 : rarog_oom();

	if (r < 0)
		return r;
	match_names(&d);
	r = match_renamed(&d);
	for (size_t i = 0; r >= 0 && i < now->v.n; i++) {
		r = compare(&d, i);
		ret_changes[i] = (uint8_t)r;
	}
	rarog_vec_release(&d.pairs);
	if (r < 0)
		return r;
	spread(&d, ret_changes);
	return 0;
}
