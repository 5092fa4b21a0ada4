/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What SystemTap prints. Whether it comes at once or byte by byte must not matter. */
#include <stdint.h>
#include <stdlib.h>

#include "engine/stap/output.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static int take(void *context, const struct rarog_probed_event *event)
{
	const struct rarog_probed_record *record = (const struct rarog_probed_record *)event;
	uint64_t *sum = context;

	if (event->kind & RAROG_PROBED_VALUES)
		for (unsigned i = 0; i < record->n; i++)
			*sum = *sum * 31 + record->values[i] + record->unknown;
	*sum = *sum * 31 + event->ns + event->place + event->number + event->kind + event->tid;
	return 0;
}

static uint64_t read_all(const uint8_t *bytes, size_t n, size_t step)
{
	uint64_t sum = 0;
	const struct rarog_stap_output_options options = { .program = 1,
							   .take = take,
							   .context = &sum };
	rarog_cleanup(rarog_stap_output_freep) struct rarog_stap_output *output = NULL;
	struct rarog_stap_output_totals totals;

	if (rarog_stap_output_new(&options, &output) < 0)
		abort();
	for (size_t i = 0; i < n; i += step)
		if (rarog_stap_output_feed(output, n - i < step ? n - i : step,
					   (const char *)bytes + i) < 0)
			abort();
	totals = rarog_stap_output_totals(output);
	return sum * 31 + totals.lines * 7 + totals.damaged;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	if (read_all(bytes, n, 1) != read_all(bytes, n, n ? n : 1))
		abort();
	return 0;
}
