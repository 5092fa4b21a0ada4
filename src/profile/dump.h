/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A whole profile as one JSON document, for programs that want everything: doc/design/json.md.
 */
#ifndef RAROG_PROFILE_DUMP_H
#define RAROG_PROFILE_DUMP_H

#include <stdbool.h>
#include <stdio.h>

struct rarog_profile;

/**
 * rarog_profile_dump_json() - write all tables and, if wanted, every call
 * @with_calls: also the calls, block by block (constant memory; about 10 bytes an event)
 *
 * A block of calls that is damaged becomes an object with "damaged" and the rest follows. Return:
 * 0; -EIO; -EBADMSG … if a table is damaged (the document is then incomplete).
 */
int rarog_profile_dump_json(struct rarog_profile *profile, FILE *out, bool with_calls);

#endif
