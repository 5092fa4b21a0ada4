/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The header of a profile: what was measured, how, where (doc/design/profile-format.md). */
#ifndef RAROG_COLLECT_HEADER_H
#define RAROG_COLLECT_HEADER_H

#include "base/json-writer.h"

/** rarog_header_machine() - member "machine": host, cpu, cpus, kernel, memory_bytes, … */
void rarog_header_machine(struct rarog_json *json);

/** rarog_header_version() - members "commit" and "dirty" of the work tree we are in, if any. */
void rarog_header_version(struct rarog_json *json);

#endif
