/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions and marks that are not measured, or not to the end, for a reason that only the running
 * program shows: they are named, in lines and in the profile. By any thread.
 */
#ifndef RAROG_ENGINE_INLINE_CODE_DROPPED_H
#define RAROG_ENGINE_INLINE_CODE_DROPPED_H

#include "base/json-writer.h"
#include "engine/inline/code/module.h"

/** rarog_dropped_function() - @number, as the binary counts its functions; twice is once. @is_said:
 * no line is needed. */
void rarog_dropped_function(struct rarog_module *m, uint32_t number, enum rarog_drop why,
			    bool is_said);

/** rarog_dropped_mark() - of m->marks.names. */
void rarog_dropped_mark(struct rarog_module *m, uint32_t number, enum rarog_drop why);

/** rarog_dropped_name() - of function @number; borrowed from the binary. */
const char *rarog_dropped_name(const struct rarog_module *m, uint32_t number);

/** rarog_dropped_say() - a line for each reason about those that none was said about yet. */
void rarog_dropped_say(struct rarog_modules *modules);

/** rarog_dropped_early() - did the recording of any file end before it did? */
bool rarog_dropped_early(const struct rarog_modules *modules);

/** rarog_dropped_write() - "breakpoints": [{function or mark, binary, since}] and "unplaced":
 * [{function, binary}], if there are. */
void rarog_dropped_write(struct rarog_json *json, const struct rarog_modules *modules);

#endif
