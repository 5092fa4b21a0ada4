#!/usr/bin/env bats
# Programs that set filters of system calls, which kill for what only the runtime would ask: they run as without Rarog.

load ../helper
load ../blocks-helper

setup_file() {
	command -v "clang++-$llvm" >/dev/null && [ -f "$plugin" ] || return 0
	cd "$BATS_FILE_TMPDIR" || return
	cat >filter.h <<-'END'
		#include <linux/audit.h>
		#include <linux/filter.h>
		#include <linux/seccomp.h>
		#include <stddef.h>
		#include <sys/prctl.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
		#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)
	END
	# stands for libseccomp
	cat >loads.c <<-'END'
		#include "filter.h"
		int seccomp_load(void *program)
		{
			return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program);
		}
	END
	cc -O1 -fPIC -shared -o libloads.so loads.c
	# filters WHICH HOW WHAT: 3 if all goes well
	cat >filters.c <<-'END'
		#include "filter.h"
		#include <pthread.h>
		#include <signal.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/wait.h>
		static volatile int sink;
		int seccomp_load(void *);
		#ifdef INSIDE
		int inside(int);
		#else
		#define inside(n) (n)
		#endif
		static int set(const char *how, void *program)
		{
			prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
			prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL); /* asks whether there are any */
			if (strcmp(how, "prctl") == 0)
				return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program);
			if (strcmp(how, "syscall") == 0)
				return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, program);
			if (strcmp(how, "number") == 0)
				return syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program);
			return seccomp_load(program);
		}
		/* what a program does that forks and ends, and makes threads */
		static int only(const char *how)
		{
			static const unsigned numbers[] = { SYS_clone, SYS_clone3, SYS_wait4, SYS_exit_group, SYS_exit, SYS_set_robust_list,
				SYS_rt_sigprocmask, SYS_mmap, SYS_mprotect, SYS_munmap, SYS_madvise, SYS_rseq, SYS_futex, SYS_brk, SYS_getrandom, SYS_gettid,
				SYS_getpid, SYS_tgkill, SYS_rt_sigaction };
			enum { N = sizeof(numbers) / sizeof(*numbers) };
			struct sock_filter filter[N + 3] = { LOAD(nr) };
			struct sock_fprog program = { N + 3, filter };
			for (int i = 0; i < N; i++)
				filter[1 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, numbers[i], (unsigned char)(N - i), 0);
			filter[N + 1] = (struct sock_filter)RETURN(SECCOMP_RET_KILL_PROCESS);
			filter[N + 2] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
			return set(how, &program);
		}
		static int all_but(const char *how, unsigned number, unsigned what)
		{
			struct sock_filter filter[] = {
				LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0), RETURN(SECCOMP_RET_KILL_PROCESS),
				LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), RETURN(what), RETURN(SECCOMP_RET_ALLOW),
			};
			struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };
			return set(how, &program);
		}
		static int if_asked(const char *how)
		{
			struct sock_filter filter[] = {
				LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 2),
				LOAD(args[2]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0100, 1, 0),
				RETURN(SECCOMP_RET_ALLOW), RETURN(SECCOMP_RET_KILL_PROCESS),
			};
			struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };
			return set(how, &program);
		}
		__attribute__((noinline)) static int work(int n)
		{
			for (int i = 0; i < n; i++)
				sink++;
			return inside(n) - n;
		}
		static void *work_in_thread(void *n) { return work(*(int *)n) ? NULL : n; }
		static int use_thread(void)
		{
			int n = 1000;
			pthread_t thread;
			void *result = NULL;
			if (pthread_create(&thread, NULL, work_in_thread, &n) != 0 || pthread_join(thread, &result) != 0)
				return 1;
			return result == &n ? 3 : 1;
		}
		int main(int argc, char **argv)
		{
			int status, r = 1;
			if (argc != 4)
				return 2;
			if (strcmp(argv[1], "only") == 0)
				r = only(argv[2]);
			else if (strcmp(argv[1], "kill") == 0)
				r = all_but(argv[2], SYS_openat, SECCOMP_RET_KILL_PROCESS);
			else if (strcmp(argv[1], "trap") == 0)
				r = all_but(argv[2], SYS_openat, SECCOMP_RET_TRAP);
			else if (strcmp(argv[1], "args") == 0)
				r = if_asked(argv[2]);
			else if (strcmp(argv[1], "action") == 0)
				r = all_but(argv[2], SYS_rt_sigaction, SECCOMP_RET_KILL_PROCESS);
			else if (strcmp(argv[1], "ptrace") == 0)
				r = all_but(argv[2], SYS_ptrace, SECCOMP_RET_KILL_PROCESS);
			if (r != 0)
				return 4;
			if (strcmp(argv[3], "thread") == 0)
				_exit(use_thread());
			if (strcmp(argv[3], "abort") == 0)
				abort();
			if (fork() == 0) {
				status = work(1000) + 3;
				if (strcmp(argv[3], "exit") == 0)
					exit(status);
				_exit(status);
			}
			wait(&status);
			work(1000);
			_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 5);
		}
	END
	echo 'int inside(int n) { return n; }' >inside.c
	rarog cc -O1 -fPIC -shared -o libinside.so inside.c
	rarog cc -w -O1 -o filters filters.c -L. -lloads "-Wl,-rpath,$PWD" -pthread
	rarog cc -w -O1 -DINSIDE -o filters-inside filters.c -L. -lloads -linside "-Wl,-rpath,$PWD" -pthread
	rarog cc -w -O1 -static -o still filters.c loads.c -pthread
}

# collect PROGRAM WORD…: into p.rarog
collect() {
	need_plugin
	run_rarog collect blocks -o p.rarog -- "$BATS_FILE_TMPDIR/$1" "${@:2}"
}

is_exact() {
	[[ $errors == *", exact" ]] || fail "$1: $errors"
}

says_shared() {
	[[ $errors == *"warning: 1 processes had threads, or children of a bare clone, that shared counters"* && $errors != *", exact"* ]] || fail "$1: $errors"
}

@test "filters that kill for what only we would ask for" {
	need_plugin
	for program in filters still; do
		for filter in only kill trap args; do
			for how in prctl syscall number library; do
				for what in fork thread; do
					words="$program $filter $how $what"
					# shellcheck disable=SC2086
					(cd "$BATS_FILE_TMPDIR" && ./$words) || [ $? = 3 ] || fail "$words"
					# shellcheck disable=SC2086
					collect $words
					[ "$status" = 3 ] || fail "$words: $status $errors"
					says_shared "$words"
				done
			done
		done
	done
	for filter in kill trap args; do
		collect filters $filter prctl exit
		expect_status 3
		says_shared "$filter"
	done
}

@test "filters that let us do what we need" {
	need_plugin
	for how in prctl syscall number; do
		for what in fork thread exit; do
			collect filters ptrace $how $what
			expect_status 3
			is_exact "$how $what"
		done
	done
	collect filters ptrace library fork # which filter that is nobody knows
	expect_status 3
	says_shared library
}

@test "libraries know of the program's filter, too" {
	need_plugin
	for what in fork thread; do
		collect filters-inside only prctl $what
		expect_status 3
		[[ $errors != *", exact"* ]] || fail "$what: $errors"
	done
}

@test "abort() under a filter" {
	need_plugin
	for filter in only action ptrace; do
		collect filters $filter prctl abort
		expect_status 134
		is_exact $filter
	done
}

@test "filters that the kernel cannot read are refused by it, as natively" {
	need_plugin
	cat >unreadable.c <<-'END'
		#include <errno.h>
		#include <stdint.h>
		#include <stdio.h>
		#include <sys/mman.h>
		#include <sys/wait.h>
		#include "filter.h"
		static void try(const void *program)
		{
			int r = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program);
			printf("%d %d", r, errno);
			r = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, program);
			printf(" %d %d\n", r, errno);
		}
		int main(void)
		{
			struct sock_filter *at_end;
			char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			munmap(pages + 4096, 4096);
			at_end = (struct sock_filter *)(pages + 4096) - 2;
			at_end[0] = at_end[1] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
			prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
			try((void *)8);
			try(pages + 4096 - 8);
			try((void *)(UINTPTR_MAX - 7));
			try(&(struct sock_fprog){ 4, (void *)16 });
			try(&(struct sock_fprog){ 3, at_end });
			try(&(struct sock_fprog){ 60000, at_end });
			try(&(struct sock_fprog){ 0, at_end });
			try(&(struct sock_fprog){ 2, at_end });
			return 0;
		}
	END
	clang-"$llvm" -w -O1 -I"$BATS_FILE_TMPDIR" -o native unreadable.c
	rarog cc -w -O1 -I"$BATS_FILE_TMPDIR" -o unreadable unreadable.c
	./native >expected
	[ "$(sort -u expected | wc -l)" -gt 2 ]
	./unreadable | diff expected -
	rarog collect blocks -o p.rarog -- ./unreadable | diff expected -
}
