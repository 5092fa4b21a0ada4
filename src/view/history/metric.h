/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `rarog log --metric`: one amount over the versions, drawn. */
#ifndef RAROG_VIEW_HISTORY_METRIC_H
#define RAROG_VIEW_HISTORY_METRIC_H

#include <stdio.h>

#include "check/line.h"
#include "store/vcs.h"

struct rarog_metric_point {
	char *version, *subject;
	double value; /* median of the runs */
	size_t runs;
	bool agrees;  /* there are several, all of that value */
	uint64_t set; /* shifts are looked for between equal ones: rarog_amounts_of_runs */
};

struct rarog_metric_line {
	struct rarog_quantity_name metric;
	const char *job;
	size_t versions;                             /* that the job has measured … */
	RAROG_VEC(struct rarog_metric_point) points; /* … that tell the amount; oldest first */
	struct rarog_shifts shifts;
};

void rarog_metric_point_release(struct rarog_metric_point *point);
void rarog_metric_line_release(struct rarog_metric_line *line);

struct rarog_metric_view {
	const struct rarog_metric_line *line; /* of one point at least */
	const struct rarog_vcs *vcs;
	int width;
	bool colour;
};

/** rarog_metric_print() - a chart with its changes below. 0 or -ENOMEM. */
int rarog_metric_print(const struct rarog_metric_view *view, FILE *out);

/** rarog_metric_json() - the same for programs. 0 or -EIO. */
int rarog_metric_json(const struct rarog_metric_line *s, FILE *out);

#endif
