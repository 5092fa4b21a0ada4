/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is asked of an engine, and which of it an engine cannot do. */
#ifndef RAROG_COLLECT_ENGINE_NEEDS_H
#define RAROG_COLLECT_ENGINE_NEEDS_H

#include "engine/engine.h"
#include "engine/sample/options.h"
#include "plan/options.h"

/* All borrowed. */
struct rarog_engine_request {
	const struct rarog_plan_options *options;
	const struct rarog_sample_options *sample;
	const struct rarog_attachment *attachment; /* of --pid or --every-process; NULL: neither */
	bool is_dry;                               /* --dry-run */
};

struct rarog_engine_lack {
	char option[32];
	unsigned needs; /* enum rarog_engine_abilities */
};

/** rarog_engine_lacks() - is there an option in @request that means nothing to @engine? Then
 * @ret_lack is the first. */
bool rarog_engine_lacks(const struct rarog_engine *engine,
			const struct rarog_engine_request *request,
			struct rarog_engine_lack *ret_lack);

#endif
