/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records are found by address. A library that was unloaded leaves its addresses to another, and
 * generated code changes in place, so one address may have several records; what is the same has
 * one, however often it is translated.
 */
#include "vex/code.h"

#include "vex/store.h"

struct entry {
	struct entry *next;
	void *record;
};

struct index {
	struct entry **slots;
	UInt bits, n;
	Addr (*address)(const void *record);
};

/* --- index --- */

static UInt slot_of(const struct index *index, Addr address)
{
	return (UInt)(address * 0x9e3779b97f4a7c15ULL >> (64 - index->bits));
}

static void grow(struct index *index)
{
	struct index bigger = *index;

	bigger.bits = index->bits ? index->bits + 1 : 12;
	bigger.slots = VG_(calloc)("rarog.index", (SizeT)1 << bigger.bits, sizeof(*bigger.slots));
	for (UInt i = 0; index->slots && i < 1u << index->bits; i++)
		for (struct entry *e = index->slots[i], *next; e; e = next) {
			UInt to = slot_of(&bigger, index->address(e->record));

			next = e->next;
			e->next = bigger.slots[to];
			bigger.slots[to] = e;
		}
	VG_(free)(index->slots);
	*index = bigger;
}

static void add(struct index *index, void *record)
{
	struct entry *e = VG_(malloc)("rarog.entry", sizeof(*e));
	UInt to;

	if (!index->slots || index->n >= 1u << index->bits)
		grow(index);
	to = slot_of(index, index->address(record));
	e->record = record;
	e->next = index->slots[to];
	index->slots[to] = e;
	index->n++;
}

static struct entry *first(const struct index *index, Addr address)
{
	return index->slots ? index->slots[slot_of(index, address)] : NULL;
}

/* --- objects --- */

struct object {
	struct object *next;
	const struct rarog_vex_object *record;
};

static struct object *objects;
static UInt n_objects;

static const struct rarog_vex_object *add_object(const HChar *path, Addr bias)
{
	SizeT length = VG_ROUNDUP(sizeof(struct rarog_vex_object) + VG_(strlen)(path) + 1, 8);
	struct rarog_vex_object *record = store_add(RAROG_VEX_OBJECTS, length);
	struct object *object = VG_(malloc)("rarog.object", sizeof(*object));

	record->length = (uint32_t)length;
	record->id = ++n_objects;
	record->bias = bias;
	VG_(strcpy)(record->path, path);
	store_added(RAROG_VEX_OBJECTS, length);
	object->record = record;
	object->next = objects;
	objects = object;
	return record;
}

static uint32_t object_of(const DebugInfo *info)
{
	const HChar *path = VG_(DebugInfo_get_filename)(info);
	Addr bias = (Addr)VG_(DebugInfo_get_text_bias)(info);

	for (const struct object *o = objects; o; o = o->next)
		if (o->record->bias == bias && VG_(strcmp)(o->record->path, path) == 0)
			return o->record->id;
	return add_object(path, bias)->id;
}

/* Outside of the sections that the core knows, which are .text and .plt: there are more. */
static const DebugInfo *info_of_file(Addr address)
{
	const NSegment *segment = VG_(am_find_nsegment)(address);
	const HChar *path = segment ? VG_(am_get_filename)(segment) : NULL;

	for (const DebugInfo *i = VG_(next_DebugInfo)(NULL); path && i; i = VG_(next_DebugInfo)(i))
		if (VG_(strcmp)(VG_(DebugInfo_get_filename)(i), path) == 0)
			return i;
	return NULL;
}

/* --- places --- */

/* A part that the compiler has put elsewhere: it is jumped to, never called. "f.cold", "f.cold.1",
 * of C++ "f() [clone .cold]"; "f.__part.1". */
static Bool is_cold(const HChar *name)
{
	const HChar *at = VG_(strstr)(name, ".cold");

	return (at && (at[5] == '\0' || at[5] == '.' || at[5] == ']')) ||
	       VG_(strstr)(name, ".__part.");
}

struct code_place code_place(Addr address)
{
	static HChar entry_name[512];
	DiEpoch epoch = VG_(current_DiEpoch)();
	struct code_place place = { .address = address, .name = "" };
	const DebugInfo *info = VG_(find_DebugInfo)(epoch, address);
	Bool is_text = info != NULL;
	const HChar *name;

	info = info ? info : info_of_file(address);
	if (!info)
		return place;
	place.object = object_of(info);
	place.has_symbol = VG_(get_fnname)(epoch, address, &name);
	place.is_plt = !is_text && !place.has_symbol && VG_(DebugInfo_get_text_size)(info) > 0;
	place.goes_on = place.has_symbol && VG_(strncmp)(name, "_dl_runtime_resolve", 19) == 0;
	if (VG_(get_fnname_if_entry)(epoch, address, &name) && !is_cold(name)) {
		place.is_entry = True;
		VG_(strncpy)(entry_name, name, sizeof(entry_name) - 1);
		place.name = entry_name;
		place.values = values_of(VG_(DebugInfo_get_filename)(info),
					 (Addr)VG_(DebugInfo_get_text_bias)(info), address);
	}
	return place;
}

/* --- functions --- */

static Addr function_address(const void *record)
{
	return ((const struct rarog_vex_function *)record)->address;
}

static struct index functions = { .address = function_address };

struct rarog_vex_function *code_function(const struct code_place *place)
{
	SizeT length =
		VG_ROUNDUP(sizeof(struct rarog_vex_function) + VG_(strlen)(place->name) + 1, 8);
	struct rarog_vex_function *record;

	for (const struct entry *e = first(&functions, place->address); e; e = e->next) {
		record = e->record;
		if (record->address == place->address && record->object == place->object)
			return record;
	}
	record = store_add(RAROG_VEX_FUNCTIONS, length);
	record->length = (uint32_t)length;
	record->id = functions.n + 1;
	record->address = place->address;
	record->object = place->object;
	VG_(strcpy)(record->name, place->name);
	store_added(RAROG_VEX_FUNCTIONS, length);
	add(&functions, record);
	return record;
}

/* --- blocks --- */

static Addr block_address(const void *record)
{
	return ((const struct rarog_vex_block *)record)->address;
}

static struct index blocks = { .address = block_address };

struct rarog_vex_block *code_block(Addr address, uint32_t object, UInt n, const UChar sizes[n],
				   uint32_t accesses, Bool *ret_is_new)
{
	SizeT length = VG_ROUNDUP(sizeof(struct rarog_vex_block) + n, 8);
	struct rarog_vex_block *record;

	for (const struct entry *e = first(&blocks, address); e; e = e->next) {
		record = e->record;
		*ret_is_new = False;
		if (record->address == address && record->object == object && record->n == n &&
		    record->accesses == accesses && VG_(memcmp)(record->sizes, sizes, n) == 0)
			return record;
	}
	*ret_is_new = True;
	record = store_add(RAROG_VEX_BLOCKS, length);
	record->length = (uint32_t)length;
	record->object = object;
	record->address = address;
	record->n = n;
	record->id = blocks.n + 1;
	record->accesses = accesses;
	VG_(memcpy)(record->sizes, sizes, n);
	store_added(RAROG_VEX_BLOCKS, length);
	add(&blocks, record);
	return record;
}

/* --- accesses --- */

static Addr access_address(const void *record)
{
	return ((const struct rarog_vex_access *)record)->address;
}

static struct index counted_accesses = { .address = access_address };

static struct rarog_vex_access *add_access(const struct rarog_vex_access *access)
{
	struct rarog_vex_access *record = store_add(RAROG_VEX_ACCESSES, sizeof(*record));

	*record = *access;
	record->length = sizeof(*record);
	store_added(RAROG_VEX_ACCESSES, sizeof(*record));
	return record;
}

void code_access(const struct rarog_vex_access *access)
{
	add_access(access);
}

static Bool is_same(const struct rarog_vex_access *a, const struct rarog_vex_access *b)
{
	return a->address == b->address && a->object == b->object && a->loads == b->loads &&
	       a->stores == b->stores && a->load_bytes == b->load_bytes &&
	       a->store_bytes == b->store_bytes;
}

struct rarog_vex_access *code_counted_access(const struct rarog_vex_access *access)
{
	struct rarog_vex_access *record;

	for (const struct entry *e = first(&counted_accesses, access->address); e; e = e->next)
		if (is_same(e->record, access))
			return e->record;
	record = add_access(access);
	add(&counted_accesses, record);
	return record;
}

/* --- all --- */

void code_zero(void)
{
	for (UInt i = 0; blocks.slots && i < 1u << blocks.bits; i++)
		for (struct entry *e = blocks.slots[i]; e; e = e->next)
			((struct rarog_vex_block *)e->record)->count = 0;
	for (UInt i = 0; functions.slots && i < 1u << functions.bits; i++)
		for (struct entry *e = functions.slots[i]; e; e = e->next)
			((struct rarog_vex_function *)e->record)->calls = 0;
	for (UInt i = 0; counted_accesses.slots && i < 1u << counted_accesses.bits; i++)
		for (struct entry *e = counted_accesses.slots[i]; e; e = e->next)
			((struct rarog_vex_access *)e->record)->count = 0;
}
