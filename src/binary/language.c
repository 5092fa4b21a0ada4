/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/language.h"

#include <dwarf.h>
#include <stddef.h>

#include "base/cleanup.h"

/* Languages whose functions are called as C's: that is what places here are computed for. */
bool rarog_language_is_called_as_c(int language)
{
	static const int known[] = {
		DW_LANG_C,
		DW_LANG_C89,
		DW_LANG_C99,
		DW_LANG_C11,
		0x2c, /* C17 */
		0x3e, /* C23 */
		DW_LANG_C_plus_plus,
		DW_LANG_C_plus_plus_03,
		DW_LANG_C_plus_plus_11,
		DW_LANG_C_plus_plus_14,
		0x2b, /* C++17 */
		0x2e, /* C++20 */
		0x3a, /* C++23 */
		DW_LANG_ObjC,
		DW_LANG_ObjC_plus_plus,
		DW_LANG_UPC,
		DW_LANG_Mips_Assembler,
	};

	for (size_t i = 0; i < RAROG_COUNT(known); i++)
		if (language == known[i])
			return true;
	return language < 0; /* it is not said */
}

const char *rarog_language_name(int language)
{
	static const struct {
		int language;
		const char *name;
	} names[] = {
		{ DW_LANG_Fortran77, "Fortran" },
		{ DW_LANG_Fortran90, "Fortran" },
		{ DW_LANG_Fortran95, "Fortran" },
		{ DW_LANG_Fortran03, "Fortran" },
		{ DW_LANG_Fortran08, "Fortran" },
		{ 0x2d, "Fortran" },
		{ DW_LANG_Ada83, "Ada" },
		{ DW_LANG_Ada95, "Ada" },
		{ DW_LANG_Pascal83, "Pascal" },
		{ DW_LANG_Modula2, "Modula-2" },
		{ DW_LANG_D, "D" },
		{ DW_LANG_Go, "Go" },
		{ DW_LANG_Rust, "Rust" },
		{ DW_LANG_Swift, "Swift" },
		{ DW_LANG_Haskell, "Haskell" },
		{ DW_LANG_OCaml, "OCaml" },
	};

	for (size_t i = 0; i < RAROG_COUNT(names); i++)
		if (language == names[i].language)
			return names[i].name;
	return "another language";
}
