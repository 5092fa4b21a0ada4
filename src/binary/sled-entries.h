/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions that sleds belong to: a table gives the place to patch, which may stand before the
 * entry (nops in front of it) or after it (endbr64).
 */
#ifndef RAROG_BINARY_SLED_ENTRIES_H
#define RAROG_BINARY_SLED_ENTRIES_H

#include "binary/sleds.h"
#include "binary/symbols.h"

#define RAROG_ENDBR_SIZE 4

/** rarog_is_endbr() - are the @n bytes at @code, or more, an endbr64? */
bool rarog_is_endbr(size_t n, const uint8_t *code);

/**
 * rarog_sled_entries() - fill in the sleds' entries, and append a symbol for each that has none
 * @symbols: sorted by address; the new ones are at the end, their names (fn_<hex>) in @texts
 *
 * Return: how many symbols were appended, -ENOMEM.
 */
long rarog_sled_entries(const struct rarog_elf *elf, const struct rarog_eh_frame *frame,
			const struct rarog_code_ranges *code, struct rarog_text_pool *texts,
			struct rarog_symbols *symbols, struct rarog_sleds *sleds);

#endif
