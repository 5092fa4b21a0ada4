/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What most commands begin with: the version system, the settings and the store of the directory
 * that the user is in, and the profile that an operand names. */
#ifndef RAROG_CMD_PROJECT_H
#define RAROG_CMD_PROJECT_H

#include "cmd/command.h"
#include "store/revision.h"
#include "store/settings.h"
#include "store/store.h"
#include "store/vcs.h"

enum rarog_need {
	RAROG_NEED_SETTINGS,     /* the version system if there is one */
	RAROG_NEED_STORE_IF_ANY, /* and the store if there is one */
	RAROG_NEED_STORE,        /* both, or it is an error */
};

struct rarog_option_choice;

struct rarog_project {
	struct rarog_vcs *vcs;           /* NULL: none here */
	struct rarog_settings *settings; /* always */
	struct rarog_store *store;       /* NULL: none, or not wanted */
	const char *options; /* only what was measured with these; rarog_option_choice_apply() */
	const struct rarog_strings *jobs; /* only what was measured of these; NULL or empty: all */
};

/**
 * rarog_project_open() - of the current directory
 *
 * Return: 0; as rarog_vcs_open(), rarog_settings_open(), rarog_store_open(). What is wrong with a
 * repository or a store that need not be there is a warning, not an error.
 */
int rarog_project_open(const struct rarog_context *context, enum rarog_need need,
		       struct rarog_project *ret_project);
void rarog_project_release(struct rarog_project *project); /* fits rarog_cleanup() */

/** rarog_project_scope() - where names are looked up; borrowed. */
struct rarog_scope rarog_project_scope(const struct rarog_project *project);

/* The profile file that an operand names. */
struct rarog_operand {
	char *path; /* to open */
	char *name; /* of a file beside which other files may go: the path itself, or, for a profile
		     * of the store, a name in the current directory by the template profile.name */
	struct rarog_project project; /* open as long as the path is used */
	bool is_stored;
	struct rarog_hash object; /* of a profile of the store */
};

/**
 * rarog_operand_find() - a file, N@i, N@p, a hash, a tag or a version (its newest profile)
 * @text: NULL: the newest profile of the store
 * @choice: of versions and of the store only what was measured so; NULL: whatever
 *
 * Return: 0; -ENOENT, -EINVAL as rarog_target_find().
 */
int rarog_operand_find(const struct rarog_context *context, const char *text,
		       const struct rarog_option_choice *choice, struct rarog_operand *ret_operand);
void rarog_operand_release(struct rarog_operand *operand); /* fits rarog_cleanup() */

/** rarog_operand_output() - the name @given with -o, tags of a template filled in from the profile
 * (store/template.h); the caller frees. 0; -EINVAL, as a usage error; errors of reading it. */
int rarog_operand_output(const struct rarog_operand *operand, const char *given, char **ret_output);

#endif
