/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_ENGINE_EBPF_MESSAGES_H
#define RAROG_ENGINE_EBPF_MESSAGES_H

/** rarog_ebpf_messages_catch() - what libbpf says from here on goes where --debug=install puts it,
 * not to stderr. Before any other call of libbpf; again does no harm. */
void rarog_ebpf_messages_catch(void);

#endif
