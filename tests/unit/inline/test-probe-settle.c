/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A child calls probed functions; at each instruction of a probe in turn it is stopped, settled,
 * and goes on, with a signal or without. What it has recorded must be as if nothing had been; and
 * the handler's calls, which are some more, must not have met a probe that had begun. So at each
 * instruction that ends what the agent does for a probe, where a thread may have to wait.
 *
 * It comes there at its own speed, to a breakpoint: in single steps so much time passes that the
 * fast path is not taken. It is one of the processor, or, where these do not fire, one in the code.
 */
#include "breakpoint-registers.h"
#include "settled-child.h"

#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include <Zydis/Zydis.h>

#include "agent/blob.h"
#include "engine/inline/attach/agent-await.h"
#include "engine/inline/code/agent-settle.h"
#include "engine/inline/code/known-areas.h"
#include "engine/inline/code/probe-settle.h"
#include "process/thread.h"

static uint64_t behind_body; /* in the stub: where its body returns to */

/* … that is none of those for rarog_agents_end(), of which one may still be to come. */
static void await_stop(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) &&
	       status >> 16 == PTRACE_EVENT_STOP)
		assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(WSTOPSIG(status), SIGTRAP);
}

static struct user_regs_struct registers(pid_t pid)
{
	struct user_regs_struct regs;

	assert_int_equal(ptrace(PTRACE_GETREGS, pid, NULL, &regs), 0);
	return regs;
}

static void go_on(pid_t pid)
{
	assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	await_stop(pid);
}

static bool run_by_register(pid_t pid, uint64_t address)
{
	assert_int_equal(ptrace(PTRACE_POKEUSER, pid, DEBUG_REGISTER(0), address), 0);
	assert_int_equal(ptrace(PTRACE_POKEUSER, pid, DEBUG_REGISTER(7), 1), 0);
	go_on(pid);
	assert_int_equal(ptrace(PTRACE_POKEUSER, pid, DEBUG_REGISTER(7), 0), 0);
	return registers(pid).rip == address;
}

static bool run_by_code(pid_t pid, uint64_t address)
{
	long word = ptrace(PTRACE_PEEKDATA, pid, address, NULL);
	struct user_regs_struct regs;

	assert_int_equal(ptrace(PTRACE_POKEDATA, pid, address, (word & ~0xffl) | 0xcc), 0);
	go_on(pid);
	assert_int_equal(ptrace(PTRACE_POKEDATA, pid, address, word), 0);
	regs = registers(pid);
	if (regs.rip != address + 1)
		return false;
	regs.rip = address;
	assert_int_equal(ptrace(PTRACE_SETREGS, pid, NULL, &regs), 0);
	return true;
}

static bool have_registers;

/* At its own speed to the instruction at @address; false: it comes to the next mark before. */
static bool run_to(pid_t pid, uint64_t address)
{
	return have_registers ? run_by_register(pid, address) : run_by_code(pid, address);
}

/* The code has no data in it; @begin is the start of an instruction before. */
static bool is_start(uint64_t begin, uint64_t address)
{
	ZydisDecodedInstruction one;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	while (begin < address) {
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
			    &decoder, NULL, (const void *)(uintptr_t)begin,
			    ZYDIS_MAX_INSTRUCTION_LENGTH, &one)))
			return false;
		begin += one.length;
	}
	return begin == address;
}

static bool is_probing(pid_t pid)
{
	return ptrace(PTRACE_PEEKDATA, pid, registers(pid).gs_base + RAROG_GS_BUSY, NULL) != 0;
}

struct seen {
	int settled, changed, running;
};

static bool is_in_agent(const struct lab *lab, uint64_t address)
{
	return address - (uintptr_t)lab->shop.code < rarog_emit_agent_size();
}

/* After header and table of entries. */
static uint64_t start_of_agent(const struct lab *lab)
{
	const size_t tables = RAROG_AREA_HEADER + sizeof(struct rarog_agent_entries);

	return (uintptr_t)lab->shop.code + ((tables + 15) & ~15ul);
}

/* May it come there? To the middle of an instruction it does not, and there is no place for a
 * breakpoint in the code. */
static bool is_place(const struct lab *lab, uint64_t from, uint64_t address)
{
	uint64_t begin = is_in_agent(lab, from) ? start_of_agent(lab) : from;

	return have_registers || (address >= begin && is_start(begin, address));
}

static bool is_in_caller(uint64_t address)
{
	return address - (uintptr_t)keeps_registers < 0x1000;
}

static bool is_settled(pid_t pid, const struct lab *lab, const struct rarog_area *header,
		       struct user_regs_struct *regs)
{
	if (is_in_agent(lab, regs->rip) &&
	    !rarog_agent_settle(pid, regs->rip - (uintptr_t)lab->shop.code, regs))
		return false;
	if (is_in_agent(lab, regs->rip))
		return false; /* from one function to another */
	return is_in_caller(regs->rip) || rarog_probe_settle(pid, header, regs);
}

/* As the tracer does: a thread that can be settled gets the signal. */
static int settle(pid_t pid, const struct lab *lab, const struct rarog_area *header, int signal,
		  struct seen *seen)
{
	const struct user_regs_struct before = registers(pid);
	struct user_regs_struct regs = before;

	if (!is_settled(pid, lab, header, &regs)) {
		seen->running++;
		return 0;
	}
	seen->settled++;
	seen->changed += regs.rip != before.rip;
	assert_int_equal(registers(pid).rip, regs.rip);
	assert_false(is_probing(pid));
	if (regs.rip == behind_body)
		assert_int_equal(ptrace(PTRACE_PEEKDATA, pid, regs.rsp - 8, NULL), regs.rip);
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

struct trial {
	uint64_t from;   /* the first place where it is stopped … */
	size_t n;        /* … and how many bytes there are */
	uint64_t old_at; /* where its last event becomes old: it will call the agent; 0: nowhere */
	uint64_t flags;
	int signal;
	bool is_others; /* the signal that waits */
	bool ends;      /* it is brought to the agent's end, from wherever it is there */
};

static void write_child(pid_t pid, uint64_t address, size_t n, void *value)
{
	const struct iovec ours = { value, n };
	const struct iovec theirs = { (void *)(uintptr_t)address, n };

	assert_int_equal(process_vm_writev(pid, &ours, 1, &theirs, 1, 0), n);
}

/* A signal waits for @n threads, of which the child is the last or, @is_others, none. */
static void hold(pid_t pid, const struct lab *lab, uint32_t n, bool is_others)
{
	const uint32_t *tid = &rarog_test_rig_strand(&lab->shop, 1)->tid;
	uint32_t self = (uint32_t)ptrace(PTRACE_PEEKDATA, pid, tid, NULL) + is_others;

	if (n > 0) {
		uint64_t at = registers(pid).fs_base;

		write_child(pid, (uintptr_t)&lab->shop.control->held_by[n - 1], sizeof(self),
			    &self);
		write_child(pid, (uintptr_t)&lab->shop.control->held_at[n - 1], sizeof(at), &at);
	}
	write_child(pid, (uintptr_t)&lab->shop.control->held, sizeof(n), &n);
}

static void make_old(pid_t pid, const struct trial *trial)
{
	uint64_t at, last;

	if (trial->old_at == 0)
		return;
	assert_true(run_to(pid, trial->old_at));
	at = registers(pid).gs_base + RAROG_GS_LAST;
	last = (uint64_t)ptrace(PTRACE_PEEKDATA, pid, at, NULL) - AGE;
	write_child(pid, at, sizeof(last), &last);
}

static bool is_waiting(const struct lab *lab, uint64_t address)
{
	const struct rarog_agent_entries entries = rarog_emit_agent_entries();
	uint64_t at = address - (uintptr_t)lab->shop.code;

	return at >= entries.wait && at < entries.wait_end;
}

/* Where it stood in the agent it stands in none of it. */
static void end_agent(pid_t pid, const struct lab *lab, struct seen *seen)
{
	struct rarog_image image = { .control = lab->shop.control };
	struct rarog_thread thread = { .tid = pid };
	struct rarog_threads threads = { .pid = pid, .anyone = pid };
	const struct rarog_area_place place = {
		.address = (uintptr_t)lab->shop.code,
		.size = lab->shop.code_size,
		.code_size = lab->shop.code_size,
	};

	if (!is_in_agent(lab, registers(pid).rip))
		return;
	assert_int_equal(rarog_thread_deliver(&thread, 0), 0);
	assert_int_equal(rarog_vec_push(&threads.v, thread), 0);
	assert_int_equal(rarog_known_add_place(&image, &place), 0);
	assert_int_equal(rarog_agents_end(&image, &threads), 0);
	assert_false(is_in_agent(lab, registers(pid).rip));
	assert_int_equal(registers(pid).rip, threads.v.v[0].regs.rip);
	seen->settled++;
	rarog_vec_release(&threads.v);
	rarog_vec_release(&image.places);
}

static struct seen follow(pid_t pid, const struct lab *lab, const struct trial *trial)
{
	const struct rarog_area header = { .flags = trial->flags };
	struct seen seen = { 0 };

	await_stop(pid);
	for (size_t i = 0; i < rounds; i++) {
		int signal = 0;

		make_old(pid, trial);
		hold(pid, lab, is_waiting(lab, trial->from + i) ? 1 + i % 3 : 0, trial->is_others);
		if (!is_place(lab, trial->from, trial->from + i)) {
			go_on(pid);
		} else if (run_to(pid, trial->from + i)) {
			if (trial->ends)
				end_agent(pid, lab, &seen);
			else
				signal = settle(pid, lab, &header, trial->signal, &seen);
			hold(pid, lab, 0, false);
			ptrace(PTRACE_CONT, pid, NULL, signal);
			await_stop(pid);
		} /* else it stands at the next mark */
		hold(pid, lab, 0, false);
	}
	return seen;
}

/* As in a program's own areas: what rarog writes there the child sees. */
static void share_control(const struct lab *lab)
{
	const size_t n = (sizeof(struct rarog_control) + 4095) & ~4095ul;
	struct rarog_control *copy = malloc(sizeof(*copy));

	assert_non_null(copy);
	*copy = *lab->shop.control;
	assert_ptr_equal(mmap(lab->shop.control, n, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
			 lab->shop.control);
	*lab->shop.control = *copy;
	free(copy);
}

static struct seen trace(struct lab *lab, const struct trial *trial)
{
	struct seen seen;
	int status, go[2];
	pid_t pid;

	share_control(lab);
	assert_int_equal(pipe(go), 0);
	rounds = trial->n;
	aged = trial->old_at ? rounds * AGE : 0;
	pid = fork();
	if (pid == 0)
		be_traced(lab, go[0]);
	rarog_test_rig_leave();
	assert_true(pid > 0);
	assert_int_equal(ptrace(PTRACE_SEIZE, pid, NULL, PTRACE_O_EXITKILL), 0);
	assert_int_equal(write(go[1], "x", 1), 1);
	close(go[0]);
	close(go[1]);
	seen = follow(pid, lab, trial);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	print_message("%d settled, %d of them moved, %d in code that is not known\n", seen.settled,
		      seen.changed, seen.running);
	return seen;
}

/* Most of the probe's instructions are between two that matter. */
static void check(uint64_t flags, int signal)
{
	struct trial trial = { .flags = flags, .signal = signal };
	struct lab lab;

	open_lab(&lab, 4, plain, flags);
	trial.from = target_of_jump(target_of_jump((uintptr_t)see));
	trial.n = rarog_emit_call_stub(flags & RAROG_AREA_ORDERED).size;
	behind_body = trial.from + rarog_emit_call_stub(flags & RAROG_AREA_ORDERED).body + 4;
	assert_true(trace(&lab, &trial).changed >= 40);
	close_lab(&lab);
}

/* @at: of the agent, where the end of what it does for an entry or exit is near. */
static void check_agent(uint32_t at, uint64_t old_at, int least)
{
	const int signals[] = { 0, SIGUSR1 };

	for (int i = 0; i < 2; i++) {
		struct trial trial = { .n = 112, .old_at = old_at, .signal = signals[i] };
		struct lab lab;

		open_lab(&lab, 4, plain, 0);
		trial.from = (uintptr_t)lab.shop.code + at;
		assert_true(trace(&lab, &trial).changed >= least);
		close_lab(&lab);
	}
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

static void who_has_done_with_the_agent_is_brought_out(void **state)
{
	const struct rarog_agent_entries entries = rarog_emit_agent_entries();

	(void)state;
	check_agent(entries.wait, (uintptr_t)see, 15);
	check_agent(entries.leave, (uintptr_t)see + 5, 12);
}

/* Places where it comes while a signal waits for it, or for others. */
static int places_of_waiting(bool is_others)
{
	const struct rarog_agent_entries entries = rarog_emit_agent_entries();
	struct trial trial = { .n = entries.wait_end - entries.wait,
			       .old_at = (uintptr_t)see,
			       .is_others = is_others };
	struct seen seen;
	struct lab lab;

	open_lab(&lab, 4, plain, 0);
	trial.from = (uintptr_t)lab.shop.code + entries.wait;
	seen = trace(&lab, &trial);
	close_lab(&lab);
	return seen.settled;
}

static void nobody_waits_for_the_signals_of_others(void **state)
{
	int others = places_of_waiting(true), own = places_of_waiting(false);

	(void)state;
	assert_true(others > 0);
	assert_true(own >= others + 3);
}

#define AT_ONCE 256 /* places of a trial: of more the ring has no room, where much time passes */

static void so_is_who_stands_anywhere_in_it(void **state)
{
	const uint64_t old_at[] = { (uintptr_t)see, (uintptr_t)see + 5 };
	int n = 0;

	(void)state;
	for (size_t at = 0; at < 2 * rarog_emit_agent_size(); at += AT_ONCE) {
		struct trial trial = { .n = AT_ONCE,
				       .ends = true,
				       .old_at = old_at[at / AT_ONCE % 2] };
		struct lab lab;

		open_lab(&lab, 4, plain, 0);
		trial.from = (uintptr_t)lab.shop.code + at / 2 / AT_ONCE * AT_ONCE;
		n += trace(&lab, &trial).settled;
		close_lab(&lab);
	}
	assert_true(n >= 300);
}

/* A process that stands still. Its stack has words enough above. */
static pid_t start_still(struct user_regs_struct *ret_regs)
{
	volatile uint64_t words[64] = { 0 };
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit((int)words[0]);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	*ret_regs = registers(pid);
	ret_regs->rsp = ret_regs->rbp = (uintptr_t)words;
	ret_regs->orig_rax = (unsigned long long)-1;
	return pid;
}

/* The next call of @target in the agent from @at on. SIZE_MAX: there is none. */
static size_t call_of(uint32_t target, size_t at)
{
	const size_t size = (size_t)(rarog_agent_blob_end - rarog_agent_blob);

	for (; at + 5 <= size; at++) {
		int32_t distance;

		memcpy(&distance, rarog_agent_blob + at + 1, sizeof(distance));
		if (rarog_agent_blob[at] == 0xe8 && (int64_t)at + 5 + distance == target)
			return at;
	}
	return SIZE_MAX;
}

/* Each function of the agent has its own end. The last is at the end of all. */
static void who_waits_is_brought_out_wherever_he_was_called(void **state)
{
	const struct rarog_agent_entries entries = rarog_emit_agent_entries();
	struct user_regs_struct still;
	pid_t pid = start_still(&still);
	int n = 0;

	(void)state;
	for (size_t at = 0; (at = call_of(entries.wait, at)) != SIZE_MAX; at += 5, n++) {
		struct user_regs_struct regs = still;

		regs.rip = 0x1000 + at + 5;
		assert_true(rarog_agent_settle(pid, at + 5, &regs));
		assert_int_equal(regs.rip, 0); /* what stands on the stack */
		assert_true(regs.rsp > still.rsp);
	}
	assert_true(n >= 15);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_probe_is_taken_back_or_ended),
		cmocka_unit_test(its_signal_meets_no_probe),
		cmocka_unit_test(so_does_one_that_waits_for_the_clock),
		cmocka_unit_test(who_has_done_with_the_agent_is_brought_out),
		cmocka_unit_test(so_is_who_stands_anywhere_in_it),
		cmocka_unit_test(nobody_waits_for_the_signals_of_others),
		cmocka_unit_test(who_waits_is_brought_out_wherever_he_was_called),
	};

	have_registers = breakpoint_registers_fire();
	print_message("breakpoints: %s\n", have_registers ? "of the processor" : "in the code");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
