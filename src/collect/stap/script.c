/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processes are followed as in the kernel's other engine: a process is taken in by whoever forks
 * it, in the moment of the fork, when it is known what is open; exec and end are noted where they
 * happen. The number of lines goes into a statistic that has no lock, so that what the buffers lost
 * is known to the line.
 *
 * A sampled call is remembered by its thread and the place of its return address: its return finds
 * itself, however deep the recursion.
 */
#include "collect/stap/script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static const char head[] =
	"# made by rarog\n"
	"global ours[32768], written, is_ready\n"
	"\n"
	"function made_process:long (task:long) %{ /* pure */\n"
	"\tstruct task_struct *made = (struct task_struct *)(uintptr_t)STAP_ARG_task;\n"
	"\tSTAP_RETVALUE = made->pid == made->tgid ? made->tgid : 0;\n"
	"%}\n"
	"function is_ending:long () %{ /* pure */\n"
	"\tSTAP_RETVALUE = !!(current->flags & PF_EXITING);\n"
	"%}\n"
	"\n"
	"probe begin { ours[target()] = 1 }\n"
	"probe timer.ms(20) { if (!is_ready) { is_ready = 1; println(\"ready\") } }\n";

static const char follow[] =
	"probe kprobe.function(\"wake_up_new_task\") {\n"
	"\tif ([pid()] in ours) {\n"
	"\t\tmade = made_process(pointer_arg(1))\n"
	"\t\tif (made) {\n"
	"\t\t\tours[made] = 1\n"
	"\t\t\tprintf(\"7 %d %d %d %d;%s %d\\n\", made, made, pid(), ktime_get_ns(), "
	"execname(), tid())\n"
	"\t\t\twritten <<< 1\n"
	"\t\t}\n"
	"\t}\n"
	"}\n";

static const char processes[] =
	"probe process.begin {\n"
	"\tif ([pid()] in ours) {\n"
	"\t\tprintf(\"7 %d %d %d %d;%s\\n\", tid(), pid(), ppid(), ktime_get_ns(), execname())\n"
	"\t\twritten <<< 1\n"
	"\t}\n"
	"}\n"
	"probe process.end {\n"
	"\tif ([pid()] in ours && is_ending()) {\n"
	"\t\tprintf(\"8 %d %d %d %d;%s\\n\", tid(), pid(), ppid(), ktime_get_ns(), execname())\n"
	"\t\twritten <<< 1\n"
	"\t\tif (pid() != target()) delete ours[pid()]\n"
	"\t}\n"
	"}\n"
	"probe process.thread.end {\n"
	"\tif ([pid()] in ours) {\n"
	"\t\tprintf(\"6 %d %d %d;%s\\n\", tid(), pid(), ktime_get_ns(), execname())\n"
	"\t\twritten <<< 1\n"
	"\t}\n"
	"}\n";

struct writer {
	struct rarog_str *text;
	struct rarog_probed_module *module;
	const char *process; /* process("PATH") */
	const char *target;  /* of one probe */
	uint32_t number;
};

/* As a text of SystemTap's language. */
static int quote(struct rarog_str *text, const char *value)
{
	int r = rarog_str_add(text, "\"");

	for (const char *c = value; r == 0 && *c; c++) {
		if ((unsigned char)*c < ' ')
			r = rarog_str_addf(text, "\\%03o", (unsigned char)*c);
		else
			r = rarog_str_addf(text, strchr("\\\"", *c) ? "\\%c" : "%c", *c);
	}
	return r < 0 ? r : rarog_str_add(text, "\"");
}

static int name_process(const char *path, struct rarog_str *text)
{
	int r;

	if (strpbrk(path, "*?[]{}"))
		return rarog_fail(-ENOTSUP,
				  "--engine=stap: %s: SystemTap takes such a path for a pattern; "
				  "give the program another name",
				  path);
	r = rarog_str_add(text, "process(");
	if (r == 0)
		r = quote(text, path);
	return r < 0 ? r : rarog_str_add(text, ")");
}

/* --- functions --- */

/* With debug information an address is enough, and one that no two functions have. */
static int name_function(const struct rarog_probed_module *m, const struct rarog_function *f,
			 struct rarog_str *text)
{
	int r;

	if (rarog_binary_has_debug(m->binary))
		return rarog_str_addf(text, "function(0x%lx)", f->address);
	r = rarog_str_add(text, "function(");
	if (r == 0)
		r = quote(text, f->name);
	return r < 0 ? r : rarog_str_add(text, ")");
}

static int put_comment(struct rarog_str *text, uint32_t number, const char *name)
{
	int r = rarog_str_addf(text, "# %u: ", number);

	for (const char *c = name; r == 0 && *c; c++)
		r = rarog_str_addf(text, "%c", (unsigned char)*c < ' ' ? '?' : *c);
	return r < 0 ? r : rarog_str_add(text, "\n");
}

static int put_count(const struct writer *w)
{
	return rarog_str_addf(w->text,
			      "probe %s.%s.call ? { if ([pid()] in ours) calls[%u] <<< 1 }\n",
			      w->process, w->target, w->number);
}

static int put_every_call(const struct writer *w)
{
	static const char line[] = "probe %s.%s.%s ? { if ([pid()] in ours) { "
				   "printf(\"%d %%d %%d %%d;%u %%x\\n\", tid(), pid(), "
				   "ktime_get_ns(), u_register(\"rsp\")%s); written <<< 1 } }\n";
	int r = rarog_str_addf(w->text, line, w->process, w->target, "call", 0, w->number, "");

	/* The return address is gone from the stack when the return is seen. */
	return r < 0 ? r
		     : rarog_str_addf(w->text, line, w->process, w->target, "return", 1, w->number,
				      " - 8");
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names of @m's probes in order; the caller frees. NULL: no memory. */
static const char **sort_names(const struct rarog_probed_module *m)
{
	const struct rarog_function *functions;
	const char **names = calloc(m->n + 1, sizeof(*names));

	rarog_binary_functions(m->binary, &functions);
	for (size_t i = 0; names && i < m->n; i++)
		names[i] = functions[m->probes[i].function].name;
	if (names)
		qsort(names, m->n, sizeof(*names), compare_names);
	return names;
}

/* Without debug information SystemTap knows names only. */
static bool is_one_of_many(const struct rarog_probed_module *m, const char **names,
			   const char *name)
{
	const char **at;

	if (rarog_binary_has_debug(m->binary))
		return false;
	at = bsearch(&name, names, m->n, sizeof(*names), compare_names);
	return at && ((at > names && strcmp(at[-1], name) == 0) ||
		      (at + 1 < names + m->n && strcmp(at[1], name) == 0));
}

static int put_function(struct writer *w, size_t i, bool is_counted)
{
	rarog_cleanup(rarog_str_release) struct rarog_str target = { 0 };
	const struct rarog_function *functions;
	const struct rarog_function *f;
	int r;

	rarog_binary_functions(w->module->binary, &functions);
	f = &functions[w->module->probes[i].function];
	w->number = w->module->first + (uint32_t)i;
	r = name_function(w->module, f, &target);
	w->target = rarog_str_text(&target);
	if (r == 0)
		r = put_comment(w->text, w->number, f->name);
	if (r == 0)
		r = is_counted ? put_count(w) : put_every_call(w);
	return r;
}

static int put_module(struct rarog_probed_module *m, bool is_counted, struct rarog_str *text)
{
	rarog_cleanup(rarog_str_release) struct rarog_str process = { 0 };
	rarog_cleanup(rarog_freep) const char **names = sort_names(m);
	const struct rarog_function *functions;
	struct writer w = { .text = text, .module = m };
	int r = names ? name_process(m->path, &process) : rarog_oom();

	w.process = rarog_str_text(&process);
	rarog_binary_functions(m->binary, &functions);
	for (size_t i = 0; r == 0 && i < m->n; i++)
		r = is_one_of_many(m, names, functions[m->probes[i].function].name)
			    ? rarog_probed_module_leave_out(
				      m, i,
				      "others have its name, and there is no debug information")
			    : put_function(&w, i, is_counted);
	return r;
}

int rarog_stap_script(struct rarog_probed *run, struct rarog_str *ret_script)
{
	const struct rarog_plan *plan = run->options->plan;
	bool is_counted = plan->detail == RAROG_DETAIL_COUNT;
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	int r = rarog_str_add(&text, head);

	if (r == 0 && is_counted)
		r = rarog_str_addf(&text, "global calls[%u]\n", run->n_probes + 1);
	if (r == 0 && plan->follow)
		r = rarog_str_add(&text, follow);
	if (r == 0)
		r = rarog_str_add(&text, processes);
	for (size_t i = 0; r == 0 && i < run->modules.n; i++)
		r = put_module(&run->modules.v[i], is_counted, &text);
	if (r == 0 && is_counted)
		r = rarog_str_add(&text,
				  "probe end { foreach (f in calls) printf(\"n %d %d\\n\", f, "
				  "@count(calls[f])) }\n");
	if (r == 0)
		r = rarog_str_add(&text,
				  "probe end(1) { printf(\"written %d\\n\", @count(written)) }\n");
	if (r == 0)
		*ret_script = rarog_take_struct(text);
	return r;
}

/* --- what SystemTap makes of it --- */

struct addresses {
	RAROG_VEC(uint64_t) list;
};

static int compare_addresses(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* A line is: process("PATH").function(…).call, comment with pc=.dynamic+0x1139, and more. 0: it is
 * not of that kind. */
static uint64_t address_in(const char *line, const char *process)
{
	const char *end = strchrnul(line, '\n'), *pc;

	if (!rarog_starts_with(line, process))
		return 0;
	pc = memmem(line, (size_t)(end - line), " pc=", 4);
	while (pc && pc < end && *pc != '+')
		pc++;
	return pc && pc < end ? strtoull(pc + 1, NULL, 16) : 0;
}

static int find_addresses(const char *elaborated, const char *process, struct addresses *ret)
{
	for (const char *line = elaborated; line && *line;) {
		uint64_t address = address_in(line, process);

		if (address != 0 && rarog_vec_push(&ret->list, address) < 0)
			return rarog_oom();
		line = strchr(line, '\n');
		line += line != NULL;
	}
	if (ret->list.n > 0)
		qsort(ret->list.v, ret->list.n, sizeof(*ret->list.v), compare_addresses);
	return 0;
}

static long leave_out_others(struct rarog_probed_module *m, const struct addresses *found)
{
	const struct rarog_function *functions;
	long n = 0;

	rarog_binary_functions(m->binary, &functions);
	for (size_t i = 0; i < m->n; i++) {
		uint64_t address = functions[m->probes[i].function].address;

		if (found->list.n > 0 && bsearch(&address, found->list.v, found->list.n,
						 sizeof(address), compare_addresses))
			continue;
		n++;
		if (rarog_probed_module_leave_out(m, i, "SystemTap does not find it") < 0)
			return -ENOMEM;
	}
	return n;
}

long rarog_stap_found(struct rarog_probed *run, const char *elaborated)
{
	long all = 0, n = 0;

	for (size_t i = 0; n >= 0 && i < run->modules.n; i++) {
		rarog_cleanup(rarog_str_release) struct rarog_str process = { 0 };
		struct addresses found = { 0 };
		int r = name_process(run->modules.v[i].path, &process);

		if (r == 0)
			r = find_addresses(elaborated, rarog_str_text(&process), &found);
		n = r < 0 ? r : leave_out_others(&run->modules.v[i], &found);
		all += n;
		rarog_vec_release(&found.list);
	}
	return n < 0 ? n : all;
}
