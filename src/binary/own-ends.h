/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that know where their own code begins or ends: they compare it, move it, or give it
 * other pages.
 */
#ifndef RAROG_BINARY_OWN_ENDS_H
#define RAROG_BINARY_OWN_ENDS_H

#include "binary/binary.h"

/**
 * rarog_refers_to_ends() - does the code of @binary, or its data, refer to where code begins or
 * ends?
 *
 * Most linkers define __executable_start, etext and so on for objects that refer to them, so that
 * the names tell. One (mold) always defines all of them; then an instruction must take the address,
 * or a word of data hold it.
 */
bool rarog_refers_to_ends(const struct rarog_binary *binary);

#endif
