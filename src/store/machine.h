/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a measurement was made. Facts fall in three: those of the machine's *class* (measurements
 * of different classes are not compared), those of the machine (compared, a difference is said),
 * and the *conditions* of one run (load, temperature), which are no part of its identity.
 */
#ifndef RAROG_STORE_MACHINE_H
#define RAROG_STORE_MACHINE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/json-writer.h"
#include "store/object.h"

/* Texts are the struct's own; NULL or 0: unknown. */
struct rarog_machine {
	/* class */
	char *architecture;    /* "x86_64" */
	char *cpu;             /* model name */
	char *cpu_signature;   /* vendor-family-model-stepping: "GenuineIntel-6-106-6" */
	uint32_t cpus;         /* online */
	uint32_t cores;        /* physical; cpus > cores: SMT is on */
	char *virtualization;  /* "none", "kvm", "vmware", "docker" …, "unknown" */
	uint64_t memory_bytes; /* counts in GiB */
	/* the rest of the machine */
	char *host, *kernel, *system;        /* system: "Debian GNU/Linux 12 (bookworm)" */
	char *libc;                          /* "glibc 2.36" */
	char *microcode, *governor, *driver; /* driver: of frequency scaling */
	int turbo;                           /* 1 on, 0 off, -1 unknown */
	int aslr;                            /* randomize_va_space, -1 unknown */
	char *given_class; /* set by the user: replaces the class computed from the facts */
};

/** rarog_machine_read() - of this one. @given_class: may be NULL. 0 or -ENOMEM: what cannot be
 * found out is unknown. */
int rarog_machine_read(const char *given_class, struct rarog_machine *ret_machine);
void rarog_machine_release(struct rarog_machine *machine);

/** rarog_machine_write() - member @key of a profile's header (doc/design/profile-format.md). */
void rarog_machine_write(struct rarog_json *json, const char *key,
			 const struct rarog_machine *machine);

/** rarog_machine_parse() - of such a member; unknown or wrong fields are unknown. 0 or -ENOMEM. */
int rarog_machine_parse(const json_t *object, struct rarog_machine *ret_machine);

/** rarog_machine_key() - identity of all facts; rarog_machine_class() - of those of the class. */
int rarog_machine_key(const struct rarog_machine *machine, struct rarog_hash *ret_key);
int rarog_machine_class(const struct rarog_machine *machine, struct rarog_hash *ret_class);

enum rarog_machine_relation {
	RAROG_MACHINE_SAME,       /* all facts but the host's name */
	RAROG_MACHINE_SAME_CLASS, /* comparable; the differences are worth a line */
	RAROG_MACHINE_OTHER_CLASS,
};

struct rarog_machine_difference {
	const char *fact; /* "kernel" */
	bool is_of_class;
	char a[128], b[128]; /* "": unknown */
};

#define RAROG_MACHINE_FACTS 20

/** rarog_machine_compare() - and @ret_differences[*ret_n], class facts first. */
enum rarog_machine_relation rarog_machine_compare(
	const struct rarog_machine *a, const struct rarog_machine *b,
	struct rarog_machine_difference ret_differences[RAROG_MACHINE_FACTS], size_t *ret_n);

/* Conditions of one run: read before and after it. */
struct rarog_conditions {
	double load;            /* 1 minute average */
	int64_t temperature_mc; /* hottest zone, 1/1000 °C; INT64_MIN: unknown */
	uint64_t frequency_khz; /* mean of the current frequencies, 0: unknown */
	uint64_t steal_ticks, busy_ticks, all_ticks; /* /proc/stat, all processors */
	uint64_t throttles;                          /* thermal throttle events */
};

void rarog_conditions_read(struct rarog_conditions *ret_conditions);

/** rarog_conditions_write() - member @key: both, what differs, and "noisy" with its reasons (load
 * beside our own, stolen time, throttling). Returns whether it is noisy. */
bool rarog_conditions_write(struct rarog_json *json, const char *key,
			    const struct rarog_conditions *before,
			    const struct rarog_conditions *after);

#endif
