/* SPDX-License-Identifier: MIT */
/*
 * Marks for `rarog collect`: regions, points, sizes of data structures and features of the input,
 * named in the source of a C or C++ program. Needs this file only, no library.
 *
 *	#include <rarog.h>
 *
 *	RAROG_BEGIN(load);               a region: from here …
 *	RAROG_END(load);                 … to here, in the same function
 *	RAROG_REGION(load);              C++: from here to the end of the block, however it is left
 *	RAROG_POINT(item_done);          something happened; each time counts
 *	RAROG_SIZE(table, n);            how large the data structure is now (unsigned)
 *	RAROG_FEATURE(depth, value);     a property of the input (signed)
 *
 * A name is an identifier. A mark is five bytes of code that do nothing, and a note in the file
 * that says where (a USDT probe of the provider "rarog", which perf, bpftrace, SystemTap and gdb
 * know, too). A file that uses none is compiled as if it did not include this one; with
 * RAROG_DISABLE defined, and on other machines than Linux on x86-64, none does anything.
 *
 * The five bytes are two instructions, of one and of four bytes, on purpose: where there is a
 * single one of five bytes, Linux 6.18 puts a call, which writes below the stack pointer, where a
 * function that calls nobody may keep its variables. `rarog collect` replaces both by a jump.
 */
#ifndef RAROG_H
#define RAROG_H

/* For `rarog cc --features`: this variable or member keeps what the user has chosen:
 *
 *	static int level RAROG_FEATURE_VARIABLE(Level) = 6;
 *
 * Compilers that are not called so see nothing of it. */
#ifdef RAROG_FEATURES
#define RAROG_FEATURE_VARIABLE(name) __attribute__((annotate("rarog_feature:" #name)))
#else
#define RAROG_FEATURE_VARIABLE(name)
#endif

#if !defined(RAROG_DISABLE) && defined(__x86_64__) && defined(__linux__) && defined(__GNUC__)

/* The note: three lengths, "stapsdt", the places of the mark, of the base and of a semaphore
 * (none), then provider, name and arguments. The section is of the same group as the code ("?"), so
 * that it goes where an inline function's unused copy goes. */
#define RAROG_MARK_TEXT_(name, arguments)                                                          \
	"990:	.byte 0x90, 0x0f, 0x1f, 0x40, 0x00\n"                                                \
	"	.pushsection .note.stapsdt, \"?\", \"note\"\n"                                           \
	"	.balign 4\n"                                                                             \
	"	.4byte 992f - 991f, 994f - 993f, 3\n"                                                    \
	"991:	.asciz \"stapsdt\"\n"                                                                \
	"992:	.balign 4\n"                                                                         \
	"993:	.8byte 990b, _.stapsdt.base, 0\n"                                                    \
	"	.asciz \"rarog\", \"" name "\", \"" arguments "\"\n"                               \
	"994:	.balign 4\n"                                                                         \
	"	.popsection\n"                                                                           \
	"	.ifndef _.stapsdt.base\n"                                                                \
	"	.pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"               \
	"	.weak _.stapsdt.base\n"                                                                  \
	"	.hidden _.stapsdt.base\n"                                                                \
	"_.stapsdt.base:	.space 1\n"                                                               \
	"	.size _.stapsdt.base, 1\n"                                                               \
	"	.popsection\n"                                                                           \
	"	.endif\n"

/* Compilers that are not told take the note's lines for instructions, and inline less. */
#if defined(__clang__) ? __clang_major__ >= 11 : __GNUC__ >= 9
#define RAROG_ASM_ __asm__ __volatile__ __inline__
#else
#define RAROG_ASM_ __asm__ __volatile__
#endif

/* What is inside a region stays there. */
#define RAROG_MARK_(name) RAROG_ASM_(RAROG_MARK_TEXT_(name, "") : : : "memory")
#define RAROG_VALUE_(name, type, size, value)                                                      \
	RAROG_ASM_(RAROG_MARK_TEXT_(name, size "@%[rarog_value]")                                  \
		   :                                                                               \
		   : [rarog_value] "nor"((type)(value)))

#define RAROG_BEGIN(name)          RAROG_MARK_(#name "__begin")
#define RAROG_END(name)            RAROG_MARK_(#name "__end")
#define RAROG_POINT(name)          RAROG_MARK_(#name)
#define RAROG_SIZE(name, n)        RAROG_VALUE_(#name "__size", unsigned long, "8", n)
#define RAROG_FEATURE(name, value) RAROG_VALUE_(#name "__feature", long, "-8", value)

#ifdef __cplusplus
/* Its end is part of the function itself, also where nothing else is optimised. */
#define RAROG_REGION(name)                                                                         \
	struct rarog_region_##name##_ {                                                            \
		__attribute__((always_inline)) inline rarog_region_##name##_()                     \
		{                                                                                  \
			RAROG_BEGIN(name);                                                         \
		}                                                                                  \
		__attribute__((always_inline)) inline ~rarog_region_##name##_()                    \
		{                                                                                  \
			RAROG_END(name);                                                           \
		}                                                                                  \
	} rarog_in_region_##name##_
#endif

#else

#define RAROG_BEGIN(name)          ((void)0)
#define RAROG_END(name)            ((void)0)
#define RAROG_POINT(name)          ((void)0)
#define RAROG_SIZE(name, n)        ((void)(n))
#define RAROG_FEATURE(name, value) ((void)(value))

#ifdef __cplusplus
#define RAROG_REGION(name) ((void)0)
#endif

#endif
#endif
