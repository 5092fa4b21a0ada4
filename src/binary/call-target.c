/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/call-scan.h"

static bool target_function(const struct rarog_call_scan *scan, uint64_t address,
			    struct rarog_call_target *ret)
{
	long found = address ? rarog_binary_find(scan->binary, address) : -1;

	if (found < 0)
		return false;
	ret->function = scan->origin[found];
	ret->is_entry = scan->functions[found].address == address;
	ret->is_resolved |= ret->is_entry && scan->functions[found].flags & RAROG_FUNCTION_IFUNC;
	return true;
}

static bool target_import(const struct rarog_call_scan *scan, uint64_t word,
			  struct rarog_call_target *ret)
{
	const struct rarog_import *import = rarog_imports_find(scan->imports, word);

	if (!import || import->is_data)
		return false;
	ret->import = (uint32_t)(import - scan->imports->list.v);
	ret->is_entry = true;
	return true;
}

bool rarog_call_target_word(const struct rarog_call_scan *scan, uint64_t word,
			    struct rarog_call_target *ret_target)
{
	const struct rarog_filled *filled = rarog_filled_words_at(&scan->words, word);

	*ret_target = (struct rarog_call_target){ .function = RAROG_CALL_NOWHERE,
						  .import = RAROG_CALL_NOWHERE,
						  .is_linked = true };
	if (!rarog_word_is_constant(scan->binary, word))
		return false;
	if (target_import(scan, word, ret_target))
		return true;
	ret_target->is_resolved = filled && filled->is_resolver;
	return target_function(
		scan, filled ? filled->value : rarog_filled_words_value(&scan->words, word),
		ret_target);
}

bool rarog_call_target_at(const struct rarog_call_scan *scan, uint64_t address,
			  struct rarog_call_target *ret_target)
{
	uint64_t word;

	*ret_target = (struct rarog_call_target){ .function = RAROG_CALL_NOWHERE,
						  .import = RAROG_CALL_NOWHERE };
	if (target_function(scan, address, ret_target))
		return true;
	word = rarog_imports_stub_word(scan->imports, address);
	return word && rarog_call_target_word(scan, word, ret_target);
}
