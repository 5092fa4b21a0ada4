/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What rarog collect measures by. */
#ifndef RAROG_CMD_COLLECT_WAY_H
#define RAROG_CMD_COLLECT_WAY_H

#include "collect/collector.h"

/* A collector on one of its engines. */
struct rarog_collect_way {
	const struct rarog_collector *collector;
	const struct rarog_engine *engine;
	bool is_open;  /* nobody named the engine: another one may be taken */
	bool is_named; /* the collector was: another one of those may not */
};

/** rarog_collect_way_find() - the collector on its usual engine. Return: whether one is called so;
 * no message. */
bool rarog_collect_way_find(const char *name, struct rarog_collect_way *ret_way);

/** rarog_collect_way_engine() - put @way on @engine; -EINVAL with message: it has none of that
 * name. */
int rarog_collect_way_engine(struct rarog_collect_way *way, const char *engine);

/** rarog_collect_way_standard() - the one that nobody has to name. */
struct rarog_collect_way rarog_collect_way_standard(void);

/**
 * rarog_collect_way_choose() - does the engine work here? Where not, and nobody named it, @way is
 * put on the best that does, with a line that says so
 * @program: as it is to be started, NULL: it runs already
 *
 * Return: 0; -errno with message.
 */
int rarog_collect_way_choose(const struct rarog_engine_request *request, const char *program,
			     struct rarog_collect_way *way);

#endif
