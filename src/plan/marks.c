/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From the notes of a file to marks: which names are meant, which two of them are a region, and
 * whether the code lets all of their places be measured. A name is measured at all of its places
 * or at none: half of the counts would be a wrong number.
 */
#include "plan/marks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/lower-bound.h"
#include "base/str.h"
#include "binary/usdt.h"
#include "plan/mark-places.h"
#include "plan/mark-values.h"
#include "plan/region-places.h"

#define OWN_PROVIDER "rarog" /* rarog.h */

/* What places have in common. */
struct label {
	const char *provider, *name; /* borrowed */
	long partner;                /* the label that ends or begins it, -1: none */
	bool begins;                 /* of the two this is the first */
	bool is_wanted;
	uint32_t every; /* of its passages one is recorded */
	bool is_region; /* both are measured as one */
	char *stem;     /* the pair's name; NULL: no pair */
	long group;     /* index into marks->names, -1: none yet */
};

struct search {
	const struct rarog_binary *binary;
	const char *path;
	struct rarog_plan *plan;
	struct rarog_marks *marks;
	struct rarog_usdts usdts;
	RAROG_VEC(struct label) labels;
	size_t *label_of;              /* [usdts.n] */
	struct rarog_mark_site *sites; /* [usdts.n] */
};

static void release(struct search *s)
{
	for (size_t i = 0; i < s->labels.n; i++)
		free(s->labels.v[i].stem);
	rarog_vec_release(&s->labels);
	rarog_usdts_release(&s->usdts);
	free(s->label_of);
	free(s->sites);
}

/* --- names --- */

static int find_label(struct search *s, const struct rarog_usdt *usdt, size_t *ret_label)
{
	struct label label = {
		.provider = usdt->provider, .name = usdt->name, .partner = -1, .group = -1
	};

	for (size_t i = 0; i < s->labels.n; i++)
		if (strcmp(s->labels.v[i].name, usdt->name) == 0 &&
		    strcmp(s->labels.v[i].provider, usdt->provider) == 0) {
			*ret_label = i;
			return 0;
		}
	*ret_label = s->labels.n;
	return rarog_vec_push(&s->labels, label) < 0 ? rarog_oom() : 0;
}

static int find_partner(struct search *s, size_t begin)
{
	struct label *from = &s->labels.v[begin];

	for (size_t i = 0; i < s->labels.n; i++) {
		struct label *to = &s->labels.v[i];

		if (to->partner >= 0 || strcmp(from->provider, to->provider) != 0 ||
		    !rarog_usdt_begins(from->name, to->name))
			continue;
		from->partner = (long)i;
		from->begins = true;
		to->partner = (long)begin;
		from->stem = rarog_usdt_region_name(from->name, to->name);
		to->stem = from->stem ? strdup(from->stem) : NULL;
		return to->stem ? 0 : rarog_oom();
	}
	return 0;
}

static int name_all(struct search *s)
{
	int r = 0;

	s->label_of = calloc(s->usdts.n, sizeof(*s->label_of));
	if (!s->label_of)
		return rarog_oom();
	for (size_t i = 0; r == 0 && i < s->usdts.n; i++)
		r = find_label(s, &s->usdts.v[i], &s->label_of[i]);
	for (size_t i = 0; r == 0 && i < s->labels.n; i++)
		if (s->labels.v[i].partner < 0)
			r = find_partner(s, i);
	return r;
}

/* --- which are meant --- */

/* Which of its passages --usdt names: 1 each, N every N-th, 0: none. */
static int look_up(const struct search *s, const struct label *label, uint32_t *ret_every)
{
	rarog_cleanup(rarog_freep) char *whole =
		rarog_asprintf("%s:%s", label->provider, label->name);
	rarog_cleanup(rarog_freep) char *region =
		label->stem ? rarog_asprintf("%s:%s", label->provider, label->stem) : NULL;
	const char *names[] = { whole, label->name, region, label->stem };

	if (!whole || (label->stem && !region))
		return rarog_oom();
	*ret_every = 0;
	if (rarog_match_test(&s->plan->usdt, RAROG_COUNT(names), names))
		*ret_every = rarog_call_sampling_of(&s->plan->usdt_every, s->path,
						    RAROG_COUNT(names), names);
	return 0;
}

/* Where functions are chosen by name only what the program's author wrote for us comes with them.
 */
static bool is_usual(const struct rarog_plan *plan, const struct label *label)
{
	return (plan->functions.include.n == 0 && !plan->no_functions && !plan->hooked) ||
	       strcmp(label->provider, OWN_PROVIDER) == 0;
}

static int choose(struct search *s)
{
	for (size_t i = 0; i < s->labels.n; i++) {
		struct label *label = &s->labels.v[i];
		int r = 0;

		if (s->plan->usdt.include.n > 0)
			r = look_up(s, label, &label->every);
		else
			label->every = is_usual(s->plan, label);
		if (r < 0)
			return r;
		label->is_wanted = label->every > 0;
	}
	return 0;
}

/* --- which pairs are regions --- */

/* The function that a place belongs to: a split-off part runs on its function's stack frame. */
static long host_of(const struct search *s, size_t place)
{
	return rarog_binary_host(s->binary, s->usdts.v[place].function);
}

static bool has_place_in(const struct search *s, size_t label, long host)
{
	for (size_t i = 0; i < s->usdts.n; i++)
		if (s->label_of[i] == label && host_of(s, i) == host)
			return true;
	return false;
}

/* Does each function with a place of @label have one of its partner, and is its frame known? */
static bool is_together(const struct search *s, size_t label)
{
	for (size_t i = 0; i < s->usdts.n; i++)
		if (s->label_of[i] == label &&
		    (s->sites[i].return_place.from == RAROG_RETURN_UNKNOWN || host_of(s, i) < 0 ||
		     !has_place_in(s, (size_t)s->labels.v[label].partner, host_of(s, i))))
			return false;
	return true;
}

static void join_pairs(struct search *s)
{
	for (size_t i = 0; i < s->labels.n; i++) {
		struct label *begin = &s->labels.v[i], *end;

		if (!begin->begins)
			continue;
		end = &s->labels.v[begin->partner];
		if (!begin->is_wanted || !end->is_wanted)
			continue;
		begin->is_region = is_together(s, i) && is_together(s, (size_t)begin->partner);
		end->is_region = begin->is_region;
		if (!begin->is_region && s->marks->n_apart++ == 0)
			s->marks->apart = begin->name;
	}
}

/* --- marks --- */

static int judge(struct search *s)
{
	rarog_cleanup(rarog_freep) uint64_t *addresses = calloc(s->usdts.n, sizeof(*addresses));

	s->sites = calloc(s->usdts.n, sizeof(*s->sites));
	if (!addresses || !s->sites)
		return rarog_oom();
	for (size_t i = 0; i < s->usdts.n; i++)
		addresses[i] = s->usdts.v[i].address;
	return rarog_mark_sites(s->binary, s->usdts.n, addresses, s->sites);
}

static int add_name(struct search *s, const struct label *label, uint64_t address)
{
	struct rarog_mark_name name = {
		.address = address,
		.every = label->every,
		.is_region = label->is_region,
	};

	name.text = rarog_asprintf("%s:%s", label->provider,
				   label->is_region ? label->stem : label->name);
	if (name.text && rarog_vec_push(&s->marks->names, name) == 0)
		return 0;
	free(name.text);
	return rarog_oom();
}

/* Two notes of one place cannot be told apart. */
static bool is_taken(const struct rarog_marks *marks, uint64_t address)
{
	return marks->v.n > 0 && marks->v.v[marks->v.n - 1].address == address;
}

/* Are its values captured? What is measured only because it is there may tell a lot that no one
 * wants to know. */
static bool is_told(const struct rarog_plan *plan, const struct label *label)
{
	return plan->detail != RAROG_DETAIL_COUNT &&
	       (plan->usdt.include.n > 0 || strcmp(label->provider, OWN_PROVIDER) == 0);
}

static int add_mark(struct search *s, size_t place)
{
	const struct rarog_usdt *usdt = &s->usdts.v[place];
	struct label *label = &s->labels.v[s->label_of[place]];
	struct label *other = label->is_region ? &s->labels.v[label->partner] : label;
	struct rarog_mark mark = {
		.address = usdt->address,
		.semaphore = usdt->semaphore,
		.action = RAROG_MARK_POINT,
		.site = s->sites[place],
	};

	if (!label->is_wanted)
		return 0;
	if (label->group < 0) {
		label->group = other->group = (long)s->marks->names.n;
		if (add_name(s, label, usdt->address) < 0)
			return -ENOMEM;
	}
	if (label->is_region)
		mark.action = label->begins ? RAROG_MARK_BEGIN : RAROG_MARK_STOP;
	if (is_taken(s->marks, usdt->address))
		mark.site.verdict = RAROG_MARK_TAKEN;
	mark.name = (uint32_t)label->group;
	if (is_told(s->plan, label) &&
	    rarog_mark_values_read(s->binary, usdt->arguments, s->marks, &mark) < 0)
		return -ENOMEM;
	return rarog_vec_push(&s->marks->v, mark) < 0 ? rarog_oom() : 0;
}

static int find_usdt(const struct rarog_binary *binary, const char *path, struct rarog_plan *plan,
		     struct rarog_marks *marks)
{
	struct search s = { .binary = binary, .path = path, .plan = plan, .marks = marks };
	int r = rarog_usdts_read(binary, &s.usdts);

	if (r == 0 && s.usdts.n > 0)
		r = name_all(&s);
	if (r == 0)
		r = choose(&s);
	if (r == 0 && s.usdts.n > 0)
		r = judge(&s);
	if (r == 0)
		join_pairs(&s);
	for (size_t i = 0; r == 0 && i < s.usdts.n; i++)
		r = add_mark(&s, i);
	release(&s);
	return r;
}

/* Of marks at one address ends come first: what ends there has nothing to do with what begins. */
static int compare(const void *a, const void *b)
{
	static const uint8_t order[] = {
		[RAROG_MARK_STOP] = 0,
		[RAROG_MARK_LEFT] = 1,
		[RAROG_MARK_POINT] = 2,
		[RAROG_MARK_BEGIN] = 3,
	};
	const struct rarog_mark *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->action != y->action)
		return order[x->action] - order[y->action];
	if (rarog_mark_ends(x)) /* what began last ends first */
		return x->name > y->name ? -1 : x->name < y->name;
	return x->name < y->name ? -1 : x->name > y->name;
}

int rarog_marks_find(struct rarog_binary *binary, const char *path, struct rarog_plan *plan,
		     struct rarog_marks *ret_marks)
{
	int r;

	*ret_marks = (struct rarog_marks){ 0 };
	r = plan->no_usdt ? 0 : find_usdt(binary, path, plan, ret_marks);
	if (r == 0)
		r = rarog_mark_places_add(binary, path, plan, ret_marks);
	if (r == 0)
		r = rarog_region_places_add(binary, path, plan, ret_marks);
	if (ret_marks->v.n > 1)
		qsort(ret_marks->v.v, ret_marks->v.n, sizeof(*ret_marks->v.v), compare);
	for (size_t i = 0; i < ret_marks->names.n; i++)
		ret_marks->names.v[i].title = rarog_demangle_place(ret_marks->names.v[i].text);
	return r < 0 ? r : rarog_mark_values_columns(ret_marks);
}

const char *rarog_mark_title(const struct rarog_mark_name *name)
{
	return name->title ? name->title : name->text;
}

static void name_release(struct rarog_mark_name *name)
{
	free(name->text);
	free(name->title);
	free(name->hint);
	rarog_wanted_values_release(&name->values);
}

void rarog_marks_release(struct rarog_marks *marks)
{
	for (size_t i = 0; i < marks->names.n; i++)
		name_release(&marks->names.v[i]);
	rarog_vec_release(&marks->names);
	rarog_vec_release(&marks->values);
	rarog_vec_release(&marks->v);
}

static void remove_mark(struct rarog_marks *marks, size_t mark)
{
	marks->v.n--;
	memmove(marks->v.v + mark, marks->v.v + mark + 1,
		(marks->v.n - mark) * sizeof(*marks->v.v));
}

void rarog_marks_leave_out(struct rarog_marks *marks, size_t mark, const char *reason)
{
	uint32_t name = marks->v.v[mark].name;
	size_t n = 0;

	if (marks->v.v[mark].action == RAROG_MARK_LEFT) {
		marks->names.v[name].is_left_open = true;
		return remove_mark(marks, mark);
	}
	marks->names.v[name].reason = reason;
	marks->names.v[name].refused_at = marks->v.v[mark].address;
	marks->names.v[name].is_end_refused = marks->v.v[mark].action == RAROG_MARK_STOP;
	for (size_t i = 0; i < marks->v.n; i++)
		if (marks->v.v[i].name != name)
			marks->v.v[n++] = marks->v.v[i];
	marks->v.n = n;
}

long rarog_marks_at(const struct rarog_marks *marks, uint64_t address)
{
	size_t i = rarog_lower_bound(k, marks->v.n, marks->v.v[k].address < address);

	for (; i < marks->v.n && marks->v.v[i].address == address; i++)
		if (!rarog_mark_ends(&marks->v.v[i]))
			return marks->v.v[i].name;
	return -1;
}

void rarog_marks_drop_ends(struct rarog_marks *marks)
{
	size_t n = 0;

	for (size_t i = 0; i < marks->v.n; i++)
		if (!rarog_mark_ends(&marks->v.v[i]))
			marks->v.v[n++] = marks->v.v[i];
	marks->v.n = n;
}

/* --- what is said --- */

static void say_place(const struct rarog_mark_name *name, const char *path)
{
	rarog_cleanup(rarog_freep) char *place =
		name->refused_at ? rarog_asprintf("its code at 0x%" PRIx64, name->refused_at)
				 : strdup("it");

	rarog_warn("%s: %s is not measured: %s %s%s%s", path, rarog_mark_title(name),
		   place ? place : "it", name->reason, name->hint ? "; " : "",
		   name->hint ? name->hint : "");
}

static bool is_of_pattern(const struct rarog_mark_name *name)
{
	return name->is_call || name->is_return;
}

/* One line for all calls and returns: a pattern may mean many. */
static void say_calls(const struct rarog_marks *marks, const char *path)
{
	const struct rarog_mark_name *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < marks->names.n; i++)
		if (is_of_pattern(&marks->names.v[i]) && marks->names.v[i].reason && n++ == 0)
			first = &marks->names.v[i];
	if (n == 1)
		say_place(first, path);
	else if (n > 1)
		rarog_warn("%s: %s and %zu more are not measured: its code at 0x%" PRIx64
			   " %s; --dry-run names others",
			   path, rarog_mark_title(first), n - 1, first->refused_at, first->reason);
}

/* One line for all that a pattern or an analysis has found, not the user. */
static void say_found(const struct rarog_marks *marks, const struct rarog_plan *plan,
		      const char *path)
{
	const struct rarog_mark_name *first = NULL;
	size_t n = 0;

	if (plan->usdt.include.n == 0 && !plan->regions)
		return;
	for (size_t i = 0; i < marks->names.n; i++)
		if (!marks->names.v[i].is_asked && marks->names.v[i].reason && n++ == 0)
			first = &marks->names.v[i];
	if (first)
		rarog_warn("%s: %s is not measured: it %s%s", path, rarog_mark_title(first),
			   first->reason, n > 1 ? "; --dry-run names others" : "");
	if (marks->n_apart > 0)
		rarog_warn("%s: %s is counted, and so is its end, which is not in the same "
			   "function",
			   path, marks->apart);
}

/* One line for all of them. */
static void say_optimized(const struct rarog_marks *marks, const char *path)
{
	const struct rarog_mark_name *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < marks->names.n; i++)
		if (marks->names.v[i].is_optimized && !marks->names.v[i].reason && n++ == 0)
			first = &marks->names.v[i];
	if (!first)
		return;
	rarog_cleanup(rarog_freep) char *others =
		n > 1 ? rarog_asprintf(" and %zu more are", n - 1) : strdup(" is");
	rarog_warn("%s: %s%s in optimized code: several turns of a loop that the compiler made one "
		   "are counted once",
		   path, rarog_mark_title(first), others ? others : " is");
}

/* One line for all of them. */
static void say_counted(const struct rarog_marks *marks, const char *path)
{
	const struct rarog_mark_name *first = NULL;
	char others[64] = "";
	size_t n = 0;

	for (size_t i = 0; i < marks->names.n; i++)
		if (marks->names.v[i].counted && !marks->names.v[i].reason && n++ == 0)
			first = &marks->names.v[i];
	if (n > 1)
		snprintf(others, sizeof(others), ", as %zu more for such a reason", n - 1);
	if (first)
		rarog_warn("%s: %s is counted, not timed%s: %s", path, rarog_mark_title(first),
			   others, first->counted);
}

/* One line for all of them. */
static void say_left_open(const struct rarog_marks *marks, const char *path)
{
	const struct rarog_mark_name *first = NULL;
	char others[64] = "";
	size_t n = 0;

	for (size_t i = 0; i < marks->names.n; i++)
		if (marks->names.v[i].is_left_open && marks->names.v[i].is_region &&
		    !marks->names.v[i].reason && n++ == 0)
			first = &marks->names.v[i];
	if (n > 1)
		snprintf(others, sizeof(others), " and %zu more", n - 1);
	if (first)
		rarog_warn("%s: calls of %s%s that an exception or longjmp leaves may be shown "
			   "too long: no probe can be where control comes to",
			   path, rarog_mark_title(first), others);
}

void rarog_marks_say(const struct rarog_marks *marks, const struct rarog_plan *plan,
		     const char *path)
{
	say_optimized(marks, path);
	say_counted(marks, path);
	say_left_open(marks, path);
	for (size_t i = 0; i < marks->names.n; i++)
		if (marks->names.v[i].is_asked && !is_of_pattern(&marks->names.v[i]) &&
		    marks->names.v[i].reason)
			say_place(&marks->names.v[i], path);
	say_calls(marks, path);
	say_found(marks, plan, path);
}

void rarog_marks_write(struct rarog_json *json, const struct rarog_marks *marks, bool asked)
{
	for (size_t i = 0; i < marks->names.n; i++) {
		if (marks->names.v[i].is_asked != asked)
			continue;
		rarog_json_object(json, NULL);
		rarog_json_string(json, "name", marks->names.v[i].text);
		rarog_json_bool(json, "is_region", marks->names.v[i].is_region);
		rarog_json_string(json, "reason", marks->names.v[i].reason);
		rarog_json_end_object(json);
	}
}

/* --- the profile --- */

struct rarog_location rarog_mark_location(const struct rarog_mark_name *name)
{
	return (struct rarog_location){
		.kind = name->is_region ? RAROG_LOCATION_REGION : RAROG_LOCATION_POINT,
		.address = name->address,
		.size = 1,
		.name = name->text,
	};
}
