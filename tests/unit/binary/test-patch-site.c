/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Oracles: hand-written functions named after their verdict (patch-sites.S); Zydis' own formatter
 * on code before and after moving, over every function of real libraries; the branch targets that
 * objdump prints; and real programs that still print the same when all their entries are patched.
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>

#include "unit.h"
#include <Zydis/Zydis.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "patched-file.h"

/* Prefixes of the names in patch-sites.S. */
static const char *const verdict_names[RAROG_SITE_VERDICTS] = {
	[RAROG_SITE_OK] = "ok__",
	[RAROG_SITE_NOT_ENTRY] = "not_entry__",
	[RAROG_SITE_NO_FDE] = "no_fde__",
	[RAROG_SITE_CFA] = "cfa__",
	[RAROG_SITE_SHORT] = "short__",
	[RAROG_SITE_TARGET] = "target__",
	[RAROG_SITE_LOOP] = "loop__",
	[RAROG_SITE_DECODE] = "decode__",
	[RAROG_SITE_RELOCATE] = "relocate__",
	[RAROG_SITE_SPECIAL] = "special__",
	[RAROG_SITE_IFUNC] = "ifunc__",
	[RAROG_SITE_TEXTREL] = "textrel__",
	[RAROG_SITE_RETURN] = "return__",
	[RAROG_SITE_FLAGS] = "flags__",
	[RAROG_SITE_SLED] = "sled__",
};

struct subject {
	struct rarog_binary *binary;
	const struct rarog_function *functions;
	size_t n;
	struct rarog_site *sites;
};

static void release_subject(struct subject *s)
{
	rarog_binary_free(s->binary);
	free(s->sites);
}

static struct subject open_subject(const char *path)
{
	struct subject s = { 0 };

	if (rarog_binary_open(path, &s.binary) < 0 || rarog_patch_sites(s.binary, &s.sites) < 0)
		fail_msg("%s", rarog_error_message());
	s.n = rarog_binary_functions(s.binary, &s.functions);
	return s;
}

static int expected_verdict(const char *name)
{
	for (int v = 0; v < RAROG_SITE_VERDICTS; v++) {
		if (rarog_starts_with(name, verdict_names[v]))
			return v;
	}
	return -1;
}

static int expected_of(const struct rarog_function *function)
{
	int expected = expected_verdict(function->name);

	for (uint32_t i = 0; i < function->n_aliases && expected < 0; i++)
		expected = expected_verdict(function->aliases[i]);
	return expected;
}

/* Every function with a telling name has the verdict it tells; returns how many have one. */
static size_t check_fixture(const char *name)
{
	const char *directory = getenv("RAROG_TEST_FILES");
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/%s", directory, name);
	rarog_cleanup(release_subject) struct subject s = open_subject(path);
	size_t checked = 0, wrong = 0;

	for (size_t i = 0; i < s.n; i++) {
		int expected = expected_of(&s.functions[i]);

		if (expected < 0)
			continue;
		checked++;
		if (expected == s.sites[i].verdict)
			continue;
		wrong++;
		print_error("%s: %s: %s\n", name, s.functions[i].name,
			    rarog_site_reason(s.sites[i].verdict));
	}
	assert_int_equal(wrong, 0);
	return checked;
}

TEST(each_rule_has_its_verdict)
{
	if (!getenv("RAROG_TEST_FILES")) {
		print_message("# SKIP needs RAROG_TEST_FILES, which meson sets\n");
		skip();
	}
	assert_int_equal(check_fixture("patch-sites-pie"), 71);
	assert_int_equal(check_fixture("patch-sites-fixed"), 71);
}

TEST(reasons_are_phrases)
{
	for (int v = 0; v < RAROG_SITE_VERDICTS; v++)
		assert_non_null(rarog_site_reason((enum rarog_site_verdict)v));
	assert_non_null(rarog_site_reason(RAROG_SITE_VERDICTS));
}

/* The libraries that this program has loaded, and itself. */
struct loaded {
	char *paths[16];
	size_t n;
};

static int add_loaded(struct dl_phdr_info *info, size_t size, void *data)
{
	struct loaded *loaded = data;
	char *path = realpath(info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe", NULL);

	(void)size;
	if (path && loaded->n < RAROG_COUNT(loaded->paths))
		loaded->paths[loaded->n++] = path;
	else
		free(path);
	return 0;
}

static void release_loaded(struct loaded *loaded)
{
	for (size_t i = 0; i < loaded->n; i++)
		free(loaded->paths[i]);
}

/* -- what moved code means, by Zydis' formatter, which prints addresses as absolute -- */

struct listing {
	ZydisDisassembledInstruction lines[24];
	size_t n;
};

static bool stops(const ZydisDecodedInstruction *in)
{
	/* xabort is listed among the branches, but goes on outside of transactions */
	return (in->meta.category == ZYDIS_CATEGORY_UNCOND_BR &&
		in->mnemonic != ZYDIS_MNEMONIC_XABORT) ||
	       in->meta.category == ZYDIS_CATEGORY_RET || in->mnemonic == ZYDIS_MNEMONIC_UD2 ||
	       in->mnemonic == ZYDIS_MNEMONIC_HLT;
}

static struct listing disassemble(size_t n, const uint8_t code[n], uint64_t address)
{
	struct listing list = { .n = 0 };

	for (size_t at = 0; at < n && list.n < RAROG_COUNT(list.lines);) {
		ZydisDisassembledInstruction *line = &list.lines[list.n++];

		assert_true(ZYAN_SUCCESS(ZydisDisassembleIntel(
			ZYDIS_MACHINE_MODE_LONG_64, address + at, code + at, n - at, line)));
		at += line->info.length;
	}
	return list;
}

static bool counts_down(ZydisMnemonic m)
{
	return m == ZYDIS_MNEMONIC_LOOP || m == ZYDIS_MNEMONIC_LOOPE ||
	       m == ZYDIS_MNEMONIC_LOOPNE || m == ZYDIS_MNEMONIC_JRCXZ || m == ZYDIS_MNEMONIC_JECXZ;
}

/* push imm32, then perhaps mov dword [rsp+4], imm32: the value; lines used are added to @at. */
static uint64_t pushed_value(const struct listing *copy, size_t *at)
{
	const ZydisDisassembledInstruction *push = &copy->lines[(*at)++];
	const ZydisDisassembledInstruction *high = &copy->lines[*at];
	uint64_t value = (uint64_t)push->info.raw.imm[0].value.s;

	assert_int_equal(push->info.mnemonic, ZYDIS_MNEMONIC_PUSH);
	if (high->info.mnemonic != ZYDIS_MNEMONIC_MOV)
		return value;
	assert_true(rarog_starts_with(high->text, "mov dword ptr [rsp+0x04], "));
	++*at;
	return (value & UINT32_MAX) | (high->info.raw.imm[0].value.u & UINT32_MAX) << 32;
}

static bool same_target(const char *a, const char *b)
{
	return strcmp(strchr(a, ' '), strchr(b, ' ')) == 0;
}

static void compare_listings(const char *name, const struct listing *original,
			     const struct listing *copy, uint64_t end)
{
	size_t at = 0;

	for (size_t i = 0; i < original->n; i++) {
		const ZydisDisassembledInstruction *line = &original->lines[i];
		uint64_t next = line->runtime_address + line->info.length;

		if (line->info.mnemonic == ZYDIS_MNEMONIC_CALL) {
			assert_int_equal(pushed_value(copy, &at), next);
			assert_true(same_target(line->text, copy->lines[at].text));
			assert_true(stops(&copy->lines[at].info));
			assert_int_equal(at + 1, copy->n);
			return;
		}
		if (counts_down(line->info.mnemonic)) {
			assert_int_equal(copy->lines[at].info.mnemonic, line->info.mnemonic);
			at += 2;
			assert_true(same_target(line->text, copy->lines[at++].text));
			continue;
		}
		if (strcmp(line->text, copy->lines[at].text) != 0)
			fail_msg("%s: %s became %s", name, line->text, copy->lines[at].text);
		at++;
		if (stops(&line->info)) {
			assert_int_equal(at, copy->n);
			return;
		}
	}
	assert_int_equal(at + 1, copy->n);
	assert_int_equal(copy->lines[at].info.mnemonic, ZYDIS_MNEMONIC_JMP);
	assert_int_equal(strtoull(copy->lines[at].text + 4, NULL, 16), end);
}

static void compare_site(const struct rarog_binary *binary, const struct rarog_function *function,
			 const struct rarog_site *site, uint64_t bias)
{
	uint64_t at = function->address + site->offset;
	size_t length = site->length;
	const uint8_t *code = rarog_binary_bytes(binary, at, length);
	uint64_t from = bias + at, to = from + 0x12345670;
	uint8_t out[RAROG_BODY_MAX];

	assert_non_null(code);
	int r = rarog_relocate(length, code, from, to, sizeof(out), out);
	assert_true(r > 0);
	struct listing original = disassemble(length, code, from);
	struct listing copy = disassemble((size_t)r, out, to);
	compare_listings(function->name, &original, &copy, from + length);
}

TEST(moved_entries_mean_the_same)
{
	rarog_cleanup(release_loaded) struct loaded loaded = { .n = 0 };
	size_t compared = 0;

	dl_iterate_phdr(add_loaded, &loaded);
	for (size_t f = 0; f < loaded.n; f++) {
		rarog_cleanup(release_subject) struct subject s = open_subject(loaded.paths[f]);

		for (size_t i = 0; i < s.n; i++) {
			if (s.sites[i].verdict != RAROG_SITE_OK)
				continue;
			compare_site(s.binary, &s.functions[i], &s.sites[i], 0x7f0000000000);
			compare_site(s.binary, &s.functions[i], &s.sites[i], 0);
			compared++;
		}
	}
	print_message("# %zu entries of %zu files\n", compared, loaded.n);
	assert_true(compared > 2000);
}

/* -- branch targets, by objdump -- */

/* "  addr:\tmnemonic target <symbol>" or "…        # target <symbol>"; 0: none */
static uint64_t target_of_line(const char *line)
{
	const char *text = strchr(line, '\t');
	const char *comment = strstr(line, "# ");

	if (!text)
		return 0;
	if (comment)
		return strtoull(comment + 2, NULL, 16);
	for (text++; *text && strchr("jcxl", *text) == NULL; text++)
		;
	if (*text != 'j' && strncmp(text, "call", 4) != 0 && strncmp(text, "loop", 4) != 0 &&
	    strncmp(text, "xbegin", 6) != 0)
		return 0;
	text += strcspn(text, " \n");
	return strtoull(text, NULL, 16);
}

/* Index of the function in whose window, after the entry, @target lies; n: none. */
static size_t window_of(const struct subject *s, uint64_t target)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->functions[middle].address < target)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || target - s->functions[low - 1].address >= RAROG_PATCH_SIZE)
		return s->n;
	return low - 1;
}

static size_t check_lines(const struct subject *s, FILE *lines)
{
	rarog_cleanup(rarog_freep) char *line = NULL;
	size_t capacity = 0, targets = 0, wrong = 0;

	while (getline(&line, &capacity, lines) > 0) {
		uint64_t target = target_of_line(line);
		size_t i = window_of(s, target);

		targets += target != 0;
		if (target == 0 || i == s->n || s->sites[i].verdict != RAROG_SITE_OK)
			continue;
		wrong++;
		print_error("%s is OK in spite of %s", s->functions[i].name, line);
	}
	assert_int_equal(wrong, 0);
	return targets;
}

TEST(no_target_that_objdump_knows_is_missed)
{
	rarog_cleanup(release_loaded) struct loaded loaded = { .n = 0 };
	size_t targets = 0;

	dl_iterate_phdr(add_loaded, &loaded);
	for (size_t f = 0; f < loaded.n; f++) {
		rarog_cleanup(release_subject) struct subject s = open_subject(loaded.paths[f]);
		rarog_cleanup(rarog_freep) char *command = rarog_asprintf(
			"objdump -d --no-show-raw-insn '%s' 2>/dev/null", loaded.paths[f]);
		FILE *lines = popen(command, "r");

		assert_non_null(lines);
		targets += check_lines(&s, lines);
		if (pclose(lines) != 0) {
			print_message("# SKIP needs objdump\n");
			skip();
		}
	}
	print_message("# %zu targets\n", targets);
	assert_true(targets > 50000);
}

/* -- programs with all their entries patched -- */

struct program {
	const char *arguments[5];
};

/* Whatever a Debian machine that can build this has; deterministic, and long enough to matter. */
static const struct program programs[] = {
	{ { "/usr/bin/python3.11", "-S", "-c",
	    "import json,re,hashlib,sys\n"
	    "d={str(i):[i,i*.5,{'k':'v'*(i%7)}] for i in range(3000)}\n"
	    "t=json.dumps(d,indent=1);print(hashlib.sha256(t.encode()).hexdigest())\n"
	    "print(len(re.findall(r'(\\d+)\\.5',t)),sum(hash(i)%7 for i in range(99)))\n"
	    "try:\n json.loads(t[:-5])\n"
	    "except ValueError as e: print(type(e))\n"
	    "def f(n): return n if n<2 else f(n-1)+f(n-2)\n"
	    "print(f(18),sorted(map(str,range(99)))[:9])" } },
	{ { "/usr/bin/perl", "-e",
	    "my %h; $h{$_ % 17} .= chr(65+$_ % 26) for 1..20000;"
	    "for (sort keys %h) { (my $s=$h{$_}) =~ s/([AEIOU])/lc $1/ge; print \"$_ \","
	    "substr($s,0,40),unpack('%32C*',$s),\"\\n\" } printf \"%.9g\\n\", sin(1)*exp(2)" } },
	{ { "/bin/bash", "-c",
	    "a=(); for ((i=0;i<2000;i++)); do a+=($((i*i%97))); done; echo ${a[@]:0:50};"
	    "declare -A m; for x in ${a[@]}; do ((m[$x]++)); done; echo ${#m[@]};"
	    "[[ abc123 =~ ([a-z]+)([0-9]+) ]] && echo ${BASH_REMATCH[2]}; trap 'echo end' EXIT;"
	    "echo $(echo sub; (exit 3) || echo $?) {1..9} ${PWD##*/}" } },
	{ { "/bin/bzip2", "-c", "/bin/bash" } },
	{ { "/bin/gzip", "-c9n", "/bin/bash" } },
	{ { "/usr/bin/xz", "-c1", "/bin/bash" } },
	{ { "/usr/bin/objdump", "-d", "/bin/true" } },
	{ { "/usr/bin/git", "--no-pager", "help", "-a" } },
	{ { "/usr/bin/openssl", "dgst", "-sha3-256", "/bin/bash" } },
	{ { "/bin/sed", "-n", "s/\\([a-z]*\\)=\\(.*\\)/\\2 \\1/p;$=", "/etc/os-release" } },
	{ { "/bin/tar", "-cf", "-", "/etc/os-release" } },
};

/* Output and status of @path called with @arguments, addresses not randomised. */
static int run_program(const char *path, const char *const arguments[], struct rarog_str *output)
{
	int ends[2], status;
	char buffer[4096];
	ssize_t n;

	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		char *arguments_copy[5] = { NULL };

		for (int i = 0; i < 5 && arguments[i]; i++)
			arguments_copy[i] = strdup(arguments[i]);
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		setenv("PYTHONHASHSEED", "1", 1);
		if (personality(ADDR_NO_RANDOMIZE) >= 0)
			execv(path, arguments_copy);
		_exit(126);
	}
	close(ends[1]);
	while ((n = read(ends[0], buffer, sizeof(buffer))) > 0)
		assert_int_equal(rarog_str_add_bytes(output, (size_t)n, buffer), 0);
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static long check_program(const struct program *program, const char *copy)
{
	rarog_cleanup(rarog_str_release) struct rarog_str before = { 0 }, after = { 0 };
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *binary = NULL;
	const char *path = program->arguments[0];

	if (rarog_binary_open(path, &binary) < 0)
		return 0;
	long patched = patched_file_write(binary, copy);
	if (patched < 0)
		fail_msg("%s: %s", path, strerror((int)-patched));
	int status = run_program(path, program->arguments, &before);
	assert_int_equal(run_program(copy, program->arguments, &after), status);
	assert_int_equal(before.length, after.length);
	assert_memory_equal(rarog_str_text(&before), rarog_str_text(&after), before.length);
	assert_true(before.length > 0);
	return patched;
}

TEST(patched_programs_print_the_same)
{
	char copy[] = "/tmp/rarog-test-patched-XXXXXX";
	int fd = mkstemp(copy);
	long sum = 0;

	assert_true(fd >= 0);
	close(fd);
	for (size_t i = 0; i < RAROG_COUNT(programs); i++) {
		long patched = check_program(&programs[i], copy);

		sum += patched;
		if (patched == 0)
			print_message("# SKIP needs %s\n", programs[i].arguments[0]);
	}
	unlink(copy);
	print_message("# %ld entries patched\n", sum);
	assert_true(sum > 0);
}
