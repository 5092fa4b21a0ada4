/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_VIEW_EXPORT_CALLGRIND_H
#define RAROG_VIEW_EXPORT_CALLGRIND_H

#include <stdio.h>

#include "profile/reader.h"

/** rarog_callgrind_write_blocks() - a profile of blocks; as struct rarog_export_format.write. */
int rarog_callgrind_write_blocks(struct rarog_profile *profile, FILE *out);

#endif
