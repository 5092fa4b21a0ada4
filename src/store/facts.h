/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the header of a profile says about it, as far as the catalogue wants to know. The header is
 * the truth and the catalogue its index: everything in a catalogue row can be read again from the
 * profile itself (rarog fsck --rebuild).
 */
#ifndef RAROG_STORE_FACTS_H
#define RAROG_STORE_FACTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "store/job.h"
#include "store/machine.h"

/* Texts are the struct's own; NULL: not said. */
struct rarog_facts {
	json_t *header;
	char *version, *tree, *diff; /* commit or label; see struct rarog_vcs_state */
	bool is_dirty;
	struct rarog_job job;
	struct rarog_machine machine;
	struct rarog_hash software; /* key of the member "software": compiler, flags, libc,
				     * libraries by build-id; zero: none */
	char *software_json;        /* canonical */
	uint64_t started_ns;        /* since the epoch */
	uint64_t wall_ns;
	int exit_status; /* 128 + signal; -1 unknown */
	uint64_t calls, losses;
	bool is_partial, is_noisy;
	bool ended_early; /* and is partial: by somebody else's breakpoint */
	char *label;      /* the user's word for it */
};

/** rarog_facts_read() - of the profile file @path. Return: 0; as rarog_profile_open(); a header
 * that is not JSON is -EBADMSG. */
int rarog_facts_read(const char *path, struct rarog_facts *ret_facts);

struct rarog_profile;

/** rarog_facts_of() - of an open profile; as rarog_facts_read(). */
int rarog_facts_of(const struct rarog_profile *profile, struct rarog_facts *ret_facts);

/** rarog_facts_parse() - of a header's text. @name: for messages. */
int rarog_facts_parse(const char *name, const char *header, struct rarog_facts *ret_facts);

void rarog_facts_release(struct rarog_facts *facts);

#endif
