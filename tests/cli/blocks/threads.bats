#!/usr/bin/env bats
# Threads that begin where the runtime does not see it count in their maker's counters: that is said, and only then.

load ../helper
load ../blocks-helper

setup_file() {
	command -v "clang++-$llvm" >/dev/null && [ -f "$plugin" ] || return 0
	cd "$BATS_FILE_TMPDIR" || return
	# makes threads behind everybody's back, in code that does not count
	cat >hides.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <linux/sched.h>
		#include <pthread.h>
		#include <sched.h>
		#include <signal.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		static int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
		void hidden_create(pthread_t *id, void *(*function)(void *), void *argument)
		{
			if (!create)
				create = dlsym(RTLD_NEXT, "pthread_create");
			create(id, NULL, function, argument);
		}
		void opened_create(pthread_t *id, void *(*function)(void *), void *argument)
		{
			create = dlsym(dlopen("libc.so.6", RTLD_NOW), "pthread_create");
			create(id, NULL, function, argument);
		}
		void seen_create(pthread_t *id, void *(*function)(void *), void *argument)
		{
			pthread_create(id, NULL, function, argument);
		}
		void join(pthread_t id) { pthread_join(id, NULL); }
		static char stack[1 << 16] __attribute__((aligned(16)));
		static volatile int left;
		static void *(*work)(void *);
		static int bare(void *argument)
		{
			work(argument);
			left = 1;
			syscall(SYS_exit, 0);
			return 0;
		}
		/* with its maker's thread-local storage, too */
		void bare_create(pthread_t *id, void *(*function)(void *), void *argument)
		{
			(void)id;
			work = function;
			clone(bare, stack + sizeof(stack), CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM,
			      argument);
			while (!left)
				sched_yield();
		}
	END
	cc -O1 -fPIC -shared -o libhides.so hides.c -ldl -pthread
	cat >threads.c <<-'END'
		#include <pthread.h>
		#include <signal.h>
		#include <string.h>
		#include <time.h>
		#include <unistd.h>
		void hidden_create(pthread_t *, void *(*)(void *), void *), opened_create(pthread_t *, void *(*)(void *), void *);
		void seen_create(pthread_t *, void *(*)(void *), void *), bare_create(pthread_t *, void *(*)(void *), void *);
		void join(pthread_t);
		static volatile int sink, expired;
		__attribute__((noinline)) void step(int i) { sink = i; }
		static void *compute(void *n)
		{
			for (int i = 0; i < *(int *)n; i++)
				step(i);
			return n;
		}
		static void *wait_once(void *n)
		{
			usleep(1000);
			return compute(n);
		}
		static void expire(union sigval value)
		{
			step(value.sival_int);
			expired = 1;
		}
		static void with_timer(void)
		{
			struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = expire };
			struct itimerspec soon = { .it_value = { .tv_nsec = 1000000 } };
			timer_t timer;
			timer_create(CLOCK_MONOTONIC, &event, &timer);
			timer_settime(timer, 0, &soon, NULL);
			while (!expired)
				usleep(1000);
		}
		int main(int argc, char **argv)
		{
			int n = 1000000;
			pthread_t ids[64];
			for (int i = 1; i < argc; i++)
				if (strcmp(argv[i], "hidden") == 0)
					hidden_create(&ids[i], compute, &n);
				else if (strcmp(argv[i], "opened") == 0)
					opened_create(&ids[i], compute, &n);
				else if (strcmp(argv[i], "waits") == 0)
					hidden_create(&ids[i], wait_once, &n);
				else if (strcmp(argv[i], "seen") == 0)
					seen_create(&ids[i], compute, &n);
				else if (strcmp(argv[i], "bare") == 0)
					bare_create(&ids[i], compute, &n);
				else if (strcmp(argv[i], "timer") == 0)
					with_timer();
			for (int i = 1; i < argc; i++)
				if (strcmp(argv[i], "bare") && strcmp(argv[i], "timer"))
					join(ids[i]);
			return 0;
		}
	END
	rarog cc -w -O1 -o threads threads.c -L. -lhides "-Wl,-rpath,$PWD" -pthread
	cc -o refuse "$repo/tests/programs/refuse.c"
}

# collect WORD…: into p.rarog
collect() {
	need_plugin
	run_rarog collect blocks -o p.rarog -- "$@"
}

# Alone, where the kernel shows nothing.
collect_alone() {
	need_plugin
	errors=$("$BATS_FILE_TMPDIR/refuse" perf -- "$RAROG" collect blocks -o p.rarog -- "$@" 2>&1) || true
}

is_exact() {
	[[ $errors == *", exact"* ]] || fail "$1: $errors"
	! grep -v "have no counters" <<<"$errors" | grep -q warning || fail "$1: $errors"
}

says_shared() {
	[[ $errors == *"warning: "[12]" shared: "* && $errors != *", exact"* && $(grep -c warning <<<"$errors") = 1 ]] || fail "$1: $errors"
}

need_exec_watcher() {
	need_plugin
	rarog --debug=drain collect blocks -o watched.rarog -- "$BATS_FILE_TMPDIR/threads" 2>looked || true
	grep -q "programs that begin" looked && skip "needs perf_event_open: $(cat looked)"
	return 0
}

@test "threads that a library makes by libc's own functions are told by the runtime" {
	for how in "hidden hidden" "opened opened" hidden waits "seen waits"; do
		# shellcheck disable=SC2086
		collect_alone "$BATS_FILE_TMPDIR/threads" $how
		says_shared "$how"
	done
	collect_alone "$BATS_FILE_TMPDIR/threads" timer
	says_shared timer
}

@test "those that neither wait nor are the only ones are told by the kernel" {
	need_exec_watcher
	for how in "seen hidden" "seen bare" bare "seen timer" "hidden hidden"; do
		# shellcheck disable=SC2086
		collect "$BATS_FILE_TMPDIR/threads" $how
		says_shared "$how"
	done
	collect sh -c "$BATS_FILE_TMPDIR/threads seen & $BATS_FILE_TMPDIR/threads seen bare & $BATS_FILE_TMPDIR/threads; wait"
	says_shared "one of three"
}

@test "threads that all are seen are exact" {
	need_plugin
	cat >many.cpp <<-'END'
		#include <pthread.h>
		#include <sys/wait.h>
		#include <thread>
		#include <unistd.h>
		static volatile int sink;
		static void *work(void *n) { for (int i = 0; i < 1000; i++) sink = i; return n; }
		int main(int argc, char **argv)
		{
			pthread_t ids[20];
			(void)argv;
			for (int k = 0; k < 50; k++) {
				for (auto &id : ids)
					pthread_create(&id, NULL, work, NULL);
				for (auto id : ids)
					pthread_join(id, NULL);
			}
			std::thread one(work, (void *)0);
			one.join();
			if (fork() == 0) {
				std::thread two(work, (void *)0);
				two.join();
				if (argc == 1)
					execl("/proc/self/exe", "many", "again", NULL);
			}
			while (wait(NULL) > 0)
				;
			return 0;
		}
	END
	rarog c++ -w -O1 -o many many.cpp -pthread
	rarog c++ -w -O1 -static -o still many.cpp -pthread
	for program in many still; do
		collect ./$program
		is_exact $program
		collect_alone ./$program
		is_exact "$program alone"
	done
	collect "$BATS_FILE_TMPDIR/threads" seen seen
	is_exact seen
	# a library that counts gives each thread counters of its own, whatever makes it
	sed 's/int main/int inside/' "$BATS_FILE_TMPDIR/threads.c" >inside.c
	rarog cc -w -O1 -fPIC -shared -o libinside.so inside.c -L"$BATS_FILE_TMPDIR" -lhides "-Wl,-rpath,$BATS_FILE_TMPDIR" -pthread
	echo 'int inside(int, char **); int main(int n, char **words) { return inside(n, words); }' >plain.c
	cc -o plain plain.c -Wl,--no-as-needed -L. -linside -L"$BATS_FILE_TMPDIR" -lhides "-Wl,-rpath,$PWD:$BATS_FILE_TMPDIR" -pthread
	collect ./plain hidden hidden seen
	is_exact plain
}
