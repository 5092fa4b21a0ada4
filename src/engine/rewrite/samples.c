/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time in the kernel is not seen: no user needs rights for the rest. */
#include "engine/rewrite/samples.h"

#include <string.h>

#include "base/error.h"
#include "process/event-rings.h"

#define PAGES       32 /* of a ring: samples of two seconds find room … */
#define PAGES_LEAST 4

struct sample {
	struct perf_event_header header;
	uint64_t address;
	uint32_t pid, tid;
};

struct reading {
	struct rarog_rewrite_samples *samples;
	rarog_rewrite_sample_visit *visit;
	void *context;
};

int rarog_rewrite_samples_open(struct rarog_rewrite_samples *samples, pid_t pid)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = RAROG_REWRITE_SAMPLE_NS,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
		.disabled = 1,
		.enable_on_exec = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.watermark = 1, /* no thread waits for it */
		.wakeup_watermark = UINT32_MAX,
	};
	int r = -EPERM;

	/* memory for rings is limited for users */
	for (unsigned pages = PAGES; r < 0 && pages >= PAGES_LEAST; pages /= 2)
		r = rarog_event_rings_new(&attr, pid, pages, "samples", &samples->rings);
	return r;
}

static int take(void *context, const struct perf_event_header *header)
{
	const struct reading *r = context;
	const struct sample *sample = (const void *)header;

	if (!header || header->type == PERF_RECORD_LOST)
		r->samples->n_lost++;
	if (!header || header->type != PERF_RECORD_SAMPLE || header->size < sizeof(*sample))
		return 0;
	r->samples->n++;
	r->visit(r->context, (pid_t)sample->tid, sample->address);
	return 0;
}

void rarog_rewrite_samples_read(struct rarog_rewrite_samples *samples,
				rarog_rewrite_sample_visit *visit, void *context)
{
	struct reading reading = { samples, visit, context };

	if (samples->rings && rarog_event_rings_read(samples->rings, take, &reading) < 0)
		rarog_error_clear();
}

void rarog_rewrite_samples_release(struct rarog_rewrite_samples *samples)
{
	rarog_event_rings_free(samples->rings);
	samples->rings = NULL;
}
