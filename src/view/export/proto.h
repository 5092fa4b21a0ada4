/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writing protocol buffers: fields appended to a growing message. A message within a message is
 * written as one of its own and added. Lack of memory is sticky: it is asked for once, at the end.
 * A zeroed struct is an empty message.
 */
#ifndef RAROG_VIEW_EXPORT_PROTO_H
#define RAROG_VIEW_EXPORT_PROTO_H

#include <stdint.h>

#include "base/str.h"

struct rarog_proto {
	struct rarog_str bytes;
	int error; /* 0, -ENOMEM */
};

/* @number is the field's. */
void rarog_proto_uint(struct rarog_proto *to, uint32_t number, uint64_t value);
void rarog_proto_bytes(struct rarog_proto *to, uint32_t number, size_t n, const char *bytes);
void rarog_proto_text(struct rarog_proto *to, uint32_t number, const char *text); /* made UTF-8 */

/** rarog_proto_message() - add @message and empty it. */
void rarog_proto_message(struct rarog_proto *to, uint32_t number, struct rarog_proto *message);

void rarog_proto_release(struct rarog_proto *message);

#endif
