/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/check-save.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/str.h"
#include "store/derived.h"
#include "view/verdict/verdict-view.h"

/* A later check of the same job of the same versions takes the place of this one. */
static void verdict_key(const struct rarog_check *check, struct rarog_hash *ret_key)
{
	const struct rarog_side *sides = check->comparison.sides;
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };

	rarog_str_addf(&text, "check 2\n%s\n%s\n%s\n", sides[0].version, sides[1].version,
		       rarog_hash_hex(&check->job_key).text);
	rarog_hash_bytes(text.length, rarog_str_text(&text), ret_key);
}

static int save_check(struct rarog_store *store, struct rarog_check *check)
{
	const struct rarog_side *sides = check->comparison.sides;
	const struct rarog_checks only = { .list = { .v = check, .n = 1 } };
	const struct rarog_verdict_options view = { .baseline = sides[0].name,
						    .target = sides[1].name };
	struct rarog_derived derived = {
		.kind = "verdict",
		.version = sides[1].version,
		.base = sides[0].version,
		.verdict = rarog_finding_name(check->verdict.finding),
	};
	char *bytes = NULL;
	size_t n = 0;
	FILE *out;
	int r;

	if (!sides[0].version || !sides[1].version || check->verdict.is_forced)
		return 0;
	for (size_t i = 0; i < check->verdict.changes.n; i++)
		derived.changes += rarog_change_is_notable(&check->verdict.changes.v[i]);
	verdict_key(check, &derived.key);
	out = open_memstream(&bytes, &n);
	if (!out)
		return rarog_oom();
	r = rarog_verdict_json.write(&only, &view, out);
	fclose(out);
	if (r == 0)
		r = rarog_derived_put(store, &derived, n, bytes, check->inputs.n, check->inputs.v);
	free(bytes);
	return r;
}

int rarog_check_save(struct rarog_store *store, struct rarog_checks *checks)
{
	int r = 0;

	if (!store || rarog_store_is_read_only(store))
		return 0;
	for (size_t i = 0; r == 0 && i < checks->list.n; i++)
		r = save_check(store, &checks->list.v[i]);
	return r;
}
