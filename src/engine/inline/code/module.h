/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A binary as the inline engine sees it: which of its functions the plan wants, which of them can
 * be patched, and the places that need a hook whatever the plan says. Judged once per file and kept
 * for all processes of a run.
 */
#ifndef RAROG_ENGINE_INLINE_CODE_MODULE_H
#define RAROG_ENGINE_INLINE_CODE_MODULE_H

#include <sys/stat.h>

#include "binary/binary.h"
#include "binary/patch-site.h"
#include "engine/inline/code/emit.h"
#include "engine/place-change.h"
#include "plan/marks.h"
#include "plan/place-set.h"
#include "plan/plan.h"
#include "process/software.h"

struct rarog_probe {
	uint32_t function; /* index into rarog_binary_functions() */
	uint8_t kind;      /* enum rarog_stub_kind */
	uint32_t every;    /* which of its calls the plan wants; 1: every one */
	uint32_t gate;     /* word of its gate now, if the module has gates: agent/gate.h … */
	uint32_t delay;    /* … and the last one that makes its calls late; 0: none did */
	uint32_t values;   /* 1 + index into module.values, 0: none are captured */
	bool is_told;      /* of its calls the agent hears first: prctl() */
	bool has_values;   /* are asked of its calls */
	bool stays;        /* dynamic probing leaves it alone */
	uint64_t inside; /* not the entry but this instruction of the function; 0: the entry … */
	uint8_t length;  /* … and its bytes */
};

enum rarog_drop {
	RAROG_DROP_BREAK_BEFORE, /* a foreign breakpoint was there before we came … */
	RAROG_DROP_BREAK,        /* … or came while we measured */
	RAROG_DROP_PLACE,        /* its displaced code works in no place that there is */
};

/* What is not measured, or not to the end (dropped.h). */
struct rarog_dropped {
	uint32_t number; /* of a function or, … */
	bool is_mark;    /* … in marks.names, of a mark */
	bool is_said;
	uint8_t why; /* enum rarog_drop */
};

/* What was wanted, and is not possible. */
struct rarog_module_left {
	uint32_t function;
	uint8_t verdict; /* enum rarog_site_verdict; OK: no id */
};

/* As of a probe. */
struct rarog_mark_gate {
	uint32_t word;
	uint32_t delay; /* the last word that was noise */
};

struct rarog_islands;

struct rarog_module {
	char *path;
	struct rarog_binary *binary;
	struct rarog_site *sites;
	RAROG_VEC(struct rarog_probe) probes; /* wanted by the plan and possible */
	RAROG_VEC(struct rarog_probe) hooks;
	RAROG_VEC(struct rarog_dropped) dropped;      /* of these and of the marks; dropped.c */
	RAROG_VEC(struct rarog_wanted_values) values; /* captured with calls */
	struct rarog_place_set places;      /* what the plan means here; none: only hooks */
	struct rarog_marks marks;           /* wanted by the plan and possible; module-marks.c */
	struct rarog_mark_gate *mark_gates; /* of each of their names */
	bool counts_marks;                  /* regions as well: only their beginnings are marks */
	size_t n_told;                      /* probes with is_told */
	size_t n_wanted;                    /* functions that the plan wants */
	uint32_t left_out[RAROG_SITE_VERDICTS]; /* wanted but not possible, by reason; OK: no id */
	RAROG_VEC(struct rarog_module_left) left; /* … and which these are */
	struct rarog_islands *steps;              /* of steps.h; NULL: none yet */
	long locations; /* profile location of probes.v[0], then marks.names; -1: not yet there */
	bool is_probed; /* the plan applies to it; else only hooks */
	bool has_gates; /* not all of its calls are recorded, or may not be later: gates.h */
	bool uses_gs;   /* asked for what is probed only */
	bool hides_unwinder; /* obstacles.h */
	struct stat file;
	struct rarog_module *next;
};

struct rarog_modules {
	struct rarog_module *first;
	struct rarog_plan *plan;        /* borrowed */
	bool leaves;                    /* programs go on without us */
	bool is_switched;               /* what is read from here on has, too … */
	struct rarog_place_change last; /* … what was said of all places last: gates.c */
	struct rarog_software software; /* libraries: all that were loaded, measured or not */
};

/**
 * rarog_modules_get() - the module of a file, judged at the first call
 * @probed: the plan applies to it (else: hooks only)
 *
 * Return: 0; errors of rarog_binary_open().
 */
int rarog_modules_get(struct rarog_modules *modules, const char *path, bool probed,
		      struct rarog_module **ret_module);

/** rarog_modules_probes_library() - does the plan apply to the functions of the library @path? */
bool rarog_modules_probes_library(const struct rarog_modules *modules, const char *path);

/**
 * rarog_modules_get_library() - the module of a library to which the plan applies
 *
 * One that may not be probed is left out with a warning, but for its hooks: exceptions pass it, and
 * unwinders in it, as others.
 *
 * Return: as rarog_modules_get().
 */
int rarog_modules_get_library(struct rarog_modules *modules, const char *path,
			      struct rarog_module **ret_module);

/** rarog_module_place() - address (vaddr) of the instructions that @probe displaces. */
static inline uint64_t rarog_module_place(const struct rarog_module *m,
					  const struct rarog_probe *probe)
{
	const struct rarog_function *functions;

	rarog_binary_functions(m->binary, &functions);
	return probe->inside
		       ? probe->inside
		       : functions[probe->function].address + m->sites[probe->function].offset;
}

/** rarog_module_displaced() - bytes of the instructions that @probe displaces. */
static inline uint8_t rarog_module_displaced(const struct rarog_module *m,
					     const struct rarog_probe *probe)
{
	return probe->inside ? probe->length : m->sites[probe->function].length;
}

/** rarog_module_is_short() - does a jump of two bytes at the entry lead to the one before it? */
static inline bool rarog_module_is_short(const struct rarog_module *m,
					 const struct rarog_probe *probe)
{
	return !probe->inside && m->sites[probe->function].kind == RAROG_SITE_NOPS_BEFORE;
}

void rarog_modules_release(struct rarog_modules *modules);

/** rarog_module_reason() - why functions are counted in left_out[@verdict]. */
const char *rarog_module_reason(enum rarog_site_verdict verdict);

#endif
