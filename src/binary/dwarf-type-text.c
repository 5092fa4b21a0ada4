/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Types as they are written in a declaration. */
#include <dwarf.h>

#include "binary/dwarf-type.h"

#define MAX_DEPTH 24

static int add_type(Dwarf_Die *die, struct rarog_str *text, unsigned depth);

static int add_target(Dwarf_Die *die, struct rarog_str *text, unsigned depth)
{
	Dwarf_Attribute attribute;
	Dwarf_Die target;

	if (!dwarf_attr_integrate(die, DW_AT_type, &attribute))
		return rarog_str_add(text, "void");
	if (depth > MAX_DEPTH || !dwarf_formref_die(&attribute, &target))
		return rarog_str_add(text, "?");
	return add_type(&target, text, depth + 1);
}

/* "char *", "char **" */
static int add_mark(struct rarog_str *text, const char *mark)
{
	size_t n = text->length;
	bool is_marked = n > 0 && (text->text[n - 1] == '*' || text->text[n - 1] == '&');

	return rarog_str_addf(text, "%s%s", is_marked ? "" : " ", mark);
}

bool rarog_type_is_c(Dwarf_Die *die)
{
	Dwarf_Die unit;
	int lang = dwarf_diecu(die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1;

	return lang == DW_LANG_C || lang == DW_LANG_C89 || lang == DW_LANG_C99 ||
	       lang == DW_LANG_C11 || lang == 0x2c; /* C17 */
}

static int add_named(Dwarf_Die *die, struct rarog_str *text, const char *tag)
{
	Dwarf_Die defined = *die;
	const char *name;

	rarog_type_define(&defined);
	name = dwarf_diename(&defined);
	if (!name)
		return rarog_str_addf(text, "%s{…}", tag);
	return rarog_str_addf(text, "%s%s", rarog_type_is_c(die) ? tag : "", name);
}

static int add_type(Dwarf_Die *die, struct rarog_str *text, unsigned depth)
{
	int r;

	switch (dwarf_tag(die)) {
	case DW_TAG_pointer_type:
		r = add_target(die, text, depth);
		return r < 0 ? r : add_mark(text, "*");
	case DW_TAG_reference_type:
		r = add_target(die, text, depth);
		return r < 0 ? r : add_mark(text, "&");
	case DW_TAG_rvalue_reference_type:
		r = add_target(die, text, depth);
		return r < 0 ? r : add_mark(text, "&&");
	case DW_TAG_const_type:
		r = rarog_str_add(text, "const ");
		return r < 0 ? r : add_target(die, text, depth);
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		return add_target(die, text, depth);
	case DW_TAG_subroutine_type:
		return rarog_str_add(text, "function");
	case DW_TAG_structure_type:
		return add_named(die, text, "struct ");
	case DW_TAG_union_type:
		return add_named(die, text, "union ");
	case DW_TAG_enumeration_type:
		return add_named(die, text, "enum ");
	case DW_TAG_array_type:
		r = add_target(die, text, depth);
		return r < 0 ? r : rarog_str_add(text, "[]");
	default:
		return rarog_str_add(text, dwarf_diename(die) ? dwarf_diename(die) : "?");
	}
}

int rarog_type_text(Dwarf_Die *die, struct rarog_str *text)
{
	return add_target(die, text, 0);
}
