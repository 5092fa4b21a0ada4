/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A path is walked field by field. What has been reached is either in the parameter's own place, at
 * some byte of it, or in memory, at a distance from a pointer that the steps so far lead to.
 */
#include "binary/value-reach.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/nearest.h"
#include "binary/standard-types.h"

struct reached {
	struct rarog_value_path path;
	struct rarog_abi_place place;
	struct rarog_type type;
	Dwarf_Die die; /* whose DW_AT_type it is */
	bool in_memory;
	uint64_t at; /* bytes into the place, or from the pointer reached */
	uint8_t first_bit, n_bits;
};

static int too_long(void)
{
	return rarog_fail(-ENOTSUP, "more than %d pointers lead to it", RAROG_VALUE_STEPS);
}

/* The path's source becomes the eightbyte that the place has at @at. */
static int set_source(struct reached *at)
{
	unsigned eightbyte = (unsigned)(at->at / 8);

	if (at->place.where == RAROG_ABI_STACK) {
		at->path.source = RAROG_VALUE_STACK;
		at->path.stack = at->place.stack + (int32_t)(at->at / 8 * 8);
		return 0;
	}
	if (at->place.where != RAROG_ABI_REGISTERS || eightbyte > 1)
		return rarog_fail(-ENOTSUP, "it is not passed");
	if (at->place.classes[eightbyte] == RAROG_ABI_INTEGER)
		at->path.source = RAROG_VALUE_GENERAL;
	else if (at->place.classes[eightbyte] == RAROG_ABI_SSE)
		at->path.source = RAROG_VALUE_VECTOR;
	else
		return rarog_fail(-ENOTSUP, "it is not passed");
	at->path.number = at->place.registers[eightbyte];
	return 0;
}

static int add_step(struct reached *at)
{
	if (at->path.n_steps == RAROG_VALUE_STEPS)
		return too_long();
	if (at->at > INT32_MAX)
		return rarog_fail(-ENOTSUP, "it is too far away");
	at->path.steps[at->path.n_steps++] = (int32_t)at->at;
	return 0;
}

/* What has been reached is a pointer: it is followed. */
static int follow(struct reached *at)
{
	int r;

	if (!at->in_memory && at->at % 8 != 0)
		return rarog_fail(-ENOTSUP, "it is not aligned");
	r = at->in_memory ? add_step(at) : set_source(at);
	at->in_memory = true;
	at->at = 0;
	return r;
}

static int dereference(struct reached *at)
{
	Dwarf_Die pointer = at->type.die;
	int r;

	if (at->type.kind != RAROG_TYPE_POINTER && at->type.kind != RAROG_TYPE_REFERENCE)
		return rarog_fail(-ENOENT, "it is no pointer");
	r = follow(at);
	at->type = rarog_type_of(&pointer);
	at->die = pointer;
	return r;
}

static int unreference(struct reached *at)
{
	return at->type.kind == RAROG_TYPE_REFERENCE ? dereference(at) : 0;
}

/* --- fields --- */

static void offer(void *context, const char *name)
{
	rarog_nearest_offer(context, name);
}

static int no_field(const struct rarog_type *type, const char *name)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	struct rarog_nearest nearest = { .wanted = name };

	rarog_type_members(type, offer, &nearest);
	if (rarog_nearest_add(&nearest, "", &text) < 0)
		return rarog_oom();
	return rarog_fail(-ENOENT, "there is no field '%s'%s", name, rarog_str_text(&text));
}

static int take_field(struct reached *at, const char *name)
{
	struct rarog_type_member member;
	int r = rarog_type_member(&at->type, name, &member);

	if (r == -ENOTSUP)
		return rarog_fail(r, "'%s' is in a virtual base", name);
	if (r < 0)
		return no_field(&at->type, name);
	at->at += member.offset;
	at->type = member.type;
	at->die = member.die;
	at->first_bit = member.first_bit;
	at->n_bits = member.n_bits;
	return 0;
}

static bool is_size(const char *name, size_t n, const char *rest)
{
	return n == 4 && memcmp(name, "size", 4) == 0 && strcmp(rest, "()") == 0;
}

/* "->name" or ".name"; moves *@text after it. 1: it was size(). */
static int take_step(struct reached *at, const char **text)
{
	bool is_arrow = rarog_starts_with(*text, "->");
	const char *name = *text + (is_arrow ? 2 : 1);
	size_t n = strcspn(name, "-.(*[ ");
	char copy[256];
	int r = unreference(at);

	if ((!is_arrow && **text != '.') || n == 0 || n >= sizeof(copy))
		return rarog_fail(-EINVAL, "'%s' is no field; ->NAME and .NAME are", *text);
	if (r == 0 && is_arrow)
		r = dereference(at);
	if (r < 0)
		return r;
	if (is_size(name, n, name + n))
		return 1;
	memcpy(copy, name, n);
	copy[n] = '\0';
	*text = name + n;
	return take_field(at, copy);
}

/* --- the value --- */

static int finish_size(struct reached *at)
{
	struct rarog_standard_size size;
	int r = rarog_standard_size_of(&at->type, &size);

	if (r < 0)
		return rarog_fail(-ENOTSUP, "the size of this type is not known here");
	if (!at->in_memory)
		return rarog_fail(-ENOTSUP, "it is not in memory");
	at->at += size.at;
	r = add_step(at);
	at->path.bytes = 8;
	at->path.bits = 64;
	at->path.kind = RAROG_VALUE_OF_LENGTH;
	if (size.other) {
		at->path.finish = RAROG_VALUE_DIFFERENCE;
		at->path.other = (int32_t)(size.other - size.at);
		at->path.divisor = size.element;
	}
	at->die.addr = NULL;
	return r;
}

static enum rarog_value_kind kind_of(const struct rarog_type *type)
{
	switch (type->kind) {
	case RAROG_TYPE_SIGNED:
		return RAROG_VALUE_SIGNED;
	case RAROG_TYPE_ENUM:
		return type->is_signed ? RAROG_VALUE_SIGNED : RAROG_VALUE_UNSIGNED;
	case RAROG_TYPE_BOOL:
		return RAROG_VALUE_BOOL;
	case RAROG_TYPE_CHAR:
		return RAROG_VALUE_CHAR;
	case RAROG_TYPE_REAL:
		return RAROG_VALUE_REAL;
	case RAROG_TYPE_POINTER:
	case RAROG_TYPE_REFERENCE:
		return RAROG_VALUE_POINTER;
	default:
		return RAROG_VALUE_UNSIGNED;
	}
}

/* A field of a value in registers: bits of one eightbyte. */
static int finish_place(struct reached *at, unsigned bits)
{
	unsigned first = (unsigned)(at->at % 8) * 8 + at->first_bit;

	if (first + bits > 64)
		return rarog_fail(-ENOTSUP, "it is not aligned");
	at->path.shift = (uint8_t)first;
	return set_source(at);
}

static int finish_memory(struct reached *at, unsigned bits)
{
	unsigned bytes = (at->first_bit + bits + 7) / 8;

	if (bytes > 8)
		return rarog_fail(-ENOTSUP, "it is a bit field that is in nine bytes");
	at->path.bytes = (uint8_t)bytes;
	at->path.shift = at->first_bit;
	return add_step(at);
}

static int finish_scalar(struct reached *at)
{
	const char *refusal = rarog_type_refusal(&at->type);
	unsigned bits = at->n_bits ? at->n_bits : (unsigned)at->type.size * 8;

	if (refusal)
		return rarog_fail(-ENOTSUP, "it %s", refusal);
	at->path.kind = kind_of(&at->type);
	at->path.bits = (uint8_t)bits;
	at->path.is_float = at->type.kind == RAROG_TYPE_REAL && at->type.size == 4;
	return at->in_memory ? finish_memory(at, bits) : finish_place(at, bits);
}

static bool is_text(const struct rarog_type *type)
{
	Dwarf_Die die = type->die;
	struct rarog_type target;

	if (type->kind != RAROG_TYPE_POINTER || dwarf_tag(&die) != DW_TAG_pointer_type)
		return false;
	target = rarog_type_of(&die);
	return target.kind == RAROG_TYPE_CHAR && target.size == 1;
}

static int finish_text(struct reached *at)
{
	int r = follow(at);

	at->path.finish = RAROG_VALUE_LENGTH;
	at->path.kind = RAROG_VALUE_OF_LENGTH;
	at->path.bits = 64;
	at->path.bytes = 8;
	return r;
}

static int finish(struct reached *at)
{
	struct rarog_standard_size size;
	struct rarog_type target;
	Dwarf_Die die = at->type.die;

	if (at->type.kind == RAROG_TYPE_REFERENCE) {
		target = rarog_type_of(&die);
		/* of what has no value of its own, the address is */
		if (!rarog_type_refusal(&target) || rarog_standard_size_of(&target, &size) == 0) {
			int r = dereference(at);

			return r < 0 ? r : finish(at);
		}
	}
	if (is_text(&at->type))
		return finish_text(at);
	if (at->type.kind == RAROG_TYPE_STRUCTURE && rarog_standard_size_of(&at->type, &size) == 0)
		return finish_size(at);
	return finish_scalar(at);
}

int rarog_reach_path(const struct rarog_reach *from, unsigned stars, const char *steps,
		     struct rarog_value_path *ret_path, Dwarf_Die *ret_die)
{
	struct reached at = { .place = from->place, .type = from->type, .die = *ret_die };
	int r = 0;

	if (from->place.where == RAROG_ABI_NOWHERE)
		return rarog_fail(-ENOTSUP, "it is not passed");
	if (from->is_address)
		r = follow(&at);
	while (r == 0 && *steps)
		r = take_step(&at, &steps);
	if (r == 1) {
		if (stars)
			return rarog_fail(-EINVAL, "a size is no pointer");
		r = finish_size(&at);
	} else {
		for (unsigned i = 0; r == 0 && i < stars; i++) {
			r = unreference(&at);
			if (r == 0)
				r = dereference(&at);
		}
		if (r == 0)
			r = finish(&at);
	}
	if (r < 0)
		return r;
	*ret_path = at.path;
	*ret_die = at.die;
	return 0;
}
