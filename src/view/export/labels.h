/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The names of all locations as JSON strings, quoted and escaped once instead of at every call.
 */
#ifndef RAROG_VIEW_EXPORT_LABELS_H
#define RAROG_VIEW_EXPORT_LABELS_H

#include "view/run.h"

struct rarog_labels {
	char *text;      /* all, one after the other */
	size_t *offsets; /* offsets[i] … offsets[i + 1]: location i */
};

/** rarog_labels_init() - Return: 0, -ENOMEM. */
int rarog_labels_init(struct rarog_labels *labels, const struct rarog_run *run);
void rarog_labels_release(struct rarog_labels *labels);

#endif
