/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of a Perun profile, for perun*.c only. */
#ifndef RAROG_IMPORT_PERUN_OWN_H
#define RAROG_IMPORT_PERUN_OWN_H

#include <jansson.h>

#include "base/vec.h"
#include "import/perun.h"
#include "profile/writer.h"

/* Resources that differ in numbers only: one type of the columns, or a single record. Everything is
 * borrowed from the document. */
struct rarog_perun_kind {
	const json_t *facts;   /* uid, type, subtype, trace, tid … */
	const json_t *columns; /* amount, exclusive, timestamp …: lists, or numbers of a record */
	size_t n;
};

struct rarog_perun {
	char *name;
	char *text; /* the JSON, as it came */
	size_t n;
	json_t *root;
	RAROG_VEC(struct rarog_perun_kind) kinds;
};

static inline void rarog_perun_decrefp(json_t **json)
{
	json_decref(*json);
}

/* rarog_perun_has(): is anything there, NaN or other things that are no numbers included? */
bool rarog_perun_has(const struct rarog_perun_kind *kind, const char *column, size_t i);

/* rarog_perun_number(): element @i of a column, or the number of a record; also numbers written as
 * text. false: none is there. */
bool rarog_perun_number(const struct rarog_perun_kind *kind, const char *column, size_t i,
			double *ret_value);
/* rarog_perun_integer(): the same where digits beyond 2^53 matter; false also for fractions. */
bool rarog_perun_integer(const struct rarog_perun_kind *kind, const char *column, size_t i,
			 int64_t *ret_value);
/* rarog_perun_text(): a member's text, NULL: none. */
const char *rarog_perun_text(const json_t *object, const char *key);
int64_t rarog_perun_id(const json_t *object, const char *key); /* -1: none */

/* perun-header.c */
/** rarog_perun_header() - the header of the new profile as JSON; the caller frees. NULL: memory. */
char *rarog_perun_header(const struct rarog_perun *perun, const struct rarog_perun_options *options,
			 const struct rarog_perun_result *result);

/** rarog_perun_scale() - nanoseconds of an amount of @kind, 0: it is no time; @ret_unit: what it
 * is then; borrowed. */
double rarog_perun_scale(const struct rarog_perun *perun, const struct rarog_perun_kind *kind,
			 const char **ret_unit);

/* perun-places.c: locations and strands of what is written. */
struct rarog_perun_places;
int rarog_perun_places_new(struct rarog_profile_writer *writer, const char *command,
			   struct rarog_perun_places **ret_places);
void rarog_perun_places_free(struct rarog_perun_places *places);
RAROG_DEFINE_FREEP(rarog_perun_places);
/** rarog_perun_location() - of a uid or of one entry of a trace: a name, or function, source and
 * line. @suffix: what tells it from others of the name, or NULL. */
long rarog_perun_location(struct rarog_perun_places *places, const json_t *uid, const char *binary,
			  const char *suffix);
/** rarog_perun_strand() - thread @tid of process @pid. */
long rarog_perun_strand(struct rarog_perun_places *places, int64_t pid, int64_t tid);
/** rarog_perun_set_span() - from when to when the strand, and so its process, was there. */
struct rarog_perun_span {
	uint64_t start, end;
};
int rarog_perun_set_span(struct rarog_perun_places *places, uint32_t strand,
			 const struct rarog_perun_span *span);
size_t rarog_perun_n_locations(const struct rarog_perun_places *places);

/* perun-calls.c */
/**
 * rarog_perun_calls() - write single calls, with tree and summaries
 *
 * Return: 1 done; 0 the times do not tell how the calls lay in each other, nothing was written.
 */
int rarog_perun_calls(const struct rarog_perun *perun, struct rarog_profile_writer *writer,
		      struct rarog_perun_places *places);

/* perun-sums.c */
int rarog_perun_sums(const struct rarog_perun *perun, const struct rarog_perun_options *options,
		     struct rarog_profile_writer *writer, struct rarog_perun_places *places,
		     struct rarog_perun_result *result);

/* Is it one of the rows that the tracer writes about a process or a thread? */
bool rarog_perun_is_marker(const struct rarog_perun_kind *kind);

#endif
