#!/usr/bin/env bats
# Programs that set filters of system calls, which kill for what only the runtime would ask: they run as without Rarog.

load ../helper
load ../blocks-helper

setup_file() {
	command -v "clang++-$llvm" >/dev/null && [ -f "$plugin" ] || return 0
	cd "$BATS_FILE_TMPDIR" || return
	# stands for libseccomp
	cat >loads.c <<-'END'
		#include <linux/seccomp.h>
		#include <sys/prctl.h>
		int seccomp_load(void *program) { return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program); }
	END
	cc -O1 -fPIC -shared -o libloads.so loads.c
	# filters HOW WHAT: 3 if all goes well, under a filter that kills for openat
	cat >filters.c <<-'END'
		#include <linux/filter.h>
		#include <linux/seccomp.h>
		#include <pthread.h>
		#include <stddef.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/prctl.h>
		#include <sys/syscall.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static volatile int sink;
		int seccomp_load(void *);
		#ifdef INSIDE
		int inside(int);
		#else
		#define inside(n) (n)
		#endif
		static int set(const char *how)
		{
			struct sock_filter filter[] = {
				BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
				BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
				BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
			};
			struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };
			prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
			prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL); /* asks whether there are any */
			if (strcmp(how, "none") == 0)
				return 0;
			if (strcmp(how, "prctl") == 0)
				return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
			if (strcmp(how, "syscall") == 0)
				return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
			if (strcmp(how, "number") == 0)
				return syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
			return seccomp_load(&program);
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
			pthread_create(&thread, NULL, work_in_thread, &n);
			pthread_join(thread, &result);
			return result == &n ? 3 : 1;
		}
		int main(int argc, char **argv)
		{
			int status;
			if (argc != 3 || set(argv[1]) != 0)
				return 4;
			if (strcmp(argv[2], "nothing") == 0)
				return work(1000) + 3;
			if (strcmp(argv[2], "thread") == 0)
				_exit(use_thread());
			if (fork() == 0) {
				status = work(1000) + 3;
				if (strcmp(argv[2], "exit") == 0)
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

# collect PROGRAM HOW WHAT: it ends as natively
collect() {
	need_plugin
	run_rarog collect blocks -o p.rarog -- "$BATS_FILE_TMPDIR/$1" "${@:2}"
	[ "$status" = 3 ] || fail "$*: $status $errors"
}

@test "threads and children after a filter share counters" {
	for program in filters filters-inside still; do
		for how in prctl syscall number library; do
			for what in fork thread exit; do
				collect $program $how $what
				[[ $errors == *"warning: "[12]" shared: "* && $errors != *", exact"* ]] || fail "$program $how $what: $errors"
			done
		done
	done
}

@test "no filter, or nothing that begins after it: counts are exact" {
	for program in filters filters-inside still; do
		for words in "none fork" "none thread" "none exit" "prctl nothing" "library nothing"; do
			# shellcheck disable=SC2086
			collect $program $words
			[[ $errors == *", exact"* ]] || fail "$program $words: $errors"
		done
	done
}
