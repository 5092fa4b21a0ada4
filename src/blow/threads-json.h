/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads in the lines of a journal. */
#ifndef RAROG_BLOW_THREADS_JSON_H
#define RAROG_BLOW_THREADS_JSON_H

#include <jansson.h>

#include "blow/threads.h"

/** rarog_blow_threads_row() - those of the traced run. NULL: no memory. */
json_t *rarog_blow_threads_row(const struct rarog_blow_threads *threads);

/** rarog_blow_threads_take() - @rows: NULL in older journals; @n_functions: of the corpus. 0;
 * -EINVAL without message; -ENOMEM. */
int rarog_blow_threads_take(const json_t *rows, size_t n_functions,
			    struct rarog_blow_threads *threads);

/** rarog_blow_thread_times_row() - of one run; @thread_ns may be NULL. */
json_t *rarog_blow_thread_times_row(const double thread_ns[], size_t n);

/** rarog_blow_thread_times_take() - the caller frees; NULL: nothing is known of its threads. */
double *rarog_blow_thread_times_take(const json_t *row, size_t n);

#endif
