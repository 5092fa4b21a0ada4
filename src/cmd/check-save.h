/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verdicts are kept beside the versions they are about; rarog log shows them. */
#ifndef RAROG_CMD_CHECK_SAVE_H
#define RAROG_CMD_CHECK_SAVE_H

#include "check/check.h"
#include "store/store.h"

/** rarog_check_save() - those of two versions that were not forced; @store: NULL or read-only:
 * nothing is done. 0; as rarog_derived_put(). */
int rarog_check_save(struct rarog_store *store, struct rarog_checks *checks);

#endif
