/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the recorder share: recorder.c, recorder-tables.c. */
#ifndef RAROG_EVENTS_RECORDER_STATE_H
#define RAROG_EVENTS_RECORDER_STATE_H

#include <pthread.h>

#include "events/assemble.h"
#include "events/losses.h"
#include "events/recorder.h"
#include "events/spool.h"
#include "events/weights.h"
#include "plan/value-table.h"

struct recorded_strand {
	struct rarog_strand strand;
	const struct rarog_id_map *map;
	uint32_t announced; /* ids that the assembler knows */
	bool is_announced, ended;
	bool is_over; /* the assembler knows that it ended */
	bool is_off_cpu_unknown;
	bool is_broken; /* its stream has a hole or was overwritten: what follows cannot be read */
};

struct location_text {
	char *name, *file;
};

struct rarog_recorder {
	struct rarog_profile_writer *writer;
	const struct rarog_plan *plan;
	pthread_mutex_t lock;
	struct rarog_assembler *assembler;
	struct rarog_spool *spool; /* NULL: assembling at once */
	uint64_t bound;            /* bytes of the spool whose single calls are kept */
	bool sums_only;            /* no room for the calls that are spooled */
	bool is_past_bound;        /* what is spooled in front of it has been assembled */
	RAROG_VEC(struct recorded_strand) strands;
	RAROG_VEC(struct rarog_process) processes;
	RAROG_VEC(struct rarog_location) locations;
	RAROG_VEC(struct location_text) texts; /* of the locations */
	RAROG_VEC(uint64_t) counts;            /* counts.v[location] */
	struct rarog_weights weights;
	struct rarog_losses losses;
	RAROG_VEC(struct rarog_id_map *) maps;
	struct rarog_value_table values;
	struct rarog_recorder_totals totals;
	void (*pulse)(void *context);
	void *pulse_context;
};

/* recorder-epochs.c: what became of places whose weight changed. 0; -errno with message. */
int rarog_recorder_write_epochs(struct rarog_recorder *r);

#endif
