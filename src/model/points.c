/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/points.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"

void rarog_points_release(struct rarog_points *points)
{
	free(points->x);
	free(points->y);
	*points = (struct rarog_points){ 0 };
}

static int reserve(struct rarog_points *points)
{
	size_t wanted = points->capacity > 0 ? 2 * points->capacity : 16;
	double *x = realloc(points->x, wanted * sizeof(double)), *y;

	if (!x)
		return rarog_oom();
	points->x = x;
	y = realloc(points->y, wanted * sizeof(double));
	if (!y)
		return rarog_oom();
	points->y = y;
	points->capacity = wanted;
	return 0;
}

/* Every second of those that are kept. */
static void thin_out(struct rarog_points *points)
{
	points->n /= 2;
	for (size_t i = 0; i < points->n; i++) {
		points->x[i] = points->x[2 * i];
		points->y[i] = points->y[2 * i];
	}
	points->stride *= 2;
}

int rarog_points_add(struct rarog_points *points, double x, double y)
{
	if (points->stride == 0)
		points->stride = 1;
	if (points->seen++ % points->stride != 0)
		return 0;
	if (points->n == points->capacity && reserve(points) < 0)
		return -ENOMEM;
	points->x[points->n] = x;
	points->y[points->n++] = y;
	if (points->n == RAROG_POINTS_MAX)
		thin_out(points);
	return 0;
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

int rarog_points_sort(struct rarog_points *points)
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
