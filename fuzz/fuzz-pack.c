/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The store's readers of bytes: a first byte 0 takes the rest as a pack, of which every profile is
 * unpacked and read; 1 as the plain form of a profile; 2 as a header, from which facts are taken; 3
 * as two entries' worth of index (80 bytes each) and frames, around which a right head, right
 * checksums and a right trailer are put.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "profile/dump.h"
#include "profile/reader.h"
#include "store/facts.h"
#include "store/pack-own.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void read_plain(const uint8_t *bytes, size_t n)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	rarog_cleanup(rarog_facts_release) struct rarog_facts facts = { 0 };
	uint8_t *copy = malloc(n + 1);
	FILE *null = fopen("/dev/null", "we");

	if (copy && null && n > 0)
		memcpy(copy, bytes, n);
	if (rarog_profile_open_canonical("plain", copy, n, &profile) == 0) {
		rarog_profile_dump_json(profile, null, true);
		rarog_facts_of(profile, &facts);
	}
	if (null)
		fclose(null);
}

static void read_entry(const struct rarog_packfile *pack, const struct rarog_packfile_entry *entry)
{
	rarog_cleanup(rarog_freep) uint8_t *base = NULL;
	rarog_cleanup(rarog_freep) uint8_t *plain = NULL;
	struct rarog_packfile_entry other = { 0 };

	if (entry->plain > 1 << 20)
		return;
	if (entry->base != RAROG_PACK_NO_BASE &&
	    (rarog_packfile_entry(pack, entry->base, &other) < 0 || other.plain > 1 << 20 ||
	     rarog_packfile_canonical(pack, &other, 0, NULL, &base) < 0))
		return;
	if (rarog_packfile_canonical(pack, entry, (size_t)other.plain, base, &plain) == 0)
		read_plain(plain, (size_t)entry->plain);
}

static void read_pack(const uint8_t *bytes, size_t n)
{
	rarog_cleanup(rarog_closep) int fd = memfd_create("pack", MFD_CLOEXEC);
	rarog_cleanup(rarog_packfile_freep) struct rarog_packfile *pack = NULL;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || rarog_write_all(fd, n, bytes) < 0 || rarog_packfile_open(path, &pack) < 0)
		return;
	for (uint32_t i = 0; i < pack->n && i < 64; i++) {
		struct rarog_packfile_entry entry, found;

		if (rarog_packfile_entry(pack, i, &entry) < 0)
			continue;
		rarog_packfile_find(pack, &entry.hash, &found, NULL);
		read_entry(pack, &entry);
	}
}

static void read_header(const uint8_t *bytes, size_t n)
{
	rarog_cleanup(rarog_facts_release) struct rarog_facts facts = { 0 };
	rarog_cleanup(rarog_freep) char *text = malloc(n + 1);

	if (!text)
		return;
	memcpy(text, bytes, n);
	text[n] = '\0';
	rarog_facts_parse("header", text, &facts);
}

/* Two entries from the input, the rest is their frames. */
static void read_mended(const uint8_t *bytes, size_t n)
{
	rarog_cleanup(rarog_bytes_release) struct rarog_bytes pack = { 0 };
	uint8_t head[PACK_HEAD_SIZE] = { 0 }, end[PACK_TRAILER_SIZE] = { 0 };
	uint8_t index[2 * PACK_ENTRY_SIZE];

	if (n < sizeof(index))
		return;
	memcpy(index, bytes, sizeof(index));
	memcpy(head, pack_magic, sizeof(pack_magic));
	rarog_store_u16(head + 8, PACK_VERSION);
	for (uint32_t i = 0; i < 2; i++)
		rarog_store_u32(index + i * PACK_ENTRY_SIZE + 76,
				(uint32_t)XXH3_64bits_withSeed(index + i * PACK_ENTRY_SIZE, 76, i));
	rarog_store_u64(end, PACK_HEAD_SIZE + n - sizeof(index));
	rarog_store_u32(end + 8, 2);
	rarog_store_u64(end + 16, XXH3_64bits(end, 16));
	memcpy(end + 24, pack_end_magic, sizeof(pack_end_magic));
	if (rarog_bytes_add(&pack, sizeof(head), head) == 0 &&
	    rarog_bytes_add(&pack, n - sizeof(index), bytes + sizeof(index)) == 0 &&
	    rarog_bytes_add(&pack, sizeof(index), index) == 0 &&
	    rarog_bytes_add(&pack, sizeof(end), end) == 0)
		read_pack(pack.v, pack.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static void (*const readers[])(const uint8_t *, size_t) = { read_pack, read_plain,
								    read_header, read_mended };

	if (n > 0)
		readers[bytes[0] % 4](bytes + 1, n - 1);
	return 0;
}
