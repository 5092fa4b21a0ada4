/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program whose functions get probes of the kernel: which of them, and where. */
#ifndef RAROG_ENGINE_PROBED_MODULE_H
#define RAROG_ENGINE_PROBED_MODULE_H

#include "base/json-writer.h"
#include "base/vec.h"
#include "binary/probe-place.h"
#include "events/recorder.h"
#include "plan/marks.h"
#include "plan/place-set.h"
#include "plan/plan.h"
#include "process/software.h"
#include "profile/writer.h"

#define RAROG_PROBED_REFUSED "begins with an instruction that the kernel does not probe"

struct rarog_probed_left {
	uint32_t function;
	const char *reason; /* static */
};

struct rarog_probed_probe {
	uint32_t function; /* index of rarog_binary_functions() */
	uint32_t every;    /* word of its gate as planned */
	uint8_t further;   /* bytes from the entry to the place */
	uint8_t stepped;   /* a fault in so many bytes before the place: that call may not get there
			    */
	bool may_be_entry; /* the probe could be there, single-stepped */
	bool stays;        /* dynamic probing leaves it alone */
	struct rarog_wanted_values values;
};

struct rarog_probed_module {
	const char *engine;
	char *path;     /* where the file can be read … */
	char *name;     /* … and what the profile calls it */
	uint64_t inode; /* of the file */
	struct rarog_binary *binary;
	uint32_t first;                           /* number of the first probe of the run */
	size_t n;                                 /* probes … */
	struct rarog_probed_probe *probes;        /* [n] … */
	uint64_t *offsets;                        /* [n], their places in the file */
	size_t n_wanted, n_slow;                  /* functions of the plan; probes single-stepped */
	size_t n_captured;                        /* probes with values */
	size_t n_undescribed;                     /* of which there is no debug information */
	size_t n_vectors;                         /* values that cannot be read */
	RAROG_VEC(struct rarog_probed_left) left; /* wanted but not possible */
	struct rarog_place_set places;            /* what the plan means here */
	struct rarog_marks marks;                 /* their names follow the functions */
	uint32_t first_mark;                      /* number of the first mark of the run */
	bool counts_marks;                        /* regions as well */
	bool tells_faults, at_entries;            /* as rarog_probed_file */
	long locations;                           /* in the profile, of the first probe */
};

struct rarog_probed_file {
	const char *path; /* where it can be read … */
	const char *name; /* … and what the profile calls it */
	bool is_library;
	bool is_everywhere; /* probed in every process, whichever program that runs */
	bool tells_faults;  /* the engine sees the program's faults */
	bool at_entries;    /* its probes are where functions begin */
	unsigned actions;   /* that the engine can do: bits of enum rarog_action */
};

/**
 * rarog_probed_module_open() - judge the functions of a program or library
 * @engine: for messages; borrowed
 * @first: number that its first probe gets
 *
 * Return: 0; -ENOTSUP: it cannot be measured so, the message says why; errors of
 * rarog_binary_open().
 */
int rarog_probed_module_open(const char *engine, struct rarog_plan *plan,
			     const struct rarog_probed_file *file, uint32_t first,
			     struct rarog_probed_module *ret_module);
/** rarog_probed_module_check() - may the program or library at @file be measured so at all? 0;
 * -ENOTSUP …: as rarog_probed_module_open(), which asks the same. */
int rarog_probed_module_check(const char *engine, const struct rarog_plan *plan,
			      const struct rarog_probed_file *file);

/** rarog_probed_module_size() - numbers that it takes: of functions, then of names of marks. */
size_t rarog_probed_module_size(const struct rarog_probed_module *module);
void rarog_probed_module_release(struct rarog_probed_module *module);

/** rarog_probed_module_leave_out() - its probe number @i (of its own) will not be there, for
 * @reason, a static text. 0 or -ENOMEM. */
int rarog_probed_module_leave_out(struct rarog_probed_module *module, size_t i, const char *reason);

/** rarog_probed_module_to_entry() - its probe number @i (of its own), which may_be_entry, goes
 * there.
 */
void rarog_probed_module_to_entry(struct rarog_probed_module *module, size_t i);

/** rarog_probed_module_at() - number (of its own) of the probe of the function that holds @address;
 * module->n: it has none.
 * @ret_distance: from the function's entry */
size_t rarog_probed_module_at(const struct rarog_probed_module *module, uint64_t address,
			      uint64_t *ret_distance);

/** rarog_probed_module_write_left() - array members of what is not measured: function, reason. */
void rarog_probed_module_write_left(struct rarog_json *json,
				    const struct rarog_probed_module *module);

/** rarog_probed_module_announce() - tell the recorder its functions, as ids from @first on. */
int rarog_probed_module_announce(struct rarog_probed_module *module,
				 struct rarog_recorder *recorder, struct rarog_id_map *map);

/** rarog_probed_module_describe() - source lines, compilers; before the recorder finishes. */
int rarog_probed_module_describe(struct rarog_probed_module *module,
				 struct rarog_recorder *recorder, struct rarog_software *software);

/** rarog_probed_module_inlined() - what has no calls of its own in it; when the recorder has
 * finished.
 */
int rarog_probed_module_inlined(struct rarog_probed_module *module,
				struct rarog_profile_writer *writer);

#endif
