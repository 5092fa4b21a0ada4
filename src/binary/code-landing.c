/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Landing pads: where an exception continues. .eh_frame names, for each function that has some, its
 * language-specific data (LSDA); there the call-site table of the C++ personality lists the pads.
 * The other personalities of compiled languages use the same table; one that does not only yields
 * marks that mean nothing.
 *
 *   .eh_frame   records of { length u32 | ~0 + u64, CIE id or distance back to the CIE, … }
 *   CIE         version, augmentation "zPLRS", factors, the augmentation's data: encodings
 *   FDE         first address, size, then the augmentation's data: address of the LSDA
 *   LSDA        landing base, type table, call sites of { start, length, pad, action }
 *
 * References: Linux Standard Base 10.6 "Exception Frames", x86-64 psABI, Itanium C++ ABI.
 */
#include <dwarf.h>
#include <elf.h>
#include <gelf.h>
#include <string.h>

#include "binary/code-map.h"

#define NO_LSDA DW_EH_PE_omit

/* Reading beyond the end sets @bad and yields zeros. */
struct reader {
	const uint8_t *at, *end;
	uint64_t address; /* of @at */
	bool bad;
};

struct augmentation {
	uint8_t code; /* encoding of code addresses */
	uint8_t lsda; /* encoding of the LSDA's address, or NO_LSDA */
	bool sized;   /* 'z': the FDE has augmentation data */
};

static uint64_t read_fixed(struct reader *in, size_t n)
{
	uint64_t value = 0;

	if ((size_t)(in->end - in->at) < n) {
		in->bad = true;
		in->at = in->end;
		return 0;
	}
	memcpy(&value, in->at, n);
	in->at += n;
	in->address += n;
	return value;
}

static uint64_t read_leb(struct reader *in, bool is_signed)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;

	do {
		byte = read_fixed(in, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !in->bad);
	if (is_signed && byte & 0x40 && shift < 64)
		value |= ~0ull << shift;
	return value;
}

static uint64_t sign_extend(uint64_t value, unsigned bits)
{
	uint64_t sign = 1ull << (bits - 1);

	return (value ^ sign) - sign;
}

/* The number alone, without what it is relative to. */
static uint64_t read_number(struct reader *in, uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return read_fixed(in, 8);
	case DW_EH_PE_udata2:
		return read_fixed(in, 2);
	case DW_EH_PE_sdata2:
		return sign_extend(read_fixed(in, 2), 16);
	case DW_EH_PE_udata4:
		return read_fixed(in, 4);
	case DW_EH_PE_sdata4:
		return sign_extend(read_fixed(in, 4), 32);
	case DW_EH_PE_uleb128:
	case DW_EH_PE_sleb128:
		return read_leb(in, (encoding & 0x0f) == DW_EH_PE_sleb128);
	default:
		in->bad = true;
		return 0;
	}
}

/* A pointer; 0 stays 0 (none). Of the applications only "relative to itself" is in use. */
static uint64_t read_pointer(struct reader *in, uint8_t encoding)
{
	uint64_t here = in->address;
	uint64_t value = read_number(in, encoding);

	if (encoding & DW_EH_PE_indirect || (encoding & 0x70) > DW_EH_PE_pcrel)
		in->bad = true;
	return value && (encoding & 0x70) == DW_EH_PE_pcrel ? here + value : value;
}

static bool open_reader(const struct rarog_code_map *map, uint64_t address, uint64_t size,
			struct reader *ret)
{
	const struct rarog_segment *segments;
	size_t n = rarog_binary_segments(map->binary, &segments);

	for (size_t i = 0; i < n; i++) {
		uint64_t at = address - segments[i].vaddr;

		if (at >= segments[i].file_size)
			continue;
		if (size > segments[i].file_size - at)
			size = segments[i].file_size - at;
		const uint8_t *bytes = rarog_binary_bytes(map->binary, address, size);

		if (bytes)
			*ret = (struct reader){ bytes, bytes + size, address, false };
		return bytes != NULL;
	}
	return false;
}

static void read_augmentation_data(struct reader *in, const char *letters, struct augmentation *ret)
{
	read_leb(in, false); /* size */
	for (; *letters && !in->bad; letters++) {
		if (*letters == 'R')
			ret->code = (uint8_t)read_fixed(in, 1);
		else if (*letters == 'L')
			ret->lsda = (uint8_t)read_fixed(in, 1);
		else if (*letters == 'P')
			read_number(in, (uint8_t)read_fixed(in, 1));
	}
}

/* @in stands behind the CIE's id. */
static bool read_cie(struct reader *in, struct augmentation *ret)
{
	uint8_t version = (uint8_t)read_fixed(in, 1);
	const char *letters = (const char *)in->at;
	size_t length = strnlen(letters, (size_t)(in->end - in->at));

	*ret = (struct augmentation){ .code = DW_EH_PE_absptr, .lsda = NO_LSDA };
	if (length == (size_t)(in->end - in->at))
		return false;
	in->at += length + 1;
	in->address += length + 1;
	read_leb(in, false);
	read_leb(in, true);
	if (version == 1)
		read_fixed(in, 1);
	else
		read_leb(in, false);
	ret->sized = letters[0] == 'z';
	if (ret->sized)
		read_augmentation_data(in, letters + 1, ret);
	return !in->bad;
}

static void read_call_sites(struct rarog_code_map *map, struct reader in, uint64_t landing_base,
			    uint8_t encoding)
{
	while (in.at < in.end && !in.bad) {
		read_number(&in, encoding); /* start */
		read_number(&in, encoding); /* length */
		uint64_t pad = read_number(&in, encoding);

		read_leb(&in, false); /* action */
		if (pad && !in.bad)
			rarog_code_reach(map, landing_base + pad, RAROG_REACH_TAKEN);
	}
}

static void read_lsda(struct rarog_code_map *map, uint64_t address, uint64_t function)
{
	struct reader in;
	uint64_t landing_base = function;

	if (!open_reader(map, address, UINT64_MAX, &in))
		return;
	uint8_t encoding = (uint8_t)read_fixed(&in, 1);
	if (encoding != DW_EH_PE_omit)
		landing_base = read_pointer(&in, encoding);
	if ((uint8_t)read_fixed(&in, 1) != DW_EH_PE_omit)
		read_leb(&in, false); /* distance to the type table's end */
	encoding = (uint8_t)read_fixed(&in, 1);
	uint64_t size = read_leb(&in, false);
	if (in.bad || size > (uint64_t)(in.end - in.at))
		return;
	in.end = in.at + size;
	read_call_sites(map, in, landing_base, encoding);
}

/* @in stands behind the FDE's distance to its CIE. */
static void read_fde(struct rarog_code_map *map, struct reader *in,
		     const struct augmentation *augmentation)
{
	uint64_t function = read_pointer(in, augmentation->code);

	read_number(in, augmentation->code); /* size */
	if (!augmentation->sized || augmentation->lsda == NO_LSDA)
		return;
	read_leb(in, false);
	uint64_t lsda = read_pointer(in, augmentation->lsda);
	if (lsda && !in->bad)
		read_lsda(map, lsda, function);
}

/* One record's body; @in is left behind it. Length 0 ends the table. */
static bool next_record(struct reader *in, struct reader *ret_body)
{
	uint64_t length = read_fixed(in, 4);

	if (length == UINT32_MAX)
		length = read_fixed(in, 8);
	if (in->bad || length < 4 || length > (uint64_t)(in->end - in->at))
		return false;
	*ret_body = (struct reader){ in->at, in->at + length, in->address, false };
	in->at += length;
	in->address += length;
	return true;
}

/* The CIE that lies @distance before @here, inside the table that starts at @table. */
static bool find_cie(const struct reader *table, const struct reader *here, uint64_t distance,
		     struct augmentation *ret)
{
	struct reader in = *table, body;

	if (distance > here->address - table->address)
		return false;
	in.at = here->at - distance;
	in.address = here->address - distance;
	return next_record(&in, &body) && read_fixed(&body, 4) == 0 && read_cie(&body, ret);
}

static void read_frames(struct rarog_code_map *map, struct reader in)
{
	const struct reader table = in;
	struct augmentation augmentation = { .lsda = NO_LSDA };
	uint64_t cie = UINT64_MAX; /* where the augmentation at hand is from */
	struct reader body;

	while (next_record(&in, &body)) {
		struct reader here = body;
		uint64_t distance = read_fixed(&body, 4);

		if (distance == 0)
			continue; /* a CIE: read when the first FDE names it */
		if (here.address - distance != cie) {
			cie = UINT64_MAX;
			if (!find_cie(&table, &here, distance, &augmentation))
				continue;
			cie = here.address - distance;
		}
		read_fde(map, &body, &augmentation);
	}
}

static bool find_section(const struct rarog_code_map *map, struct reader *ret)
{
	Elf_Scn *scn = NULL;
	size_t names = 0;

	if (elf_getshdrstrndx(map->elf, &names) < 0)
		return false;
	while ((scn = elf_nextscn(map->elf, scn))) {
		GElf_Shdr sh;
		const char *name = NULL;

		if (gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_ALLOC)
			name = elf_strptr(map->elf, names, sh.sh_name);
		if (name && strcmp(name, ".eh_frame") == 0)
			return open_reader(map, sh.sh_addr, sh.sh_size, ret);
	}
	return false;
}

/* Without sections: .eh_frame_hdr begins with a version, three encodings and the address. */
static bool find_header(const struct rarog_code_map *map, struct reader *ret)
{
	size_t n = 0;

	if (elf_getphdrnum(map->elf, &n) < 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;
		struct reader in;

		if (!gelf_getphdr(map->elf, (int)i, &ph) || ph.p_type != PT_GNU_EH_FRAME ||
		    !open_reader(map, ph.p_vaddr, ph.p_filesz, &in))
			continue;
		uint8_t encoding = (uint8_t)(read_fixed(&in, 4) >> 8);
		uint64_t address = read_pointer(&in, encoding);

		return !in.bad && open_reader(map, address, UINT64_MAX, ret);
	}
	return false;
}

int rarog_code_landing(struct rarog_code_map *map)
{
	struct reader in;

	if (find_section(map, &in) || find_header(map, &in))
		read_frames(map, in);
	return 0;
}
