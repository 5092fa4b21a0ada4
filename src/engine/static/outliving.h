/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that go on after the run: the folder of their files is gone then. */
#ifndef RAROG_ENGINE_STATIC_OUTLIVING_H
#define RAROG_ENGINE_STATIC_OUTLIVING_H

#include <stddef.h>

/** rarog_static_outliving() - how many that write their regions into @folder, as far as this user
 * may look. */
size_t rarog_static_outliving(const char *folder);

#endif
