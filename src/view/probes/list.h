/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What `rarog probes` shows: the functions of one binary that were asked for, each with its source
 * and the verdict on its entry, and what exists only inlined into others.
 */
#ifndef RAROG_VIEW_PROBES_LIST_H
#define RAROG_VIEW_PROBES_LIST_H

#include "base/json-writer.h"
#include "base/match.h"
#include "binary/patch-site.h"
#include "binary/usdt.h"

struct rarog_listed_probe {
	const struct rarog_function *function;
	char *demangled; /* NULL: as function->name */
	struct rarog_source source;
	enum rarog_site_verdict verdict;
	enum rarog_site_kind kind; /* where the jump would be written, or came nearest */
};

/* A function without code of its own; its instances stand together. */
struct rarog_probe_inlined {
	const char *name;
	char *demangled; /* NULL: as name */
	size_t n;
	const struct rarog_inlined *instances;
};

/* A place that the program's author marked. */
struct rarog_probe_mark {
	struct rarog_usdt usdt;
	struct rarog_source source;
	const char
		*end; /* name of the probe that closes what this one opens, NULL: opens nothing */
	const char *reason; /* why --engine=inline cannot measure it, NULL: it can; static */
};

struct rarog_probe_list {
	struct rarog_binary *binary;
	const struct rarog_function *functions; /* all of the binary */
	size_t n_functions;
	RAROG_VEC(struct rarog_listed_probe) probes; /* by address */
	RAROG_VEC(struct rarog_probe_inlined) inlined;
	struct rarog_usdts usdts;                 /* all of the binary */
	RAROG_VEC(struct rarog_probe_mark) marks; /* of them those asked for, by address */
	size_t counts[RAROG_SITE_VERDICTS];       /* of probes, cold parts left out */
	size_t kinds[RAROG_SITE_KINDS];           /* of those that are OK */
	size_t n_cold;
	char *refused; /* why rarog collect records no calls of it all the same; NULL: it does */
	bool with_arguments; /* what of their arguments can be captured is wanted */
};

/**
 * rarog_probe_list_read() - analyse the binary at @path
 * @match: which functions; hits are counted
 *
 * Return: 0; as rarog_binary_open() and rarog_patch_sites().
 */
int rarog_probe_list_read(const char *path, struct rarog_match *match,
			  struct rarog_probe_list *list);
void rarog_probe_list_release(struct rarog_probe_list *list);

/** rarog_probe_list_total() - how many functions were asked for, cold parts left out. */
size_t rarog_probe_list_total(const struct rarog_probe_list *list);

/** rarog_probe_list_json() - one object: binary, counts, functions, inlined, usdt. */
void rarog_probe_list_json(struct rarog_json *json, const struct rarog_probe_list *list);

struct rarog_probe_view {
	const char *directory; /* of the process, to shorten paths; NULL: unknown */
	bool is_full;          /* with what cannot be traced */
	bool is_csv;
	uint64_t call_ns; /* what tracing one call costs */
	int width;
	bool colour;
};

/** rarog_probe_list_print() - a table and what is to be said of it. 0 or -ENOMEM. */
int rarog_probe_list_print(const struct rarog_probe_view *o, const struct rarog_probe_list *list,
			   FILE *out);

#endif
