#!/usr/bin/env bats
# rarog collect blocks --engine rewrite: blocks of programs as they are, counted in copies.

load ../helper

# counted PROFILE FUNCTION: "calls instructions"
counted() {
	rarog show --json -n 0 "$1" | python3 -c '
import json, sys
for f in json.load(sys.stdin)["functions"]:
    if f["name"] == sys.argv[1]:
        print(f["count"], f["instructions"])' "$2"
}

# rewritten PROGRAM…: does the same as without, and its profile is $1.rarog
rewritten() {
	local status=0 expected=0

	"$@" >expected.txt 2>&1 || expected=$?
	"$RAROG" -q collect blocks --engine rewrite -o "${1##*/}.rarog" -- "$@" >found.txt 2>&1 || status=$?
	[ "$status" -eq "$expected" ] || fail "exit status $status, not $expected: $(cat found.txt)"
	diff expected.txt found.txt
}

@test "exceptions, longjmp, tables, backtrace and threads; every instruction as often as callgrind says" {
	take blocks/rewrite.cc
	for flags in -O0 -O2 "-O2 -fno-pie -no-pie" "-O3 -fcf-protection" "-Os -static-libstdc++"; do
		g++ $flags -g -pthread -o both rewrite.cc
		rewritten ./both
		works export --format callgrind both.rarog
		[[ $output == *"Instructions : instructions that were executed"* ]] || fail "${output:0:400}"
		command -v valgrind >/dev/null || continue
		rarog export --format json both.rarog -o both.json
		valgrind -q --tool=callgrind --dump-instr=yes --skip-plt=no --compress-pos=no --compress-strings=no \
			--callgrind-out-file=both.out ./both >/dev/null || [ $? -eq 5 ]
		python3 "$repo/tests/tools/callgrind-blocks" both.json both.out both >compared.txt
		grep -q ' 0 differ' compared.txt || fail "$flags: $(cat compared.txt)"
	done
}

@test "loops: entries, iterations, and both of each depth" {
	cat >loops.c <<-'END'
		#include <stdlib.h>
		int main(int argc, char **argv)
		{
			volatile int sum = 0;
			for (int i = 0; i < 7; i++)
				for (int k = 0; k < 5; k++) {
					if (i == 3 && k == 2)
						break;
					sum++;
				}
			return sum;
		}
	END
	gcc -O1 -g -o loops loops.c
	rewritten ./loops
	rarog show --loops -n 0 --json loops.rarog | python3 -c '
import json, sys
got = sorted((l["depth"], l["entries"]) for l in json.load(sys.stdin)["loops"] if l["function"] == "main")
assert got == [(1, 1), (2, 7)], got'
}

@test "children count, also when they are killed; what is executed counts for itself" {
	cat >forks.c <<-'END'
		#include <signal.h>
		#include <sys/wait.h>
		#include <unistd.h>
		__attribute__((noinline)) void here(volatile int *n) { ++*n; }
		int main(int argc, char **argv)
		{
			volatile int n = 0;
			for (int child = 0; child < 3; child++)
				if (fork() == 0) {
					for (int i = 0; i < 1000; i++)
						here(&n);
					child == 1 ? raise(SIGKILL) : _exit(0);
				}
			while (wait(0) > 0)
				;
			if (argc == 1)
				execl(argv[0], argv[0], "again", (char *)0);
			return 0;
		}
	END
	gcc -O1 -o forks forks.c
	rewritten ./forks
	[ "$(counted forks.rarog here | cut -d' ' -f1)" = 6000 ]
}

@test "what is left as it is, is listed with its reason" {
	cat >left.c <<-'END'
		__attribute__((noinline)) int plain(int n) { while (n & 1) n = n * 3 + n % 7; return n; }
		int main(int argc, char **argv) { return plain(argc); }
	END
	gcc -O2 -o left left.c
	rewritten ./left
	rarog show --json left.rarog | python3 -c '
import json, sys
left = {l["function"]: l["reason"] for l in json.load(sys.stdin)["header"]["left"]}
assert "start-up" in left["_start"], left
assert "main" not in left and "plain" not in left, left'
}

@test "a library's functions with --libs, chosen ones with --func" {
	cat >library.c <<-'END'
		int of_library(int n) { int sum = 0; for (int i = 0; i < n; i++) sum += i * n; return sum; }
	END
	cat >user.c <<-'END'
		int of_library(int n);
		int other(int n) { return n + 1; }
		int main(void) { return other(of_library(10)) & 1; }
	END
	gcc -O1 -shared -fPIC -o libmine.so library.c
	gcc -O0 -o user user.c -L. -lmine -Wl,-rpath,"$PWD"
	exits 1 collect blocks --engine rewrite --libs --func of_library --func main -o user.rarog -- ./user
	[ "$(counted user.rarog of_library | cut -d' ' -f1)" = 1 ]
	[ "$(counted user.rarog main | cut -d' ' -f1)" = 1 ]
	[ -z "$(counted user.rarog other)" ]
}

@test "a process that is not counted makes children and kills them at once" {
	cat >kills.c <<-'END'
		#include <signal.h>
		#include <stdio.h>
		#include <sys/wait.h>
		#include <unistd.h>
		int main(void)
		{
			int status, killed = 0;
			for (int i = 0; i < 500; i++) {
				pid_t child = fork();
				if (child == 0)
					for (;;)
						pause();
				kill(child, SIGKILL);
				waitpid(child, &status, 0);
				killed += WIFSIGNALED(status);
			}
			printf("%d\n", killed);
		}
	END
	gcc -O1 -o kills kills.c
	"$RAROG" -q collect blocks --engine rewrite --binary nosuch -o kills.rarog -- ./kills >found.txt
	[ "$(cat found.txt)" = 500 ]
}

@test "a function falls through its padding into the next one" {
	cat >fall.c <<-'END'
		#include <stdio.h>
		__asm__(".text\n.p2align 4\n.globl first\n.type first,@function\n"
			"first: .cfi_startproc\nxor %edi,%edi\n.cfi_endproc\n.size first,.-first\n"
			".p2align 4\n.globl next\n.type next,@function\n"
			"next: .cfi_startproc\nadd $5,%edi\nlea 1(%rdi),%eax\nret\n.cfi_endproc\n.size next,.-next\n");
		int first(int), next(int);
		int main(void) { return printf("%d %d\n", first(3), next(4)); }
	END
	gcc -O1 -o fall fall.c
	rewritten ./fall
	[ "$(counted fall.rarog next | cut -d' ' -f1)" = 2 ]
}

@test "a part that was split off is no call of a function that stays as it is" {
	cat >cold.c <<-'END'
		#include <stdio.h>
		__attribute__((noinline, cold)) void bad(int a) { fprintf(stderr, "%d\n", a); }
		__attribute__((noinline)) int run(int acc, const int *code)
		{
			static const int offsets[] = { 0, &&add - &&stop, &&sub - &&stop };
			if (__builtin_expect(acc < 0, 0)) { bad(acc); bad(acc + 1); acc = -acc * 7; bad(acc); }
		next:	goto *((char *)&&stop + offsets[*code++]);
		add:	acc += 3; goto next;
		sub:	acc -= 1; goto next;
		stop:	return acc;
		}
		int main(void)
		{
			static int code[] = { 1, 2, 1, 0 };
			int sum = 0;
			for (int i = -2; i < 1000; i++)
				sum += run(i, code);
			return printf("%d\n", sum);
		}
	END
	gcc -O2 -o cold cold.c
	rewritten ./cold
	case "$(counted cold.rarog run | cut -d' ' -f1)" in
	1002) ;;
	'') [ "$(counted cold.rarog run.cold | cut -d' ' -f1)" = 2 ] ;;
	*) fail "calls of run(): $(counted cold.rarog run)" ;;
	esac
}

@test "a function is called where it begins, also if a part of it was put before it" {
	cat >parts.c <<-'END'
		#include <stdio.h>
		__attribute__((noinline, cold)) void bad(int a) { fprintf(stderr, "%d\n", a); }
		__attribute__((noinline)) int run(int a)
		{
			if (__builtin_expect(a < 0, 0)) { bad(a); bad(a + 1); a = -a * 7; bad(a); }
			return a * 3;
		}
		int main(void)
		{
			int sum = 0;
			for (int i = -2; i < 1000; i++)
				sum += run(i);
			return printf("%d\n", sum) < 0;
		}
	END
	gcc -O2 -g -o parts parts.c
	[ "$(nm parts | grep -c ' run\(\.cold\)\?$')" = 2 ] || skip "this compiler splits nothing off"
	rewritten ./parts
	[ "$(counted parts.rarog run | cut -d' ' -f1)" = 1002 ] || fail "$(counted parts.rarog run)"
	[ "$(counted parts.rarog bad | cut -d' ' -f1)" = 6 ]
	"$RAROG" collect blocks --engine rewrite --args 'run*' -o parts.rarog -- ./parts 2>said.txt >out.txt
	! grep "no debug information" said.txt || fail "the part has no arguments of its own"
	rarog show --json parts.rarog | python3 -c '
import json, sys
assert [a["count"] for a in json.load(sys.stdin)["arguments"]] == [1002]'
}

@test "--libs: a process that outlives the program, or is its parent, loads a library afterwards" {
	cat >loads.c <<-'END'
		#include <dlfcn.h>
		#include <stdio.h>
		#include <sys/stat.h>
		#include <sys/wait.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			struct stat st;
			if (argc > 2)
				return 0;
			if (fork() == 0) {
				if (argc == 1)
					execl(argv[0], argv[0], "as", "child", (char *)0);
				while (stat("go", &st) < 0)
					usleep(1000);
			} else if (argc > 1) {
				return 0;
			}
			wait(0);
			FILE *file = fopen("loaded.txt", "w");
			fprintf(file, "%d\n", dlopen("libm.so.6", RTLD_NOW) != NULL);
			fclose(file);
			return rename("loaded.txt", "done.txt");
		}
	END
	gcc -O1 -o loads loads.c
	"$RAROG" collect blocks --engine rewrite --libs -o parent.rarog -- ./loads 2>said.txt
	[ "$(cat done.txt)" = 1 ]
	rm done.txt
	"$RAROG" collect blocks --engine rewrite --libs -o daemon.rarog -- ./loads daemon \
		>said.txt 2>&1 3>&-
	grep -q "1 process runs on" said.txt || fail "$(cat said.txt)"
	! grep -q exact said.txt || fail "$(cat said.txt)"
	touch go
	for _ in $(seq 200); do
		[ ! -e done.txt ] || break
		sleep 0.1
	done
	[ "$(cat done.txt)" = 1 ]
}

@test "a library's err() returns" {
	cat >liberr.c <<-'END'
		int errors;
		void err(const char *text) { errors++; }
	END
	cat >useerr.c <<-'END'
		#include <stdio.h>
		extern int errors;
		void err(const char *text);
		__attribute__((noinline)) void after(volatile int *n) { ++*n; }
		int main(void)
		{
			volatile int n = 0;
			for (int i = 0; i < 30; i++) {
				if (i % 3 == 0)
					err("bad");
				after(&n);
			}
			return printf("%d %d\n", errors, n);
		}
	END
	gcc -O1 -shared -fPIC -o liberr.so liberr.c
	gcc -O1 -fno-builtin -o useerr useerr.c -L. -lerr -Wl,-rpath,"$PWD"
	rewritten ./useerr
	[ "$(counted useerr.rarog after | cut -d' ' -f1)" = 30 ]
	rarog show --loops -n 0 --json useerr.rarog | python3 -c '
import json, sys
got = [l["iterations"] for l in json.load(sys.stdin)["loops"] if l["function"] == "main"]
assert got and max(got) in (29, 30), got'
}

@test "a label's address that is added up, stored and loaded is followed nowhere" {
	cat >stored.c <<-'END'
		#include <stdio.h>
		struct machine { void *next; int sum; };
		__attribute__((noinline)) int run(struct machine *m, const int *code)
		{
			static const int offsets[] = { 0, &&add - &&stop, &&sub - &&stop };
		next:	m->next = (char *)&&stop + offsets[*code++];
			__asm__ volatile("" ::: "memory");
			goto *m->next;
		add:	m->sum += 3; goto next;
		sub:	m->sum -= 1; goto next;
		stop:	return m->sum;
		}
		int main(void)
		{
			struct machine m = { 0 };
			return printf("%d\n", run(&m, (int[]){ 1, 2, 1, 1, 0 }));
		}
	END
	gcc -O1 -o stored stored.c
	rewritten ./stored
	rarog show --json stored.rarog | python3 -c '
import json, sys
assert "run" in [l["function"] for l in json.load(sys.stdin)["header"]["left"]]'
}

@test "where a handler may jump away, counts are not said to be exact" {
	cat >away.c <<-'END'
		#include <setjmp.h>
		#include <signal.h>
		static sigjmp_buf back;
		static void handle(int s) { siglongjmp(back, s); }
		int main(void)
		{
			signal(SIGUSR1, handle);
			return sigsetjmp(back, 1) ? 0 : raise(SIGUSR1);
		}
	END
	gcc -O1 -o away away.c
	"$RAROG" collect blocks --engine rewrite -o away.rarog -- ./away 2>said.txt
	grep -q "exact unless a signal handler" said.txt || fail "$(cat said.txt)"
}

@test "restartable sequences are refused" {
	cat >rseq.c <<-'END'
		__asm__(".pushsection __rseq_cs,\"aw\"\n.quad 0, main, 1, main\n.popsection");
		int main(void) { return 0; }
	END
	gcc -O1 -o rseq rseq.c
	exits 125 collect blocks --engine rewrite -o rseq.rarog -- ./rseq
}

@test "--within and --not-below: recursion, exceptions, longjmp and children" {
	program blocks/within -O1
	read -r inside outside < <(./within)
	for how in --within --not-below; do
		for times in none measured; do
			"$RAROG" -q collect blocks --engine rewrite --times=$times $how 'root*' -o within.rarog -- ./within 2>said.txt >out.txt ||
				fail "$(cat said.txt)"
			[ "$(cat out.txt)" = "$inside $outside" ]
			expected=$inside
			[ $how = --within ] || expected=$outside
			if grep -q FSGSBASE said.txt; then skip "$(cat said.txt)"; fi
			found=$(rarog show --json -n 0 within.rarog | python3 -c '
import json, sys
print(sum(f["count"] for f in json.load(sys.stdin)["functions"] if f["name"] == "leaf()"))')
			[ "$found" = "$expected" ] || fail "$how $times: $found, not $expected"
		done
	done
	for pattern in --within=nosuch --func=nosuch --args=nosuch --ret=nosuch; do
		"$RAROG" collect blocks --engine rewrite $pattern -o within.rarog -- ./within 2>said.txt >out.txt
		[ "$(grep -c "no function is called nosuch" said.txt)" = 1 ] || fail "$pattern: $(cat said.txt)"
	done
}

@test "signal handlers see the original, walk the stack, and may throw; counts stay exact" {
	program blocks/handlers -O1 -g -fnon-call-exceptions
	[ "$(./handlers)" = "$(printf '40\ninside walked\n14')" ] || skip "the program itself sees otherwise here"
	for more in --times=estimated --times=measured --loops=trips; do
		rewritten_with "$more" ./handlers
		rarog show --json -n 0 handlers.rarog | python3 -c '
import json, sys
blocks = [b["count"] for b in json.load(sys.stdin)["blocks"] if b["function"].startswith("busy(")]
# all calls have 100,000 rounds
assert blocks[2] == 100000 * blocks[0] > 0, blocks'
	done
}

# rewritten_with OPTION PROGRAM
rewritten_with() {
	"$2" >expected.txt
	"$RAROG" -q collect blocks --engine rewrite "$1" -o "${2##*/}.rarog" -- "$2" >found.txt || fail "$1: exit status $?"
	diff expected.txt found.txt
}

@test "handlers see each instruction of the original, and none that stands in its place" {
	program blocks/stepped -O1 -g
	rewritten ./stepped
	rarog show --json -n 0 stepped.rarog | python3 -c '
import json, sys
assert "calls" not in [l["function"] for l in json.load(sys.stdin)["header"]["left"]]'
}

@test "handlers go on at another instruction, function or thread, by setcontext(), too; all of it counts" {
	program blocks/goes-on -O1 -g
	for more in --times=estimated --times=measured --loops=trips; do
		rewritten_with "$more" ./goes-on
		rarog show --json -n 0 goes-on.rarog | python3 -c '
import json, sys
data = json.load(sys.stdin)
calls = {f["name"]: f["count"] for f in data["functions"]}
of = lambda name: [b["count"] for b in data["blocks"] if b["function"] == name]
assert (calls["recover"], calls["thread"]) == (7, 2), calls
assert of("work")[2] == 100000 * calls["work"] > 0, of("work")
assert of("traps").count(1100) == 2 and max(of("traps")) == 1100, of("traps")'
	done
}

@test "a part that was split off goes back into the middle of a block, stripped, too" {
	program blocks/jumped-into -O1
	strip -o stripped jumped-into
	for one in jumped-into stripped; do
		rewritten ./$one
		rarog show --json -n 0 $one.rarog | python3 -c '
import json, sys
data = json.load(sys.stdin)
assert [l for l in data["header"]["left"] if not l["is_special"]] == [], data["header"]["left"]
assert 13 in [b["count"] for b in data["blocks"] if b["offset"]], data["blocks"]'
	done
}

@test "a jump over a lock prefix, as glibc has it, leads to the whole instruction" {
	program blocks/lock-prefix -O1
	rewritten ./lock-prefix
	rarog show --json -n 0 lock-prefix.rarog | python3 -c '
import json, sys
data = json.load(sys.stdin)
assert [(f["count"], f["instructions"]) for f in data["functions"] if f["name"] == "count"] == [(30, 150)], data["functions"]'
}

@test "a call through a word of the stack, directly after another call" {
	program blocks/calls-by-stack -O1
	rewritten ./calls-by-stack
	[ "$(counted calls-by-stack.rarog by_stack | cut -d' ' -f1)" = 3 ]
	[ "$(counted calls-by-stack.rarog second | cut -d' ' -f1)" = 6 ]
}

@test "signals that queue come once each, with what is known of them, however many there are" {
	local times
	program blocks/storm -O1
	[ "$(./storm)" = "1500 1124250 0" ]
	for times in none measured; do
		for how in "" nested; do
			"$RAROG" -q collect blocks --engine rewrite --times=$times -o storm.rarog -- ./storm $how >found.txt || fail "$times $how: $?"
			[ "$(cat found.txt)" = "1500 1124250 0" ] || fail "$times $how: $(cat found.txt)"
		done
	done
}

@test "a handler steps over the instruction that has trapped, in a forked child, too" {
	cat >skips.c <<-'END'
		#define _GNU_SOURCE
		#include <signal.h>
		#include <stdio.h>
		#include <sys/wait.h>
		#include <ucontext.h>
		#include <unistd.h>
		static void skip(int signal, siginfo_t *info, void *context)
		{
			ucontext_t *uc = context;
			uc->uc_mcontext.gregs[REG_RIP] += 2; /* ud2 */
			if (uc->uc_mcontext.gregs[REG_RBX] == 7)
				fork();
		}
		__attribute__((noinline)) long traps(long n)
		{
			long sum = 0;
			for (register long i __asm__("rbx") = 0; i < n; i++) {
				__asm__ volatile("ud2" : "+r"(i) : : "memory");
				sum += i;
			}
			return sum;
		}
		int main(void)
		{
			struct sigaction action = { .sa_sigaction = skip, .sa_flags = SA_SIGINFO };
			sigaction(SIGILL, &action, 0);
			long sum = traps(20);
			while (wait(0) > 0)
				;
			dprintf(1, "%ld\n", sum);
			return 0;
		}
	END
	gcc -O1 -o skips skips.c
	rewritten ./skips
}

@test "a thread that is cancelled in a system call destroys what it has, with libraries, too" {
	cat >cancel.cc <<-'END'
		#include <cstdio>
		#include <pthread.h>
		#include <unistd.h>
		struct noisy { ~noisy() { puts("destroyed"); } };
		static int ends[2];
		static void *waits(void *) { noisy n; char c; for (;;) (void)!read(ends[0], &c, 1); }
		int main()
		{
			if (pipe(ends) < 0)
				return 1;
			for (int i = 0; i < 10; i++) {
				pthread_t thread;
				void *end;
				pthread_create(&thread, nullptr, waits, nullptr);
				usleep(2000);
				pthread_cancel(thread);
				pthread_join(thread, &end);
				puts(end == PTHREAD_CANCELED ? "cancelled" : "?");
			}
		}
	END
	g++ -O1 -pthread -o cancel cancel.cc
	./cancel >expected.txt
	for more in --no-libs --libs; do
		"$RAROG" -q collect blocks --engine rewrite $more -o cancel.rarog -- ./cancel | diff expected.txt - || fail "$more"
	done
}

@test "--args and --ret: least, mean and most are those that collect trace sees" {
	cat >values.c <<-'END'
		#include <pthread.h>
		#include <stdio.h>
		__attribute__((noipa)) int f(int a, unsigned char b, long c, short d, int e, int g, long h)
		{
			return a + b + (int)c + d + e + g + (int)h;
		}
		__attribute__((noipa)) unsigned long u(unsigned long x) { return x * 3; }
		__attribute__((noipa)) long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
		static void *run(void *n) { return (void *)fib((int)(long)n); }
		int main(void)
		{
			long s = 0;
			pthread_t threads[3];
			for (int i = -5; i < 10; i++)
				s += f(i, i + 250, -1000000000000L * i, -i, i * 2, 7, i * 10);
			s += u(~0ul) + u(1);
			for (long i = 0; i < 3; i++)
				pthread_create(&threads[i], 0, run, (void *)(10 + i));
			for (int i = 0; i < 3; i++)
				pthread_join(threads[i], 0);
			printf("%ld\n", s);
			return 0;
		}
	END
	gcc -O1 -g -pthread -o values values.c
	wanted=(--args f --ret f --args u --ret u --args fib --ret fib)
	"$RAROG" -q collect -o traced.rarog "${wanted[@]}" -- ./values >expected.txt
	"$RAROG" -q collect blocks --engine rewrite -o blocks.rarog "${wanted[@]}" -- ./values | diff expected.txt -
	for profile in traced blocks; do
		rarog show --json -n 0 $profile.rarog | python3 -c '
import json, sys
for a in sorted(json.load(sys.stdin)["arguments"], key=lambda a: (a["name"], a["argument"])):
    print(a["name"], a["argument"], *(a[k] for k in ("count", "min", "mean", "max")))' >$profile.txt
	done
	[ "$(wc -l <traced.txt)" = 12 ] || fail "$(cat traced.txt)"
	diff traced.txt blocks.txt
}

# gcc inlines at -O2: the loop is code of the header, whose line 1 has nothing to do with that of the source
@test "blocks of machine code that a header has are of no line of the function's file" {
	echo 'static inline int inner(int x) { return x * 5 % 9; }' >inner.h
	cat >outer.c <<-'END'
		#include "inner.h"
		__attribute__((noipa)) int outer(int n) { int s = 0; for (int i = 0; i < n; i++) s += inner(i); return s; }
		int main(void) { return outer(100000) == 3; }
	END
	gcc -O2 -g -o outer outer.c
	"$RAROG" -q collect blocks --engine rewrite -o outer.rarog -- ./outer
	"$RAROG" export --format lcov outer.rarog | sed -n 's|^SF:.*/||p; /^DA/p' >lines.txt
	printf '%s\n' inner.h DA:1,100000 outer.c DA:2,1 DA:3,1 >expected.txt
	diff expected.txt lines.txt
	rarog show --blocks outer outer.rarog >said.txt
	grep -q "100,000 .* inner.h:1 " said.txt || fail "$(cat said.txt)"
	rarog show --loops --json outer.rarog | python3 -c 'import json, sys
loop = json.load(sys.stdin)["loops"][0]
assert loop["file"].endswith("/inner.h") and loop["line"] == 1, loop'
}

@test "by which factor gcc has unrolled a loop, as it says itself; what is not marked is unknown" {
	take blocks/unrolled.c
	for flags in "-O1" "-O2 -fno-tree-vectorize" "-O2 -funroll-loops -fno-tree-vectorize" "-O3 -funroll-loops"; do
		gcc $flags -g -fopt-info-loop-optimized=said.txt -o unrolled unrolled.c
		rewritten ./unrolled
		rarog show --loops -n 0 --json unrolled.rarog >loops.json
		python3 - "$flags" <<-'END' || fail "$flags: $(cat said.txt)"
			import json, re, sys
			source = open("unrolled.c").read().splitlines()
			def function_at(line):
			    return next(m[1] for m in map(re.compile(r"\w.* \*?(\w+)\((?:int|const) ").match, reversed(source[:line])) if m)
			said = {}
			for line in open("said.txt"):
			    told = re.match(r"unrolled.c:(\d+):\d+: optimized: loop (with (\d+) iterations completely )?unrolled (\d+ times)?", line)
			    if told and not told[2]:
			        said[function_at(int(told[1]))] = int(told[4].split()[0]) + 1
			loops = [l for l in json.load(open("loops.json"))["loops"] if l["iterations"] > 0]
			found = {}
			for l in loops: # the inner one, where there are two
			    if l["depth"] >= found.get(l["function"], l)["depth"]:
			        found[l["function"]] = l
			expected = {"scale", "find", "walk", "sum", "inner"} if "-O3" not in sys.argv[1] else {"find", "walk"}
			assert expected <= said.keys(), (expected, said)
			for name in expected | {"plain", "whole", "inlined", "free_choice"}:
			    if "-O3" in sys.argv[1] and name not in said:
			        continue # vectorized: its rounds are fewer, but it need not be unrolled
			    assert found[name]["unrolled"] == said.get(name, 1), (name, found[name], said)
			assert all(l["unrolled"] == 1 for l in loops if l["function"] == "inner" and l["depth"] == 1)
		END
	done
	run_rarog show --loops unrolled.rarog
	[[ $output == *"unrolled"* ]] || fail "$output"
	gcc -O0 -g -o plain unrolled.c
	rewritten ./plain
	rarog show --loops -n 0 --json plain.rarog >loops.json
	python3 -c 'import json; assert {l["unrolled"] for l in json.load(open("loops.json"))["loops"]} == {None}'
}

@test "a block is known by function, offset and build-id, by both engines" {
	take blocks/rewrite.cc
	g++ -O2 -g -pthread -o placed rewrite.cc
	rewritten ./placed
	rarog show --json -n 0 placed.rarog >rewrite.json
	engines=rewrite
	if command -v valgrind >/dev/null; then
		"$RAROG" -q collect --engine vex -o vex.rarog -- ./placed >/dev/null || true
		rarog show --json -n 0 vex.rarog >vex.json
		engines="rewrite vex"
	fi
	objdump -d --no-show-raw-insn placed >code.txt
	readelf -n placed >notes.txt
	python3 - $engines <<-'END'
		import json, re, sys
		begins = {int(m[1], 16) for m in re.finditer(r"^ +([0-9a-f]+):\t", open("code.txt").read(), re.M)}
		build_id = re.search(r"Build ID: ([0-9a-f]+)", open("notes.txt").read())[1]
		counts = {}
		for engine in sys.argv[1:]:
		    data = json.load(open(engine + ".json"))
		    at = {}
		    for f in data["functions"]:
		        if f["binary"].endswith("/placed"):
		            at.setdefault(f["name"], []).append(f["address"])
		    of = counts[engine] = {}
		    for b in data["blocks"]:
		        name = b["function"]
		        if not b["binary"].endswith("/placed") or b["offset"] is None or len(at[name]) > 1 or not at[name][0]:
		            continue
		        assert b["build_id"] == build_id, b
		        assert isinstance(b["offset"], int) and at[name][0] + b["offset"] in begins, b
		        assert (name, b["offset"]) not in of, b
		        of[name, b["offset"]] = b["count"]
		    assert len(of) > 20
		    assert any(offset == 0 and count > 0 for (_, offset), count in of.items())
		if len(counts) == 2:
		    both = [k for k in counts["vex"] if counts["rewrite"].get(k)]
		    same = [k for k in both if counts["vex"][k] == counts["rewrite"][k]]
		    assert len(both) > 20 and len(same) > 0.95 * len(both), (len(both), [(k, counts["vex"][k], counts["rewrite"][k]) for k in both if k not in same])
	END
}
