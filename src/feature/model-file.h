/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The feature model: what features a program has, where in its code, and which values go together.
 *
 *   features:
 *     Level:
 *       variable: level              # or FUNCTION:VARIABLE of a local one
 *       file: gzip.c                 # optional; with line, if there are several
 *       option: level                # of the program, as in jobs; usual: the name
 *       values: [1, 6, 9]
 *     Keep:
 *       member: options.keep         # of a struct: TYPE.MEMBER
 *       kind: switch
 *       implies: [Level]
 *       optional: true               # the usual; false: as in the list mandatory
 *   alternatives:
 *     - [Fast, Best]                 # at most one of them
 *   mandatory: [Level]
 *   constraints: ["!Keep | Level"]   # also &, =>, <=> and parentheses
 *
 * Models of SPL Conqueror and VaRA (XML) say the same (model-xml.h).
 */
#ifndef RAROG_FEATURE_MODEL_FILE_H
#define RAROG_FEATURE_MODEL_FILE_H

#include "base/options.h"
#include "base/str.h"
#include "base/vec.h"
#include "store/yaml.h"

struct rarog_feature_names {
	const char **v; /* borrowed */
	size_t n, capacity;
};

struct rarog_feature_entry {
	const char *name, *variable, *member, *file, *option; /* NULL: not said */
	int line;                                             /* 0: not said */
	bool is_switch, is_mandatory;
	struct rarog_feature_names values, implies, excludes;
};

struct rarog_feature_model {
	struct rarog_yaml_file file; /* all texts are its, or … */
	RAROG_VEC(char *) texts;     /* … these */
	RAROG_VEC(struct rarog_feature_entry) features;
	RAROG_VEC(struct rarog_feature_names) alternatives; /* of each at most one is on */
	struct rarog_feature_names constraints;             /* constraint.h */
};

/** rarog_feature_model_parse() - @text of the file @name. As rarog_feature_model_read(). */
int rarog_feature_model_parse(const char *name, size_t n, const char text[n],
			      struct rarog_feature_model *ret_model);

/** rarog_feature_model_read() - the file @path. 0; -EINVAL with file:line:column: also what
 * contradicts itself; -ENOENT. Release in any case. */
int rarog_feature_model_read(const char *path, struct rarog_feature_model *ret_model);
void rarog_feature_model_release(struct rarog_feature_model *model);

/** rarog_feature_model_find() - NULL: it has none called so. */
const struct rarog_feature_entry *rarog_feature_model_find(const struct rarog_feature_model *model,
							   const char *name);

/** rarog_feature_model_write() - for the plug-in: a feature a line. 0; -ENOMEM. */
int rarog_feature_model_write(const struct rarog_feature_model *model, struct rarog_str *text);

#endif
