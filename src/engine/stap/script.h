/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The script for SystemTap that measures a run; what it prints is told in output.h. */
#ifndef RAROG_ENGINE_STAP_SCRIPT_H
#define RAROG_ENGINE_STAP_SCRIPT_H

#include "base/str.h"
#include "engine/probed/run.h"

/**
 * rarog_stap_script() - for the functions that rarog_probed_find() chose
 *
 * The same functions and the same plan give the same text, so that SystemTap finds in its cache
 * what it made of it before. Functions that it could not tell apart are left out, with a reason.
 *
 * Return: 0; -ENOTSUP: a path that means something else to SystemTap, with message; -ENOMEM.
 */
int rarog_stap_script(struct rarog_probed *run, struct rarog_str *ret_script);

/** rarog_stap_marks_choose() - as rarog_probed_marks_choose(); also without what SystemTap has no
 * way to. */
int rarog_stap_marks_choose(struct rarog_plan *plan, struct rarog_probed_module *module);

/** rarog_stap_is_left_out() - the @function of @module, for a reason found here or there. */
bool rarog_stap_is_left_out(const struct rarog_probed_module *module, uint32_t function);

/**
 * rarog_stap_found() - leave out those of @run's probes that SystemTap does not find
 * @elaborated: what it prints of the script (stap -p2)
 *
 * Return: how many names of marks were left out: the script has places of theirs, so another one is
 * needed; -ENOMEM.
 */
long rarog_stap_found(struct rarog_probed *run, const char *elaborated);

#endif
