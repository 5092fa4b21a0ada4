#!/usr/bin/env bats
# Regions that are compiled in: as often as the program says, however they are left, with both compilers.

load ../helper
load ../blocks-helper

need_features() {
	need_plugin
	[ -f "$build/llvm/rarog-features-$llvm.so" ] || skip "needs a build with llvm-$llvm-dev"
}

# compile_in SOURCE OPTION…: without, analysed, and once more with
compile_in() {
	local compiler=cc made=${1%.*}

	[ "${1##*.}" = c ] || compiler=c++
	take "features/$1"
	rarog $compiler --features -O2 "-I$repo/include" -o "$made.first" "$1" "${@:2}"
	rarog feature regions --write "$made.list" "./$made.first"
	rarog $compiler --features "--rarog-regions=$made.list" -O2 "-I$repo/include" -o "$made" "$1" "${@:2}"
}

measure() {
	rarog collect features --engine static -o run.rarog -- "$@"
	rarog show --json run.rarog >run.json
}

# counts: those of run.json by features, as JSON
counts() {
	python3 -c '
import json
r = json.load(open("run.json"))
assert r["losses"] == 0, r["losses"]
counts = {}
for f in r["functions"]:
    name = f["name"].split("@")[0]
    if f["count"]:
        counts.setdefault(name, []).append(f["count"])
print(json.dumps({k: sorted(v) for k, v in sorted(counts.items())}))'
}

@test "compiled in: as often as each region runs, in each configuration" {
	need_features
	compile_in interaction.c
	for options in "" A B "A B"; do
		# shellcheck disable=SC2086
		[ "$(./interaction $options)" = "$(./interaction.first $options)" ]
		# shellcheck disable=SC2086
		measure ./interaction $options >out.txt
		case $options in
		"" | A) want='{"A": [1]}' ;;
		B) want='{"A": [1], "B": [1]}' ;;
		*) want='{"A": [1], "A,B": [1, 1], "B": [1]}' ;;
		esac
		[ "$(counts)" = "$want" ] || fail "$options: $(counts)"
	done
}

@test "compiled in: twenty million events, none lost" {
	need_features
	compile_in busy-loop.c
	measure ./busy-loop 10000000 1
	[ "$(counts)" = '{"Iterations": [10000000]}' ] || fail "$(counts)"
}

@test "compiled in: ended by return, goto, break, continue and exceptions, in each thread" {
	need_features
	compile_in leaving.cc -lpthread
	measure ./leaving
	rarog export --format collapsed -o run.txt run.rarog
	if grep -q "First@.*Second@" run.txt; then
		fail "$(cat run.txt)"
	fi
	# four threads, seven turns; what comes after the loop three of the six ways lead to
	[ "$(counts)" = "$(leaving_counts)" ] || fail "$(counts)"
}

leaving_counts() {
	echo '{"First": [12, 28], "Second": [24]}'
}

@test "compiled in: what longjmp leaves has ended where setjmp returns" {
	need_features
	gcc "-I$repo/include" -DJUMP -shared -fPIC -o libjump.so "$programs/features/jump.c"
	compile_in jump.c -L. -ljump "-Wl,-rpath,$PWD"
	measure ./jump 1
	[ "$(counts)" = '{"Left": [6]}' ] || fail "$(counts)"
	python3 -c '
import json
r = json.load(open("run.json"))
print(r["functions"])' >&2
}

@test "compiled in: a child that is forked goes on in the region that it was forked in" {
	need_features
	cat >fork.c <<-'C'
		#include <rarog.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static int way RAROG_FEATURE_VARIABLE(Forks);
		static volatile int sink;
		int main(int argc, char **argv)
		{
			way = argc;
			for (int i = 0; i < 3; i++) {
				if (way > 1) {
					pid_t child = fork();
					for (int k = 0; k < 1000; k++) sink = sink + k;
					if (child == 0) _exit(0);
					waitpid(child, 0, 0);
				}
			}
			return 0;
		}
	C
	rarog cc --features -O1 "-I$repo/include" -o first fork.c
	rarog feature regions --write list ./first
	rarog cc --features --rarog-regions=list -O1 "-I$repo/include" -o fork fork.c
	measure ./fork 1
	python3 -c '
import json
r = json.load(open("run.json"))
assert r["losses"] == 0
assert sum(f["count"] for f in r["functions"]) == 3, r["functions"]'
}

# compile_here: the C program on standard input; OPTION…
compile_here() {
	cat >here.c
	rarog cc --features -O1 "-I$repo/include" -o here.first here.c "$@"
	rarog feature regions --write here.list ./here.first
	rarog cc --features --rarog-regions=here.list -O1 "-I$repo/include" -o here here.c "$@"
}

# summary: events that are lost, and what was counted
summary() {
	python3 -c '
import json
r = json.load(open("run.json"))
print(r["losses"], sum(f["count"] for f in r["functions"]))'
}

@test "compiled in: a thread that is to be cancelled is not cancelled in an event" {
	need_features
	compile_here -lpthread <<-'C'
		#include <pthread.h>
		#include <rarog.h>
		#include <stdio.h>
		static int way RAROG_FEATURE_VARIABLE(F);
		static volatile int sink;
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		static void *work(void *none)
		{
			pthread_cancel(pthread_self());
			pthread_mutex_lock(&m);
			if (way > 1) { for (int k = 0; k < 1000; k++) sink = sink + k; }
			pthread_mutex_unlock(&m);
			pthread_testcancel();
			puts("not cancelled");
			return none;
		}
		int main(int argc, char **argv)
		{
			pthread_t t;
			way = argc + 1;
			pthread_create(&t, 0, work, 0);
			pthread_join(t, 0);
			printf("%d %d\n", pthread_mutex_trylock(&m), sink);
			return 0;
		}
	C
	[ "$(./here.first)" = "0 499500" ]
	measure ./here >out.txt
	[ "$(cat out.txt)" = "0 499500" ] || fail "$(cat out.txt)"
	[ "$(summary)" = "0 1" ] || fail "$(summary)"
}

@test "compiled in: a limit on files or descriptors does not end the program, and is counted" {
	need_features
	compile_here -lpthread <<-'C'
		#include <pthread.h>
		#include <rarog.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <sys/resource.h>
		static int way RAROG_FEATURE_VARIABLE(F);
		static volatile int sink;
		static void *work(void *none)
		{
			if (way > 0) { for (int k = 0; k < 1000; k++) sink = sink + k; }
			return none;
		}
		int main(int argc, char **argv)
		{
			struct rlimit limit = { 3, 3 };
			way = argc;
			if (argc == 1) clearenv();
			if (argc == 2) setrlimit(RLIMIT_NOFILE, &limit);
			if (argc == 3) setrlimit(RLIMIT_FSIZE, &limit);
			for (int i = 0; i < 5; i++) {
				pthread_t t;
				pthread_create(&t, 0, work, 0);
				pthread_join(t, 0);
			}
			return sink != 5 * 499500;
		}
	C
	measure ./here
	counts_of_work="$(python3 -c '
import json
r = json.load(open("run.json"))
print(r["losses"], max(f["count"] for f in r["functions"]))')"
	[ "$counts_of_work" = "0 5" ] || fail "$counts_of_work"
	for arguments in "1" "1 2"; do
		# shellcheck disable=SC2086
		measure ./here $arguments 2>said.txt
		[ "$(python3 -c 'import json; print(json.load(open("run.json"))["losses"] >= 5)')" = True ] ||
			fail "$arguments: $(summary)"
		grep -q "were lost" said.txt || fail "$(cat said.txt)"
	done
}

@test "compiled in: a thread leaves a file no longer than its events, a child without events none" {
	need_features
	compile_here -lpthread <<-'C'
		#include <dirent.h>
		#include <pthread.h>
		#include <rarog.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <sys/stat.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static int way RAROG_FEATURE_VARIABLE(F);
		static volatile int sink;
		static void *work(void *none)
		{
			if (way > 0) { for (int k = 0; k < 1000; k++) sink = sink + k; }
			return none;
		}
		int main(int argc, char **argv)
		{
			pthread_t t;
			struct dirent *e;
			struct stat s;
			int small = 0, all = 0;
			DIR *d;
			way = argc;
			for (int i = 0; i < 4; i++) {
				pthread_create(&t, 0, work, 0);
				pthread_join(t, 0);
				if (fork() == 0) _exit(0);
				wait(0);
			}
			chdir(getenv("RAROG_REGIONS"));
			for (d = opendir("."); (e = readdir(d));)
				if (*e->d_name >= '0' && *e->d_name <= '9' && stat(e->d_name, &s) == 0) {
					all++;
					small += s.st_size < 8192;
				}
			printf("%d %d\n", small, all);
			return 0;
		}
	C
	measure ./here >out.txt
	read -r small all <out.txt
	[ "$small" = 4 ] && [ "$all" -le 5 ] || fail "$(cat out.txt)"
}

@test "compiled in: what longjmp left in code without the plug-in is not around the next" {
	need_features
	cat >library.c <<-'C'
		#include <setjmp.h>
		static jmp_buf b;
		void jump(void) { longjmp(b, 1); }
		void attempt(void (*f)(void)) { if (!setjmp(b)) f(); }
	C
	gcc -shared -fPIC -o libattempt.so library.c
	compile_here -L. -lattempt "-Wl,-rpath,$PWD" <<-'C'
		#include <rarog.h>
		void jump(void);
		void attempt(void (*f)(void));
		static int way RAROG_FEATURE_VARIABLE(Left);
		static volatile int sink;
		static void work(void) { if (way) { sink = 1; jump(); sink = 2; } }
		int main(int argc, char **argv)
		{
			way = argc;
			for (int i = 0; i < 6; i++) attempt(work);
			return 0;
		}
	C
	measure ./here
	[ "$(summary)" = "0 6" ] || fail "$(summary)"
	rarog export --format collapsed -o run.txt run.rarog
	if grep -q "Left@.*Left@" run.txt; then
		fail "$(cat run.txt)"
	fi
}

@test "compiled in: on a coroutine's stack nothing is recorded, and nothing of the thread's ends" {
	need_features
	compile_here <<-'C'
		#include <rarog.h>
		#include <ucontext.h>
		static int way RAROG_FEATURE_VARIABLE(Co);
		static int other RAROG_FEATURE_VARIABLE(Main);
		static volatile long sink;
		static ucontext_t m, c;
		static char stack[65536];
		static void co(void)
		{
			for (int i = 0; i < 10; i++)
				if (way > 0) { sink = sink + 1; swapcontext(&c, &m); sink = sink + 2; }
		}
		int main(int argc, char **argv)
		{
			way = other = argc;
			getcontext(&c);
			c.uc_stack.ss_sp = stack;
			c.uc_stack.ss_size = sizeof(stack);
			c.uc_link = &m;
			makecontext(&c, co, 0);
			for (int i = 0; i < 11; i++) {
				swapcontext(&m, &c);
				if (other > 0) { sink = sink + 3; }
			}
			return sink != 63;
		}
	C
	measure ./here
	[ "$(summary)" = "20 11" ] || fail "$(summary)"
}

@test "compiled in: a child that no fork() of libc made has a file of its own" {
	need_features
	compile_here <<-'C'
		#include <rarog.h>
		#include <sys/syscall.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static int way RAROG_FEATURE_VARIABLE(F);
		static volatile long sink;
		static void __attribute__((noinline)) part(void) { if (way > 0) { sink = sink + 1; } }
		int main(int argc, char **argv)
		{
			way = argc;
			part();
			long child = syscall(SYS_fork);
			for (int i = 0; i < 100000; i++) part();
			if (child == 0) _exit(0);
			waitpid((pid_t)child, 0, 0);
			return 0;
		}
	C
	measure ./here
	[ "$(summary)" = "0 200001" ] || fail "$(summary)"
}

# ends: where the open call of a child ended, not after the parent's next region began
@test "compiled in: what a child that ended by _exit, exec or a signal had open ends with its last event" {
	need_features
	compile_here <<-'C'
		#include <rarog.h>
		#include <signal.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static int way RAROG_FEATURE_VARIABLE(Child);
		static int other RAROG_FEATURE_VARIABLE(Parent);
		static volatile long sink;
		int main(int argc, char **argv)
		{
			way = other = argc;
			if (fork() == 0) {
				if (way > 1) {
					sink = sink + 1;
					if (*argv[1] == 'x') execl("/bin/true", "true", (char *)0);
					if (*argv[1] == 'k') kill(getpid(), SIGKILL);
					_exit(0);
				}
			}
			wait(0);
			if (other > 1) { sink = sink + 2; usleep(1000); }
			return 0;
		}
	C
	for how in e x k; do
		measure ./here $how 2>said.txt
		grep -q "1 call was open in threads that did not say when they ended" said.txt ||
			fail "$how: $(cat said.txt)"
		rarog export --format chrome -o run.chrome run.rarog
		python3 - <<-'P' || fail "$how: $(cat run.chrome)"
			import json
			events = json.load(open("run.chrome"))
			events = events["traceEvents"] if isinstance(events, dict) else events
			spans = {}
			for e in events:
			    name = e.get("name", "").split("@")[0]
			    if name in ("Child", "Parent"):
			        spans.setdefault(name, []).append((e["ts"], e.get("dur"), e["ph"]))
			assert len(spans["Parent"]) in (1, 2), spans
			begin = min(s[0] for s in spans["Parent"])
			end = max(s[0] + (s[1] or 0) for s in spans["Child"])
			assert end <= begin, spans
		P
	done
}

@test "compiled in: a program that deletes itself, and what it started, keep their names" {
	need_features
	compile_here <<-'C'
		#include <rarog.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static int way RAROG_FEATURE_VARIABLE(Gone);
		static volatile long sink;
		int main(int argc, char **argv)
		{
			way = argc;
			unlink(argv[1]);
			for (int i = 0; i < 3; i++)
				if (way > 1) { sink = sink + 1; }
			if (argc > 2 && fork() == 0) {
				execl(argv[2], argv[2], argv[2], (char *)0);
				_exit(1);
			}
			wait(0);
			return 0;
		}
	C
	cp here whole
	measure ./here here
	[ "$(summary)" = "0 3" ] || fail "$(summary)"
	# another program that is gone has no names: it is counted, and the rest is saved
	cp whole here
	cp whole second
	measure ./here here second 2>said.txt
	[ "$(summary)" = "1 3" ] || fail "$(summary)"
	grep -q "second.*what such programs ran is left out" said.txt || fail "$(cat said.txt)"
}

# Two million turns that go on by jumps alone; with a frame each they take more stack than there is.
@test "compiled in: jumps that come back to their function stay jumps" {
	need_features
	cat >turns.c <<-'C'
		#include <rarog.h>
		#include <stdio.h>
		#include <stdlib.h>
		static int way RAROG_FEATURE_VARIABLE(T);
		static int other RAROG_FEATURE_VARIABLE(Kept);
		static volatile long sink;
		static long odd(long n);
		static long __attribute__((noinline)) even(long n)
		{
			if (!n) return 1;
			if (way > 1) { sink = sink + 1; return odd(n - 1); }
			return odd(n - 1);
		}
		static long __attribute__((noinline)) odd(long n)
		{
			if (!n) return 0;
			sink = sink + 2;
			return even(n - 1);
		}
		static long __attribute__((noinline)) sum(long n)
		{
			if (!n) return 0;
			if (way > 1) { sink = sink + 1; return n + sum(n - 1); }
			return 0;
		}
		static void through(long n);
		static void (*volatile next)(long) = through;
		static void __attribute__((noinline)) through(long n)
		{
			if (n && way > 1) { sink = sink + 1; next(n - 1); }
		}
		static void __attribute__((noinline)) last(void) { sink = sink + 1; }
		static void __attribute__((noinline)) kept(void) { if (other > 1) last(); }
		int main(int argc, char **argv)
		{
			long n = atol(argv[2]);
			way = other = atoi(argv[1]);
			printf("%ld ", even(n));
			printf("%ld ", sum(n));
			through(n);
			kept();
			printf("%ld\n", sink);
			return 0;
		}
	C
	rarog cc --features -O2 "-I$repo/include" -o turns.first turns.c
	run_rarog feature regions --write turns.list ./turns.first
	[ "$(grep -c "not compiled in: .* which may lead back to it" <<<"$errors")" = 3 ] || fail "$errors"
	rarog cc --features --rarog-regions=turns.list -O2 "-I$repo/include" -o turns turns.c
	for way in 1 2; do
		want="$(./turns.first $way 2000000)"
		[ "$(ulimit -s 8192; ./turns $way 2000000)" = "$want" ] || fail "$way: $want"
	done
	# a call that does not lead back is measured
	measure ./turns 2 10
	[ "$(counts)" = '{"Kept": [1]}' ] || fail "$(counts)"
}

@test "compiled in: nothing is written, and nothing printed, when nobody measures" {
	need_features
	compile_in interaction.c
	mkdir here && cd here
	[ "$(../interaction A B 2>&1)" = "$(../interaction.first A B)" ]
	[ -z "$(ls)" ]
}

@test "compiled in: one line for each mistake" {
	need_features
	compile_in interaction.c
	run_rarog collect features --engine static -- ./interaction.first
	[ "$status" -ne 0 ]
	[[ $errors == *"no regions are compiled in; compile it with rarog cc --features --rarog-regions=FILE"* ]]
	run_rarog cc --rarog-regions=interaction.list -c interaction.c
	[ "$status" -eq 2 ] || [ "$status" -eq 125 ]
	[[ $errors == *"--rarog-regions is for programs with --features; add that"* ]]
	run_rarog cc "--rarog-compiler=clang-$llvm" --features --rarog-regions=interaction.list -shared -fPIC -o x.so interaction.c
	[[ $errors == *"not into libraries"* ]]
	echo something >bad.list
	run_rarog cc "--rarog-compiler=clang-$llvm" --features --rarog-regions=bad.list "-I$repo/include" -c interaction.c
	[ "$status" -ne 0 ]
	[[ $errors == *"is no list of regions"* ]]
	sed 's/int main(/int more(int n) { return n ? 3 : sink; }\nint main(/' interaction.c >other.c
	sed 's/interaction.c/other.c/' interaction.list >other.list
	run_rarog cc "--rarog-compiler=clang-$llvm" --features --rarog-regions=other.list "-I$repo/include" -c other.c
	[ "$status" -ne 0 ]
	[[ $errors == *"is of another source than other.c"* ]]
}
