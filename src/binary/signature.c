/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names, types and order of the parameters are those of the abstract instance if the function has
 * one: an instance with code may lack what the compiler removed from it. Of the instance with code
 * comes what is known of places at its first instruction.
 */
#include "binary/signature.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "binary/debug-info.h"
#include "binary/entry-place.h"
#include "binary/language.h"
#include "binary/standard-types.h"
#include "binary/value-reach.h"

struct parameter {
	Dwarf_Die die; /* has the type */
	struct rarog_reach reach;
	char *name, *type;
	const char *why_not; /* its place is not known */
	const char *refusal; /* it has no value, or why_not */
};

struct rarog_signature {
	struct rarog_binary *binary;
	const struct rarog_function *function;
	Dwarf_Die die;      /* with code */
	Dwarf_Die abstract; /* with names and types; may be the same */
	bool is_standard;   /* the calling convention cannot have been changed */
	bool is_clone;      /* it has been */
	bool is_prototyped;
	RAROG_VEC(struct parameter) parameters; /* the last one is the result */
};

static bool flag_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	bool value;

	return dwarf_attr_integrate(die, name, &attribute) &&
	       dwarf_formflag(&attribute, &value) == 0 && value;
}

static const char *text_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

/* --- is it this function, and how is it called? --- */

/* "f.constprop.0" is an "f". */
static bool is_name_of(const char *symbol, const char *name)
{
	size_t n = strlen(name);

	return strncmp(symbol, name, n) == 0 && (symbol[n] == '\0' || symbol[n] == '.');
}

/* Constructors and destructors have a name in the debug information that no symbol has (C4, D4). */
static bool is_unified(const char *symbol, const char *linkage)
{
	const char *at = symbol;

	if (strlen(symbol) < strlen(linkage))
		return false;
	for (; *linkage; at++, linkage++)
		if (*at != *linkage &&
		    !(*linkage == '4' && at > symbol && (at[-1] == 'C' || at[-1] == 'D')))
			return false;
	return *at == '\0' || *at == '.';
}

static bool is_called(const struct rarog_function *f, const char *name)
{
	if (is_name_of(f->name, name) || is_unified(f->name, name))
		return true;
	for (uint32_t i = 0; i < f->n_aliases; i++)
		if (is_name_of(f->aliases[i], name) || is_unified(f->aliases[i], name))
			return true;
	return false;
}

static int check_name(struct rarog_signature *s)
{
	const char *linkage = text_of(&s->die, DW_AT_linkage_name);
	const char *name = linkage ? linkage : dwarf_diename(&s->die);

	if (!linkage)
		linkage = text_of(&s->die, DW_AT_MIPS_linkage_name);
	if (linkage)
		name = linkage;
	/* without a linkage name, a name of C++ is only a part of the symbol */
	if (!name || s->function->flags & RAROG_FUNCTION_NAMELESS)
		return 0;
	if (is_called(s->function, name) || (!linkage && strstr(s->function->name, name)))
		return 0;
	return rarog_fail(-ENOTSUP, "%s: its debug information is that of %s", s->function->name,
			  name);
}

static int check_language(struct rarog_signature *s)
{
	Dwarf_Die unit;
	int language = dwarf_diecu(&s->die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1;

	if (rarog_language_is_called_as_c(language))
		return 0;
	return rarog_fail(-EPROTONOSUPPORT,
			  "%s: it is in %s, which passes arguments otherwise than C; no engine "
			  "captures them",
			  s->function->name, rarog_language_name(language));
}

/* Set by compilers that made a call of their own of it. */
static int check_convention(struct rarog_signature *s)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value = DW_CC_normal;

	if (dwarf_attr_integrate(&s->die, DW_AT_calling_convention, &attribute))
		dwarf_formudata(&attribute, &value);
	if (value == DW_CC_normal)
		return 0;
	return rarog_fail(-ENOTSUP, "%s: it is not called as the System V ABI says",
			  s->function->name);
}

static bool is_of_gcc(struct rarog_signature *s)
{
	const char *producer;
	Dwarf_Die unit;

	if (!dwarf_diecu(&s->die, &unit, NULL, NULL))
		return false;
	producer = text_of(&unit, DW_AT_producer);
	return producer && strncmp(producer, "GNU ", 4) == 0;
}

static bool is_optimized(struct rarog_signature *s)
{
	return flag_of(&s->die, DW_AT_call_all_calls) || flag_of(&s->die, DW_AT_GNU_all_call_sites);
}

/* clang changes parameters of local functions and says nothing; gcc makes a clone of another name.
 * Only optimized code has DW_AT_call_all_calls. */
static bool is_standard(struct rarog_signature *s)
{
	if (s->is_clone)
		return false;
	if (s->function->flags & RAROG_FUNCTION_GLOBAL || is_of_gcc(s))
		return true;
	return !is_optimized(s);
}

static bool is_clone(const struct rarog_function *f)
{
	return f->flags & RAROG_FUNCTION_CLONE || strstr(f->name, ".isra") ||
	       strstr(f->name, ".constprop") || strstr(f->name, ".part");
}

/* --- parameters --- */

static bool is_parameter(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_formal_parameter;
}

/* The instance with code of the parameter @die of the abstract one; false: there is none. */
static bool concrete_of(struct rarog_signature *s, Dwarf_Die *die, Dwarf_Die *ret_concrete)
{
	Dwarf_Die child, origin;
	Dwarf_Attribute attribute;

	if (s->die.addr == s->abstract.addr) {
		*ret_concrete = *die;
		return true;
	}
	for (int r = dwarf_child(&s->die, &child); r == 0; r = dwarf_siblingof(&child, &child)) {
		if (!is_parameter(&child) ||
		    !dwarf_attr(&child, DW_AT_abstract_origin, &attribute) ||
		    !dwarf_formref_die(&attribute, &origin) || origin.addr != die->addr)
			continue;
		*ret_concrete = child;
		return true;
	}
	return false;
}

static int add_parameter(struct rarog_signature *s, Dwarf_Die *die, const char *name)
{
	rarog_cleanup(rarog_str_release) struct rarog_str type = { 0 };
	struct parameter p = { .die = *die, .reach = { .type = rarog_type_of(die) } };
	int r = rarog_type_text(die, &type);

	if (r == 0) {
		p.type = rarog_str_take(&type);
		p.name = name ? strdup(name) : NULL;
		r = !p.type || (name && !p.name) ? -ENOMEM : rarog_vec_push(&s->parameters, p);
	}
	if (r == 0)
		return 0;
	free(p.type);
	free(p.name);
	return rarog_oom();
}

/* What C++ passes besides: the object, and to constructors of classes with virtual bases what says
 * so in the one or two instances that have it. */
static int check_artificial(struct rarog_signature *s, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	if (!flag_of(die, DW_AT_artificial) || !name || strcmp(name, "this") == 0 ||
	    strcmp(name, "__closure") == 0)
		return 0;
	return rarog_fail(-ENOTSUP, "%s: its compiler passes '%s' as well", s->function->name,
			  name);
}

static int gather(struct rarog_signature *s)
{
	Dwarf_Die child;
	int r = 0;

	for (int more = dwarf_child(&s->abstract, &child); r == 0 && more == 0;
	     more = dwarf_siblingof(&child, &child)) {
		if (!is_parameter(&child))
			continue;
		r = check_artificial(s, &child);
		if (r == 0)
			r = add_parameter(s, &child, dwarf_diename(&child));
	}
	return r < 0 ? r : add_parameter(s, &s->abstract, "return");
}

/* --- places --- */

static bool is_by_reference(const struct rarog_type *type)
{
	return rarog_type_is_by_reference(type) || rarog_standard_is_string(type);
}

static const struct rarog_abi_value address = { .eightbytes = { RAROG_ABI_INTEGER },
						.size = 8,
						.align = 8 };

/* A float of a function without a prototype is passed as a double. */
static const char *promotion(const struct rarog_signature *s, const struct rarog_type *type)
{
	return !s->is_prototyped && type->kind == RAROG_TYPE_REAL && type->size == 4
		       ? "is a float of a function without a prototype"
		       : NULL;
}

static struct rarog_abi_place result_place(const struct rarog_abi_value *value)
{
	struct rarog_abi_place place;

	rarog_abi_assign(false, 1, value, &place);
	return place;
}

/* The result's place; is its address passed as if it were the first parameter? */
static bool place_result(struct rarog_signature *s)
{
	struct parameter *result = &s->parameters.v[s->parameters.n - 1];
	struct rarog_abi_value value;

	if (result->reach.type.kind == RAROG_TYPE_VOID) {
		result->why_not = "has no value: the function returns nothing";
		return false;
	}
	if (is_by_reference(&result->reach.type)) {
		result->reach.place = result_place(&address);
		result->reach.is_address = true; /* rax has it at the end */
		return true;
	}
	if (rarog_type_classify(&result->reach.type, &value) < 0) {
		result->why_not = "has a type of which is not known here how it is returned";
		return false;
	}
	if (value.eightbytes[0] == RAROG_ABI_MEMORY &&
	    (result->reach.type.kind == RAROG_TYPE_LONG_DOUBLE ||
	     result->reach.type.kind == RAROG_TYPE_COMPLEX)) {
		result->why_not = "is returned in a register of the x87";
		return false;
	}
	result->reach.place = result_place(&value);
	if (value.eightbytes[0] != RAROG_ABI_MEMORY)
		return false;
	result->reach.place = result_place(&address);
	result->reach.is_address = true;
	return true;
}

/* From the first parameter on whose way is not known, only proven places count. */
static int assign(struct rarog_signature *s, size_t *ret_known)
{
	size_t n = s->parameters.n - 1;
	rarog_cleanup(rarog_freep) struct rarog_abi_value *values = calloc(n + 1, sizeof(*values));
	rarog_cleanup(rarog_freep) struct rarog_abi_place *places = calloc(n + 1, sizeof(*places));
	bool has_hidden = place_result(s);

	if (!values || !places)
		return rarog_oom();
	*ret_known = n;
	for (size_t i = 0; i < n; i++) {
		struct parameter *p = &s->parameters.v[i];
		const struct rarog_type *type = &p->reach.type;

		if (is_by_reference(type)) {
			values[i] = address;
			p->reach.is_address = true;
		} else if (rarog_type_classify(type, &values[i]) < 0 && *ret_known > i) {
			*ret_known = i;
		}
		p->why_not = promotion(s, type);
	}
	rarog_abi_assign(has_hidden, n, values, places);
	for (size_t i = 0; i < n; i++)
		s->parameters.v[i].reach.place = places[i];
	return 0;
}

/* clang's callers in the same unit leave out what the function does not use, and the register has
 * what it had. gcc changes callers only where it makes a clone. */
static bool is_left_out(struct rarog_signature *s, Dwarf_Die *concrete)
{
	return !is_of_gcc(s) && is_optimized(s) &&
	       (!concrete || (!dwarf_hasattr(concrete, DW_AT_location) &&
			      !dwarf_hasattr(concrete, DW_AT_const_value)));
}

/* What the debug information says of the first instruction, against what the ABI says. */
static void prove(struct rarog_signature *s, struct parameter *p, bool is_known)
{
	struct rarog_abi_place seen = { 0 };
	enum rarog_entry_place where = RAROG_ENTRY_UNKNOWN;
	Dwarf_Die concrete;
	bool is_there;

	if (p->why_not)
		return;
	is_there = concrete_of(s, &p->die, &concrete);
	if (is_left_out(s, is_there ? &concrete : NULL)) {
		p->why_not = "is not used by the function, so callers may not pass it";
		return;
	}
	if (is_there)
		where = rarog_entry_place(&s->die, &concrete, s->function->address,
					  p->reach.is_address ? 8 : p->reach.type.size, &seen);
	if (p->reach.is_address) /* its debug information is of what the address leads to */
		where = RAROG_ENTRY_UNKNOWN;
	if (where != RAROG_ENTRY_KNOWN)
		p->why_not = !s->is_standard ? "may have been changed or removed by the compiler"
			     : !is_known     ? "is after a parameter whose place is not known here"
					     : NULL;
	else if (!s->is_standard || !is_known)
		p->reach.place = seen;
	else if (!rarog_entry_agrees(&p->reach.place, &seen))
		p->why_not = "is elsewhere by its debug information than by the ABI";
}

static void refuse(struct parameter *p)
{
	struct rarog_value_path path;
	Dwarf_Die die = p->die;

	p->refusal = p->why_not;
	if (p->refusal)
		return;
	if (p->reach.type.kind == RAROG_TYPE_STRUCTURE || p->reach.type.kind == RAROG_TYPE_OTHER ||
	    rarog_type_refusal(&p->reach.type))
		p->refusal = rarog_type_refusal(&p->reach.type);
	if (rarog_reach_path(&p->reach, 0, "", &path, &die) == 0)
		p->refusal = NULL;
	else if (!p->refusal)
		p->refusal = "is not passed";
}

/* Where an integer of 128 bits does not fit into registers, clang before 18 splits it, or does not
 * align it on the stack: whatever comes after may be elsewhere. */
static bool confuses(struct rarog_signature *s, const struct rarog_reach *reach)
{
	const struct rarog_type *type = &reach->type;

	return reach->place.where == RAROG_ABI_STACK && type->size > 8 && !is_of_gcc(s) &&
	       (type->kind == RAROG_TYPE_SIGNED || type->kind == RAROG_TYPE_UNSIGNED);
}

static int place_all(struct rarog_signature *s)
{
	size_t known = 0;
	int r = assign(s, &known);

	for (size_t i = 0; r == 0 && i + 1 < s->parameters.n; i++) {
		if (i < known && confuses(s, &s->parameters.v[i].reach))
			known = i;
		prove(s, &s->parameters.v[i], i < known);
	}
	for (size_t i = 0; r == 0 && i < s->parameters.n; i++)
		refuse(&s->parameters.v[i]);
	/* an unused result is left out; nothing says so */
	if (r == 0 && (s->is_clone || !s->is_standard))
		s->parameters.v[s->parameters.n - 1].why_not =
			s->parameters.v[s->parameters.n - 1].refusal =
				"may have been changed by the compiler";
	return r;
}

static void find_abstract(struct rarog_signature *s)
{
	Dwarf_Attribute attribute;

	s->abstract = s->die;
	if (dwarf_attr(&s->die, DW_AT_abstract_origin, &attribute))
		dwarf_formref_die(&attribute, &s->abstract);
}

static int read_all(struct rarog_signature *s)
{
	int r = rarog_debug_subprogram(s->binary, s->function->address, &s->die);

	if (r == -ENODATA)
		return rarog_fail(r, "%s: no debug information of it", s->function->name);
	if (r < 0)
		return r;
	if (s->function->flags & RAROG_FUNCTION_FOLDED)
		return rarog_fail(-ENOTSUP, "%s: other functions have the same code",
				  s->function->name);
	find_abstract(s);
	s->is_clone = is_clone(s->function);
	s->is_standard = is_standard(s);
	s->is_prototyped = flag_of(&s->die, DW_AT_prototyped) || !rarog_type_is_c(&s->die);
	r = check_name(s);
	if (r == 0)
		r = check_language(s);
	if (r == 0)
		r = check_convention(s);
	if (r == 0)
		r = gather(s);
	return r < 0 ? r : place_all(s);
}

int rarog_signature_read(struct rarog_binary *binary, size_t function,
			 struct rarog_signature **ret_signature)
{
	rarog_cleanup(rarog_signature_freep) struct rarog_signature *s = calloc(1, sizeof(*s));
	const struct rarog_function *functions;
	int r;

	if (!s)
		return rarog_oom();
	rarog_binary_functions(binary, &functions);
	s->binary = binary;
	s->function = &functions[function];
	r = read_all(s);
	if (r < 0)
		return r;
	*ret_signature = rarog_take(s);
	return 0;
}

void rarog_signature_free(struct rarog_signature *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->parameters.n; i++) {
		free(s->parameters.v[i].name);
		free(s->parameters.v[i].type);
	}
	rarog_vec_release(&s->parameters);
	free(s);
}

size_t rarog_signature_count(const struct rarog_signature *signature)
{
	return signature->parameters.n - 1;
}

struct rarog_parameter rarog_signature_parameter(const struct rarog_signature *signature,
						 size_t index)
{
	const struct parameter *p = &signature->parameters.v[index];

	return (struct rarog_parameter){ p->name, p->type, p->refusal };
}

/* --- paths --- */

static int no_parameter(const struct rarog_signature *s, const char *name)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	struct rarog_nearest nearest = { .wanted = name };

	for (size_t i = 0; i + 1 < s->parameters.n; i++)
		rarog_nearest_offer(&nearest, s->parameters.v[i].name);
	if (nearest.n == 0 && s->parameters.n > 1) { /* few enough to name them all */
		int r = rarog_str_add(&text, "; there are");

		for (size_t i = 0; r == 0 && i + 1 < s->parameters.n; i++)
			if (s->parameters.v[i].name)
				r = rarog_str_addf(&text, " %s", s->parameters.v[i].name);
		if (r < 0)
			return rarog_oom();
	} else if (rarog_nearest_add(&nearest, "", &text) < 0) {
		return rarog_oom();
	}
	return rarog_fail(-ENOENT, "there is no parameter '%s'%s", name, rarog_str_text(&text));
}

static const struct parameter *find(const struct rarog_signature *s, const char *name)
{
	for (size_t i = 0; i < s->parameters.n; i++)
		if (s->parameters.v[i].name && strcmp(s->parameters.v[i].name, name) == 0)
			return &s->parameters.v[i];
	return NULL;
}

static int reach(const struct rarog_signature *s, const char *text,
		 struct rarog_value_path *ret_path, Dwarf_Die *ret_die)
{
	size_t stars = strspn(text, "*");
	size_t n = strcspn(text + stars, "-.");
	rarog_cleanup(rarog_freep) char *name = strndup(text + stars, n);
	const struct parameter *p;

	if (!name)
		return rarog_oom();
	if (n == 0)
		return rarog_fail(-EINVAL, "'%s' does not begin with a parameter's name", text);
	p = find(s, name);
	if (!p)
		return no_parameter(s, name);
	if (p->why_not)
		return rarog_fail(-ENOTSUP, "it %s", p->why_not);
	*ret_die = p->die;
	return rarog_reach_path(&p->reach, (unsigned)stars, text + stars + n, ret_path, ret_die);
}

int rarog_signature_path(const struct rarog_signature *signature, const char *text,
			 struct rarog_value_path *ret_path)
{
	Dwarf_Die die;

	return reach(signature, text, ret_path, &die);
}

int rarog_signature_path_type(const struct rarog_signature *signature, const char *text,
			      struct rarog_str *type)
{
	struct rarog_value_path path;
	Dwarf_Die die = { 0 };
	int r = reach(signature, text, &path, &die);

	if (r < 0)
		return r;
	if (!die.addr)
		return rarog_str_add(type, "size_t");
	return rarog_type_text(&die, type);
}
