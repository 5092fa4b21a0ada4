/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a script for SystemTap, each added to a text. They return 0 or -ENOMEM. */
#ifndef RAROG_ENGINE_STAP_SCRIPT_PARTS_H
#define RAROG_ENGINE_STAP_SCRIPT_PARTS_H

#include "agent/mark-set.h"
#include "base/str.h"
#include "engine/probed/run.h"

/* Numbers of kinds of lines: output.h. */
enum rarog_stap_kind {
	RAROG_STAP_CALL = 0,
	RAROG_STAP_RETURN = 1,
	RAROG_STAP_POINT = 2,
	RAROG_STAP_REGION = 3,
	RAROG_STAP_REGION_END = 4,
	RAROG_STAP_THREAD_BEGIN = 5,
	RAROG_STAP_THREAD_END = 6,
	RAROG_STAP_BEGIN = 7,
	RAROG_STAP_END = 8,
	RAROG_STAP_THREAD = 9,
	RAROG_STAP_REGION_LEFT = 10,
	RAROG_STAP_KINDS
};

/* What the probes of a module have in common. */
struct rarog_stap_writer {
	struct rarog_str *text;
	const struct rarog_probed_module *module;
	const char *process; /* process("PATH") */
	bool is_counted;     /* calls and marks are, and nothing else */
	bool skips;          /* calls of any function */
};

/** rarog_stap_quote() - @value as a text of SystemTap's language. */
int rarog_stap_quote(struct rarog_str *text, const char *value);

/** rarog_stap_name_process() - process("PATH"). -ENOTSUP with message: a path that means something
 * else to SystemTap. */
int rarog_stap_name_process(const char *path, struct rarog_str *text);

/** rarog_stap_put_comment() - "# NUMBER: NAME", for people. */
int rarog_stap_put_comment(struct rarog_str *text, uint32_t number, const char *name);

/* A line that is printed while values are told with it. */
struct rarog_stap_line {
	enum rarog_stap_kind kind;
	uint32_t number;   /* of a function or a mark's name */
	const char *place; /* an expression */
	uint32_t site;     /* of marks */
	bool has_values;   /* if none: how a return finds its call */
	bool is_late;      /* what was read before it is none of its time */
	unsigned n_values;
};

/** rarog_stap_put_helpers() - functions that the parts below call. */
int rarog_stap_put_helpers(struct rarog_str *text);

/** rarog_stap_put_way() - read a value of a call into the variable v@i, or its bit of u. */
int rarog_stap_put_way(struct rarog_str *text, const struct rarog_value_way *way, bool is_return,
		       unsigned i);

/** rarog_stap_put_mark_way() - the same of a mark. */
int rarog_stap_put_mark_way(struct rarog_str *text, const struct rarog_mark_way *way, unsigned i);

/** rarog_stap_put_line() - print it, when the values are read. */
int rarog_stap_put_line(struct rarog_str *text, const struct rarog_stap_line *line);

/** rarog_stap_put_marks() - probes of the marks at places that no function's probe is at. */
int rarog_stap_put_marks(const struct rarog_stap_writer *writer);

/** rarog_stap_put_marks_at() - what the probe at @address does for the marks there, if any. */
int rarog_stap_put_marks_at(const struct rarog_stap_writer *writer, uint64_t address);

/** rarog_stap_function_at() - is a function's probe at @address? */
bool rarog_stap_function_at(const struct rarog_probed_module *module, uint64_t address);

#endif
