/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A note of .note.stapsdt, owner "stapsdt", type 3: three addresses (the nop, where .stapsdt.base
 * was linked to, the semaphore), then three texts (provider, name, arguments). Addresses were right
 * when the file was linked; if it was moved since (prelink), so was .stapsdt.base, by as much.
 *
 * Reference: "UserSpaceProbeImplementation", SystemTap's wiki.
 */
#include "binary/usdt.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "binary/internal.h"

#define OWNER "stapsdt"

enum { NOTE_TYPE = 3 };

struct description {
	uint64_t address, base, semaphore;
	char texts[];
};

/* The text at *@at, which moves after it; NULL: it does not end. */
static const char *next_text(const char **at, const char *end)
{
	const char *text = *at, *nul = memchr(text, '\0', (size_t)(end - text));

	*at = nul ? nul + 1 : end;
	return nul ? text : NULL;
}

static int add_probe(const struct rarog_binary *binary, size_t n, const char bytes[n],
		     uint64_t moved_to, struct rarog_usdts *usdts)
{
	struct description numbers;
	const char *at = bytes + sizeof(numbers);
	struct rarog_usdt probe = { 0 };

	if (n < sizeof(numbers))
		return 0;
	memcpy(&numbers, bytes, sizeof(numbers));
	probe.provider = next_text(&at, bytes + n);
	probe.name = next_text(&at, bytes + n);
	probe.arguments = next_text(&at, bytes + n);
	if (!probe.provider || !probe.name || !probe.arguments)
		return 0;
	if (moved_to) {
		numbers.address += moved_to - numbers.base;
		numbers.semaphore += numbers.semaphore ? moved_to - numbers.base : 0;
	}
	if (!rarog_code_ranges_find(&binary->code, numbers.address))
		return 0;
	probe.address = numbers.address;
	probe.semaphore = numbers.semaphore;
	probe.function = rarog_binary_find(binary, probe.address);
	return rarog_vec_push(usdts, probe) < 0 ? rarog_oom() : 0;
}

static int add_notes(const struct rarog_binary *binary, Elf_Data *data, uint64_t moved_to,
		     struct rarog_usdts *usdts)
{
	size_t at = 0, next, name, text;
	GElf_Nhdr note;
	int r = 0;

	while (r == 0 && (next = gelf_getnote(data, at, &note, &name, &text)) > 0) {
		const char *bytes = data->d_buf;

		if (note.n_type == NOTE_TYPE && note.n_namesz == sizeof(OWNER) &&
		    memcmp(bytes + name, OWNER, sizeof(OWNER)) == 0)
			r = add_probe(binary, note.n_descsz, bytes + text, moved_to, usdts);
		at = next;
	}
	return r;
}

static int compare(const void *a, const void *b)
{
	const struct rarog_usdt *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return strcmp(x->name, y->name);
}

int rarog_usdts_read(const struct rarog_binary *binary, struct rarog_usdts *ret_usdts)
{
	const struct rarog_elf_section *notes = rarog_elf_section(binary->elf, ".note.stapsdt");
	const struct rarog_elf_section *base = rarog_elf_section(binary->elf, ".stapsdt.base");
	Elf_Data *data =
		notes && notes->header->sh_type == SHT_NOTE ? elf_getdata(notes->scn, NULL) : NULL;
	int r = 0;

	*ret_usdts = (struct rarog_usdts){ 0 };
	if (data)
		r = add_notes(binary, data, base ? base->header->sh_addr : 0, ret_usdts);
	if (ret_usdts->n > 1)
		qsort(ret_usdts->v, ret_usdts->n, sizeof(*ret_usdts->v), compare);
	return r;
}

void rarog_usdts_release(struct rarog_usdts *usdts)
{
	rarog_vec_release(usdts);
}
