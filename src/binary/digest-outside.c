/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Addresses that lie outside of what is meant. Compilers take the address of table[-1], add years
 * to that of table[-1970], or go backwards from the end of a table. Such an address is that of
 * something else, but seldom of its beginning, or of nothing. A local variable to which nothing
 * else points, which no compiler would have left, may be meant by one that is as far away as an
 * index of years.
 */
#include "base/lower-bound.h"
#include "base/str.h"
#include "binary/digest-maker.h"

#define AHEAD_TAKEN   128    /* bytes before what is meant: an element of a table … */
#define AHEAD_INDEXED 2048   /* … or as many as a letter, of pointers */
#define VIRTUAL       "=_ZT" /* names of tables of virtual functions: objects point into them */

static bool is_text(const struct rarog_digest_maker *m, const struct rarog_code_object *gap,
		    uint64_t address)
{
	size_t n;

	return gap->is_constant && rarog_code_objects_text(&m->objects, gap, address, &n);
}

static bool may_lie_before(const struct rarog_digest_maker *m,
			   const struct rarog_code_object *object, uint64_t address)
{
	const uint8_t *before = rarog_binary_bytes(m->binary, address - 1, 1);

	if (!object)
		return true;
	if (object->kind != RAROG_OBJECT_GAP)
		return !rarog_starts_with(object->name, VIRTUAL) &&
		       (address != object->address || object->size <= 8);
	return !is_text(m, object, address) ||
	       (address != object->address && before && *before != 0);
}

static bool is_data(const struct rarog_digest_maker *m, const struct rarog_code_object *object)
{
	return object->kind != RAROG_OBJECT_GAP &&
	       rarog_binary_bytes(m->binary, object->address, 1);
}

static bool is_orphan(const struct rarog_digest_maker *m, const struct rarog_code_object *object)
{
	return object->is_local && !object->is_pointed_to && is_data(m, object);
}

/* @object: what is at @address. */
static bool begins_at(const struct rarog_digest_maker *m, const struct rarog_code_object *object,
		      uint64_t address)
{
	return object && (object->kind != RAROG_OBJECT_GAP || is_text(m, object, address));
}

/* Is nothing but its end meant by an address that somebody takes? */
static bool is_read_backwards(const struct rarog_digest_maker *m,
			      const struct rarog_code_object *object)
{
	uint64_t end = object->address + object->size;

	return rarog_code_objects_is_start(&m->objects, end, 1) &&
	       !begins_at(m, rarog_code_objects_at(&m->objects, end), end);
}

/* Of a loop over a table it is that of one or two elements before it. */
static bool may_be_meant(const struct rarog_digest_maker *m, const struct rarog_code_object *object,
			 uint64_t address)
{
	uint64_t distance = object->address - address;

	if (distance > (m->is_indexed ? AHEAD_INDEXED : AHEAD_TAKEN) || !is_data(m, object))
		return false;
	return m->is_indexed || 2 * object->size % distance == 0;
}

/* What begins soon after it counts as well. 1: there is something. */
static int put_ahead(struct rarog_digest_maker *m, uint64_t address)
{
	const struct rarog_code_object *v = m->objects.v.v;
	size_t i = rarog_lower_bound(k, m->objects.v.n, v[k].address <= address);
	size_t most = m->is_indexed ? AHEAD_INDEXED : AHEAD_TAKEN;
	int r = 0, is_any = 0;

	for (; r == 0 && i < m->objects.v.n && v[i].address - address <= most; i++) {
		if (!may_be_meant(m, &v[i], address))
			continue;
		r = rarog_digest_ref(m, v[i].name, 0);
		is_any = 1;
	}
	return r < 0 ? r : is_any;
}

/* 1: something is told apart by how far it is. */
static int put_orphans(struct rarog_digest_maker *m, uint64_t address)
{
	const struct rarog_code_object *v = m->objects.v.v;
	size_t i = rarog_lower_bound(k, m->objects.v.n, v[k].address <= address);
	int r = 0, is_any = 0;

	for (; r == 0 && i < m->objects.v.n && v[i].address - address <= RAROG_DIGEST_FAR; i++) {
		if (!is_orphan(m, &v[i]) || is_read_backwards(m, &v[i]))
			continue;
		r = rarog_digest_ref(m, v[i].name, address - v[i].address);
		is_any = 1;
	}
	return r < 0 ? r : is_any;
}

/* What ends there, unless something else begins there and this is meant elsewhere. */
static int put_ended(struct rarog_digest_maker *m, const struct rarog_code_object *object,
		     uint64_t address)
{
	const struct rarog_code_object *v = m->objects.v.v, *before;
	size_t i = rarog_lower_bound(k, m->objects.v.n, v[k].address < address);

	if (i == 0)
		return 0;
	before = &v[i - 1];
	if (address - before->address != before->size || !is_data(m, before) ||
	    (begins_at(m, object, address) && !is_orphan(m, before)))
		return 0;
	return rarog_digest_ref(m, before->name, 0);
}

int rarog_digest_outside(struct rarog_digest_maker *m, uint64_t address)
{
	const struct rarog_code_object *object = rarog_code_objects_at(&m->objects, address);
	int r = put_ended(m, object, address);

	if (r < 0 || !may_lie_before(m, object, address))
		return r;
	r = put_ahead(m, address);
	if (r != 0 || (object && address == object->address))
		return r < 0 ? r : 0;
	return put_orphans(m, address);
}
