/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a compiler's command line asks for, as far as counting blocks has to know. */
#ifndef RAROG_CMD_CC_REQUEST_H
#define RAROG_CMD_CC_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/match.h"

struct rarog_cc_request {
	bool has_input;     /* something is compiled or linked */
	bool is_compiled;   /* … from source that is no header, further than its preprocessing */
	bool has_wanted;    /* … of which @wanted means a file */
	bool is_linked;     /* … into a program or library that may have the runtime */
	bool is_library;    /* with -shared */
	bool makes_library; /* … which is linked, perhaps without what the runtime needs */
	bool is_static;     /* the program has no dynamic linker */
	bool is_lto, is_gold, is_mold;
	bool is_foreign; /* not for 64-bit x86 */
	bool is_legacy;  /* by LLVM's old pass manager, which asks no plug-in of ours */
	size_t files;    /* the word "--", after which all are files; n: there is none */
	char *output;    /* what it is called; NULL: not said, or no memory for that */
};

/**
 * rarog_cc_understand() - what does @argv ask for?
 * @argv: argv[n], the words after the compiler's name; response files (@FILE) are read
 * @wanted: files, by path or name; NULL: all
 *
 * Never fails: what cannot be read or makes no sense is the compiler's to say. Release it with
 * rarog_cc_request_release().
 */
struct rarog_cc_request rarog_cc_understand(size_t n, char *const argv[],
					    struct rarog_match *wanted);

void rarog_cc_request_release(struct rarog_cc_request *request);

#endif
