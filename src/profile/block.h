/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The frame of the profile format: file head, block head, index entry, trailer, and the compression
 * of one block. Nothing here knows what a block contains. doc/design/profile-format.md has the
 * layouts.
 */
#ifndef RAROG_PROFILE_BLOCK_H
#define RAROG_PROFILE_BLOCK_H

#include "profile/bytes.h"

#define RAROG_FORMAT_MAJOR 1
#define RAROG_FORMAT_MINOR 0

#define RAROG_FILE_HEAD_SIZE   32
#define RAROG_BLOCK_HEAD_SIZE  56
#define RAROG_INDEX_ENTRY_SIZE 48
#define RAROG_TRAILER_SIZE     40

#define RAROG_BLOCK_RAW 0x100000  /* what a writer aims at: 1 MiB before compression */
#define RAROG_BLOCK_MAX 0x1000000 /* what a reader accepts: one long text, one deep stack */

enum rarog_block_kind {
	RAROG_BLOCK_HEADER = 1,
	RAROG_BLOCK_CLOCK = 2,
	RAROG_BLOCK_STRINGS = 3,
	RAROG_BLOCK_BINARIES = 4,
	RAROG_BLOCK_LOCATIONS = 5,
	RAROG_BLOCK_PROCESSES = 6,
	RAROG_BLOCK_STRANDS = 7,
	RAROG_BLOCK_CALLS = 8,
	RAROG_BLOCK_NODES = 9,
	RAROG_BLOCK_SUMMARIES = 10,
	RAROG_BLOCK_INLINED = 11,
	RAROG_BLOCK_LOSSES = 12,
	RAROG_BLOCK_QUANTITIES = 13,
	RAROG_BLOCK_NOTES = 14,
	RAROG_BLOCK_OFF_CPU = 15,
	RAROG_BLOCK_NODES_OFF_CPU = 16,
	RAROG_BLOCK_COUNTS = 17,
	RAROG_BLOCK_EDGES = 18,
	RAROG_BLOCK_LINES = 19,
	RAROG_BLOCK_FRAMES = 20,
	RAROG_BLOCK_MACHINE = 21,
	RAROG_BLOCK_TRIPS = 22,
	RAROG_BLOCK_TRIP_BUCKETS = 23,
	RAROG_BLOCK_PATHS = 24,
	RAROG_BLOCK_PATH_BLOCKS = 25,
	RAROG_BLOCK_ORIGINS = 26,
	RAROG_BLOCK_ACCESSES = 27,
	RAROG_BLOCK_ARGUMENTS = 30,
	RAROG_BLOCK_ARGUMENT_SUMS = 31,
	RAROG_BLOCK_VALUES = 32,
	RAROG_BLOCK_TIMES = 33,
	RAROG_BLOCK_ALLOCATIONS = 34,
	RAROG_BLOCK_BOUNDS = 35,
	RAROG_BLOCK_REGIONS = 36,
	RAROG_BLOCK_EXPERIMENTS = 37,
	RAROG_BLOCK_SNAPSHOTS = 38,
	RAROG_BLOCK_MEASURED = 39,
	RAROG_BLOCK_ABSENCES = 40,
	RAROG_BLOCK_TRIALS = 41,
	RAROG_BLOCK_PARTS = 42,
	RAROG_BLOCK_UNROLLED = 43,
	RAROG_BLOCK_KINDS, /* one more than the highest of a table */
	RAROG_BLOCK_INDEX = 255,
};

struct rarog_block {
	uint64_t offset; /* of its head in the file */
	uint16_t kind, version;
	uint32_t stored, raw; /* bytes after the head, bytes after decompression */
	uint32_t strand;      /* calls; else 0 */
	uint32_t count;       /* events, rows, texts */
	uint64_t first, last; /* calls: ticks at start and end; tables: index of first row, 0 */
	uint64_t checksum;    /* of the stored bytes */
};

void rarog_file_head_store(uint8_t to[RAROG_FILE_HEAD_SIZE]);

/** rarog_file_head_load() - 0; -EINVAL not a profile; -EPROTONOSUPPORT a newer major version. */
int rarog_file_head_load(const uint8_t from[RAROG_FILE_HEAD_SIZE], const char *path);

void rarog_block_head_store(uint8_t to[RAROG_BLOCK_HEAD_SIZE], const struct rarog_block *block);

/* rarog_block_head_load(): what stands at file offset @offset; false if that is no block head. */
bool rarog_block_head_load(const uint8_t from[RAROG_BLOCK_HEAD_SIZE], uint64_t offset,
			   struct rarog_block *ret_block);

void rarog_index_entry_store(uint8_t to[RAROG_INDEX_ENTRY_SIZE], const struct rarog_block *block);
void rarog_index_entry_load(const uint8_t from[RAROG_INDEX_ENTRY_SIZE],
			    struct rarog_block *ret_block);

struct rarog_trailer {
	uint64_t index_offset; /* first index block; the others follow it */
	uint32_t index_blocks;
	uint64_t file_size;
};

void rarog_trailer_store(uint8_t to[RAROG_TRAILER_SIZE], const struct rarog_trailer *trailer);
bool rarog_trailer_load(const uint8_t from[RAROG_TRAILER_SIZE], struct rarog_trailer *ret_trailer);

uint64_t rarog_block_checksum(size_t n, const uint8_t data[]);

/**
 * rarog_block_compress() - append one zstd frame to @out
 * @context: ZSTD_CCtx
 * @piece: end zstd's blocks every so many bytes, each with statistics of its own
 */
int rarog_block_compress(void *context, int level, size_t piece, size_t n, const uint8_t data[],
			 struct rarog_bytes *out);

/** rarog_block_decompress() - exactly @raw bytes from the frames in @stored; 0 or -EBADMSG. */
int rarog_block_decompress(void *context, size_t n, const uint8_t stored[], size_t raw,
			   uint8_t to[]);

#endif
