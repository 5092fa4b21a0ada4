/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Trees may be damaged: a walk is bounded by depth and by a budget of entries.
 */
#include "binary/dwarf-type.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"

#define MAX_DEPTH  24
#define MAX_FIELDS 64 /* scalars in 16 bytes, unions counted by all that is in them */
#define ENTRIES    20000

static uint64_t unsigned_of(Dwarf_Die *die, unsigned name, uint64_t otherwise)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	return dwarf_attr_integrate(die, name, &attribute) &&
			       dwarf_formudata(&attribute, &value) == 0
		       ? value
		       : otherwise;
}

static bool flag_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	bool value;

	return dwarf_attr_integrate(die, name, &attribute) &&
	       dwarf_formflag(&attribute, &value) == 0 && value;
}

/* --- kinds --- */

static bool is_called(Dwarf_Die *die, const char *name)
{
	const char *has = dwarf_diename(die);

	return has && strcmp(has, name) == 0;
}

static bool is_character(Dwarf_Die *die)
{
	return is_called(die, "char") || is_called(die, "wchar_t") || is_called(die, "char8_t") ||
	       is_called(die, "char16_t") || is_called(die, "char32_t");
}

static enum rarog_type_kind real_kind(Dwarf_Die *die, uint64_t size)
{
	if (size == 4 || size == 8)
		return RAROG_TYPE_REAL;
	if (size != 16)
		return RAROG_TYPE_OTHER;
	return is_called(die, "long double") ? RAROG_TYPE_LONG_DOUBLE : RAROG_TYPE_QUAD;
}

static enum rarog_type_kind base_kind(Dwarf_Die *die, uint64_t size, bool *ret_signed)
{
	uint64_t encoding = unsigned_of(die, DW_AT_encoding, 0);

	*ret_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	switch (encoding) {
	case DW_ATE_boolean:
		return RAROG_TYPE_BOOL;
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		return is_character(die) ? RAROG_TYPE_CHAR : RAROG_TYPE_SIGNED;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
		return is_character(die) ? RAROG_TYPE_CHAR : RAROG_TYPE_UNSIGNED;
	case DW_ATE_UTF:
		return RAROG_TYPE_CHAR;
	case DW_ATE_float:
		return real_kind(die, size);
	case DW_ATE_complex_float:
		return RAROG_TYPE_COMPLEX;
	default:
		return RAROG_TYPE_OTHER;
	}
}

/* Without an underlying type: negative constants tell. */
static bool has_negative(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Sword value;
	Dwarf_Die child;

	for (int r = dwarf_child(die, &child); r == 0; r = dwarf_siblingof(&child, &child))
		if (dwarf_attr(&child, DW_AT_const_value, &attribute) &&
		    dwarf_whatform(&attribute) == DW_FORM_sdata &&
		    dwarf_formsdata(&attribute, &value) == 0 && value < 0)
			return true;
	return false;
}

static bool enum_is_signed(Dwarf_Die *die)
{
	struct rarog_type under = { 0 };

	if (dwarf_hasattr(die, DW_AT_type))
		under = rarog_type_of(die);
	if (under.kind != RAROG_TYPE_OTHER)
		return under.kind == RAROG_TYPE_SIGNED || under.is_signed;
	return has_negative(die);
}

static uint64_t size_of(Dwarf_Die *die, uint64_t otherwise)
{
	Dwarf_Word size;

	return dwarf_aggregate_size(die, &size) == 0 ? size : otherwise;
}

static void set_kind(struct rarog_type *type)
{
	Dwarf_Die *die = &type->die;

	type->size = size_of(die, 0);
	switch (dwarf_tag(die)) {
	case DW_TAG_base_type:
		type->kind = base_kind(die, type->size, &type->is_signed);
		break;
	case DW_TAG_enumeration_type:
		type->kind = RAROG_TYPE_ENUM;
		type->is_signed = enum_is_signed(die);
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_unspecified_type: /* nullptr_t */
		type->kind = RAROG_TYPE_POINTER;
		type->size = 8;
		break;
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		type->kind = RAROG_TYPE_REFERENCE;
		type->size = 8;
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		type->kind = RAROG_TYPE_STRUCTURE;
		break;
	case DW_TAG_array_type:
		type->kind = flag_of(die, DW_AT_GNU_vector) ? RAROG_TYPE_VECTOR : RAROG_TYPE_ARRAY;
		break;
	default:
		type->kind = RAROG_TYPE_OTHER;
	}
}

void rarog_type_define(Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	Dwarf_Die definition;

	if (dwarf_attr(type, DW_AT_signature, &attribute) &&
	    dwarf_formref_die(&attribute, &definition) && dwarf_tag(&definition) == dwarf_tag(type))
		*type = definition;
}

struct rarog_type rarog_type_of(Dwarf_Die *die)
{
	struct rarog_type type = { 0 };
	Dwarf_Attribute attribute;
	Dwarf_Die named;

	if (!dwarf_attr_integrate(die, DW_AT_type, &attribute)) {
		type.kind = RAROG_TYPE_VOID;
		return type;
	}
	if (!dwarf_formref_die(&attribute, &named))
		return type;
	switch (dwarf_peel_type(&named, &type.die)) {
	case 0:
		rarog_type_define(&type.die);
		set_kind(&type);
		break;
	case 1: /* const void */
		type.kind = RAROG_TYPE_VOID;
		break;
	default:
		break;
	}
	return type;
}

const char *rarog_type_refusal(const struct rarog_type *type)
{
	static const char *const reasons[] = {
		[RAROG_TYPE_OTHER] = "is of a type that is not known here",
		[RAROG_TYPE_VOID] = "has no value",
		[RAROG_TYPE_LONG_DOUBLE] = "is a long double",
		[RAROG_TYPE_QUAD] = "is a 128-bit floating-point number",
		[RAROG_TYPE_COMPLEX] = "is a complex number",
		[RAROG_TYPE_VECTOR] = "is a vector",
		[RAROG_TYPE_STRUCTURE] = "is a structure; name one of its fields",
		[RAROG_TYPE_ARRAY] = "is an array",
	};
	bool is_integer = type->kind == RAROG_TYPE_SIGNED || type->kind == RAROG_TYPE_UNSIGNED ||
			  type->kind == RAROG_TYPE_ENUM;

	if (type->kind < sizeof(reasons) / sizeof(*reasons) && reasons[type->kind])
		return reasons[type->kind];
	if (is_integer && type->size > 8)
		return "is an integer of 128 bits";
	return type->size == 0 || type->size > 8 ? "is of a width that is not known here" : NULL;
}

/* --- members --- */

/* Where a member or base begins; false: it is static or behind a virtual base. */
static bool place_of(Dwarf_Die *die, uint64_t *ret_offset)
{
	*ret_offset = 0;
	if (flag_of(die, DW_AT_external) || flag_of(die, DW_AT_declaration))
		return false;
	if (unsigned_of(die, DW_AT_virtuality, 0))
		return false;
	if (!dwarf_hasattr(die, DW_AT_data_member_location))
		return true; /* of a union, or a bit field */
	*ret_offset = unsigned_of(die, DW_AT_data_member_location, UINT64_MAX);
	return *ret_offset <= UINT32_MAX;
}

static void set_bits(Dwarf_Die *die, struct rarog_type_member *member)
{
	uint64_t n = unsigned_of(die, DW_AT_bit_size, 0), first;
	uint64_t storage = unsigned_of(die, DW_AT_byte_size, member->type.size);

	if (n == 0 || n > 64)
		return;
	if (dwarf_hasattr(die, DW_AT_data_bit_offset))
		first = unsigned_of(die, DW_AT_data_bit_offset, 0);
	else /* DWARF 2 and 3: counted from the high end of the storage */
		first = member->offset * 8 + storage * 8 - unsigned_of(die, DW_AT_bit_offset, 0) -
			n;
	member->offset = first / 8;
	member->first_bit = first % 8;
	member->n_bits = (uint8_t)n;
}

static bool is_member(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_member;
}

struct search {
	const char *name;
	struct rarog_type_member *found;
	unsigned budget;
};

static int search(struct search *s, Dwarf_Die *structure, uint64_t at, unsigned depth)
{
	Dwarf_Die child;
	int result = -ENOENT;

	if (depth > MAX_DEPTH || dwarf_child(structure, &child) != 0)
		return -ENOENT;
	do {
		bool is_base = dwarf_tag(&child) == DW_TAG_inheritance;
		uint64_t offset;

		if (s->budget-- == 0)
			return -ENOENT;
		if ((!is_base && !is_member(&child)))
			continue;
		bool is_placed = place_of(&child, &offset);

		if (is_member(&child) && is_placed && is_called(&child, s->name)) {
			*s->found = (struct rarog_type_member){
				.type = rarog_type_of(&child),
				.die = child,
				.offset = offset,
			};
			set_bits(&child, s->found);
			s->found->offset += at;
			return 0;
		}
		if (is_base || !dwarf_diename(&child)) {
			struct rarog_type inner = rarog_type_of(&child);
			int r = inner.kind == RAROG_TYPE_STRUCTURE
					? search(s, &inner.die, at + offset, depth + 1)
					: -ENOENT;

			if (r == 0)
				return is_placed ? 0 : -ENOTSUP;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return result;
}

int rarog_type_member(const struct rarog_type *type, const char *name,
		      struct rarog_type_member *ret_member)
{
	struct rarog_type_member found = { 0 };
	struct search s = { .name = name, .found = &found, .budget = ENTRIES };
	Dwarf_Die die = type->die;
	int r = type->kind == RAROG_TYPE_STRUCTURE ? search(&s, &die, 0, 0) : -ENOENT;

	if (r == 0)
		*ret_member = found;
	return r;
}

void rarog_type_members(const struct rarog_type *type,
			void (*offer)(void *context, const char *name), void *context)
{
	Dwarf_Die die = type->die, child;
	unsigned budget = ENTRIES;

	if (type->kind != RAROG_TYPE_STRUCTURE || dwarf_child(&die, &child) != 0)
		return;
	do
		if (is_member(&child) && dwarf_diename(&child))
			offer(context, dwarf_diename(&child));
	while (--budget > 0 && dwarf_siblingof(&child, &child) == 0);
}

/* --- C++: passed by reference? --- */

/* The number of parameters besides the object, and the type of the first of them. */
static unsigned own_parameters(Dwarf_Die *function, struct rarog_type *ret_first)
{
	unsigned n = 0;
	Dwarf_Die child;

	for (int r = dwarf_child(function, &child); r == 0; r = dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter ||
		    flag_of(&child, DW_AT_artificial))
			continue;
		if (n++ == 0)
			*ret_first = rarog_type_of(&child);
	}
	return n;
}

static bool is_same(Dwarf_Die *a, Dwarf_Die *b)
{
	const char *x = dwarf_diename(a), *y = dwarf_diename(b);

	return dwarf_dieoffset(a) == dwarf_dieoffset(b) || (x && y && strcmp(x, y) == 0);
}

/* A constructor that copies or moves; any destructor. */
static bool is_of_copying(Dwarf_Die *class, Dwarf_Die *function)
{
	const char *name = dwarf_diename(function), *of = dwarf_diename(class);
	struct rarog_type first = { 0 }, target;

	if (!name)
		return false;
	if (*name == '~')
		return true;
	/* a constructor of a template is called by its name without arguments */
	if (!of || strncmp(name, of, strlen(name)) != 0 ||
	    (of[strlen(name)] != '\0' && of[strlen(name)] != '<') ||
	    own_parameters(function, &first) < 1 || first.kind != RAROG_TYPE_REFERENCE)
		return false;
	target = rarog_type_of(&first.die);
	return target.kind == RAROG_TYPE_STRUCTURE && is_same(&target.die, class);
}

static bool is_non_trivial(Dwarf_Die *class, unsigned depth);

static bool has_non_trivial(struct rarog_type type, unsigned depth)
{
	for (unsigned i = 0; type.kind == RAROG_TYPE_ARRAY && i < MAX_DEPTH; i++)
		type = rarog_type_of(&type.die);
	return type.kind == RAROG_TYPE_STRUCTURE && is_non_trivial(&type.die, depth + 1);
}

static bool is_non_trivial(Dwarf_Die *class, unsigned depth)
{
	Dwarf_Die child;
	uint64_t convention = unsigned_of(class, DW_AT_calling_convention, 0);

	if (convention == DW_CC_pass_by_reference || convention == DW_CC_pass_by_value)
		return convention == DW_CC_pass_by_reference;
	if (depth > MAX_DEPTH || dwarf_child(class, &child) != 0)
		return false;
	do {
		unsigned tag = (unsigned)dwarf_tag(&child);
		bool is_virtual = unsigned_of(&child, DW_AT_virtuality, 0) != 0;
		uint64_t defaulted = unsigned_of(&child, DW_AT_defaulted, 0);

		if ((tag == DW_TAG_inheritance || tag == DW_TAG_subprogram) && is_virtual)
			return true;
		if (tag == DW_TAG_subprogram && !flag_of(&child, DW_AT_artificial) &&
		    defaulted != DW_DEFAULTED_in_class && is_of_copying(class, &child))
			return true;
		if ((tag == DW_TAG_inheritance ||
		     (tag == DW_TAG_member && !flag_of(&child, DW_AT_external) &&
		      !flag_of(&child, DW_AT_declaration))) &&
		    has_non_trivial(rarog_type_of(&child), depth))
			return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

bool rarog_type_is_by_reference(const struct rarog_type *type)
{
	Dwarf_Die die = type->die;

	return type->kind == RAROG_TYPE_STRUCTURE && is_non_trivial(&die, 0);
}

/* --- how it is passed --- */

struct flat {
	struct rarog_abi_field fields[MAX_FIELDS];
	size_t n;
	uint32_t align; /* the largest */
	bool is_unknown, is_packed;
};

static void flatten(struct flat *flat, const struct rarog_type *type, uint64_t at, unsigned depth);

static void add_scalar(struct flat *flat, uint64_t at, uint64_t size, uint32_t align,
		       enum rarog_abi_class class)
{
	if (align > flat->align)
		flat->align = align;
	if (align && at % align)
		flat->is_packed = true;
	if (flat->n < MAX_FIELDS)
		flat->fields[flat->n++] =
			(struct rarog_abi_field){ at, (uint32_t)size, align, class };
}

static void add_bits(struct flat *flat, const struct rarog_type_member *m, uint64_t at)
{
	uint64_t bytes = ((uint64_t)m->first_bit + m->n_bits + 7) / 8;

	for (uint64_t i = 0; i < bytes; i++)
		add_scalar(flat, at + m->offset + i, 1, 1, RAROG_ABI_INTEGER);
	if (m->type.size <= 8 && m->type.size > flat->align)
		flat->align = (uint32_t)m->type.size;
}

static void flatten_structure(struct flat *flat, const struct rarog_type *type, uint64_t at,
			      unsigned depth)
{
	Dwarf_Die die = type->die, child;
	unsigned budget = ENTRIES;

	if (dwarf_child(&die, &child) != 0)
		return;
	do {
		struct rarog_type_member m = { 0 };

		if (dwarf_tag(&child) != DW_TAG_inheritance && !is_member(&child))
			continue;
		if (!place_of(&child, &m.offset))
			continue;
		m.type = rarog_type_of(&child);
		set_bits(&child, &m);
		if (m.n_bits)
			add_bits(flat, &m, at);
		else
			flatten(flat, &m.type, at + m.offset, depth + 1);
	} while (--budget > 0 && dwarf_siblingof(&child, &child) == 0);
}

static void flatten_array(struct flat *flat, const struct rarog_type *type, uint64_t at,
			  unsigned depth)
{
	Dwarf_Die die = type->die;
	struct rarog_type element = rarog_type_of(&die);
	/* of a large one only the alignment is asked for */
	uint64_t size = element.size == 0 || type->size > 16 ? element.size : type->size;

	for (uint64_t i = 0; i + element.size <= size && element.size; i += element.size)
		flatten(flat, &element, at + i, depth + 1);
}

static void flatten_numbers(struct flat *flat, const struct rarog_type *type, uint64_t at)
{
	uint64_t half = type->size / 2;

	switch (type->kind) {
	case RAROG_TYPE_REAL:
		return add_scalar(flat, at, type->size, (uint32_t)type->size, RAROG_ABI_SSE);
	case RAROG_TYPE_COMPLEX: {
		enum rarog_abi_class class = half > 8 ? RAROG_ABI_MEMORY : RAROG_ABI_SSE;

		add_scalar(flat, at, half, (uint32_t)half, class);
		return add_scalar(flat, at + half, half, (uint32_t)half, class);
	}
	case RAROG_TYPE_LONG_DOUBLE:
		return add_scalar(flat, at, 16, 16, RAROG_ABI_MEMORY);
	case RAROG_TYPE_QUAD:
	case RAROG_TYPE_VECTOR:
		if (type->size == 16) {
			add_scalar(flat, at, 8, 16, RAROG_ABI_SSE);
			return add_scalar(flat, at + 8, 8, 8, RAROG_ABI_SSEUP);
		}
		if (type->size == 8)
			return add_scalar(flat, at, 8, 8, RAROG_ABI_SSE);
		break; /* depends on what the code was compiled for */
	default:
		break;
	}
	flat->is_unknown = true;
}

static void flatten(struct flat *flat, const struct rarog_type *type, uint64_t at, unsigned depth)
{
	if (depth > MAX_DEPTH) {
		flat->is_unknown = true;
		return;
	}
	switch (type->kind) {
	case RAROG_TYPE_SIGNED:
	case RAROG_TYPE_UNSIGNED:
	case RAROG_TYPE_BOOL:
	case RAROG_TYPE_CHAR:
	case RAROG_TYPE_ENUM:
	case RAROG_TYPE_POINTER:
	case RAROG_TYPE_REFERENCE:
		return add_scalar(flat, at, type->size, (uint32_t)type->size, RAROG_ABI_INTEGER);
	case RAROG_TYPE_STRUCTURE:
		return flatten_structure(flat, type, at, depth);
	case RAROG_TYPE_ARRAY:
		return flatten_array(flat, type, at, depth);
	default:
		return flatten_numbers(flat, type, at);
	}
}

int rarog_type_classify(const struct rarog_type *type, struct rarog_abi_value *ret_value)
{
	struct flat flat = { .align = 1 };
	Dwarf_Die die = type->die;
	uint32_t align;

	if (type->kind == RAROG_TYPE_OTHER || type->kind == RAROG_TYPE_VOID)
		return -ENOTSUP;
	if (type->kind == RAROG_TYPE_STRUCTURE && flag_of(&die, DW_AT_declaration))
		return -ENOTSUP;
	flatten(&flat, type, 0, 0);
	if (flat.is_unknown || flat.n == MAX_FIELDS)
		if (flat.is_unknown || type->size <= 16)
			return -ENOTSUP;
	align = flat.is_packed ? 1 : flat.align;
	align = (uint32_t)unsigned_of(&die, DW_AT_alignment, align);
	*ret_value = rarog_abi_classify(flat.n, flat.fields, type->size, align);
	return 0;
}
