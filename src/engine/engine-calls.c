/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "base/log.h"
#include "base/str.h"
#include "base/units.h"
#include "engine/steps.h"

static const char *kept_calls(const struct rarog_recorder_totals *totals, uint32_t untraced)
{
	if (totals->had_no_room)
		return ", sums only: the disk is full";
	if (totals->became_summary)
		return ", sums only from --max-size on";
	return untraced ? "" : ", nothing lost";
}

static void write_kept(const struct rarog_recorder_totals *totals,
		       struct rarog_collected *collected)
{
	uint64_t unbegun = totals->doubts[RAROG_DOUBT_UNBEGUN];
	struct rarog_str text = { 0 };

	if (!totals->lost)
		rarog_str_add(&text, kept_calls(totals, collected->untraced));
	if (!totals->lost && collected->untraced)
		rarog_str_addf(&text, ", %u function%s not traced (rarog probes says why)",
			       collected->untraced, collected->untraced > 1 ? "s" : "");
	if (unbegun)
		rarog_str_addf(&text, "; %llu ends of regions that had not begun",
			       (unsigned long long)unbegun);
	snprintf(collected->kept, sizeof(collected->kept), "%s", rarog_str_text(&text));
	rarog_str_release(&text);
}

void rarog_collected_outliving(uint64_t n)
{
	if (n > 0)
		rarog_warn("%llu process%s when the program has ended: what %s then is not "
			   "measured",
			   (unsigned long long)n, n > 1 ? "es run on" : " runs on",
			   n > 1 ? "they do" : "it does");
}

void rarog_collected_calls(const struct rarog_recorder_totals *totals,
			   struct rarog_collected *collected)
{
	collected->calls = totals->calls;
	collected->lost = totals->lost;
	if (totals->lost)
		rarog_warn("%llu events or calls were lost; rarog show says which",
			   (unsigned long long)totals->lost);
	if (totals->doubts[RAROG_DOUBT_ASTRAY])
		rarog_warn("the program switches stacks in a way that cannot be followed: calls "
			   "may be shown below others than their callers, with wrong times");
	rarog_collected_outliving(totals->doubts[RAROG_DOUBT_OUTLIVING]);
	if (totals->is_sampled && totals->calls == 0 && totals->all_calls > 0)
		rarog_warn("no call began while calls were recorded, so there are no times; longer "
			   "or more frequent --windows meet some");
	if (totals->is_sampled)
		snprintf(collected->what, sizeof(collected->what), "%s calls recorded of %s",
			 rarog_format_count(totals->calls).text,
			 rarog_format_count(totals->all_calls).text);
	else
		snprintf(collected->what, sizeof(collected->what), "%s call%s",
			 rarog_format_count(totals->calls).text, rarog_plural(totals->calls));
	write_kept(totals, collected);
}
