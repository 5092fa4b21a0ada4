/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "feature/list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/str.h"

static bool is_named(const json_t *names, const struct rarog_strings *wanted)
{
	for (size_t i = 0; i < json_array_size(names); i++)
		for (size_t k = 0; k < wanted->n; k++)
			if (strcmp(json_string_value(json_array_get(names, i)), wanted->v[k]) == 0)
				return true;
	return wanted->n == 0;
}

static bool is_listed(const struct rarog_feature_region *region, const struct rarog_strings *wanted)
{
	return region->state == RAROG_FEATURE_KEPT && is_named(region->features, wanted);
}

/* Does a call leave it that has to stay a jump? Its end would come after that, and the program
 * would run out of stack. A coroutine may go on on another stack. What is neither is compiled in;
 * room for probes is in nobody's way. */
static bool is_probed_only(const struct rarog_feature_region *region)
{
	return *region->jump || region->is_in_coroutine;
}

static void say_probed_only(const struct rarog_feature_region *region)
{
	if (*region->jump)
		rarog_warn("%s: not compiled in: %s calls by a jump at %s, which may lead back to "
			   "it; with an end after that call the stack would grow; measure it "
			   "without --engine static (--region-nops leaves room for that)",
			   region->label, region->function, region->jump);
	else
		rarog_warn("%s: not compiled in: %s is a coroutine, which may go on on another "
			   "stack; measure it without --engine static",
			   region->label, region->function);
}

/* What is listed has numbers of its own, without gaps: they index tables. What is only probed comes
 * last. */
struct listing {
	const struct rarog_feature_analysis *analysis;
	const struct rarog_strings *wanted;
	uint32_t *numbers; /* [analysis->regions.n]; UINT32_MAX: it is not listed */
	uint32_t n;
	struct rarog_str text;
};

static int add_regions(struct listing *l, bool are_probed_only)
{
	const struct rarog_feature_analysis *a = l->analysis;
	int r = 0;

	for (size_t i = 0; r == 0 && i < a->regions.n; i++) {
		const struct rarog_feature_region *region = &a->regions.v[i];

		if (!is_listed(region, l->wanted) || is_probed_only(region) != are_probed_only)
			continue;
		if (are_probed_only)
			say_probed_only(region);
		l->numbers[i] = l->n++;
		r = rarog_str_addf(&l->text, "%s\t%u\t%s\t%s\t%d\n",
				   are_probed_only ? "probed" : "region", l->numbers[i],
				   region->label, region->file, region->line);
	}
	return r;
}

static int add_piece(struct listing *l, const struct rarog_feature_piece *piece)
{
	bool has_begun = false;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < piece->n; i++) {
		uint32_t number = l->numbers[l->analysis->open.v[piece->first + i]];

		if (number == UINT32_MAX)
			continue;
		if (!has_begun)
			r = rarog_str_addf(&l->text, "piece\t%u", piece->piece);
		has_begun = true;
		if (r == 0)
			r = rarog_str_addf(&l->text, "\t%u", number);
	}
	return r < 0 || !has_begun ? r : rarog_str_addf(&l->text, "\n");
}

static int add_decisions(struct listing *l, size_t unit)
{
	const struct rarog_feature_analysis *a = l->analysis;
	int r = 0;

	for (size_t i = 0; r == 0 && i < a->decisions.n; i++) {
		const struct rarog_feature_decision *d = &a->decisions.v[i];

		if (d->unit == unit && d->region < a->regions.n &&
		    l->numbers[d->region] != UINT32_MAX)
			r = rarog_str_addf(&l->text, "decision\t%u\t%u\n", d->piece,
					   l->numbers[d->region]);
	}
	return r;
}

/* Of a source that is there twice it is not known which is meant. */
static bool is_twice(const struct rarog_feature_analysis *a, size_t unit)
{
	for (size_t i = 0; i < a->units.n; i++)
		if (i != unit && strcmp(a->units.v[i].name, a->units.v[unit].name) == 0 &&
		    strcmp(a->units.v[i].directory, a->units.v[unit].directory) == 0)
			return true;
	return false;
}

/* Pieces are in the order of units. */
static int add_units(struct listing *l)
{
	const struct rarog_feature_analysis *a = l->analysis;
	size_t at = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < a->units.n; i++) {
		const struct rarog_feature_unit *unit = &a->units.v[i];
		bool is_left_out = is_twice(a, i);

		if (!is_left_out)
			r = rarog_str_addf(&l->text, "unit\t%u\t%s\t%s\n", unit->n_pieces,
					   unit->name, unit->directory);
		for (; r == 0 && at < a->pieces.n && a->pieces.v[at].unit == i; at++)
			if (!is_left_out)
				r = add_piece(l, &a->pieces.v[at]);
		if (r == 0 && !is_left_out)
			r = add_decisions(l, i);
	}
	return r;
}

/* Fowler, Noll, Vo: FNV-1a. Only to tell lists apart. */
static uint64_t digest_of(const char *text)
{
	uint64_t digest = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		digest = (digest ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return digest;
}

static int write_text(const struct rarog_str *text, const char *path)
{
	rarog_cleanup(rarog_new_file_release) struct rarog_new_file file = RAROG_NEW_FILE_NONE;
	char head[64];
	int r = rarog_new_file_open(path, &file);

	snprintf(head, sizeof(head), "list\t%016" PRIx64 "\n", digest_of(rarog_str_text(text)));
	if (r == 0)
		r = rarog_write_all(file.fd, strlen(head), head);
	if (r == 0)
		r = rarog_write_all(file.fd, text->length, rarog_str_text(text));
	if (r == 0)
		r = rarog_new_file_commit(&file);
	return r < 0 ? rarog_fail(r, "%s: %s", path, strerror(-r)) : 0;
}

int rarog_feature_list_write(const struct rarog_feature_analysis *analysis,
			     const struct rarog_strings *wanted, const char *path)
{
	struct listing l = {
		.analysis = analysis,
		.wanted = wanted,
		.numbers = calloc(analysis->regions.n + 1, sizeof(*l.numbers)),
	};
	int r = l.numbers ? 0 : rarog_oom();

	if (r == 0)
		memset(l.numbers, 0xff, analysis->regions.n * sizeof(*l.numbers));
	if (r == 0)
		r = add_regions(&l, false);
	if (r == 0)
		r = add_regions(&l, true);
	if (r == 0)
		r = add_units(&l);
	if (r == 0)
		r = write_text(&l.text, path);
	rarog_str_release(&l.text);
	free(l.numbers);
	return r;
}
