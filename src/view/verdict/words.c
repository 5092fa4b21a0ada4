/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "view/text.h"
#include "view/verdict/verdict-view.h"

const char *rarog_verdict_sentence(enum rarog_finding finding)
{
	static const char *const sentences[] = {
		[RAROG_FINDING_NONE] = "nothing changed by as much as matters",
		[RAROG_FINDING_IMPROVEMENT] = "faster",
		[RAROG_FINDING_MAYBE] = "maybe slower",
		[RAROG_FINDING_INCONCLUSIVE] = "the runs do not tell",
		[RAROG_FINDING_DEGRADATION] = "slower",
	};

	return sentences[finding];
}

struct rarog_verdict_words rarog_change_amount(const struct rarog_change *change, double amount)
{
	struct rarog_verdict_words words;
	bool is_time = strcmp(change->metric->unit, "ns") == 0;

	if (isnan(amount))
		snprintf(words.text, sizeof(words.text), "-");
	else if (is_time && amount >= 0 && amount < 1e18)
		snprintf(words.text, sizeof(words.text), "%s",
			 rarog_format_ns((uint64_t)llround(amount)).text);
	else if (amount >= 0 && amount < 1e18 && amount == floor(amount))
		snprintf(words.text, sizeof(words.text), "%s",
			 rarog_format_count((uint64_t)amount).text);
	else
		snprintf(words.text, sizeof(words.text), "%.4g%s%s", amount,
			 *change->metric->unit ? " " : "", change->metric->unit);
	return words;
}

struct rarog_verdict_words rarog_change_percent(double relative)
{
	struct rarog_verdict_words words = { "-" };

	if (isfinite(relative) && relative < 10)
		snprintf(words.text, sizeof(words.text), "%+.1f %%", relative * 100);
	else if (isfinite(relative))
		snprintf(words.text, sizeof(words.text), "x %.3g", 1 + relative);
	return words;
}

struct rarog_verdict_words rarog_change_interval(const struct rarog_change *change)
{
	struct rarog_verdict_words words = { "" };

	if (!isnan(change->low) && change->high < 10)
		snprintf(words.text, sizeof(words.text), "%+.1f … %+.1f %%", change->low * 100,
			 change->high * 100);
	else if (!isnan(change->low))
		snprintf(words.text, sizeof(words.text), "x %.3g … %.3g", 1 + change->low,
			 1 + change->high);
	return words;
}

struct rarog_verdict_words rarog_change_odds(const struct rarog_change *change)
{
	struct rarog_verdict_words words = { "" };

	if (!isnan(change->q))
		snprintf(words.text, sizeof(words.text), "q %.2g", change->q);
	else if (!isnan(change->p))
		snprintf(words.text, sizeof(words.text), "p %.2g", change->p);
	return words;
}

bool rarog_change_is_notable(const struct rarog_change *change)
{
	return change->class != RAROG_CLASS_NO_CHANGE && change->class != RAROG_CLASS_UNKNOWN;
}

#define MAIN_PART 0.1

double rarog_verdict_main_impact(const struct rarog_verdict *verdict)
{
	double sum = 0;

	for (size_t i = 0; i < verdict->changes.n; i++) {
		const struct rarog_change *change = &verdict->changes.v[i];

		if (!rarog_change_is_program(change) && rarog_change_is_notable(change) &&
		    isfinite(change->impact))
			sum += fabs(change->impact);
	}
	return MAIN_PART * sum;
}

bool rarog_change_is_main(const struct rarog_change *change, double least)
{
	return rarog_change_is_notable(change) && isfinite(change->impact) && change->impact != 0 &&
	       fabs(change->impact) >= least;
}

bool rarog_change_is_program(const struct rarog_change *change)
{
	return *change->location == '\0';
}

int rarog_change_title(const struct rarog_change *change, struct rarog_str *text)
{
	int r;

	if (rarog_change_is_program(change))
		return rarog_str_add(text, change->metric->name);
	r = rarog_text_add_clean(text, change->location, false);
	return r == 0 && change->metric == &rarog_metric_waiting ? rarog_str_add(text, " (waiting)")
								 : r;
}

int rarog_change_sentence(const struct rarog_change *change, struct rarog_str *text)
{
	const char *interval = NULL;
	struct rarog_verdict_words range = rarog_change_interval(change);
	int r = rarog_change_title(change, text);

	interval = range.text;
	if (r == 0)
		r = rarog_str_addf(text, " is %s", rarog_class_words(change->class));
	if (r == 0 && isfinite(change->relative))
		r = rarog_str_addf(text, ": %s%s%s%s", rarog_change_percent(change->relative).text,
				   *interval ? " (" : "", interval, *interval ? ")" : "");
	if (r == 0 && !isnan(change->baseline) && !isnan(change->target))
		r = rarog_str_addf(text, ", %s -> %s",
				   rarog_change_amount(change, change->baseline).text,
				   rarog_change_amount(change, change->target).text);
	if (r == 0 && change->reason)
		r = rarog_str_addf(text, "; %s", change->reason);
	if (r == 0 && change->path)
		r = rarog_str_addf(text, "; through %s", change->path);
	if (r == 0 && change->lines)
		r = rarog_str_addf(text, "; changed lines: %s", change->lines);
	return r;
}
