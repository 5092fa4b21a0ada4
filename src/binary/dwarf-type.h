/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Types as the debug information has them (DWARF 4 and 5): what kind of value, how wide, how it is
 * passed, what it consists of. Damaged trees give kind OTHER or -EBADMSG, never an endless walk.
 */
#ifndef RAROG_BINARY_DWARF_TYPE_H
#define RAROG_BINARY_DWARF_TYPE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "binary/abi-class.h"

enum rarog_type_kind {
	RAROG_TYPE_OTHER = 0, /* nothing that is known here */
	RAROG_TYPE_VOID,
	RAROG_TYPE_SIGNED,
	RAROG_TYPE_UNSIGNED,
	RAROG_TYPE_BOOL,
	RAROG_TYPE_CHAR, /* char, wchar_t, char8_t … */
	RAROG_TYPE_ENUM,
	RAROG_TYPE_POINTER,
	RAROG_TYPE_REFERENCE, /* C++: & and && */
	RAROG_TYPE_REAL,      /* float, double */
	RAROG_TYPE_LONG_DOUBLE,
	RAROG_TYPE_QUAD, /* __float128 */
	RAROG_TYPE_COMPLEX,
	RAROG_TYPE_VECTOR,
	RAROG_TYPE_STRUCTURE, /* and class, union */
	RAROG_TYPE_ARRAY,
};

struct rarog_type {
	enum rarog_type_kind kind;
	uint64_t size;  /* bytes */
	bool is_signed; /* of an enumeration or character */
	Dwarf_Die die;  /* without typedef, const, volatile; not of VOID */
};

/** rarog_type_of() - the type that @die's DW_AT_type names, VOID if there is none. */
struct rarog_type rarog_type_of(Dwarf_Die *die);

/** rarog_type_text() - append the type of @die as in a declaration: "const char *". 0, -ENOMEM. */
int rarog_type_text(Dwarf_Die *die, struct rarog_str *text);

/** rarog_type_refusal() - why a value of this kind is not captured; NULL: it can be. */
const char *rarog_type_refusal(const struct rarog_type *type);

/** rarog_type_define() - what is only declared here, and defined in a type unit
 * (-fdebug-types-section), becomes its definition; what is not found stays. */
void rarog_type_define(Dwarf_Die *type);

/** rarog_type_is_c() - is @die of a unit in C, not C++? */
bool rarog_type_is_c(Dwarf_Die *die);

/* A data member, found by its name. */
struct rarog_type_member {
	struct rarog_type type;
	Dwarf_Die die;
	uint64_t offset;   /* bytes, of its first one */
	uint8_t first_bit; /* of a bit field, in that byte */
	uint8_t n_bits;    /* 0: it is none */
};

/** rarog_type_member() - member @name of a structure, also of its bases and of structures in it
 * that have no name. Return: 0; -ENOENT; -ENOTSUP behind a virtual base. No message. */
int rarog_type_member(const struct rarog_type *type, const char *name,
		      struct rarog_type_member *ret_member);

/** rarog_type_members() - offer the names of all members to @offer. */
void rarog_type_members(const struct rarog_type *type,
			void (*offer)(void *context, const char *name), void *context);

/** rarog_type_is_by_reference() - C++: a class that cannot be copied bytewise, whose address is
 * passed instead of it. */
bool rarog_type_is_by_reference(const struct rarog_type *type);

/** rarog_type_classify() - how a value of @type is passed. Return: 0; -ENOTSUP: unknown. */
int rarog_type_classify(const struct rarog_type *type, struct rarog_abi_value *ret_value);

#endif
