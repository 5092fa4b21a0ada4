/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What noise in each function did to the run: estimates with their intervals, and the documented
 * columns beside them. What hangs most on slower or faster code comes first.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/units.h"
#include "profile/effects.h"
#include "view/term/views.h"
#include "view/text.h"

enum column {
	EFFECT,
	INTERVAL,
	SENSITIVITY,
	CALLS,
	ON_PATH,
	SHARE,
	RUNS,
	FITNESS,
	INFLUENCE,
	OPPORTUNITY,
	NAME,
	/* for programs */
	MANGLED,
	FILE_,
	LINE,
	KIND,
	ESTIMATE,
	LOW,
	HIGH,
	N_SENSITIVITY,
	N_ON_PATH,
	N_FITNESS,
	N_INFLUENCE,
	N_OPPORTUNITY,
	DELAY,
	TOTAL,
	N_COLUMNS,
};

/* What people see of numbers is drawn, with as many digits as mean something. */
static const struct rarog_sheet_fact slow_columns[N_COLUMNS] = {
	[EFFECT] = { RAROG_FACT_DRAWN, "reaches the end", NULL, false },
	[INTERVAL] = { RAROG_FACT_DRAWN, "95 % interval", NULL, false },
	[SENSITIVITY] = { RAROG_FACT_DRAWN, "sensitivity", NULL, false },
	[CALLS] = { RAROG_FACT_COUNT, "calls", "calls", false },
	[ON_PATH] = { RAROG_FACT_DRAWN, "on the path", NULL, false },
	[SHARE] = { RAROG_FACT_DRAWN, "of the run", NULL, false },
	[FITNESS] = { RAROG_FACT_DRAWN, "fitness", NULL, false },
	[INFLUENCE] = { RAROG_FACT_DRAWN, "influence", NULL, false },
	[OPPORTUNITY] = { RAROG_FACT_DRAWN, NULL, NULL, false },
	[RUNS] = { RAROG_FACT_COUNT, "runs", "experiments", false },
	[NAME] = { RAROG_FACT_TEXT, "function", "name", true },
	[MANGLED] = { RAROG_FACT_TEXT, NULL, "mangled", false },
	[FILE_] = { RAROG_FACT_TEXT, NULL, "file", false },
	[LINE] = { RAROG_FACT_ID, NULL, "line", false },
	[KIND] = { RAROG_FACT_TEXT, NULL, "kind", false },
	[ESTIMATE] = { RAROG_FACT_NUMBER, NULL, "estimate", false },
	[LOW] = { RAROG_FACT_NUMBER, NULL, "low", false },
	[HIGH] = { RAROG_FACT_NUMBER, NULL, "high", false },
	[N_SENSITIVITY] = { RAROG_FACT_NUMBER, NULL, "sensitivity", false },
	[N_ON_PATH] = { RAROG_FACT_NUMBER, NULL, "critical_calls", false },
	[N_FITNESS] = { RAROG_FACT_NUMBER, NULL, "fitness", false },
	[N_INFLUENCE] = { RAROG_FACT_NUMBER, NULL, "influence", false },
	[N_OPPORTUNITY] = { RAROG_FACT_NUMBER, NULL, "opportunity", false },
	[DELAY] = { RAROG_FACT_NS, NULL, "delay_ns", false },
	[TOTAL] = { RAROG_FACT_NS, NULL, "total_ns", false },
};

/* Of faster code: other words, and no path. */
static void adapt_columns(bool is_gain, struct rarog_sheet_fact columns[N_COLUMNS])
{
	memcpy(columns, slow_columns, sizeof(slow_columns));
	if (!is_gain)
		return;
	columns[EFFECT].title = "gain";
	columns[OPPORTUNITY].title = "opportunity";
	columns[SENSITIVITY].title = columns[ON_PATH].title = NULL;
	columns[FITNESS].title = columns[INFLUENCE].title = NULL;
}

#define TEXT 48

static const char *draw(char text[TEXT], int digits, double value, const char *unit)
{
	if (isnan(value))
		return "-";
	snprintf(text, TEXT, "%.*f%s", digits, value, unit);
	return text;
}

static double rank_of(const struct rarog_effect_row *row)
{
	return row->is_gain ? row->value : row->sensitivity;
}

static int by_rank(const void *left, const void *right)
{
	double x = rank_of(left), y = rank_of(right);

	return (x < y) - (x > y);
}

static struct rarog_value real(double value)
{
	return (struct rarog_value){ .real = value, .is_null = isnan(value) };
}

static void draw_interval(char text[TEXT], const struct rarog_effect_row *row)
{
	if (row->is_gain)
		snprintf(text, TEXT, "%.1f … %.1f %%", 100 * row->low, 100 * row->high);
	else
		snprintf(text, TEXT, "%.2f … %.2f", row->low, row->high);
}

static int add_row(const struct rarog_show *show, struct rarog_sheet *sheet,
		   const struct rarog_effect_row *row)
{
	const struct rarog_location *location = &show->run.locations[row->experiment->location];
	char text[8][TEXT];

	draw_interval(text[1], row);
	const struct rarog_value values[N_COLUMNS] = {
		[EFFECT] = { .text = row->is_gain ? draw(text[0], 1, 100 * row->value, " %")
						  : draw(text[0], 2, row->value, ""),
			     .style = RAROG_STYLE_BOLD },
		[INTERVAL] = { .text = text[1] },
		[SENSITIVITY] = { .text = draw(text[2], 3, row->sensitivity, "") },
		[CALLS] = { .number = row->calls },
		[ON_PATH] = { .text = draw(text[3], 0, row->critical_calls, "") },
		[SHARE] = { .text = draw(text[4], 1, 100 * row->share, " %") },
		[FITNESS] = { .text = draw(text[5], 3, row->fitness, ""),
			      .style = RAROG_STYLE_DIM },
		[INFLUENCE] = { .text = draw(text[6], 3, row->influence, ""),
				.style = RAROG_STYLE_DIM },
		[OPPORTUNITY] = { .text = draw(text[7], 3, row->opportunity, ""),
				  .style = RAROG_STYLE_DIM },
		[RUNS] = { .number = row->experiment->runs },
		[NAME] = { .text = rarog_location_title(location) },
		[MANGLED] = { .text = location->name },
		[FILE_] = { .text = location->file },
		[LINE] = { .is_null = location->line == 0, .number = location->line },
		[KIND] = { .text = row->experiment->kind },
		[ESTIMATE] = real(row->value),
		[LOW] = real(row->low),
		[HIGH] = real(row->high),
		[N_SENSITIVITY] = real(row->sensitivity),
		[N_ON_PATH] = real(row->critical_calls),
		[N_FITNESS] = real(row->fitness),
		[N_INFLUENCE] = real(row->influence),
		[N_OPPORTUNITY] = real(row->opportunity),
		[DELAY] = { .number = rarog_clock_ns(show->run.clock, row->experiment->amount) },
		[TOTAL] = { .number = (uint64_t)(row->total_ns + 0.5) },
	};

	return rarog_sheet_add(sheet, values);
}

static int print(struct rarog_show *show, const struct rarog_effects *effects)
{
	struct rarog_sheet_fact columns[N_COLUMNS];
	struct rarog_sheet sheet = { 0 };
	size_t most = show->options.limit ? show->options.limit : effects->v.n, shown = 0;
	int r;

	adapt_columns(effects->v.n > 0 && effects->v.v[0].is_gain, columns);
	r = rarog_show_sheet(show, &sheet, N_COLUMNS, columns, "experiments");
	for (size_t i = 0; r == 0 && i < effects->v.n && shown < most; i++) {
		uint32_t location = effects->v.v[i].experiment->location;

		if (location >= show->run.n_locations ||
		    !rarog_show_matches(show, &show->run.locations[location]))
			continue;
		r = add_row(show, &sheet, &effects->v.v[i]);
		shown++;
	}
	return rarog_show_sheet_end(show, &sheet, r);
}

static int show_experiments(struct rarog_show *show)
{
	rarog_cleanup(rarog_effects_release) struct rarog_effects effects = { 0 };
	int r = rarog_effects_read(show->run.profile, &effects);

	if (r < 0)
		return r;
	if (effects.v.n == 0) {
		rarog_show_note(show, "no function had noise often enough for an estimate");
		return 0;
	}
	qsort(effects.v.v, effects.v.n, sizeof(*effects.v.v), by_rank);
	r = print(show, &effects);
	if (r == 0)
		rarog_show_note(show, "a run without noise takes %s",
				rarog_format_ns((uint64_t)effects.run_ns).text);
	return r;
}

static int check_experiments(const struct rarog_show *show)
{
	return rarog_effects_exist(show->run.profile)
		       ? 0
		       : rarog_fail(-ENODATA,
				    "%s: has no experiments; rarog blow -o FILE makes some",
				    rarog_profile_path(show->run.profile));
}

const struct rarog_view rarog_view_experiments = {
	.name = "",
	.run = show_experiments,
	.check = check_experiments,
};
