/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The member "threads" of a page's data: the context tree of each thread. */
#ifndef RAROG_VIEW_HTML_THREAD_TREE_H
#define RAROG_VIEW_HTML_THREAD_TREE_H

#include "base/json-writer.h"
#include "view/run.h"

/**
 * rarog_html_thread_tree_write() - columns of a tree whose first level are threads
 * @max: contexts to keep at most
 *
 * A thread's number is that of its strand and all functions before it. null: there is one thread
 * only, or its calls are not known one by one. 0; -ENOMEM, -EBADMSG.
 */
int rarog_html_thread_tree_write(const struct rarog_run *run, size_t max, struct rarog_json *json);

#endif
