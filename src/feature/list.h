/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The list of regions that rarog cc --rarog-regions compiles in: text, a line each,
 * words with tabs between them.
 *
 *	list    DIGEST
 *	region  NUMBER NAME FILE LINE
 *	unit    PIECES NAME DIRECTORY      a source, and how many pieces it has
 *	piece   NUMBER REGION...           of the unit before; what is open in it, outermost first
 *	decision NUMBER REGION             of the unit before; the piece where it is decided
 */
#ifndef RAROG_FEATURE_LIST_H
#define RAROG_FEATURE_LIST_H

#include "feature/analysis.h"

/** rarog_feature_list_write() - regions of the features @wanted (n 0: all) to the file @path. 0;
 * -errno with message. */
int rarog_feature_list_write(const struct rarog_feature_analysis *analysis,
			     const struct rarog_strings *wanted, const char *path);

#endif
