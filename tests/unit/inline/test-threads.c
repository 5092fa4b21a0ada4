/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads that are stopped, or made to leave a place in steps, while signals arrive. Oracle: the
 * process lives.
 */
#include <stdbool.h>

#include "unit.h"
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/thread.h"

#define ROUNDS 20
#define LOOKS  12 /* after which it is stepping: what runs by itself is looked at ten times */

extern const char has_sent[]; /* the instruction after that by which it sends itself a signal */

__attribute__((noinline, noreturn)) static void send_itself(int signal)
{
	__asm__ volatile("1: mov %0, %%eax\n\t"
			 "syscall\n"
			 "has_sent: jmp 1b"
			 :
			 : "i"(SYS_kill), "D"((long)getpid()), "S"((long)signal)
			 : "rax", "rcx", "r11", "memory");
	__builtin_unreachable();
}

static pid_t start(int signal)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid > 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	send_itself(signal);
}

struct place {
	int looks;
	uint64_t last;
	bool is_left;
};

/* Until it has made the step by which the signal is sent. */
static bool is_inside(const void *context, uint64_t address)
{
	struct place *place = *(struct place *const *)context;

	place->is_left |=
		++place->looks > LOOKS && address != place->last && address == (uintptr_t)has_sent;
	place->last = address;
	return !place->is_left;
}

static void leave_once(pid_t pid)
{
	struct place place = { 0 }, *at = &place;
	struct rarog_threads threads;
	int r = rarog_threads_stop(pid, NULL, &threads);

	if (r == -EPERM) {
		print_message("ptrace is forbidden here\n");
		skip();
	}
	assert_int_equal(r, 0);
	assert_int_equal(rarog_threads_leave(&threads, is_inside, &at), 0);
	rarog_threads_let_go(&threads);
	rarog_threads_release(&threads);
}

/* SIGCONT stops a traced thread before the SIGTRAP of the step in which it came is told. */
TEST(no_step_outlasts_a_signal_that_came_with_it)
{
	pid_t pid = start(SIGCONT);
	int status;

	for (int i = 0; i < ROUNDS; i++)
		leave_once(pid);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
}

/* --- a fault that waits while its thread is stopped for us --- */

static siginfo_t fault_of(int code)
{
	return (siginfo_t){ .si_signo = SIGILL, .si_code = code };
}

/* Sends itself what looks like a fault, while that is blocked, and takes the block away when it is
 * told to. */
__attribute__((noreturn)) static void fault_when_told(int told)
{
	siginfo_t info = fault_of(ILL_ILLOPC);
	sigset_t fault;
	char word;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&fault);
	sigaddset(&fault, SIGILL);
	sigprocmask(SIG_BLOCK, &fault, NULL);
	syscall(SYS_rt_tgsigqueueinfo, getpid(), getpid(), SIGILL, &info);
	if (read(told, &word, 1) != 1)
		_exit(2);
	sigprocmask(SIG_UNBLOCK, &fault, NULL);
	for (;;)
		pause();
}

/* To the end of its system call number @number, where it stops and is not waited for. */
static void to_end_of(pid_t pid, long number)
{
	struct user_regs_struct regs;
	int status;

	do {
		assert_int_equal(ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(ptrace(PTRACE_GETREGS, pid, NULL, &regs), 0);
	} while ((long)regs.orig_rax != number || (int64_t)regs.rax != -ENOSYS);
	assert_int_equal(ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
	while (rarog_thread_state(pid) != 't')
		usleep(1000);
}

static bool take_off_cpu(void *context, pid_t tid, int signal)
{
	int *n = context;

	(void)tid;
	*n += signal == SIGILL;
	return true;
}

/* It has sent itself what it was to, and sleeps. */
static pid_t start_fault(int *ret_told)
{
	int told[2];
	pid_t pid;

	assert_int_equal(pipe(told), 0);
	pid = fork();
	if (pid == 0)
		fault_when_told(told[0]);
	close(told[0]);
	while (rarog_thread_state(pid) != 'S')
		usleep(1000);
	*ret_told = told[1];
	return pid;
}

static void end(pid_t pid, int told)
{
	int status;

	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WTERMSIG(status), SIGKILL);
	close(told);
}

static void seize(pid_t pid, int told)
{
	int status;

	if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)PTRACE_O_TRACESYSGOOD) < 0) {
		end(pid, told);
		print_message("ptrace is forbidden here\n");
		skip();
	}
	ptrace(PTRACE_INTERRUPT, pid, NULL, NULL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
}

/* PTRACE_INTERRUPT stops it before the signal does: a thread that is let go then would get it. */
TEST(a_fault_that_waits_is_asked_about_before_its_thread_stands_still)
{
	int told, n = 0;
	const struct rarog_signal_guard guard = { take_off_cpu, &n };
	struct rarog_threads threads;
	pid_t pid = start_fault(&told);

	seize(pid, told);
	assert_int_equal(write(told, "x", 1), 1);
	to_end_of(pid, SYS_rt_sigprocmask);
	assert_int_equal(rarog_threads_stop(pid, &guard, &threads), 0);
	assert_int_equal(n, 1);
	rarog_threads_let_go(&threads);
	rarog_threads_release(&threads);
	end(pid, told);
}

/* It waits for as long as it is blocked, and no thread stops for it. */
TEST(a_signal_that_is_blocked_is_not_waited_for)
{
	int told, n = 0;
	const struct rarog_signal_guard guard = { take_off_cpu, &n };
	struct rarog_threads threads;
	pid_t pid = start_fault(&told);

	seize(pid, told);
	assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	assert_int_equal(rarog_threads_stop(pid, &guard, &threads), 0);
	assert_int_equal(n, 0);
	rarog_threads_let_go(&threads);
	rarog_threads_release(&threads);
	end(pid, told);
}

static bool leave_it(void *context, pid_t tid, int signal)
{
	take_off_cpu(context, tid, signal);
	return false;
}

static void pass(int signal)
{
	(void)signal;
}

/* Held by SIGSTOP, its fault not blocked any more. */
static void hold(pid_t pid)
{
	uint64_t none = 0;
	int status;

	kill(pid, SIGSTOP);
	assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WSTOPSIG(status), SIGSTOP);
	assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, (void *)SIGSTOP), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(rarog_thread_is_group_stop(status));
	assert_int_equal(ptrace(PTRACE_SETSIGMASK, pid, sizeof(none), &none), 0);
	assert_int_equal(ptrace(PTRACE_LISTEN, pid, NULL, NULL), 0);
}

/* It goes on for us only, to stop for the fault, which is its own. */
TEST(who_is_held_stays_so_after_a_fault_of_its_own)
{
	int told, status, n = 0;
	const struct rarog_signal_guard guard = { leave_it, &n };
	struct rarog_threads threads;
	pid_t pid;

	signal(SIGILL, pass);
	pid = start_fault(&told);
	signal(SIGILL, SIG_DFL);
	seize(pid, told);
	hold(pid);
	assert_int_equal(rarog_threads_stop(pid, &guard, &threads), 0);
	assert_int_equal(n, 1);
	assert_int_equal(rarog_thread_signal(&threads.v.v[0]), SIGILL);
	rarog_threads_resume(&threads, PTRACE_O_TRACESYSGOOD);
	rarog_threads_release(&threads);
	while (rarog_thread_state(pid) != 't' && rarog_thread_state(pid) != 'S')
		usleep(1000);
	assert_int_equal(rarog_thread_state(pid), 't');
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(rarog_thread_is_group_stop(status));
	end(pid, told);
}

/* --- moments --- */

static volatile uint64_t *turns; /* that the child has made; shared */

/* By the timer a signal waits whenever it has stood still for longer than that. */
__attribute__((noreturn)) static void turn(const struct itimerval *timer)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGALRM, pass);
	setitimer(ITIMER_REAL, timer, NULL);
	for (;;)
		(*turns)++;
}

static pid_t start_turning(long timer_us)
{
	const struct itimerval timer = { { 0, timer_us }, { 0, timer_us } };
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	assert_ptr_not_equal(memory, MAP_FAILED);
	turns = memory;
	pid = fork();
	if (pid == 0)
		turn(&timer);
	while (*turns == 0)
		usleep(1000);
	return pid;
}

#define MOMENTS   20
#define SETTLE_NS 20000
#define LONG_NS   1280000

/* Return: in how many moments did it go on? @is_late: PTRACE_INTERRUPT comes while it stands. */
static int moments_of(struct rarog_thread *thread, long ns, bool is_late)
{
	int n = 0;

	for (int i = 0; i < MOMENTS; i++) {
		uint64_t before = *turns;

		if (is_late)
			ptrace(PTRACE_INTERRUPT, thread->tid, NULL, NULL);
		usleep(2000);
		assert_int_equal(rarog_thread_run(thread, ns), 0);
		n += *turns != before;
	}
	return n;
}

static int moments_with(long timer_us, long ns, bool is_late)
{
	int n_signals = 0, n;
	const struct rarog_signal_guard guard = { take_off_cpu, &n_signals };
	struct rarog_threads threads;
	pid_t pid = start_turning(timer_us);
	int r = rarog_threads_stop(pid, &guard, &threads);

	if (r == -EPERM) {
		kill(pid, SIGKILL);
		print_message("ptrace is forbidden here\n");
		skip();
	}
	assert_int_equal(r, 0);
	n = moments_of(&threads.v.v[0], ns, is_late);
	rarog_threads_let_go(&threads);
	rarog_threads_release(&threads);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return n;
}

TEST(what_has_come_before_takes_no_moment)
{
	/* in some it may get no processor */
	assert_true(moments_with(0, SETTLE_NS, false) > MOMENTS / 2);
	assert_true(moments_with(0, SETTLE_NS, true) > MOMENTS / 2);
	assert_true(moments_with(1000, SETTLE_NS, false) > MOMENTS / 2);
	assert_true(moments_with(500, LONG_NS, false) > MOMENTS / 2);
}
