/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libiberty demangles C++ (Itanium ABI) and Rust (legacy and v0). Only names that begin as a
 * mangled one are given to it: its automatic mode would also take plain C names for types.
 * Clone suffixes ("_Z1fv.part.0") come out as " [clone .part.0]".
 */
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "binary/binary.h"

#define MAX_MANGLED 65536 /* longer ones are an attack on the demangler, not a program's */

char *rarog_demangle(const char *name)
{
	const int options = DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO;

	if (!rarog_starts_with(name, "_Z") && !rarog_starts_with(name, "_R") &&
	    !rarog_starts_with(name, "__Z"))
		return NULL;
	if (strnlen(name, MAX_MANGLED) == MAX_MANGLED)
		return NULL;
	return cplus_demangle(name, options);
}

char *rarog_demangle_place(const char *name)
{
	const char *at = strchr(name, '@');
	rarog_cleanup(rarog_freep) char *first = at ? strndup(name, (size_t)(at - name)) : NULL;
	rarog_cleanup(rarog_freep) char *callee = first ? rarog_demangle(first) : NULL;
	rarog_cleanup(rarog_freep) char *caller = first ? rarog_demangle(at + 1) : NULL;

	if (!at)
		return rarog_demangle(name);
	return callee || caller
		       ? rarog_asprintf("%s@%s", callee ? callee : first, caller ? caller : at + 1)
		       : NULL;
}
