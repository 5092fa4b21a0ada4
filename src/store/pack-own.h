/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layout of a pack, for pack.c and pack-write.c only. */
#ifndef RAROG_STORE_PACK_OWN_H
#define RAROG_STORE_PACK_OWN_H

#include "profile/bytes.h"
#include "store/pack.h"

/*
 * head     0 magic   8 version  10 zero
 * entry    0 hash   32 offset   40 packed  48 plain  56 bytes  64 changed  72 base  76 checksum
 * trailer  0 offset of the index   8 entries  12 zero  16 checksum of 0 … 15  24 magic
 */
#define PACK_HEAD_SIZE    16
#define PACK_ENTRY_SIZE   80
#define PACK_TRAILER_SIZE 32
#define PACK_VERSION      2 /* 1, never released, had no tables */

static const uint8_t pack_magic[8] = { 0x89, 'R', 'P', 'A', 'C', 'K', '\r', '\n' };
static const uint8_t pack_end_magic[8] = { 'R', 'P', 'A', 'C', 'K', 'E', 'N', 'D' };

/* rarog_packfile_dictionary() - the tables and the base after them, for zstd; NULL: no memory. */
uint8_t *rarog_packfile_dictionary(size_t n_base, const uint8_t *base, size_t *ret_n);

/* rarog_packfile_unpress(): @plain bytes from a frame; NULL: damaged or no memory (errno says). */
uint8_t *rarog_packfile_unpress(size_t n, const uint8_t frame[], size_t n_base, const uint8_t *base,
				size_t plain);

#endif
