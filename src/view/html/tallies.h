/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known about each function over all strands.
 */
#ifndef RAROG_VIEW_HTML_TALLIES_H
#define RAROG_VIEW_HTML_TALLIES_H

#include "view/run.h"

/**
 * rarog_tallies_new() - one summary for every location, of count 0 where nothing is known
 *
 * Where the profile has no summary (a cut-off file) the calls are those of the context tree, and
 * none of them counts as timed. Return: 0; -ENOMEM; errors of the reader.
 * @ret_tallies: as many as @run has locations, at least one; the caller frees
 */
int rarog_tallies_new(const struct rarog_run *run, struct rarog_summary **ret_tallies);

#endif
