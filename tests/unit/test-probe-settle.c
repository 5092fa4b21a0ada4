/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A child calls probed functions; at each instruction of a probe in turn it is stopped, settled,
 * and goes on, with a signal or without. What it has recorded must be as if nothing had been; and
 * the handler's calls, which are some more, must not have met a probe that had begun.
 *
 * It comes there at its own speed, to a breakpoint of the processor: in single steps so much time
 * passes that the fast path is not taken.
 */
#include "emit-lab.h"

#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "collect/trace/inline/probe-settle.h"

#define MARK() __asm__ volatile("int3" ::: "memory")

static size_t rounds; /* one for each byte of the stub: to most of them nobody comes */

/* --- the child --- */

static volatile sig_atomic_t handled;
static int changed; /* registers, by calls */

static void on_signal(int number)
{
	(void)number;
	leaf();
	handled++;
}

static void fill_registers(uint64_t seed)
{
	registers_in.mxcsr = 0x1f80;
	registers_in.x87_control = 0x37f;
	for (int i = 0; i < 15; i++)
		registers_in.general[i] = seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)i;
}

static bool are_changed(void)
{
	const size_t n = sizeof(registers_in.general);

	return memcmp(&registers_seen, &registers_in, n) ||
	       memcmp(&registers_out, &registers_in, n);
}

static size_t count_of(const char *text, const char *part)
{
	size_t n = 0;

	while ((text = strstr(text, part))) {
		n++;
		text += strlen(part);
	}
	return n;
}

/* What the stream's clock says after all of it. */
static uint64_t clock_of(const struct words *words)
{
	uint64_t now = 0;

	for (size_t at = 0; at < words->w.n;) {
		const uint16_t *w = words->w.v + at;

		if (w[0] != RAROG_WORD_ESCAPE)
			now += w[0] & 0x7fff;
		else if (w[1] == RAROG_ESCAPE_START)
			now = rarog_stream_u64(w + 2);
		else if (w[1] == RAROG_ESCAPE_TIME16)
			now += (uint64_t)w[2] << 15;
		else if (w[1] == RAROG_ESCAPE_TIME64)
			now += rarog_stream_u64(w + 2);
		at += (size_t)rarog_stream_record(words->w.n - at, w);
	}
	return now;
}

/* Where the handler came is not known here: so sums are compared, and that all is in
 * order is the assembler's to say. */
static int judge(const struct lab *lab)
{
	struct rarog_assembler_totals totals;
	struct words words = { 0 };
	char *text;
	bool is_right;

	take_words(&words, lab, 1);
	text = text_of(&words);
	assembles(&words, &totals);
	is_right = changed == 0 &&
		   clock_of(&words) == rarog_workshop_private(&lab->shop, 1)->last &&
		   count_of(text, "+7") == rounds &&
		   count_of(text, "+0") == rounds + (size_t)handled &&
		   count_of(text, "-") == 2 * rounds + (size_t)handled &&
		   count_of(text, "D") == 0 && count_of(text, "S") == 1 &&
		   rarog_workshop_strand(&lab->shop, 2)->state == RAROG_STRAND_FREE;
	if (!is_right)
		fprintf(stderr, "%d handled, %d changed: %s\n", (int)handled, changed, text);
	free(text);
	rarog_vec_release(&words.w);
	return is_right ? 0 : 1;
}

static void be_traced(const struct lab *lab)
{
	signal(SIGUSR1, on_signal);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	for (size_t i = 0; i < rounds; i++) {
		MARK();
		leaf(); /* so that not much time has passed */
		fill_registers(i);
		keeps_registers();
		changed += are_changed();
	}
	MARK();
	rarog_workshop_leave();
	_exit(judge(lab));
}

/* --- the parent --- */

static void await_stop(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(WSTOPSIG(status), SIGTRAP);
}

static struct user_regs_struct registers(pid_t pid)
{
	struct user_regs_struct regs;

	assert_int_equal(ptrace(PTRACE_GETREGS, pid, NULL, &regs), 0);
	return regs;
}

/* At its own speed to @address; false: it comes to the next mark before. */
static bool run_to(pid_t pid, uint64_t address)
{
	const size_t at = offsetof(struct user, u_debugreg);

	assert_int_equal(ptrace(PTRACE_POKEUSER, pid, at, address), 0);
	assert_int_equal(ptrace(PTRACE_POKEUSER, pid, at + 7 * sizeof(long), 1), 0);
	assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	await_stop(pid);
	assert_int_equal(ptrace(PTRACE_POKEUSER, pid, at + 7 * sizeof(long), 0), 0);
	return registers(pid).rip == address;
}

static bool is_probing(pid_t pid)
{
	return ptrace(PTRACE_PEEKDATA, pid, registers(pid).gs_base + RAROG_GS_BUSY, NULL) != 0;
}

struct seen {
	int settled, changed, running;
};

/* As the tracer does: who can be settled gets the signal. */
static int settle(pid_t pid, const struct rarog_area *header, int signal, struct seen *seen)
{
	const struct user_regs_struct before = registers(pid);
	struct user_regs_struct regs = before;

	if (!rarog_probe_settle(pid, header, &regs)) {
		seen->running++;
		return 0;
	}
	seen->settled++;
	seen->changed += regs.rip != before.rip;
	assert_int_equal(registers(pid).rip, regs.rip);
	assert_false(is_probing(pid));
	return signal;
}

static uint64_t target_of_jump(uint64_t from)
{
	const uint8_t *code = (const void *)(uintptr_t)from;
	int32_t distance;

	assert_int_equal(code[0], 0xe9);
	memcpy(&distance, code + 1, sizeof(distance));
	return from + 5 + (uint64_t)(int64_t)distance;
}

static struct seen follow(pid_t pid, uint64_t stub, uint64_t flags, int signal)
{
	const struct rarog_area header = { .flags = flags };
	struct seen seen = { 0 };
	bool is_there = false;

	await_stop(pid);
	for (size_t i = 0; i < rounds; i++) {
		is_there = run_to(pid, stub + i);
		if (!is_there)
			continue; /* and stands at the next mark */
		ptrace(PTRACE_CONT, pid, NULL, settle(pid, &header, signal, &seen));
		await_stop(pid);
	}
	return seen;
}

static struct seen trace(uint64_t flags, int signal)
{
	uint64_t stub;
	struct seen seen;
	struct lab lab;
	int status;
	pid_t pid;

	open_lab(&lab, 4, plain, flags);
	stub = target_of_jump(target_of_jump((uintptr_t)see));
	rounds = rarog_emit_call_stub(flags & RAROG_AREA_ORDERED).size;
	pid = fork();
	if (pid == 0)
		be_traced(&lab);
	rarog_workshop_leave();
	assert_true(pid > 0);
	seen = follow(pid, stub, flags, signal);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	close_lab(&lab);
	return seen;
}

/* Most of the probe's instructions are between two that matter. */
static void check(uint64_t flags, int signal)
{
	struct seen seen = trace(flags, signal);

	print_message("%d settled, %d of them moved, %d in code that is not known\n", seen.settled,
		      seen.changed, seen.running);
	assert_true(seen.changed >= 40);
}

static void a_probe_is_taken_back_or_ended(void **state)
{
	(void)state;
	check(0, 0);
}

static void its_signal_meets_no_probe(void **state)
{
	(void)state;
	check(0, SIGUSR1);
}

static void so_does_one_that_waits_for_the_clock(void **state)
{
	(void)state;
	check(RAROG_AREA_ORDERED, 0);
	check(RAROG_AREA_ORDERED, SIGUSR1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_probe_is_taken_back_or_ended),
		cmocka_unit_test(its_signal_meets_no_probe),
		cmocka_unit_test(so_does_one_that_waits_for_the_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
