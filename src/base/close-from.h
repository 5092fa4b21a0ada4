/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_BASE_CLOSE_FROM_H
#define RAROG_BASE_CLOSE_FROM_H

/** rarog_close_from() - close all descriptors from @first on. 0 or -errno, no message. */
int rarog_close_from(int first);

#endif
