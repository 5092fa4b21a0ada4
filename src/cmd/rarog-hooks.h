/* SPDX-License-Identifier: MIT */
/*
 * Included by rarog cc --hooks in front of what it compiles: which functions are to be measured is
 * noted in the file, in a section that takes no memory. A linker keeps one copy of each rule.
 */
#ifndef __ASSEMBLER__
__asm__(".pushsection .rarog.hooks, \"MS\", @progbits, 1\n" RAROG_HOOK_RULES ".popsection\n");
#endif
