/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/points.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"

void rarog_points_release(struct rarog_points *points)
{
	free(points->x);
	free(points->y);
	free(points->w);
	if (points->groups)
		rarog_groups_release(points->groups);
	free(points->groups);
	*points = (struct rarog_points){ 0 };
}

static int grow(double **v, size_t wanted)
{
	double *more = realloc(*v, wanted * sizeof(double));

	if (!more)
		return rarog_oom();
	*v = more;
	return 0;
}

static int reserve(struct rarog_points *points)
{
	size_t wanted = points->capacity > 0 ? 2 * points->capacity : 16;
	int r = grow(&points->x, wanted);

	if (r == 0)
		r = grow(&points->y, wanted);
	if (r == 0)
		points->capacity = wanted;
	return r;
}

/* From single points to groups. */
static int group(struct rarog_points *points)
{
	int r = 0;

	points->groups = calloc(1, sizeof(*points->groups));
	if (!points->groups)
		return rarog_oom();
	for (size_t i = 0; r == 0 && i < points->n; i++)
		r = rarog_groups_add(points->groups, points->x[i], points->y[i]);
	points->n = 0;
	return r;
}

static void note_range(struct rarog_points *points, double least, double most)
{
	points->least = points->seen == 0 ? least : fmin(points->least, least);
	points->most = points->seen == 0 ? most : fmax(points->most, most);
}

struct point {
	double x, y;
};

static int by_x(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	if (p->x != q->x)
		return p->x < q->x ? -1 : 1;
	return (p->y > q->y) - (p->y < q->y);
}

/* By x, equal ones by y. */
static int sort(struct rarog_points *points)
{
	rarog_cleanup(rarog_freep) struct point *pairs = calloc(points->n + 1, sizeof(*pairs));

	if (!pairs)
		return rarog_oom();
	for (size_t i = 0; i < points->n; i++)
		pairs[i] = (struct point){ points->x[i], points->y[i] };
	qsort(pairs, points->n, sizeof(*pairs), by_x);
	for (size_t i = 0; i < points->n; i++) {
		points->x[i] = pairs[i].x;
		points->y[i] = pairs[i].y;
	}
	return 0;
}

void rarog_points_drop_doubles(struct rarog_points *points)
{
	size_t n = points->n > 0;

	for (size_t i = 1; !points->w && i < points->n; i++) {
		if (points->x[i] == points->x[n - 1] && points->y[i] == points->y[n - 1])
			continue;
		points->x[n] = points->x[i];
		points->y[n++] = points->y[i];
	}
	points->n = points->w ? points->n : n;
}

/* Counts of a call are mostly those of another one. */
static int make_room(struct rarog_points *points)
{
	int r = points->are_counts ? sort(points) : 0;

	if (r == 0 && points->are_counts)
		rarog_points_drop_doubles(points);
	return r < 0 || points->n <= RAROG_POINTS_MAX / 2 ? r : group(points);
}

int rarog_points_add(struct rarog_points *points, double x, double y)
{
	if (!isfinite(x) || !isfinite(y)) {
		points->left_out++;
		return 0;
	}
	note_range(points, x, x);
	points->seen++;
	points->sum += y;
	if (!points->groups && points->n == RAROG_POINTS_MAX && make_room(points) < 0)
		return -ENOMEM;
	if (points->groups)
		return rarog_groups_add(points->groups, x, y);
	if (points->n == points->capacity && reserve(points) < 0)
		return -ENOMEM;
	points->x[points->n] = x;
	points->y[points->n++] = y;
	return 0;
}

int rarog_points_merge(struct rarog_points *points, const struct rarog_points *from)
{
	double sum = points->sum + from->sum;
	int r = 0;

	points->left_out += from->left_out;
	points->are_counts = from->are_counts;
	if (!from->groups) {
		for (size_t i = 0; r == 0 && i < from->n; i++)
			r = rarog_points_add(points, from->x[i], from->y[i]);
		points->seen += from->seen - from->n; /* that are like others */
		points->sum = sum;
		return r;
	}
	if (!points->groups)
		r = group(points);
	for (size_t i = 0; r == 0 && i < from->groups->list.n; i++)
		r = rarog_groups_merge(points->groups, &from->groups->list.v[i]);
	note_range(points, from->least, from->most);
	points->seen += from->seen;
	points->sum = sum;
	return r;
}

static void scale_group(struct rarog_group *group, double by)
{
	group->y *= by;
	group->squares *= by * by;
	for (size_t i = 0; i < group->n_sample; i++)
		group->sample[i] *= by;
}

void rarog_points_scale(struct rarog_points *points, double by)
{
	for (size_t i = 0; i < points->n; i++)
		points->y[i] *= by;
	for (size_t i = 0; points->groups && i < points->groups->list.n; i++)
		scale_group(&points->groups->list.v[i], by);
	points->within *= by * by;
	points->sum *= by;
}

static int take_groups(struct rarog_points *points)
{
	const struct rarog_groups *groups = points->groups;

	while (points->capacity < groups->list.n)
		if (reserve(points) < 0)
			return -ENOMEM;
	if (grow(&points->w, groups->list.n + 1) < 0)
		return -ENOMEM;
	points->n = groups->list.n;
	points->within = 0;
	for (size_t i = 0; i < points->n; i++) {
		points->x[i] = groups->list.v[i].x;
		points->y[i] = groups->list.v[i].y;
		points->w[i] = groups->list.v[i].n;
		points->within += groups->list.v[i].squares;
	}
	return 0;
}

int rarog_points_sort(struct rarog_points *points)
{
	return points->groups ? take_groups(points) : sort(points);
}
