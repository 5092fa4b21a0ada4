/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parameters and the result of a function, and where they are when it is entered. Types come
 * from the debug information (DWARF 4 and 5), places from the System V ABI. Where a compiler may
 * have changed the convention (clones, local functions of clang) a place must also be what the
 * debug information says of the function's first instruction; where the two contradict each other
 * the parameter is refused. doc/design/arguments.md has the rules.
 */
#ifndef RAROG_BINARY_SIGNATURE_H
#define RAROG_BINARY_SIGNATURE_H

#include "base/str.h"
#include "binary/binary.h"
#include "binary/value-path.h"

struct rarog_signature;

/**
 * rarog_signature_read() - of function @function (an index) of @binary
 *
 * @binary must outlive it. Return: 0; -ENODATA: no debug information of it; -ENOTSUP: what there is
 * cannot be relied on (message: "FUNCTION: why"); -EPROTONOSUPPORT: it is in a language whose
 * functions are called otherwise (message as well); -ENOMEM.
 */
int rarog_signature_read(struct rarog_binary *binary, size_t function,
			 struct rarog_signature **ret_signature);
void rarog_signature_free(struct rarog_signature *signature);
RAROG_DEFINE_FREEP(rarog_signature);

struct rarog_parameter {
	const char *name;    /* NULL: it has none; "this"; of the result "return" */
	const char *type;    /* "const struct list *" */
	const char *why_not; /* it cannot be captured as such (fields of it may be); NULL: it can */
};

size_t rarog_signature_count(const struct rarog_signature *signature);
/** rarog_signature_parameter() - the parameter at @index; at the count: the result. Borrowed. */
struct rarog_parameter rarog_signature_parameter(const struct rarog_signature *signature,
						 size_t index);

/**
 * rarog_signature_path() - how to reach @text
 * @text: a parameter's name, or "return", then any of ->FIELD and .FIELD; before them all *; after
 *	them .size() or ->size() of a string or vector
 * @ret_path: of a pointer to char its text's length, of a string or vector its size, of a reference
 *	what it refers to
 *
 * Return: 0; -ENOENT: there is no such parameter or field, near ones are named; -ENOTSUP: its value
 * cannot be had; -EINVAL: not a path. Messages without the function's name.
 */
int rarog_signature_path(const struct rarog_signature *signature, const char *text,
			 struct rarog_value_path *ret_path);

/** rarog_signature_path_type() - append the type of what a path leads to. As above. */
int rarog_signature_path_type(const struct rarog_signature *signature, const char *text,
			      struct rarog_str *type);

#endif
