/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/dynamic.h"

#include <string.h>

#include "binary/internal.h"

bool rarog_dynamic_read(const struct rarog_binary *binary, struct rarog_dynamic *ret_dynamic)
{
	const Elf64_Phdr *ph = binary->elf->segments, *end = ph + binary->elf->n_segments;
	Elf64_Dyn dyn;

	*ret_dynamic = (struct rarog_dynamic){ 0 };
	while (ph < end && ph->p_type != PT_DYNAMIC)
		ph++;
	if (ph == end)
		return false;
	const uint8_t *bytes = rarog_binary_bytes(binary, ph->p_vaddr, ph->p_filesz);
	if (!bytes)
		return false;
	for (uint64_t at = 0; ph->p_filesz - at >= sizeof(dyn); at += sizeof(dyn)) {
		memcpy(&dyn, bytes + at, sizeof(dyn));
		if (dyn.d_tag == DT_NULL)
			break;
		if (dyn.d_tag > 0 && dyn.d_tag < DT_NUM)
			ret_dynamic->value[dyn.d_tag] = dyn.d_un.d_val;
		if (dyn.d_tag == DT_FLAGS_1)
			ret_dynamic->flags_1 = dyn.d_un.d_val;
	}
	return true;
}

/* The C library has an interpreter, since it can be run, too; a static PIE has none. */
bool rarog_binary_is_library(const struct rarog_binary *binary)
{
	struct rarog_dynamic dynamic;

	if (!rarog_binary_is_pie(binary))
		return false;
	rarog_dynamic_read(binary, &dynamic);
	return !(dynamic.flags_1 & DF_1_PIE) &&
	       (dynamic.value[DT_SONAME] || !rarog_binary_interpreter(binary));
}
