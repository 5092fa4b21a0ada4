/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles in the store: their catalogue rows. */
#ifndef RAROG_STORE_RECORD_H
#define RAROG_STORE_RECORD_H

#include "base/vec.h"
#include "store/configuration.h"
#include "store/facts.h"
#include "store/store.h"
#include "store/vcs.h"

enum rarog_record_flags {
	RAROG_RECORD_DIRTY = 1,    /* measured with changes that are in no commit */
	RAROG_RECORD_PARTIAL = 2,  /* file was cut off */
	RAROG_RECORD_NOISY = 4,    /* the machine was not quiet */
	RAROG_RECORD_IMPORTED = 8, /* from another tool or store */
	RAROG_RECORD_DAMAGED = 16, /* fsck found the object missing or changed */
};

/* A row. Texts are borrowed from the list or, in a callback, until it returns; "" or NULL as the
 * facts have it. */
struct rarog_record {
	int64_t id;
	struct rarog_hash object;
	uint64_t bytes;
	const char *version; /* NULL: belongs to none */
	const char *tree, *diff;
	int64_t job, machine; /* ids; for grouping */
	const char *job_name, *command, *arguments, *workload, *collector, *engine, *parameters;
	const char *configuration; /* rarog_configuration_words() makes a line of it */
	bool has_number;
	double number;
	struct rarog_hash job_key, machine_key, machine_class, software;
	uint64_t started_ns, added_ns, wall_ns;
	uint64_t calls, losses;
	int exit_status;
	unsigned flags; /* enum rarog_record_flags */
	const char *label;
};

/* --- adding and removing --- */

struct rarog_record_options {
	const char *version; /* belongs to this one, whatever its header says; NULL: header's */
	const char *tree;    /* of version */
	bool force;          /* even if the header names another version */
	unsigned flags;      /* to add: RAROG_RECORD_IMPORTED */
	const char *label;   /* NULL: header's */
	const struct rarog_commit *commit; /* facts of the version for log; NULL: unknown yet */
};

/**
 * rarog_record_add() - keep the profile file @path (which is left alone) and register it
 *
 * The same profile under the same version is kept once. Return: 1 new, 0 it was there (both set
 * @ret_id); -EINVAL it belongs to another version and not @options->force; -EBADMSG not a sound
 * profile; -EROFS; -ENOSPC, -errno. When it returns 0 or 1 outside a transaction, it is on disk.
 */
int rarog_record_add(struct rarog_store *store, const char *path,
		     const struct rarog_record_options *options, int64_t *ret_id,
		     struct rarog_hash *ret_object);

/** rarog_record_remove() - the row and its tags; the object stays until gc. 1, 0 none such. */
int rarog_record_remove(struct rarog_store *store, int64_t id);

/* --- finding --- */

enum rarog_record_order {
	RAROG_ORDER_TIME = 0, /* oldest first; of equals, the one added first */
	RAROG_ORDER_NEWEST,
	RAROG_ORDER_COMMAND,
	RAROG_ORDER_WORKLOAD,
	RAROG_ORDER_COLLECTOR,
	RAROG_ORDER_SIZE, /* largest first */
	RAROG_ORDER_HASH,
};

/** rarog_record_order_names() - "time", …, NULL at the end; static. */
extern const char *const rarog_record_order_names[];

/* Zeroed: every profile. What is set must hold together. */
struct rarog_record_filter {
	int64_t id;
	const char *version;             /* in full; "": those of none */
	const char *tree;                /* same content, whatever the commit */
	const struct rarog_hash *object; /* this object */
	const char *object_prefix;       /* hexadecimal digits */
	const struct rarog_hash *job_key, *machine_key, *machine_class;
	const char *collector, *command, *workload, *label, *tag;
	const char *options; /* the job has these, whatever else: rarog_configuration_json() */
	const char *job;     /* the job's name, or a part of its command line */
	bool clean_only;     /* not DIRTY, PARTIAL or DAMAGED */
	uint64_t since_ns, until_ns; /* started in [since, until); 0: open */
	enum rarog_record_order order;
	uint64_t limit; /* 0: none */
};

/** rarog_record_each() - non-zero of @visit ends it and is returned. @visit may not write. */
int rarog_record_each(struct rarog_store *store, const struct rarog_record_filter *filter,
		      int (*visit)(const struct rarog_record *record, void *user), void *user);

/* A list of rows with their texts. Zeroed: empty. */
struct rarog_records {
	RAROG_VEC(struct rarog_record) rows;
	RAROG_VEC(char *) texts;
};

/** rarog_records_read() - all that match, in order. */
int rarog_records_read(struct rarog_store *store, const struct rarog_record_filter *filter,
		       struct rarog_records *ret_records);
void rarog_records_release(struct rarog_records *records);

/** rarog_record_count() - how many match (limit and order do not count); or -errno. */
int64_t rarog_record_count(struct rarog_store *store, const struct rarog_record_filter *filter);

/* SQL on a row j of jobs: has it all options of the JSON text ? (NULL, "": none) */
#define RAROG_SQL_HAS_OPTIONS(parameter)                                                           \
	"NOT EXISTS (SELECT 1 FROM json_each(nullif(" parameter ", '')) w WHERE NOT EXISTS"        \
	" (SELECT 1 FROM json_each(j.configuration) o WHERE o.key = w.key AND o.value = w.value))"

/* Likewise: is it named by the text ?, or has its command line that? (NULL: yes) */
#define RAROG_SQL_IS_JOB(parameter)                                                                \
	"EXISTS (SELECT 1 FROM (SELECT " parameter " AS text) w WHERE w.text IS NULL"              \
	" OR j.name = w.text OR instr(ifnull(j.command, '') || ' ' ||"                             \
	" ifnull(j.arguments, '') || ' ' || ifnull(j.workload, ''), w.text) > 0)"

/** rarog_options_check() - do jobs in @store have each of @options, and with this value? 0; -EINVAL
 * names the one that none has, with what there is; -errno. */
int rarog_options_check(struct rarog_store *store, const struct rarog_configuration *options);

struct rarog_profile;

/** rarog_record_open() - open the stored profile @object; free it before the store.
 * Return: 0; as rarog_profile_open(); -EBADMSG: missing, damaged or quarantined, with message. */
int rarog_record_open(struct rarog_store *store, const struct rarog_hash *object,
		      struct rarog_profile **ret_profile);

/**
 * rarog_record_path() - a file with the profile, for a reader that wants a path; the caller frees
 * it
 *
 * Only for reading, and only as long as @store is open: a packed profile is unpacked for it, and
 * nothing says that the file has a name of its own. Prefer rarog_record_open().
 * -EBADMSG: missing or quarantined, with message.
 */
int rarog_record_path(struct rarog_store *store, const struct rarog_hash *object, char **ret_path);

/* --- pending profiles: files in the store that are not registered --- */

struct rarog_pending {
	char *path, *name;
	uint64_t bytes, changed_ns;
};

struct rarog_pendings {
	RAROG_VEC(struct rarog_pending) files; /* by time, oldest first, then by name */
};

int rarog_pendings_read(struct rarog_store *store, struct rarog_pendings *ret_pendings);
void rarog_pendings_release(struct rarog_pendings *pendings);

#endif
