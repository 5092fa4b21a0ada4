/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The marks of a binary that a plan means, whatever the engine: USDT probes, of which pairs become
 * regions, and places that people name (mark-places.h). All places of one name are one location in
 * the profile.
 */
#ifndef RAROG_PLAN_MARKS_H
#define RAROG_PLAN_MARKS_H

#include "base/json-writer.h"
#include "base/vec.h"
#include "binary/mark-site.h"
#include "binary/usdt-argument.h"
#include "plan/plan.h"
#include "profile/profile.h"

enum rarog_mark_action {
	RAROG_MARK_POINT, /* counts */
	RAROG_MARK_BEGIN, /* of a region */
	RAROG_MARK_STOP,  /* its end */
	RAROG_MARK_LEFT,  /* where it has been left without one; done without where no probe fits */
};

/* A place in the code. */
struct rarog_mark {
	uint64_t address;     /* vaddr */
	uint64_t semaphore;   /* vaddr of the counter of its observers, 0: none */
	uint32_t name;        /* index into names */
	uint8_t action;       /* enum rarog_mark_action */
	uint8_t n_values;     /* that are captured here … */
	uint32_t first_value; /* … from here on in marks->values */
	struct rarog_mark_site site;
};

/* A location: what is counted or measured. */
struct rarog_mark_name {
	char *text;       /* "provider:name"; of a region without begin and end; "FILE:LINE" … */
	char *title;      /* … as people call it; NULL: as text */
	uint64_t address; /* of its first place */
	uint32_t every;   /* one of so many passages is recorded; 0, 1: each */
	bool is_region;   /* else: points */
	const char *reason;                /* why it is left out, NULL: it is not; static … */
	bool is_pruned;                    /* … as RAROG_ACTION_PRUNED */
	bool only_counts;                  /* RAROG_ACTION_COUNT although calls are recorded */
	uint8_t action;                    /* RAROG_ACTION_DELAY, GAIN or SETTLE, else 0 … */
	uint32_t n;                        /* … of them: as of the place */
	struct rarog_wanted_values values; /* captured at all of its places: mark-values.h */
	bool is_return;                    /* of a function: return-places.h */
	bool is_call;                      /* of a function by another: call-places.h … */
	const char *counted;               /* … and why it is a point; static, NULL: it is none */
	bool is_asked;                     /* named by --at: has … */
	const char *file;                  /* … its source file, borrowed from the binary … */
	int line, last_line;               /* … and lines; NULL and 0: by its address */
	bool is_optimized;                 /* a point in code whose turns may have become one */
	bool is_left_open;                 /* a RAROG_MARK_LEFT is missing: may last too long */
	bool is_end_refused;               /* of a region that is left out: because of its end */
	uint64_t refused_at;               /* the place because of which it is; 0: all of it */
	char *hint;                        /* what to do about that, NULL: nothing is known */
};

struct rarog_marks {
	RAROG_VEC(struct rarog_mark) v; /* by address, then ends first; of names not left out */
	RAROG_VEC(struct rarog_mark_name) names;
	RAROG_VEC(struct rarog_usdt_argument) values;
	size_t n_apart;    /* pairs of which both ends are only counted … */
	const char *apart; /* … the first beginning of them; borrowed from the binary */
};

/**
 * rarog_marks_find() - those of @binary, called @path, that @plan means, judged
 *
 * A pair is a region when each function that has one of its ends has the other, too, and the
 * place of its return address is known at all of them. Else both ends are counted.
 *
 * Return: 0 (also without any); -ENOMEM, -EFBIG. Release in any case.
 */
int rarog_marks_find(struct rarog_binary *binary, const char *path, struct rarog_plan *plan,
		     struct rarog_marks *ret_marks);
void rarog_marks_release(struct rarog_marks *marks);

/** rarog_mark_ends() - it begins and counts nothing. */
static inline bool rarog_mark_ends(const struct rarog_mark *mark)
{
	return mark->action == RAROG_MARK_STOP || mark->action == RAROG_MARK_LEFT;
}

/** rarog_marks_leave_out() - measure the name of marks->v.v[@mark] at none of its places, because
 * of @reason, which is that one's. Where the name can do without this place, it is all that goes.
 */
void rarog_marks_leave_out(struct rarog_marks *marks, size_t mark, const char *reason);

/** rarog_mark_ends_alone() - may its end be passed although it was not begun? */
static inline bool rarog_mark_ends_alone(const struct rarog_mark_name *name)
{
	return name->every > 1 || name->is_call;
}

/** rarog_marks_at() - number of the name that has a place at @address, not as an end; -1: none. */
long rarog_marks_at(const struct rarog_marks *marks, uint64_t address);

/** rarog_marks_drop_ends() - for counting: of regions only the beginnings. */
void rarog_marks_drop_ends(struct rarog_marks *marks);

/** rarog_marks_say() - a line about what of @path is not measured although --usdt names it, or not
 * as a region; one for each that --at names. */
void rarog_marks_say(const struct rarog_marks *marks, const struct rarog_plan *plan,
		     const char *path);

/** rarog_marks_write() - an object of each name: "name", "is_region", "reason" (null: measured).
 * @asked: of those that --at names, else of the others */
void rarog_marks_write(struct rarog_json *json, const struct rarog_marks *marks, bool asked);

/** rarog_mark_title() - what people call it. */
const char *rarog_mark_title(const struct rarog_mark_name *name);

/** rarog_mark_location() - the location of a name. */
struct rarog_location rarog_mark_location(const struct rarog_mark_name *name);

#endif
