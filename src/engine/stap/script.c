/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processes are followed as in the kernel's other engine: a process is taken in at its fork, when
 * it is known what is open; exec and end are noted where they
 * happen. The number of lines goes into a statistic that has no lock, so that what the buffers lost
 * is known to the line.
 *
 * A sampled call is remembered by its thread and the place of its return address: its return finds
 * itself, however deep the recursion.
 */
#include "engine/stap/script.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "engine/stap/script-parts.h"
#include "plan/function-match.h"
#include "plan/value-set.h"

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
	"\t\t\tborn(made)\n"
	"\t\t\tprintf(\"7 %d %d %d %d;%s %d\\n\", made, made, pid(), ktime_get_ns(), "
	"text_str(execname()), tid())\n"
	"\t\t\twritten <<< 1\n"
	"\t\t}\n"
	"\t}\n"
	"}\n";

static const char processes[] =
	"probe process.begin {\n"
	"\tif ([pid()] in ours) {\n"
	"\t\tbegins()\n"
	"\t\tprintf(\"7 %d %d %d %d;%s 0\\n\", tid(), pid(), ppid(), ktime_get_ns(), "
	"text_str(execname()))\n"
	"\t\twritten <<< 1\n"
	"\t}\n"
	"}\n"
	"probe process.end {\n"
	"\tif ([pid()] in ours && is_ending()) {\n"
	"\t\tgone()\n"
	"\t\tprintf(\"8 %d %d %d %d;%s\\n\", tid(), pid(), ppid(), ktime_get_ns(), "
	"text_str(execname()))\n"
	"\t\twritten <<< 1\n"
	"\t\tif (pid() != target()) delete ours[pid()]\n"
	"\t}\n"
	"}\n"
	"probe process.thread.end {\n"
	"\tif ([pid()] in ours) {\n"
	"\t\tgone()\n"
	"\t\tprintf(\"6 %d %d %d;%s\\n\", tid(), pid(), ktime_get_ns(), text_str(execname()))\n"
	"\t\twritten <<< 1\n"
	"\t}\n"
	"}\n";

static const char no_skips[] = "function born (made:long) { }\n"
			       "function begins () { }\n"
			       "function gone () { }\n";

/* The first call of each function and thread is told, then every N-th. A child of the program
 * returns from calls that were told of its parent, so all that it returns from is told; what was
 * not open is ignored (strand.h). That it begins is said of it, too, and is no execve(). Where a
 * table is full the call is not told, and lost. */
static const char skips[] =
	"global strands[32768], last_strand, left[65536], opened[65536], heirs[32768], crowded, "
	"outside\n"
	"function takes:long (f:long, every:long, place:long) {\n"
	"\tif (!is_on()) {\n"
	"\t\tdelete opened[tid(), place, f]\n"
	"\t\toutside <<< 1\n"
	"\t\treturn 0\n"
	"\t}\n"
	"\ttry {\n"
	"\t\tthread = tid()\n"
	"\t\tif (!([thread] in strands)) {\n"
	"\t\t\tstrands[thread] = last_strand + 1\n"
	"\t\t\tlast_strand++\n"
	"\t\t\tprintf(\"9 %d %d %d;%d\\n\", thread, pid(), ktime_get_ns(), last_strand)\n"
	"\t\t\twritten <<< 1\n"
	"\t\t}\n"
	"\t\ts = strands[thread]\n"
	"\t\tif (left[s, f] > 0) {\n"
	"\t\t\tleft[s, f]--\n"
	"\t\t\tdelete opened[thread, place, f]\n"
	"\t\t\treturn 0\n"
	"\t\t}\n"
	"\t\topened[thread, place, f] = 1\n"
	"\t\tif (every > 1) left[s, f] = every - 1\n"
	"\t} catch {\n"
	"\t\tcrowded <<< 1\n"
	"\t\treturn 0\n"
	"\t}\n"
	"\treturn 1\n"
	"}\n"
	"function ends:long (f:long, place:long) {\n"
	"\tif ([tid(), place, f] in opened) {\n"
	"\t\tdelete opened[tid(), place, f]\n"
	"\t\treturn 1\n"
	"\t}\n"
	"\treturn [tid()] in heirs\n"
	"}\n"
	"function born (made:long) {\n"
	"\ttry { heirs[made] = 1 } catch { crowded <<< 1 }\n"
	"}\n"
	"function begins () {\n"
	"\tif (heirs[tid()] == 1) heirs[tid()] = 2\n"
	"\telse gone()\n"
	"}\n"
	"function gone () {\n"
	"\tdelete strands[tid()]\n"
	"\tdelete heirs[tid()]\n"
	"\tdelete opened[tid(), *, *]\n"
	"}\n"
	"probe end {\n"
	"\tforeach ([s, f] in left) printf(\"s %d %d %d\\n\", s, f, left[s, f])\n"
	"\tprintf(\"crowded %d\\n\", @count(crowded))\n"
	"\tprintf(\"outside %d\\n\", @count(outside))\n"
	"}\n";

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
		r = rarog_stap_quote(text, f->name);
	return r < 0 ? r : rarog_str_add(text, ")");
}

/* A function whose calls are probed. */
struct call {
	const struct rarog_probed_probe *probe;
	const char *target; /* function(…) */
	uint32_t number;
	uint64_t address;
};

static int begin_probe(const struct rarog_stap_writer *w, const struct call *call, const char *kind)
{
	return rarog_str_addf(w->text, "probe %s.%s.%s ? { if ([pid()] in ours) {\n", w->process,
			      call->target, kind);
}

static int end_probe(const struct rarog_stap_writer *w)
{
	return rarog_str_add(w->text, "} }\n");
}

static int put_count(const struct rarog_stap_writer *w, const struct call *call)
{
	int r = begin_probe(w, call, "call");

	if (r == 0)
		r = rarog_str_addf(w->text, "\tcalls[%u] <<< 1\n", call->number);
	if (r == 0)
		r = rarog_stap_put_marks_at(w, call->address);
	return r < 0 ? r : end_probe(w);
}

/* With what is captured there. */
static int put_line(const struct rarog_stap_writer *w, const struct call *call,
		    const struct rarog_stap_line *line)
{
	bool is_return = line->kind == RAROG_STAP_RETURN;
	struct rarog_value_set set;
	int r;

	rarog_value_set_make(&call->probe->values, &set);
	r = line->is_late ? rarog_str_add(w->text, "\tns = ktime_get_ns()\n") : 0;
	if (r == 0 && line->has_values)
		r = rarog_str_add(w->text, "\tu = 0\n");
	for (unsigned i = 0; r == 0 && i < line->n_values; i++)
		r = rarog_stap_put_way(w->text, &set.values[is_return ? set.n_enter + i : i],
				       is_return, i);
	return r < 0 ? r : rarog_stap_put_line(w->text, line);
}

static int put_told(const struct rarog_stap_writer *w, const struct call *call,
		    const struct rarog_stap_line *line)
{
	bool is_return = line->kind == RAROG_STAP_RETURN;
	bool skips_some = call->probe->every > 1 || w->skips;
	int r = begin_probe(w, call, is_return ? "return" : "call");

	if (r == 0 && skips_some && is_return)
		r = rarog_str_addf(w->text, "\tif (ends(%u, %s)) {\n", line->number, line->place);
	else if (r == 0 && skips_some)
		r = rarog_str_addf(w->text, "\tif (takes(%u, %u, %s)) {\n", line->number,
				   call->probe->every, line->place);
	if (r == 0)
		r = put_line(w, call, line);
	if (r == 0 && skips_some)
		r = rarog_str_add(w->text, "\t}\n");
	if (r == 0 && !is_return)
		r = rarog_stap_put_marks_at(w, call->address);
	return r < 0 ? r : end_probe(w);
}

/* There is a record at the entry, if an empty one, of every call that has one at its return. */
static int put_every_call(const struct rarog_stap_writer *w, const struct call *call)
{
	const struct rarog_wanted_values *values = &call->probe->values;
	const struct rarog_stap_line begin = {
		.kind = RAROG_STAP_CALL,
		.number = call->number,
		.place = "u_register(\"rsp\")",
		.has_values = values->all.n > 0,
		.n_values = values->n_enter,
	};
	const struct rarog_stap_line end = {
		.kind = RAROG_STAP_RETURN,
		.number = call->number,
		/* the return address is gone from the stack when the return is seen */
		.place = "u_register(\"rsp\") - 8",
		.has_values = values->n_leave > 0,
		.is_late = values->n_leave > 0,
		.n_values = values->n_leave,
	};
	int r = put_told(w, call, &begin);

	return r < 0 ? r : put_told(w, call, &end);
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

static int leave_out_namesakes(struct rarog_probed_module *m)
{
	rarog_cleanup(rarog_freep) const char **names = sort_names(m);
	const struct rarog_function *functions;
	int r = names ? 0 : rarog_oom();

	rarog_binary_functions(m->binary, &functions);
	for (size_t i = 0; r == 0 && i < m->n; i++)
		if (is_one_of_many(m, names, functions[m->probes[i].function].name) &&
		    !rarog_stap_is_left_out(m, m->probes[i].function))
			r = rarog_probed_module_leave_out(
				m, i, "others have its name, and there is no debug information");
	return r;
}

static int put_function(const struct rarog_stap_writer *w, size_t i)
{
	rarog_cleanup(rarog_str_release) struct rarog_str target = { 0 };
	const struct rarog_probed_probe *probe = &w->module->probes[i];
	struct call call = { .probe = probe, .number = w->module->first + (uint32_t)i };
	const struct rarog_function *functions;
	int r;

	rarog_binary_functions(w->module->binary, &functions);
	call.address = functions[probe->function].address;
	r = name_function(w->module, &functions[probe->function], &target);
	call.target = rarog_str_text(&target);
	if (r == 0)
		r = rarog_stap_put_comment(w->text, call.number, functions[probe->function].name);
	if (r == 0)
		r = w->is_counted ? put_count(w, &call) : put_every_call(w, &call);
	return r;
}

static int put_module(struct rarog_probed_module *m, const struct rarog_plan *plan,
		      struct rarog_str *text)
{
	rarog_cleanup(rarog_str_release) struct rarog_str process = { 0 };
	struct rarog_stap_writer w = {
		.text = text,
		.module = m,
		.is_counted = plan->detail == RAROG_DETAIL_COUNT,
		.skips = plan->windows.period_ns > 0,
	};
	int r = rarog_stap_name_process(m->path, &process);

	w.process = rarog_str_text(&process);
	if (r == 0)
		r = leave_out_namesakes(m);
	for (size_t i = 0; r == 0 && i < m->n; i++)
		if (!rarog_stap_is_left_out(m, m->probes[i].function))
			r = put_function(&w, i);
	return r < 0 ? r : rarog_stap_put_marks(&w);
}

/* --- all of it --- */

/* Which calls are told. */
static int put_choice(const struct rarog_plan *plan, struct rarog_str *text)
{
	bool has_windows = plan->windows.period_ns > 0;
	int r;

	if (plan->detail == RAROG_DETAIL_COUNT || (!has_windows && !rarog_plan_thins(plan)))
		return rarog_str_add(text, no_skips);
	r = rarog_str_add(text, skips);
	if (r < 0 || !has_windows)
		return r < 0 ? r : rarog_str_add(text, "function is_on:long () { return 1 }\n");
	return rarog_str_addf(text,
			      "global start_ns\n"
			      "probe begin { start_ns = ktime_get_ns() }\n"
			      "function is_on:long () {\n"
			      "\treturn (ktime_get_ns() - start_ns) %% %" PRIu64 " < %" PRIu64 "\n"
			      "}\n",
			      plan->windows.period_ns, plan->windows.on_ns);
}

static int put_head(const struct rarog_probed *run, struct rarog_str *text)
{
	const struct rarog_plan *plan = run->base.options->plan;
	int r = rarog_str_add(text, head);

	if (r == 0)
		r = rarog_stap_put_helpers(text);
	if (r == 0 && plan->detail == RAROG_DETAIL_COUNT)
		r = rarog_str_addf(text, "global calls[%u]\n", run->n_probes + 1);
	if (r == 0)
		r = put_choice(plan, text);
	if (r == 0 && plan->follow)
		r = rarog_str_add(text, follow);
	return r < 0 ? r : rarog_str_add(text, processes);
}

static int put_tail(bool is_counted, struct rarog_str *text)
{
	static const char counts[] = "probe end { foreach (f in calls) printf(\"n %d %d\\n\", f, "
				     "@count(calls[f])) }\n";
	int r = is_counted ? rarog_str_add(text, counts) : 0;

	return r < 0 ? r
		     : rarog_str_add(text, "probe end(1) { printf(\"written %d\\n\", "
					   "@count(written)) }\n");
}

int rarog_stap_script(struct rarog_probed *run, struct rarog_str *ret_script)
{
	bool is_counted = run->base.options->plan->detail == RAROG_DETAIL_COUNT;
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	int r = put_head(run, &text);

	for (size_t i = 0; r == 0 && i < run->modules.n; i++)
		r = put_module(&run->modules.v[i], run->base.options->plan, &text);
	if (r == 0)
		r = put_tail(is_counted, &text);
	if (r == 0)
		*ret_script = rarog_take_struct(text);
	return r;
}
