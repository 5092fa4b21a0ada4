/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The section that rarog cc --features leaves in a program: modules one after the other, each
 * "RAROGBC1", its size in 8 bytes (little endian), LLVM's bitcode, and zeros up to a multiple of 8.
 */
#ifndef RAROG_FEATURE_SECTION_H
#define RAROG_FEATURE_SECTION_H

#include <stddef.h>
#include <stdint.h>

/** rarog_feature_section_count() - how many modules are in it; -EBADMSG: it is none, or damaged; no
 * message. What is in the modules is LLVM's to judge. */
long rarog_feature_section_count(size_t n, const uint8_t bytes[n]);

#endif
