/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Libraries whose functions may be called while the allocator, or the loader, holds a lock. */
#ifndef RAROG_BLOW_HOLDERS_H
#define RAROG_BLOW_HOLDERS_H

#include <stdbool.h>

/** rarog_blow_holds_locks() - is the file @path one of them? By its name: the C library and what
 * belongs to it, unwinders (which ask the loader), allocators. */
bool rarog_blow_holds_locks(const char *path);

#endif
