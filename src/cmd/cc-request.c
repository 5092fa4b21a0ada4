/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Only what keeps the compiler from linking, and what it links, has to be understood: everything
 * else goes on as it is. The last word on a thing counts, as for the compiler.
 */
#include "cmd/cc-request.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "cmd/bitcode.h"

enum { MOST_FILES = 16, MOST_BYTES = 16 << 20 };

/* Options whose argument is the next word. */
static const char *const with_argument[] = {
	"-o",
	"-x",
	"-I",
	"-D",
	"-U",
	"-L",
	"-l",
	"-T",
	"-u",
	"-z",
	"-e",
	"-A",
	"-B",
	"-F",
	"-G",
	"-MF",
	"-MT",
	"-MQ",
	"-MJ",
	"-include",
	"-include-pch",
	"-imacros",
	"-isystem",
	"-iquote",
	"-idirafter",
	"-iprefix",
	"-iwithprefix",
	"-iwithprefixbefore",
	"-iwithsysroot",
	"-isysroot",
	"-isystem-after",
	"-ivfsoverlay",
	"-cxx-isystem",
	"-imultilib",
	"-dumpbase",
	"-dumpdir",
	"-target",
	"-arch",
	"-rpath",
	"-Xclang",
	"-Xlinker",
	"-Xassembler",
	"-Xpreprocessor",
	"-Xanalyzer",
	"-Xopenmp-target",
	"-mllvm",
	"-working-directory",
	"-resource-dir",
	"-serialize-diagnostics",
	"--serialize-diagnostics",
	"--param",
	"--sysroot",
	"--output",
	"--include",
	"--define-macro",
	"--undefine-macro",
	"--include-directory",
	"--language",
	"-index-store-path",
	"-Tbss",
	"-Tdata",
	"-Ttext",
	NULL,
};

/* Nothing is linked then … */
static const char *const without_link[] = {
	"-c",          "-S",
	"-E",          "-M",
	"-MM",         "-fsyntax-only",
	"-r",          "-###",
	"--version",   "--compile",
	"--assemble",  "--preprocess",
	"--analyze",   "--precompile",
	"--help",      "--syntax-only",
	"-verify-pch", "-emit-ast",
	NULL,
};

/* … or without what the runtime needs. */
static const char *const without_runtime[] = {
	"-nostdlib", "-nolibc", "-nodefaultlibs", "-nostartfiles", NULL,
};

/* What comes out is source, or less. */
static const char *const without_code[] = {
	"-E", "-M", "-MM", "--preprocess", NULL,
};

/* Has no dynamic linker, so that pthread_create has to be replaced now. */
static const char *const is_static[] = { "-static", "--static", "-static-pie", NULL };

static const char *const is_library[] = { "-shared", "--shared", NULL };

/* Code for other processors. */
static const char *const is_foreign[] = { "-m32", "-m16", "-mx32", NULL };

/* Names of files that become precompiled headers and of languages that are ones. */
static const char *const header_ends[] = { ".h", ".hh", ".hpp", ".hxx", ".hp", ".h++", ".H", NULL };

struct reader {
	struct rarog_cc_request request;
	const char *before; /* the option whose argument comes next, or NULL */
	bool links;         /* nothing says otherwise … */
	bool has_object;    /* … and there is something else than headers */
	bool is_bare;       /* without what the runtime needs */
	bool is_header;     /* by -x */
	bool preprocesses;  /* only */
	struct rarog_match *wanted;
	bool has_bitcode; /* a file that the linker compiles, whatever the options say */
	bool has_path;    /* --ld-path, which goes before -fuse-ld */
	bool is_behind;   /* "--" */
	unsigned n_files; /* @FILE that were read */
	struct rarog_library_words libraries;
};

static bool is_one_of(const char *word, const char *const *list)
{
	while (*list && strcmp(*list, word) != 0)
		list++;
	return *list;
}

static bool begins(const char *word, const char *with)
{
	return strncmp(word, with, strlen(with)) == 0;
}

static bool ends_so(const char *word, const char *const *ends)
{
	size_t n = strlen(word);

	while (*ends && (n < strlen(*ends) || strcmp(word + n - strlen(*ends), *ends) != 0))
		ends++;
	return *ends;
}

static void note_language(const char *language, struct reader *reader)
{
	static const char *const header[] = { "-header", NULL };

	reader->is_header = ends_so(language, header);
}

static void note_target(const char *target, struct reader *reader)
{
	reader->request.is_foreign = !begins(target, "x86_64") && !begins(target, "amd64");
}

static bool is_wanted(const char *name, const struct reader *reader)
{
	const char *slash = strrchr(name, '/');
	const char *const names[] = { name, slash ? slash + 1 : NULL };

	return !reader->wanted || rarog_match_test(reader->wanted, 2, names);
}

static void note_input(const char *name, struct reader *reader)
{
	reader->request.has_input = true;
	reader->request.has_wanted = reader->request.has_wanted || is_wanted(name, reader);
	reader->has_bitcode = reader->has_bitcode || rarog_bitcode_in(name);
	if (!reader->is_header && !ends_so(name, header_ends))
		reader->has_object = true;
}

/* Perhaps objects: all that is linked may be in a file for the linker (-Wl,@FILE). */
static void note_linker_word(struct reader *reader)
{
	reader->request.has_input = reader->has_object = true;
}

static void note_library(const char *name, struct reader *reader)
{
	note_linker_word(reader);
	rarog_library_words_add_name(&reader->libraries, name);
}

static void note_output(const char *name, struct reader *reader)
{
	free(reader->request.output);
	reader->request.output = strdup(name);
}

static void note_argument(const char *word, struct reader *reader)
{
	const char *option = reader->before;

	reader->before = NULL;
	if (strcmp(option, "-x") == 0 || strcmp(option, "--language") == 0)
		note_language(word, reader);
	else if (strcmp(option, "-target") == 0)
		note_target(word, reader);
	else if (strcmp(option, "-Xlinker") == 0)
		note_linker_word(reader);
	else if (strcmp(option, "-l") == 0)
		note_library(word, reader);
	else if (strcmp(option, "-L") == 0)
		rarog_library_words_add_folder(&reader->libraries, word);
	else if (strcmp(option, "-o") == 0 || strcmp(option, "--output") == 0)
		note_output(word, reader);
}

/* A name after -fuse-ld, or a path. */
static void note_linker(const char *linker, bool is_path, struct reader *reader)
{
	static const char *const gold[] = { "gold", NULL }, *const mold[] = { "mold", NULL };

	if (reader->has_path && !is_path)
		return;
	reader->has_path = is_path;
	reader->request.is_gold = ends_so(linker, gold);
	reader->request.is_mold = ends_so(linker, mold);
}

/* Options whose argument is in the same word. */
static void note_joined(const char *word, struct reader *reader)
{
	struct rarog_cc_request *request = &reader->request;

	if (begins(word, "-flto"))
		request->is_lto = true;
	else if (begins(word, "-fuse-ld="))
		note_linker(word + 9, false, reader);
	else if (begins(word, "--ld-path="))
		note_linker(word + 10, true, reader);
	else if (begins(word, "--target="))
		note_target(word + 9, reader);
	else if (begins(word, "-x"))
		note_language(word + 2, reader);
	else if (begins(word, "-Wl,"))
		note_linker_word(reader);
	else if (begins(word, "-L"))
		rarog_library_words_add_folder(&reader->libraries, word + 2);
	else if (begins(word, "-l"))
		note_library(word + 2, reader);
	else if (begins(word, "-o"))
		note_output(word + 2, reader);
	else if (begins(word, "--output="))
		note_output(word + 9, reader);
	else if (begins(word, "-print-") || begins(word, "--print-") || begins(word, "-dump"))
		reader->links = false;
}

static void note_option(const char *word, struct reader *reader)
{
	struct rarog_cc_request *request = &reader->request;

	reader->preprocesses = reader->preprocesses || is_one_of(word, without_code);
	if (is_one_of(word, with_argument))
		reader->before = word;
	else if (is_one_of(word, without_link))
		reader->links = false;
	else if (is_one_of(word, without_runtime))
		reader->is_bare = true;
	else if (is_one_of(word, is_library))
		request->is_library = true;
	else if (is_one_of(word, is_static))
		request->is_static = true;
	else if (is_one_of(word, is_foreign))
		request->is_foreign = true;
	else if (strcmp(word, "-m64") == 0)
		request->is_foreign = false;
	else if (strcmp(word, "-flegacy-pass-manager") == 0)
		request->is_legacy = true;
	else if (strcmp(word, "-fno-legacy-pass-manager") == 0)
		request->is_legacy = false;
	else if (strcmp(word, "-fno-lto") == 0)
		request->is_lto = false;
	else
		note_joined(word, reader);
}

static void read_words(char *text, struct reader *reader);

/* A file that cannot be read is a word like others. */
static bool read_response(const char *name, struct reader *reader)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	size_t n;

	if (reader->n_files >= MOST_FILES || rarog_file_read(name, MOST_BYTES, &text, &n) < 0)
		return false;
	reader->n_files++;
	read_words(text, reader);
	return true;
}

static void note_word(const char *word, struct reader *reader)
{
	if (*word == '@' && read_response(word + 1, reader))
		return;
	if (reader->before)
		note_argument(word, reader);
	else if (*word != '-' || !word[1] || reader->is_behind)
		note_input(word, reader);
	else if (strcmp(word, "--") == 0)
		reader->is_behind = true;
	else
		note_option(word, reader);
}

/* The word that begins at @from is written over what was read; returns where it ended. */
static char *unquote(char *from, char *to)
{
	char quote = '\0';

	for (; *from && (quote || !isspace((unsigned char)*from)); from++) {
		if (*from == quote)
			quote = '\0';
		else if (!quote && (*from == '"' || *from == '\''))
			quote = *from;
		else if (*from == '\\' && from[1])
			*to++ = *++from;
		else
			*to++ = *from;
	}
	if (*from)
		from++;
	*to = '\0';
	return from;
}

/* As the compiler splits them: at white space that is not quoted. */
static void read_words(char *text, struct reader *reader)
{
	for (;;) {
		char *word;

		while (isspace((unsigned char)*text))
			text++;
		if (!*text)
			return;
		word = text;
		text = unquote(text, word);
		note_word(word, reader);
	}
}

struct rarog_cc_request rarog_cc_understand(size_t n, char *const argv[],
					    struct rarog_match *wanted)
{
	struct reader reader = { .links = true, .wanted = wanted, .request.files = n };

	for (size_t i = 0; i < n; i++) {
		note_word(argv[i], &reader);
		if (reader.is_behind && i < reader.request.files && strcmp(argv[i], "--") == 0)
			reader.request.files = i;
	}
	reader.request.is_linked = reader.links && reader.has_object && !reader.is_bare;
	reader.request.makes_library =
		reader.links && reader.has_object && reader.request.is_library;
	reader.request.is_compiled = reader.has_object && !reader.preprocesses;
	reader.request.is_lto =
		reader.request.is_lto || reader.has_bitcode ||
		(reader.request.is_linked &&
		 rarog_library_words_bitcode(&reader.libraries, reader.request.is_static));
	rarog_library_words_release(&reader.libraries);
	return reader.request;
}

void rarog_cc_request_release(struct rarog_cc_request *request)
{
	free(request->output);
}
