/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Members are found by their names in libstdc++, which its ABI has kept since 2015. clang describes
 * std::string only where it is instantiated, in the library; then the layout is taken as known.
 */
#include "binary/standard-types.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

#define STRING_LENGTH_AT 8

static bool is_declared_string(const struct rarog_type *type)
{
	Dwarf_Die die = type->die;
	Dwarf_Attribute attribute;
	const char *name = dwarf_diename(&die);

	return name && dwarf_attr(&die, DW_AT_declaration, &attribute) &&
	       strncmp(name, "basic_string<char, std::char_traits<char>", 41) == 0;
}

bool rarog_standard_is_string(const struct rarog_type *type)
{
	struct rarog_type_member member;

	if (type->kind != RAROG_TYPE_STRUCTURE)
		return false;
	return is_declared_string(type) ||
	       (rarog_type_member(type, "_M_string_length", &member) == 0 &&
		member.type.size == 8 && rarog_type_member(type, "_M_dataplus", &member) == 0);
}

static int size_of_string(const struct rarog_type *type, struct rarog_standard_size *ret_size)
{
	struct rarog_type_member member;

	*ret_size = (struct rarog_standard_size){ .at = STRING_LENGTH_AT };
	if (rarog_type_member(type, "_M_string_length", &member) == 0)
		ret_size->at = member.offset;
	return 0;
}

/* _M_impl is a base and a member at once; what it points to has a size. */
static int size_of_vector(const struct rarog_type *type, struct rarog_standard_size *ret_size)
{
	struct rarog_type_member impl, start, finish;
	struct rarog_type element;

	if (rarog_type_member(type, "_M_impl", &impl) < 0 ||
	    rarog_type_member(&impl.type, "_M_start", &start) < 0 ||
	    rarog_type_member(&impl.type, "_M_finish", &finish) < 0 ||
	    rarog_type_member(&impl.type, "_M_end_of_storage", &(struct rarog_type_member){ 0 }) <
		    0 ||
	    start.type.kind != RAROG_TYPE_POINTER || finish.type.kind != RAROG_TYPE_POINTER)
		return -ENOENT;
	element = rarog_type_of(&start.type.die);
	if (rarog_standard_is_string(&element))
		element.size = 32;
	if (element.size == 0 || element.size > UINT32_MAX)
		return -ENOENT;
	*ret_size = (struct rarog_standard_size){
		.at = impl.offset + start.offset,
		.other = impl.offset + finish.offset,
		.element = (uint32_t)element.size,
	};
	return 0;
}

int rarog_standard_size_of(const struct rarog_type *type, struct rarog_standard_size *ret_size)
{
	if (type->kind != RAROG_TYPE_STRUCTURE)
		return -ENOENT;
	if (rarog_standard_is_string(type))
		return size_of_string(type, ret_size);
	return size_of_vector(type, ret_size);
}
