#!/usr/bin/env bats
# Programs that begin under a filter of system calls: what it kills for is not called if the program itself does not call it.

load ../helper
load ../blocks-helper

setup_file() {
	command -v "clang++-$llvm" >/dev/null && [ -f "$plugin" ] || return 0
	cd "$BATS_FILE_TMPDIR" || return
	cat >does.c <<-'END'
		#include <pthread.h>
		#include <signal.h>
		#include <setjmp.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/wait.h>
		#include <unistd.h>
		#ifdef INSIDE
		int inside(int);
		#else
		#define inside(n) (n)
		#endif
		static volatile int sink;
		static jmp_buf back;
		__attribute__((noinline)) int work(int n)
		{
			for (int i = 0; i < n; i++)
				sink++;
			return inside(sink);
		}
		static void *in_thread(void *n)
		{
			work(*(int *)n);
			return NULL;
		}
		/* threads, children, a jump: 7 if all goes well */
		int main(int argc, char **argv)
		{
			int n = 1000, status = 0;
			pthread_t thread;
			if (argc > 1 && strcmp(argv[1], "little") != 0) {
				pthread_create(&thread, NULL, in_thread, &n);
				pthread_join(thread, NULL);
				if (fork() == 0)
					exit(work(n) / 200);
				wait(&status);
				status = WEXITSTATUS(status) == 10 ? 0 : 1;
			}
			if (setjmp(back) == 0) {
				work(n);
				longjmp(back, 1);
			}
			write(1, "done\n", 5);
			return status ? 1 : 7;
		}
	END
	echo 'int inside(int n) { return n; }' >inside.c
	rarog cc -O1 -fPIC -shared -o libinside.so inside.c
	rarog cc -w -O1 -o does does.c -pthread
	rarog cc -w -O1 -DINSIDE -o does-inside does.c -L. -linside "-Wl,-rpath,$PWD" -pthread
	rarog cc -w -O1 -static -o does-still does.c -pthread
	cc -o refuse "$repo/tests/programs/refuse.c"
	# try PROGRAM WORD: under each filter in turn: number, status, output. But for futex, which a thread that joins another calls or not.
	cat >try <<-'END'
		for number in $(seq 0 201) $(seq 203 334) $(seq 424 460); do
			output=$(./refuse $number -- "./$1" "$2" 2>/dev/null)
			echo "$number $? $output"
		done
		true
	END
}

# outlives_all PROGRAM WORD [NUMBERS]: killed only where it is natively, and for these
outlives_all() {
	need_plugin
	cp "$BATS_FILE_TMPDIR"/* .
	sh try "$1" "$2" >native 2>/dev/null
	[ "$(grep -c " 7 done" native)" -gt 300 ] || fail "$(cat native)"
	[ "$(grep -c " 159 " native)" -gt 10 ] || fail "$(cat native)"
	run_rarog collect blocks -o p.rarog -- sh -c "./$1 $2; sh try $1 $2 2>/dev/null"
	grep -v '^done$' <<<"$output" >collected
	diff native collected >differ || true
	[ "$(sed -n 's/^< \([0-9]*\) .*/\1/p' differ | xargs)" = "${3:-}" ] || fail "$(cat differ)"
	is_missing '*'
}

# is_missing NUMBER, a pattern
is_missing() {
	# shellcheck disable=SC2027
	[[ $errors == *"warning: "$1" missing: "* && $errors != *", exact"* && $(grep -v "have no counters" <<<"$errors" | grep -c warning) = 1 ]] || fail "$errors"
}

@test "filters that kill for any call, in turn: the program ends as natively, and what is missing is said" {
	outlives_all does little
	outlives_all does all
}

@test "libraries that count" {
	outlives_all does-inside all
}

# read, close and openat, which nobody has asked for in a static program
@test "static programs, but for the calls that ask" {
	outlives_all does-still little "0 3 257"
	outlives_all does-still all "0 3 257"
}

@test "filters that look at arguments" {
	need_plugin
	for program in does does-inside does-still; do
		cp "$BATS_FILE_TMPDIR"/* .
		run_rarog collect blocks -o p.rarog -- sh -c "./$program; ./refuse kill-create -- ./$program all"
		expect_status 7
		is_missing '*'
	done
}

@test "what all that ran could not count is an error" {
	need_plugin
	cp "$BATS_FILE_TMPDIR"/* .
	run_rarog collect blocks -o p.rarog -- ./refuse 285 -- ./does
	expect_status 125
	[[ $errors == *": no counts: "*"run rarog within a sandbox"* ]] || fail "$errors"
	[ ! -e p.rarog ]
}

# collect_without WHAT… -- COMMAND: the kernel refuses that to rarog, so that it begins under filters itself
collect_without() {
	status=0
	./refuse "${@:1:$#-1}" -- "$RAROG" collect blocks -o p.rarog -- sh -c "${*: -1}" >out.txt 2>errors.txt || status=$?
	errors=$(cat errors.txt)
	expect_status 7
}

@test "each is told of once, also where the kernel shows nothing of what begins" {
	need_plugin
	cp "$BATS_FILE_TMPDIR"/* .
	for program in does does-still; do
		collect_without perf "./$program all; for i in 1 2 3; do ./refuse 285 -- ./$program all; done"
		[ "$(sort out.txt | uniq -c | xargs)" = "4 done" ]
		is_missing 3
		[ "$(rarog show --json p.rarog | jq .losses)" = 3 ]
		[ "$(rarog show --json p.rarog | jq '[.functions[] | select(.name == "work") | .count] | add')" = 3 ]
	done
	run_rarog collect blocks -o p.rarog -- sh -c "./does; ./refuse 285 -- ./does"
	is_missing 1
}

@test "where the kernel tells rarog neither what happens to files nor what begins nothing is exact" {
	need_plugin
	cp "$BATS_FILE_TMPDIR"/* .
	collect_without perf inotify "./does"
	is_missing 1
	collect_without perf inotify "./does; ./refuse 285 -- ./does"
	is_missing 1
	collect_without inotify "./does"
	[[ $errors == *", exact"* || $errors == *"missing: "* ]] || fail "$errors"
}

@test "rarog's own filters do not matter" {
	need_plugin
	cp "$BATS_FILE_TMPDIR"/* .
	for program in does does-inside does-still; do
		collect_without 169 175 "./$program all"
		[[ $errors == *", exact"* ]] || fail "$program: $errors"
	done
	[ "$(id -u)" = 0 ] && unshare -pf true 2>/dev/null || skip "needs root for the rest"
	# also where /proc has other numbers
	./refuse 169 175 -- unshare -pf "$RAROG" collect blocks -o p.rarog -- ./does all >out.txt 2>errors.txt || [ $? = 7 ]
	[[ $(cat errors.txt) == *", exact"* ]] || fail "$(cat errors.txt)"
}

@test "a library that is opened when the program has set a filter" {
	need_plugin
	cp "$BATS_FILE_TMPDIR"/* .
	cat >opens.c <<-'END'
		#include <dlfcn.h>
		#include <linux/filter.h>
		#include <linux/seccomp.h>
		#include <stddef.h>
		#include <sys/prctl.h>
		#include <sys/syscall.h>
		int main(void)
		{
			struct sock_filter filter[] = {
				BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 0, 1),
				BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
			};
			struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };
			if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
				return 1;
			void *library = dlopen("./libinside.so", RTLD_NOW);
			return library ? ((int (*)(int))dlsym(library, "inside"))(7) : 2;
		}
	END
	rarog cc -w -O1 -o opens opens.c
	run_rarog collect blocks -o p.rarog -- ./opens
	expect_status 7
	is_missing 1
}

@test "a thread that was cancelled opens a library, and ends after that" {
	need_plugin
	cp "$BATS_FILE_TMPDIR"/* .
	cat >ends.c <<-'END'
		#include <dlfcn.h>
		#include <pthread.h>
		static volatile int is_there;
		static void *open_it(void *nothing)
		{
			pthread_cancel(pthread_self());
			is_there = dlopen("./libinside.so", RTLD_NOW) != NULL;
			pthread_testcancel();
			return nothing;
		}
		int main(void)
		{
			pthread_t thread;
			void *result = NULL;
			pthread_create(&thread, NULL, open_it, NULL);
			pthread_join(thread, &result);
			return result == PTHREAD_CANCELED && is_there ? 7 : 1;
		}
	END
	rarog cc -w -O1 -o ends ends.c -pthread
	run_rarog collect blocks -o p.rarog -- timeout "$(scaled 20)" ./ends
	expect_status 7
}

@test "a process of many groups, whose filters come late in what the kernel says of it" {
	need_plugin
	[ "$(id -u)" = 0 ] || skip "needs root"
	cp "$BATS_FILE_TMPDIR"/* .
	echo 'import os, sys; os.setgroups(range(10**8, 10**8 + int(sys.argv[1]))); os.execv(sys.argv[2], sys.argv[2:])' >groups.py
	for n in 10 1000 20000; do # of so many no one knows
		run_rarog collect blocks -o p.rarog -- sh -c "./does; exec python3 groups.py $n ./does"
		expect_status 7
		[[ $errors == *", exact"* || $n = 20000 && $errors == *"warning: 1 missing: "* ]] || fail "$n: $errors"
		run_rarog collect blocks -o p.rarog -- sh -c "./does; exec ./refuse 285 -- python3 groups.py $n ./does"
		expect_status 7
		is_missing 1
	done
}

# Where others of the same program have a path, that is its path.
@test "without /proc nobody is said to be under a filter" {
	need_plugin
	[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || skip "needs root"
	cp "$BATS_FILE_TMPDIR"/* .
	chmod 755 .
	mkdir closed
	cat >without <<-'END'
		mount "$@" /proc && chmod "$mode" /proc && exec setpriv --reuid 1000 --clear-groups ./does
	END
	for mount in "-t tmpfs none" "--bind closed"; do
		for mode in 755 700; do
			TMPDIR=/tmp run_rarog collect blocks -o p.rarog -- env mode=$mode unshare -m sh without $mount
			expect_status 125
			[[ $errors == *"had no /proc"* ]] || fail "$mount $mode: $errors"
			TMPDIR=/tmp run_rarog collect blocks -o p.rarog -- sh -c "./does; mode=$mode unshare -m sh without $mount; ./does"
			expect_status 7
			[[ $errors == *", exact"* ]] || fail "$mount $mode: $errors"
			[ "$(rarog show --json p.rarog | jq '[.functions[] | select(.name == "work") | .count] | add')" = 3 ]
		done
	done
}
