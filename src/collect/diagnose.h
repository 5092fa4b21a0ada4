/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Everything that a bug report needs, packed while collecting as usual: what rarog and the machine
 * are, what was asked, what happened inside. Nothing that the program read or printed, and of the
 * environment only names and a few harmless values.
 */
#ifndef RAROG_COLLECT_DIAGNOSE_H
#define RAROG_COLLECT_DIAGNOSE_H

#include <stdbool.h>

struct rarog_diagnosis;

struct rarog_diagnosis_result {
	const char *program; /* as given */
	const char *profile; /* that was written; NULL: none */
	bool with_profile;   /* the profile, too: it says which functions ran, how often, when */
	int code;            /* exit status, or -errno with the recorded message */
};

/**
 * rarog_diagnosis_start() - before the run: open the archive, record all debug lines
 * @path: .tar.gz or .tar.zst
 *
 * Return: 0, or -errno with message: the file cannot be written, or there is no tar.
 */
int rarog_diagnosis_start(const char *path, struct rarog_diagnosis **ret_diagnosis);

/** rarog_diagnosis_finish() - pack and write; the recorded error message stays. Frees it. Return:
 * 0, or -errno after a warning. */
int rarog_diagnosis_finish(struct rarog_diagnosis *d, const struct rarog_diagnosis_result *result);

#endif
