/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The core reads lines, inlined functions and unwind tables of every file that is mapped. Nothing
 * here wants them: Rarog reads the files itself. It takes a part of a second for large programs,
 * and ends the run where a compiler is younger than the core (clang's DWARF 5). So these functions
 * of readelf.c's take their place (the linker's --wrap); symbols are still read.
 */
#include "vex/core.h"

void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void);
void __wrap_vgModuleLocal_read_callframe_info_dwarf3(void);
void __wrap_vgModuleLocal_new_dwarf3_reader(void);

void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void)
{
}

void __wrap_vgModuleLocal_read_callframe_info_dwarf3(void)
{
}

void __wrap_vgModuleLocal_new_dwarf3_reader(void)
{
}
