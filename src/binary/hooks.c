/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/hooks.h"

#include <gelf.h>
#include <string.h>

#include "binary/internal.h"
#include "binary/patch-place.h"

bool rarog_hooks_any(const struct rarog_binary *binary)
{
	for (size_t i = 0; i < binary->sleds.n; i++)
		if (binary->sleds.v[i].kind == RAROG_SLED_NOPS)
			return true;
	return false;
}

bool rarog_hooks_at(const struct rarog_binary *binary, uint64_t entry)
{
	const struct rarog_sled *sled = rarog_place_sled(binary, entry);

	return sled && sled->kind == RAROG_SLED_NOPS;
}

const char *rarog_hooks_note(const struct rarog_binary *binary, const char *last)
{
	const struct rarog_elf_section *section = rarog_elf_section(binary->elf, RAROG_HOOKS_NOTES);
	Elf_Data *data = section && section->header->sh_type == SHT_PROGBITS
				 ? elf_getdata(section->scn, NULL)
				 : NULL;
	const char *start = data ? data->d_buf : NULL;
	const char *end = start ? start + data->d_size : NULL;
	const char *at = last ? last + strlen(last) + 1 : start;

	while (at < end && !*at) /* between those of two files there may be room */
		at++;
	return at < end && memchr(at, '\0', (size_t)(end - at)) ? at : NULL;
}
