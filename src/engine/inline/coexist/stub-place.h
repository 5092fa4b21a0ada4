/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a jump over a function's first bytes may lead so that it stays harmless when somebody else
 * changes single bytes of it: the kernel, for whom a breakpoint (uprobe) belongs to a byte of the
 * file at which an instruction begins, whatever is there in memory.
 */
#ifndef RAROG_ENGINE_INLINE_COEXIST_STUB_PLACE_H
#define RAROG_ENGINE_INLINE_COEXIST_STUB_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "binary/patch-site.h"

#define RAROG_TRAP 0x06 /* what lies where nobody must come: no instruction in 64-bit mode */
#define RAROG_INT3 0xcc

/* What a jump of five bytes replaces. */
struct rarog_window {
	uint64_t address;
	uint8_t original[RAROG_PATCH_SIZE];
	uint8_t starts; /* bit i: an instruction of the file begins at byte i; bit 0 is set */
};

struct rarog_range {
	uint64_t start, end;
};

struct rarog_stub_places {
	uint64_t base;
	size_t size, used; /* bytes: there may be steps; there are, up to the last */
	uint8_t *state;    /* state[size]: what each byte is for, of stub-place.c */
	/* What runs and must not be run into; borrowed. */
	size_t n_code;
	const struct rarog_range *code;
	/* Where changed jumps may lead outside of the places: a hash table, 0: free */
	uint64_t *outside;
	size_t n_outside, outside_size;
	size_t last[1 << RAROG_PATCH_SIZE]; /* by window.starts: where they went last */
};

/* What becomes of the program when a breakpoint is set or removed in a window. */
enum rarog_place_quality {
	RAROG_PLACE_SAFE,    /* nothing, whenever it is */
	RAROG_PLACE_ENTRY,   /* as below for those behind the first instruction, else nothing */
	RAROG_PLACE_SET,     /* nothing if the jump is not there any more when it is removed */
	RAROG_PLACE_ANYWHERE /* nothing is promised */
};

/** rarog_stub_places_init() - all of @size bytes at @base are free. 0; -ENOMEM. */
int rarog_stub_places_init(struct rarog_stub_places *places, uint64_t base, size_t size);
void rarog_stub_places_release(struct rarog_stub_places *places);

/**
 * rarog_stub_place() - a place of RAROG_PATCH_SIZE bytes for what the jump in @window leads to
 * @ret_place: its address
 *
 * Return: enum rarog_place_quality; -ENOSPC, -ENOMEM.
 */
int rarog_stub_place(struct rarog_stub_places *places, const struct rarog_window *window,
		     uint64_t *ret_place);

/** rarog_stub_places_meet() - does a changed jump lead into one of @code? Only what is outside of
 * the places is looked at. */
bool rarog_stub_places_meet(const struct rarog_stub_places *places, size_t n_code,
			    const struct rarog_range code[]);

/** rarog_stub_places_span() - bytes of address space for the places of @n windows in @code bytes of
 * code. */
size_t rarog_stub_places_span(size_t n, uint64_t code);

/**
 * rarog_stub_places_base() - where @span bytes of places should begin for code at @low … @high
 * @i: 0 is best; then the next
 *
 * Return: is there such a one? The address may be one that there is not.
 */
bool rarog_stub_places_base(uint64_t low, uint64_t high, size_t span, unsigned i,
			    uint64_t *ret_base);

/** rarog_is_trap() - does the processor refuse @byte as an instruction, whatever follows, in
 * 64-bit mode, with or without prefixes before it? */
bool rarog_is_trap(uint8_t byte);

/**
 * rarog_window_leads() - could the jump in @window, led to @place, lead to @address after changes?
 *
 * Return: yes, by setting and removing breakpoints; not if it leads there as it is.
 */
bool rarog_window_leads(const struct rarog_window *window, uint64_t place, uint64_t address);

/** rarog_window_starts() - where instructions begin among the first bytes of @n bytes of whole
 * instructions, as in struct rarog_window. */
uint8_t rarog_window_starts(size_t n, const uint8_t code[], uint64_t address);

#endif
