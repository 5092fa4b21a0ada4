/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile of the time collector: what the whole program took, from the header's "end". */
#include <jansson.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "view/term/counters.h"
#include "view/term/views.h"

static json_t *read_end(const struct rarog_show *show)
{
	json_t *header = json_loads(rarog_profile_header(show->run.profile), 0, NULL);
	json_t *end = json_incref(json_object_get(header, "end"));

	json_decref(header);
	return end;
}

typedef struct rarog_amount format_function(uint64_t amount);

static const struct {
	const char *key, *title;
	format_function *format;
} amounts[] = {
	{ "wall_ns", "wall time", rarog_format_ns },
	{ "user_ns", "user time", rarog_format_ns },
	{ "system_ns", "system time", rarog_format_ns },
	{ "max_rss_bytes", "max memory", rarog_format_bytes },
	{ "minor_faults", "page faults, minor", rarog_format_count },
	{ "major_faults", "page faults, major", rarog_format_count },
	{ "voluntary_switches", "switches, waited", rarog_format_count },
	{ "involuntary_switches", "switches, preempted", rarog_format_count },
};

enum column { TITLE, SHOWN, KEY, VALUE, N_COLUMNS };

static const struct rarog_sheet_fact columns[N_COLUMNS] = {
	[TITLE] = { RAROG_FACT_TEXT, "what", NULL, false },
	[SHOWN] = { RAROG_FACT_DRAWN, "amount", NULL, false },
	[KEY] = { RAROG_FACT_TEXT, NULL, "what", false },
	[VALUE] = { RAROG_FACT_ID, NULL, "amount", false },
};

static int add_row(struct rarog_sheet *sheet, const char *title, const char *key, const char *shown,
		   uint64_t amount)
{
	struct rarog_value values[N_COLUMNS] = { 0 };

	values[TITLE].text = title;
	values[SHOWN].text = shown;
	values[KEY].text = key;
	values[VALUE].number = amount;
	return rarog_sheet_add(sheet, values);
}

/* Of less memory than rarog's own only a bound is known. */
static int add_amount(struct rarog_sheet *sheet, size_t i, uint64_t amount, bool is_bound)
{
	struct rarog_amount text = amounts[i].format(amount);
	char shown[sizeof(text) + 16];

	snprintf(shown, sizeof(shown), "%s%s", text.text, is_bound ? " at most" : "");
	return add_row(sheet, amounts[i].title, amounts[i].key, shown, amount);
}

static int add_counters(struct rarog_sheet *sheet, const json_t *end)
{
	size_t i;
	json_t *counter;
	int r = 0;

	json_array_foreach (json_object_get(end, "counters"), i, counter) {
		rarog_cleanup(rarog_str_release) struct rarog_str shown = { 0 };
		uint64_t amount = rarog_counter_shown(counter, &shown);
		const char *name = json_string_value(json_object_get(counter, "name"));

		if (r == 0 && name)
			r = add_row(sheet, name, name, rarog_str_text(&shown), amount);
	}
	return r;
}

static int show_amounts(struct rarog_show *show)
{
	struct rarog_sheet sheet = { 0 };
	json_t *end = read_end(show);
	bool is_bound = json_is_true(json_object_get(end, "max_rss_is_bound"));
	int r = rarog_show_sheet(show, &sheet, N_COLUMNS, columns, "amounts");

	for (size_t i = 0; r == 0 && i < RAROG_COUNT(amounts); i++) {
		const json_t *value = json_object_get(end, amounts[i].key);

		if (json_is_integer(value))
			r = add_amount(&sheet, i, (uint64_t)json_integer_value(value),
				       is_bound && strcmp(amounts[i].key, "max_rss_bytes") == 0);
	}
	if (r == 0)
		r = add_counters(&sheet, end);
	r = rarog_show_sheet_end(show, &sheet, r);
	json_decref(end);
	return r;
}

const struct rarog_view rarog_view_amounts = {
	.name = "",
	.run = show_amounts,
};
