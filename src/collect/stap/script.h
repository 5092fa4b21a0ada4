/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The script for SystemTap that measures a run; what it prints is told in output.h. */
#ifndef RAROG_COLLECT_STAP_SCRIPT_H
#define RAROG_COLLECT_STAP_SCRIPT_H

#include "base/str.h"
#include "collect/probed/run.h"

/**
 * rarog_stap_script() - for the functions that rarog_probed_find() chose
 *
 * The same functions and the same plan give the same text, so that SystemTap finds in its cache
 * what it made of it before. Functions that it could not tell apart are left out, with a reason.
 *
 * Return: 0; -ENOTSUP: a path that means something else to SystemTap, with message; -ENOMEM.
 */
int rarog_stap_script(struct rarog_probed *run, struct rarog_str *ret_script);

/**
 * rarog_stap_found() - leave out those of @run's probes that SystemTap does not find
 * @elaborated: what it prints of the script (stap -p2)
 *
 * Return: how many were left out; -ENOMEM.
 */
long rarog_stap_found(struct rarog_probed *run, const char *elaborated);

#endif
