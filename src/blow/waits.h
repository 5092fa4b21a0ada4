/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions by which threads wait for each other, and wake each other. */
#ifndef RAROG_BLOW_WAITS_H
#define RAROG_BLOW_WAITS_H

/** rarog_blow_settles() - when a thread that calls @name of the file @path settles its debts: bits
 * of enum rarog_settle (plan/place-set.h); 0: never. What only glibc's own functions may look into
 * others do not. */
unsigned rarog_blow_settles(const char *path, const char *name);

/** rarog_blow_waits_warn() - says so if threads of the program @name, as a shell would find it,
 * wait where that is not seen. */
void rarog_blow_waits_warn(const char *name);

#endif
