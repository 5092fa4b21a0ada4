/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the functions of other files end, as far as their names tell. */
#ifndef RAROG_BINARY_FLOW_CALLS_H
#define RAROG_BINARY_FLOW_CALLS_H

enum rarog_call_end {
	RAROG_CALL_MAY_LEAVE, /* nothing is known */
	RAROG_CALL_RETURNS,
	RAROG_CALL_NEVER, /* returns */
	RAROG_CALL_TWICE, /* may return more often than it is called */
};

/** rarog_call_end() - of the function @name of a library; NULL: an unknown one. */
enum rarog_call_end rarog_call_end(const char *name);

#endif
