/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "base/log.h"
#include "base/units.h"
#include "engine/steps.h"

static const char *kept_calls(const struct rarog_recorder_totals *totals)
{
	if (totals->lost)
		return "";
	if (totals->had_no_room)
		return ", sums only: the disk is full";
	return totals->became_summary ? ", sums only from --max-size on" : ", nothing lost";
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
	if (totals->is_sampled && totals->calls == 0 && totals->all_calls > 0)
		rarog_warn("no call began while calls were recorded, so there are no times; longer "
			   "or more frequent --windows meet some");
	if (totals->is_sampled)
		snprintf(collected->what, sizeof(collected->what), "%s calls recorded of %s",
			 rarog_format_count(totals->calls).text,
			 rarog_format_count(totals->all_calls).text);
	else
		snprintf(collected->what, sizeof(collected->what), "%s calls",
			 rarog_format_count(totals->calls).text);
	snprintf(collected->kept, sizeof(collected->kept), "%s", kept_calls(totals));
	if (totals->doubts[RAROG_DOUBT_UNBEGUN])
		snprintf(collected->kept, sizeof(collected->kept),
			 "%s; %llu ends of regions that had not begun", kept_calls(totals),
			 (unsigned long long)totals->doubts[RAROG_DOUBT_UNBEGUN]);
}
