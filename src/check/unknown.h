/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was not measured is unknown, not zero: a function that one version did not measure is
 * neither gone nor new. Where the other has measured it, its time is counted with its caller, as
 * it is in the version that has not: so exclusive times are of equal sets, if the probes that only
 * one of them had did not cost too much.
 */
#ifndef RAROG_CHECK_UNKNOWN_H
#define RAROG_CHECK_UNKNOWN_H

#include "check/match.h"
#include "check/verdict.h"

/** rarog_unknown_entries() - before they are matched: which of @entries may be in the other version
 * and not be measured there (.may_be_unknown). 0, -EBADMSG, -ENOMEM. */
int rarog_unknown_entries(const struct rarog_side sides[2], struct rarog_entries entries[2]);

/** rarog_unknown_rows() - which rows were not measured in one of the versions (.is_unknown).
 * .rows and .row_of are set. 0, -EBADMSG, -ENOMEM. */
int rarog_unknown_rows(struct rarog_comparison *comparison, const struct rarog_entries entries[2]);

/** rarog_unknown_drop() - all amounts are there: of functions below which one version has measured
 * more than the other, those whose times cannot be told from the cost of these probes are unknown,
 * too. */
void rarog_unknown_drop(struct rarog_comparison *comparison);

/** rarog_unknown_note() - a line that says how many they are, if there are any; how many are
 * compared with what they call. 0, -ENOMEM. */
int rarog_unknown_note(const struct rarog_comparison *comparison, struct rarog_verdict *verdict);

#endif
