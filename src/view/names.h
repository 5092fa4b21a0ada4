/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Versions, objects and times as people read them. */
#ifndef RAROG_VIEW_NAMES_H
#define RAROG_VIEW_NAMES_H

#include "store/object.h"
#include "store/vcs.h"

/* The first ten digits of an object's or a version's name; labels are left whole. */
struct rarog_short {
	char text[16];
};
struct rarog_short rarog_short_name(const struct rarog_vcs *vcs, const char *version);
struct rarog_short rarog_short_object(const struct rarog_hash *object);

/* "2026-11-20 15:30", local time. */
struct rarog_date {
	char text[24];
};
struct rarog_date rarog_date_of(uint64_t epoch_ns);

/* "2026-11-20", local time. */
struct rarog_day {
	char text[16];
};
struct rarog_day rarog_day_of(int64_t epoch_s);

#endif
