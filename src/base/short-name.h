/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What people call a C++ function: its name without template arguments, parameters and return type.
 */
#ifndef RAROG_BASE_SHORT_NAME_H
#define RAROG_BASE_SHORT_NAME_H

#include "base/str.h"

/**
 * rarog_short_name_add() - append the short form of a demangled @name
 * @mark: stands for template arguments; "" leaves them out
 *
 * "void ns::f<int, less<int> >(int const&)" becomes "ns::f" and @mark; "(anonymous namespace)",
 * lambdas and operators stay whole. A name that is not understood is appended as it is. Of
 * "FUNC@CALLER" both are shortened.
 *
 * Return: 0 or -ENOMEM.
 */
int rarog_short_name_add(struct rarog_str *to, const char *name, const char *mark);

/** rarog_name_without_tags() - "f[abi:cxx11](int)" as it stands in the source: "f(int)". Return: a
 * string that the caller owns, NULL when there is no memory. */
char *rarog_name_without_tags(const char *name);

#endif
