/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The context trees of all threads of a run as one, whose first level are threads. */
#ifndef RAROG_VIEW_THREAD_TREE_H
#define RAROG_VIEW_THREAD_TREE_H

#include "view/run.h"
#include "view/tree.h"

/**
 * rarog_thread_tree() - the location of a thread is the number of its strand and all locations
 * before it
 * @ret_tree: zeroed; it stays so where there is one thread only, or its calls are not known one by
 *	one; the caller releases it, also after an error
 *
 * Return: 0; -ENOMEM, -EBADMSG.
 */
int rarog_thread_tree(const struct rarog_run *run, struct rarog_call_tree *ret_tree);

#endif
