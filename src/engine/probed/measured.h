/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is a program measured by the inline engine just now? The kernel's breakpoints would end that. */
#ifndef RAROG_ENGINE_PROBED_MEASURED_H
#define RAROG_ENGINE_PROBED_MEASURED_H

#include <sys/types.h>

/** rarog_probed_measured() - a process that runs the file at @path and has probes of the inline
 * engine in it; 0: none that we may look at. */
pid_t rarog_probed_measured(const char *path);

#endif
