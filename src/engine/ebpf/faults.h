/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Faults of the program in front of a probe: of calls that the probe does not see. */
#ifndef RAROG_ENGINE_EBPF_FAULTS_H
#define RAROG_ENGINE_EBPF_FAULTS_H

#include "engine/probed/run.h"

/** rarog_ebpf_is_fault() - is @event one of RAROG_PROBED_FAULT? */
bool rarog_ebpf_is_fault(const struct rarog_probed_event *event);

/** rarog_ebpf_is_delivered_again() - is @fatal what the kernel makes of @handled, if the handler
 * has no room on the stack? */
bool rarog_ebpf_is_delivered_again(const struct rarog_probed_event *handled,
				   const struct rarog_probed_event *fatal);

/**
 * rarog_ebpf_fault_in() - the function that had been entered, without coming by its probe
 * @ret_number: of the probe
 *
 * Return: borrowed; NULL: the fault was anywhere else.
 */
const struct rarog_probed_probe *rarog_ebpf_fault_in(const struct rarog_probed *run,
						     const struct rarog_probed_event *event,
						     uint32_t *ret_number);

#endif
