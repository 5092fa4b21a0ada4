/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the size of a std::string or std::vector of libstdc++ stands. */
#ifndef RAROG_BINARY_STANDARD_TYPES_H
#define RAROG_BINARY_STANDARD_TYPES_H

#include "binary/dwarf-type.h"

struct rarog_standard_size {
	uint64_t at;      /* the size, or the pointer to the first element */
	uint64_t other;   /* the pointer after the last one; 0: `at` is the size */
	uint32_t element; /* bytes */
};

/** rarog_standard_size_of() - 0; -ENOENT: a type that is not known here. No message. */
int rarog_standard_size_of(const struct rarog_type *type, struct rarog_standard_size *ret_size);

/** rarog_standard_is_string() - std::string, even where only its name is in the debug information.
 */
bool rarog_standard_is_string(const struct rarog_type *type);

#endif
