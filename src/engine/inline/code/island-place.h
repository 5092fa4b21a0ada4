/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a jump over a function's first bytes may lead so that it stays harmless when another tool
 * changes single bytes of it: the kernel, for which a breakpoint (uprobe) belongs to a byte of the
 * file at which an instruction begins, whatever is there in memory.
 */
#ifndef RAROG_ENGINE_INLINE_CODE_ISLAND_PLACE_H
#define RAROG_ENGINE_INLINE_CODE_ISLAND_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "binary/patch-site.h"

#define RAROG_TRAP 0x06 /* what lies where no thread must come: no instruction in 64-bit mode */
#define RAROG_INT3 0xcc

/* What a jump of five bytes replaces. */
struct rarog_jump_window {
	uint64_t address;
	uint8_t original[RAROG_PATCH_SIZE];
	uint8_t starts; /* bit i: an instruction of the file begins at byte i; bit 0 is set */
};

struct rarog_island_range {
	uint64_t start, end;
};

struct rarog_island_places {
	uint64_t base;
	size_t size, used; /* bytes: there may be steps; there are, up to the last */
	uint8_t *state;    /* state[size]: what each byte is for, of island-place.c */
	/* What runs and must not be run into; borrowed. */
	size_t n_code;
	const struct rarog_island_range *code;
	/* by window.starts: where they went last; how often in a row there was no place */
	size_t last[1 << RAROG_PATCH_SIZE];
	unsigned failures[1 << RAROG_PATCH_SIZE];
};

/** rarog_island_places_init() - all of @size bytes at @base are free. 0; -ENOMEM. */
int rarog_island_places_init(struct rarog_island_places *places, uint64_t base, size_t size);
void rarog_island_places_release(struct rarog_island_places *places);

/**
 * rarog_island_place() - a place of RAROG_PATCH_SIZE bytes for what the jump in @window leads to
 * @ret_place: its address
 *
 * Return: 0: whatever is changed, it ends in a trap; 1: there is no such place, this is any;
 * -ENOSPC.
 */
int rarog_island_place(struct rarog_island_places *places, const struct rarog_jump_window *window,
		       uint64_t *ret_place);

/** rarog_jump_window_meets() - could the jump in @window, led to @place, lead into one of @code
 * after breakpoints were set and removed? */
bool rarog_jump_window_meets(const struct rarog_jump_window *window, uint64_t place, size_t n_code,
			     const struct rarog_island_range code[]);

/** rarog_island_places_span() - bytes of address space for the places of @n windows in @code bytes
 * of code. */
size_t rarog_island_places_span(size_t n, uint64_t code);

/**
 * rarog_island_places_base() - where @span bytes of places should begin for code at @low … @high
 * @i: 0 is best; then the next
 *
 * Return: is there such a one? The address may be one that there is not.
 */
bool rarog_island_places_base(uint64_t low, uint64_t high, size_t span, unsigned i,
			      uint64_t *ret_base);

/** rarog_is_trap() - does the processor refuse @byte as an instruction, whatever follows, in
 * 64-bit mode, with or without prefixes before it? */
bool rarog_is_trap(uint8_t byte);

/** rarog_jump_window_starts() - where instructions begin among the first bytes of @n bytes of whole
 * instructions, as in struct rarog_jump_window. */
uint8_t rarog_jump_window_starts(size_t n, const uint8_t code[], uint64_t address);

#endif
