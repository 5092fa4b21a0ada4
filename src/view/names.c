/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/names.h"

#include <stdio.h>
#include <time.h>

#define SHORT_DIGITS 10

struct rarog_short rarog_short_name(const struct rarog_vcs *vcs, const char *version)
{
	bool is_git = vcs && rarog_vcs_kind(vcs) == RAROG_VCS_GIT;
	struct rarog_short name;

	snprintf(name.text, sizeof(name.text), "%.*s",
		 is_git ? SHORT_DIGITS : (int)sizeof(name.text), version ? version : "");
	return name;
}

struct rarog_short rarog_short_object(const struct rarog_hash *object)
{
	struct rarog_short name;

	snprintf(name.text, sizeof(name.text), "%.*s", SHORT_DIGITS, rarog_hash_hex(object).text);
	return name;
}

struct rarog_date rarog_date_of(uint64_t epoch_ns)
{
	time_t seconds = (time_t)(epoch_ns / 1000000000);
	struct rarog_date date = { "" };
	struct tm local;

	if (localtime_r(&seconds, &local))
		strftime(date.text, sizeof(date.text), "%Y-%m-%d %H:%M", &local);
	return date;
}

struct rarog_day rarog_day_of(int64_t epoch_s)
{
	time_t when = (time_t)epoch_s;
	struct rarog_day day = { "" };
	struct tm local;

	if (localtime_r(&when, &local))
		strftime(day.text, sizeof(day.text), "%Y-%m-%d", &local);
	return day;
}
