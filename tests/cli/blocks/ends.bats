#!/usr/bin/env bats
# Counts are called exact only where every process is known to have ended in the midst of no loop.

load ../helper
load ../blocks-helper

# naive counts every block in memory: what of it is missing in the other was in registers.
setup_file() {
	command -v "clang++-$llvm" >/dev/null && [ -f "$plugin" ] || return 0
	cd "$BATS_FILE_TMPDIR" || return
	rarog cc -O2 -g -o stops "$repo/tests/blocks/stops.c"
	rarog cc -O2 -g --rarog-placement=every -mllvm -rarog-promote=0 -o naive "$repo/tests/blocks/stops.c"
	rarog cc -O2 -g -static -o still "$repo/tests/blocks/stops.c"
}

# collect PROGRAM HOW
collect() {
	need_plugin
	run_rarog collect blocks -o "$1.rarog" -- "$BATS_FILE_TMPDIR/$1" "$2"
	rarog show --json -n 0 "$1.rarog" | jq -c '.blocks[] | select(.function != "wait_for_begun") | [.function, .id, .count]' |
		sort >"$1.blocks"
}

# is_unfinished NUMBER WORDS
is_unfinished() {
	[[ $errors == *"warning: $1 unfinished, perhaps: "* && $errors != *", exact"* && $(grep -v "have no counters" <<<"$errors" | grep -c warning) = 1 ]] || fail "$2: $errors"
}

# rounds_of PROGRAM: of spin()
rounds_of() {
	jq -s '[.[] | select(.[0] == "spin") | .[2]] | max' "$1.blocks"
}

# it leaves a function from below another one, if it is given a word
@test "optimised code after calls that do not return is not called exact" {
	local how

	cat >stops.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		__attribute__((noinline)) void leave(int x) { if (x) exit(0); }
		__attribute__((noinline)) int run(void (*f)(int), int x) { f(x); puts("reached"); return x * 3; }
		int main(int c, char **v) { (void)v; if (c > 2) exit(0); return run(leave, c > 1) != 0; }
	END
	for how in -O0 -O2; do
		rarog cc "$how" -g -o stops stops.c
		run_rarog collect blocks -o stops.rarog -- ./stops
		[[ $errors == *", exact" ]] || fail "$how: $errors"
		# main alone: nothing of the program called it
		run_rarog collect blocks -o stops.rarog -- ./stops 1 2
		[[ $errors == *", exact" ]] || fail "$how: $errors"
		run_rarog collect blocks -o stops.rarog -- ./stops 1
		[[ $output != *reached* ]] || fail "$output"
		if [ "$how" = -O0 ]; then
			[[ $errors == *", exact" ]] || fail "$how: $errors"
		else
			[[ $errors == *", exact but for what comes after calls that did not return" ]] || fail "$how: $errors"
		fi
	done
}

@test "ends that say so: counts are exact, and those of naive counters" {
	for how in nothing at_once by_number by_thread_number by_abort by_exec with_children by_vfork joined with_idle with_sleeping by_thread \
		last_thread handler_while_waiting jumps_often jumps_often_by_compiler; do
		collect naive "$how"
		for program in stops still; do
			collect "$program" "$how"
			[[ $errors == *", exact"* && ! ($program == stops && $errors == *warning*) ]] || fail "$program $how: $errors"
			cmp "$program.blocks" naive.blocks || fail "$program $how"
			[ "$(rarog show --json "$program.rarog" | jq .losses)" = 0 ]
		done
	done
}

@test "handlers that returned leave nothing behind" {
	for how in after_handler after_handler_apart handler_jumps_inside; do
		for program in stops still; do
			collect "$program" "$how"
			[[ $errors == *", exact"* ]] || fail "$program $how: $errors"
			[ "$(rounds_of "$program")" -gt 1000 ]
		done
	done
}

# What is in registers is missing, and the profile says so.
@test "ends that lose what loops had counted are unfinished" {
	for how in killed with_spinning with_spinning_at_once execs_with_spinning executed_itself_while_spinning cancelled_in_loop cancelled_and_forgotten \
		handler_exits handler_executes_itself handler_exits_apart handler_exits_at_once handler_in_thread handler_not_blocked \
		handler_jumps handler_jumps_apart handler_jumps_far handler_jumps_into_handler handler_jumps_far_by_compiler; do
		collect naive "$how"
		[ "$(rounds_of naive)" -gt 1000 ] || fail "$how: nothing to lose"
		for program in stops still; do
			collect "$program" "$how"
			[ "$(rounds_of "$program")" -lt 10 ] || fail "$program $how: nothing is missing"
			is_unfinished 1 "$program $how"
			[ "$(rarog show --json "$program.rarog" | jq .losses)" = 1 ]
			rarog show "$program.rarog" | grep -q "LOST: 1 unfinished, perhaps; counts and times below may be too low" || fail "$(rarog show "$program.rarog")"
		done
	done
}

@test "ends of which nothing is known are unfinished" {
	for how in abort_handler_returns cancelled handler_forks; do
		for program in stops still; do
			collect "$program" $how
			is_unfinished 1 "$program $how"
		done
	done
}

@test "exceptions out of handlers, and others" {
	need_plugin
	printf '%s\n' 'volatile int stop, sink;' 'void spin(void) { while (!stop) sink++; }' >loop.cpp
	cat >throws.cpp <<-'END'
		#include <pthread.h>
		#include <signal.h>
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>
		void spin(void);
		struct catches {
			~catches() { try { throw 1; } catch (int) { } }
		};
		static void from(int depth)
		{
			volatile char room[1024];
			room[depth] = 1;
			if (depth > 0)
				from(depth - 1);
			else
				throw 3;
			room[depth] = 2;
		}
		static void handle(int signal) { throw signal; }
		static void rethrow(int signal)
		{
			try {
				throw signal;
			} catch (int) {
				throw;
			}
		}
		static void *end(void *nothing)
		{
			catches one;
			pthread_exit(nothing);
		}
		int main(int argc, char **argv)
		{
			pthread_t thread;
			for (int i = 0; i < 100; i++)
				try { from(i % 10); } catch (int) { }
			pthread_create(&thread, NULL, end, NULL);
			pthread_join(thread, NULL);
			signal(SIGALRM, argc > 2 ? rethrow : handle);
			try {
				if (argc > 1) {
					ualarm(50000, 0);
					strcmp(argv[1], "waits") ? spin() : (void)sleep(10);
				}
			} catch (int) { }
			return 0;
		}
	END
	rarog c++ -O2 -o throws throws.cpp loop.cpp -pthread
	rarog c++ -O2 -static -o throws-still throws.cpp loop.cpp -pthread
	for program in throws throws-still; do
		run_rarog collect blocks -o throws.rarog -- ./$program
		[[ $errors == *", exact"* ]] || fail "$program: $errors"
		for how in spins "spins again"; do
			run_rarog collect blocks -o throws.rarog -- ./$program $how
			is_unfinished 1 "$program $how"
		done
	done
	run_rarog collect blocks -o throws.rarog -- ./throws waits
	[[ $errors == *", exact"* ]] || fail "waits: $errors"
}

@test "ends by a signal, and processes that still run, are said once" {
	need_plugin
	cat >forever.c <<-'END'
		static volatile int sink;
		int main(void) { for (;;) if (sink++ < 0) return 1; }
	END
	rarog cc -O1 -o forever forever.c
	run_rarog collect blocks --timeout 0.3 -o forever.rarog -- ./forever
	is_unfinished 1 forever
	run_rarog collect blocks -o forever.rarog -- sh -c './forever & sleep 0.3; kill $!; wait $!; true'
	is_unfinished 1 "forever in a shell"
	run_rarog collect blocks -o forever.rarog -- sh -c './forever & echo $! >pid; sleep 0.3'
	kill "$(cat pid)"
	is_unfinished 1 "forever beyond the shell's end"
}

@test "scripts, daemons and make stay exact" {
	need_plugin
	stops=$BATS_FILE_TMPDIR/stops
	run_rarog collect blocks -o script.rarog -- sh -c "$stops; $stops at_once | cat; ($stops by_exec); $stops with_children & wait; $stops by_abort"
	[[ $errors == *", exact"* ]] || fail "$errors"
	run_rarog collect blocks -o daemon.rarog -- sh -c "$stops as_daemon; sleep 0.5"
	[[ $errors == *", exact"* ]] || fail "$errors"
	command -v make >/dev/null || return 0
	printf 'all: a b c\na b c:\n\t%s at_once\n' "$stops" >Makefile
	run_rarog collect blocks -o make.rarog -- make -s -j3
	[[ $errors == *", exact"* ]] || fail "$errors"
}

@test "a library's loops, in programs that count and in others" {
	need_plugin
	printf '%s\n' 'static volatile int sink;' 'int inside(int n) { for (int i = 0; i < n; i++) sink++; return sink; }' >lib.c
	cat >main.c <<-'END'
		#include <pthread.h>
		#include <stdlib.h>
		#include <unistd.h>
		int inside(int);
		static void *work(void *n) { inside(*(int *)n); return n; }
		static void *idle(void *n) { inside(*(int *)n); for (;;) pause(); return n; }
		int main(int argc, char **argv)
		{
			pthread_t thread;
			int n = argc > 1 && argv[1][0] == 'r' ? 2000000000 : 1000;
			for (int i = 0; i < 3; i++) {
				pthread_create(&thread, NULL, work, &n);
				if (n == 1000)
					pthread_join(thread, NULL);
			}
			if (argc > 1 && argv[1][0] == 'i')
				pthread_create(&thread, NULL, idle, &n);
			usleep(100000);
			return inside(10) == 0;
		}
	END
	rarog cc -O2 -fPIC -shared -o libinside.so lib.c
	rarog cc -O2 -o counts main.c -L. -linside "-Wl,-rpath,$PWD"
	cc -O2 -o plain main.c -L. -linside "-Wl,-rpath,$PWD" -pthread
	for program in counts plain; do
		run_rarog collect blocks -o $program.rarog -- ./$program
		[[ $errors == *", exact"* ]] || fail "$program: $errors"
		run_rarog collect blocks -o $program.rarog -- ./$program r
		[[ $errors == *"warning: 1 unfinished, perhaps: "* && $errors != *", exact"* ]] || fail "$program: $errors"
	done
	run_rarog collect blocks -o counts.rarog -- ./counts idle
	[[ $errors == *", exact"* ]] || fail "$errors"
}

@test "clean-ups of threads that end" {
	need_plugin
	cat >loop.cpp <<-'END'
		extern volatile int begun, stop;
		volatile int sink;
		void spin(void) { begun = 1; while (!stop) sink++; }
	END
	cat >cleans.cpp <<-'END'
		#include <pthread.h>
		#include <string.h>
		#include <threads.h>
		#include <unistd.h>
		void spin(void);
		volatile int begun, stop;
		struct cleans { ~cleans() { spin(); } };
		static void *leaving(void *nothing)
		{
			cleans one;
			pthread_exit(nothing);
		}
		static int leaving_c11(void *nothing)
		{
			cleans one;
			thrd_exit(nothing != 0);
		}
		int main(int, char **argv)
		{
			pthread_t thread;
			thrd_t third;
			bool is_c11 = strstr(argv[1], "c11");
			stop = strstr(argv[1], "whole") != NULL;
			if (is_c11)
				thrd_create(&third, leaving_c11, NULL);
			else
				pthread_create(&thread, NULL, leaving, NULL);
			if (stop)
				is_c11 ? thrd_join(third, NULL) : pthread_join(thread, NULL);
			while (!begun)
				usleep(1000);
			usleep(20000);
			return 0;
		}
	END
	rarog c++ -w -O2 -o cleans cleans.cpp loop.cpp -pthread
	rarog c++ -w -O2 -static -o still cleans.cpp loop.cpp -pthread
	for program in cleans still; do
		for how in exit c11; do
			run_rarog collect blocks -o $program.rarog -- ./$program whole-$how
			[[ $errors == *", exact"* ]] || fail "$program $how: $errors"
			run_rarog collect blocks -o $program.rarog -- ./$program $how
			is_unfinished 1 "$program $how"
		done
	done
}

@test "a thread that was cancelled forks and makes threads as without counters" {
	need_plugin
	cat >pending.c <<-'END'
		#include <pthread.h>
		#include <stdio.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static volatile int is_cancelled, stage, forks;
		static void *nothing(void *argument) { return argument; }
		static void *work(void *argument)
		{
			pthread_t thread;
			int status = 0;
			while (!is_cancelled)
				;
			if (forks) {
				pid_t child = fork();
				if (child == 0) {
					stage = 1;
					_exit(3);
				}
				pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
				waitpid(child, &status, 0);
				stage = WEXITSTATUS(status);
			} else if (pthread_create(&thread, NULL, nothing, NULL) == 0) {
				pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
				pthread_join(thread, NULL);
				stage = 3;
			}
			return argument;
		}
		int main(int argc, char **argv)
		{
			pthread_t thread;
			forks = argc > 1;
			pthread_create(&thread, NULL, work, NULL);
			pthread_cancel(thread);
			is_cancelled = 1;
			pthread_join(thread, NULL);
			return stage;
		}
	END
	rarog cc -w -O2 -o pending pending.c -pthread
	rarog cc -w -O2 -static -o still pending.c -pthread
	for program in pending still; do
		for what in "" fork; do
			# shellcheck disable=SC2086
			run_rarog collect blocks -o pending.rarog -- ./$program $what
			expect_status 3
			[[ $errors == *"warning: 1 unfinished, perhaps: "* ]] || fail "$program $what: $errors"
		done
	done
}

@test "a thread that ends does not look past its stack" {
	need_plugin
	cat >freed.c <<-'END'
		#include <pthread.h>
		#include <semaphore.h>
		#include <stdlib.h>
		#include <unistd.h>
		static sem_t done;
		static void *work(void *buffer) { sem_post(&done); return buffer; }
		int main(void)
		{
			sem_init(&done, 0, 0);
			for (int i = 0; i < 200; i++) {
				void *buffer = malloc(12 << 20); /* right above the thread's stack */
				pthread_t thread;
				pthread_create(&thread, NULL, work, buffer);
				sem_wait(&done);
				usleep(i * 37 % 3000);
				free(buffer);
				pthread_join(thread, NULL);
			}
			return 0;
		}
	END
	rarog cc -O2 -o freed freed.c
	for _ in 1 2 3; do
		run_rarog collect blocks -o freed.rarog -- ./freed
		[[ $errors == *", exact"* ]] || fail "$errors"
	done
}

@test "closing a library does not end the process" {
	need_plugin
	echo 'int inside(int n) { return n + 1; }' >lib.c
	cat >closes.c <<-'END'
		#include <dlfcn.h>
		#include <signal.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static volatile int sink, stop;
		int main(int argc, char **argv)
		{
			pid_t child = fork();
			if (child == 0) {
				dlclose(dlopen("./libinside.so", RTLD_NOW));
				while (argc > 1 && !stop)
					sink++;
				return 0;
			}
			usleep(300000);
			kill(child, SIGKILL);
			wait(NULL);
			return 0;
		}
	END
	rarog cc -O2 -fPIC -shared -o libinside.so lib.c
	rarog cc -O2 -o closes closes.c -ldl
	run_rarog collect blocks -o closes.rarog -- ./closes
	[[ $errors == *", exact"* ]] || fail "$errors"
	run_rarog collect blocks -o closes.rarog -- ./closes spinning
	is_unfinished 1 closes
}

@test "children of a bare clone, which count in their parent's memory" {
	need_plugin
	cat >clones.c <<-'END'
		#define _GNU_SOURCE
		#include <sched.h>
		#include <signal.h>
		#include <string.h>
		#include <sys/syscall.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static char stack[65536];
		static int child(void *nothing) { return nothing != 0; }
		int main(int argc, char **argv)
		{
			const char *how = argc > 1 ? argv[1] : "";
			pid_t pid = -1;
			if (strcmp(how, "_Fork") == 0)
				pid = _Fork();
			else if (strcmp(how, "clone") == 0)
				pid = clone(child, stack + sizeof(stack), SIGCHLD, 0);
			else if (strcmp(how, "waits") == 0)
				pid = clone(child, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, 0);
			else if (strcmp(how, "by_number") == 0)
				pid = syscall(SYS_fork);
			else if (strcmp(how, "clone_by_number") == 0)
				pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
			if (pid == 0)
				_exit(0);
			return pid > 0 && waitpid(pid, 0, 0) != pid;
		}
	END
	rarog cc -w -O2 -o clones clones.c
	for how in _Fork clone by_number clone_by_number; do
		run_rarog collect blocks -o clones.rarog -- ./clones $how
		[[ $errors == *"warning: 1 shared: "* && $errors != *", exact"* ]] || fail "$how: $errors"
	done
	for how in nothing waits; do
		run_rarog collect blocks -o clones.rarog -- ./clones $how
		[[ $errors == *", exact"* ]] || fail "$how: $errors"
	done
	echo 'int clone(int n) { return n - 1; }' >own.c
	echo 'int clone(int); int main(int argc, char **argv) { return clone(argc) || !argv; }' >uses.c
	rarog cc -w -O2 -o uses own.c uses.c
	run_rarog collect blocks -o uses.rarog -- ./uses
	[[ $errors == *", exact"* ]] || fail "$errors"
}

@test "check does not rely on counts that may lack something" {
	need_plugin
	for side in base target; do
		mkdir $side
		for i in 1 2; do
			rarog -q collect blocks -o $side/$i.rarog -- "$BATS_FILE_TMPDIR/stops" killed 2>/dev/null
		done
	done
	run_rarog check base/ target/
	[[ $errors$output == *"base/: 2 of 2 runs lost counts: their counts are too low"* ]] || fail "$errors$output"
}
