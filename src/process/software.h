/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was measured is made of: compilers and flags, the C library, and the builds of programs and
 * libraries. The member "software" of a profile's header (doc/design/profile-format.md); the store
 * keeps equal ones once.
 */
#ifndef RAROG_PROCESS_SOFTWARE_H
#define RAROG_PROCESS_SOFTWARE_H

#include "base/json-writer.h"
#include "binary/producers.h"

struct rarog_build {
	char *path, *id; /* id: hexadecimal, "" if the file has none */
};

struct rarog_builds {
	RAROG_VEC(struct rarog_build) list;
};

/* Zeroed: nothing known. */
struct rarog_software {
	struct rarog_producers producers;
	char *libc; /* "glibc 2.36 (Debian GLIBC 2.36-9)", NULL: unknown */
	struct rarog_builds programs, libraries;
};

/** rarog_software_add_program() - a program, or a library of whose code something is measured: its
 * compilers, too, but not those of libraries whose debug information is a separate file: the
 * distribution's, which its version tells. 0 or -ENOMEM. */
int rarog_software_add_program(struct rarog_software *software, struct rarog_binary *binary);

/** rarog_software_add_library() - a library that was loaded; one that is known already costs
 * nothing. 0 or -ENOMEM: what cannot be read is left out. */
int rarog_software_add_library(struct rarog_software *software, const char *path);

/** rarog_software_write() - member "software", sorted. */
void rarog_software_write(struct rarog_json *json, struct rarog_software *software);

void rarog_software_release(struct rarog_software *software);

#endif
