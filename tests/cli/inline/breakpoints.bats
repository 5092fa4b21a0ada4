#!/usr/bin/env bats
# Breakpoints that the kernel has in a program's file for somebody else, while rarog measures it. They
# are in every process that runs the file; so each test has a copy of its own.

# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # variables of the helpers
load ../helper
load ../collect-helper
load ../breakpoints-helper

# write_many N: a program of N functions with all kinds of first instructions; it does its work as often
# as its argument says, or, without one, until it is told to end, and prints what came of it
write_many() {
	python3 - "$1" >many.c <<-'END'
		import sys
		n = int(sys.argv[1])
		print("#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#define F __attribute__((noinline, noclone))")
		print("volatile long counter; static volatile sig_atomic_t over; static void end(int s) { (void)s; over = 1; }")
		print('F long g(long x) { __asm__ volatile("" : "+r"(x)); return x * 3; }')
		bodies = ["return x + %d;", "long a[8]; for (int i = 0; i < 8; i++) a[i] = x + i; return a[x & 7] + %d;",
		          "return x * %d + g(x);", "return g(x) + g(x + 1) + g(x + 2) + %d;",
		          "if (x == -1) return %d; counter++; return g(x ^ 1);", "counter++; return x ^ %d;"]
		for i in range(n):
		    print('F long f%d(long x) { __asm__ volatile("" : "+r"(x)); %s }' % (i, bodies[i % 6] % i))
		print('__attribute__((noinline, naked)) long constant(long x) {'
		      ' (void)x; __asm__("mov $123456, %eax\\nadd %rdi, %rax\\nret"); }')
		print("static long (*const all[])(long) = { %s, constant };" % ", ".join("f%d" % i for i in range(n)))
		print("static unsigned long round_of(long r) { unsigned long s = 0;"
		      " for (int i = 0; i <= %d; i++) s = s * 31 + (unsigned long)all[i](r + i); return s; }" % n)
		print("""int main(int argc, char **argv) {
			unsigned long s = 0; long rounds = argc > 1 ? atol(argv[1]) : -1, r, bad = 0;
			signal(SIGTERM, end);
			for (r = 0; r != rounds && !over; r++) {
				unsigned long one = round_of(r % 7);
				if (rounds < 0) bad += one != round_of(r % 7); else s = s * 7 + one;
			}
			printf("%lu %ld\\n", rounds < 0 ? 0ul : s, bad);
			return 0; }""")
	END
}

same_result() { # PROGRAM [ROUNDS]
	"$@" >wanted
	timeout "$(scaled 100)" "$RAROG" collect -o p.rarog -- "$@" >got 2>err || fail "status $?: $(cat err)"
	diff wanted got >&2 || fail "another result"
}

# right_until_lost PROGRAM SEED OFFSET…: breakpoints come one by one while it is measured, and it has the right results
right_until_lost() {
	"$RAROG" collect -o p.rarog -- "./$1" >got 2>err 3>&- &
	busy=$!
	eventually 60 pgrep -P "$busy" -x "$1" >/dev/null || fail "$(cat err)"
	set_breakpoints --one-by-one "$2" "./$1" "${@:3}"
	eventually 60 grep -q 'from here on' err || fail "nothing was said"
	pkill -TERM -P "$busy" -x "$1"
	wait "$busy" || fail "status $?: $(cat err)"
	busy=
	end_breakpoints
	[ "$(cat got)" = "0 0" ] || fail "another result: $(cat got)"
	[ "$(grep -c 'from here on' err)" -eq 1 ] || fail "$(cat err)"
	rarog show --json p.rarog >show.json || fail "the profile cannot be read"
}

@test "breakpoints that come, and --no-follow: the program ends, and a line says by what" {
	need_breakpoints
	write_many 60
	gcc -O2 -o many many.c
	"$RAROG" collect --no-follow -o p.rarog -- ./many >got 2>err 3>&- &
	busy=$!
	eventually 60 pgrep -P "$busy" -x many >/dev/null || fail "$(cat err)"
	# shellcheck disable=SC2046 # words
	set_breakpoints ./many $(starts many 'f(3|8|14)')
	run wait "$busy"
	busy=
	end_breakpoints
	grep -q 'SIGILL' err || grep -q 'killed by signal 11\|SIGSEGV' err || fail "$(cat err)"
	! grep -q SIGILL err || grep -q 'with --no-follow somebody' err || fail "$(cat err)"
}

@test "breakpoints that come: the program does what it does" {
	need_breakpoints
	local flags seed
	write_many 60
	for flags in "-O2" "-O0" "-O2 -fcf-protection -no-pie"; do
		# shellcheck disable=SC2086 # words
		gcc $flags -o many many.c
		# each time it is the first one in a jump that matters
		for seed in $(seq "$(long 3 50)"); do
			# shellcheck disable=SC2046 # words
			right_until_lost many "$seed" $(starts many 'f[0-9]+')
		done
	done
}

@test "breakpoints set while it is measured: recording of that file ends with a line, the program goes on" {
	need_breakpoints
	write_many 30
	gcc -O2 -o many many.c
	"$RAROG" collect -o p.rarog -- ./many >got 2>err 3>&- &
	busy=$!
	eventually 60 pgrep -P "$busy" -x many >/dev/null || fail "$(cat err)"
	# shellcheck disable=SC2046 # words
	set_breakpoints ./many $(starts many 'f(3|8|14)')
	eventually 60 grep -q 'nothing of it is measured from here on' err || fail "nothing was said"
	pkill -TERM -P "$busy" -x many
	wait "$busy" || fail "status $?: $(cat err)"
	busy=
	end_breakpoints
	[ "$(cat got)" = "0 0" ] || fail "another result: $(cat got)"
	rarog show --json p.rarog | python3 -c '
import json, sys
shown = json.load(sys.stdin)
left = shown["header"]["breakpoints"]
assert left and {b["function"] for b in left} <= {"f3", "f8", "f14"}, left
assert all(b["since"] == "while_measured" and b["ends_binary"] for b in left), left
n = {f["name"]: f["count"] for f in shown["functions"]}
assert 0 < n["f29"] <= n["f0"] <= n["f29"] + 1, n
'
	[ "$(grep -c 'breakpoint' err)" -eq 1 ] || fail "$(cat err)"
	grep 'nothing of it is measured from here on' err | grep -qE ': f(3|8|14)(, f(8|14))*$' || fail "$(cat err)"
	tail -n 1 err | grep -q 'not all until the end' || fail "$(cat err)"
	rarog show p.rarog | grep -q 'because of breakpoints of somebody.*f[0-9]* (and all else of its file)' || fail "$(rarog show p.rarog)"
	run_rarog check p.rarog p.rarog # of a part nothing is said
	expect_status 3
	[[ $errors == *"somebody else's breakpoint ended its recording"* ]] || fail "$errors"
}

@test "breakpoints that were there before: these functions are left out, and named" {
	need_breakpoints
	write_many 12
	gcc -O0 -o many many.c
	# one at the entry, one after it
	# shellcheck disable=SC2046 # words
	set_breakpoints ./many $(starts many f3 1) $(starts many f5 | tail -1)
	same_result ./many 100
	end_breakpoints
	[ "$(grep -c breakpoints err)" -eq 1 ] || fail "$(cat err)"
	grep -q 'not measured, because.*: f3, f5$' err || fail "$(cat err)"
	rarog show -n 0 --json p.rarog | python3 -c '
import json, sys
shown = json.load(sys.stdin)
left = [(b["function"], b["since"]) for b in shown["header"]["breakpoints"]]
assert left == [(f, "before") for f in ("f3", "f5")], left
n = {f["name"]: f["count"] for f in shown["functions"]}
assert n["f0"] == n["f11"] == 100 and not n.get("f3") and not n.get("f5"), n'
}

@test "a fault of the program's own after a breakpoint is its own" {
	need_breakpoints
	cat >fault.c <<-'END'
		#include <setjmp.h>
		#include <signal.h>
		#include <stdio.h>
		#include <stdlib.h>
		static sigjmp_buf back;
		static int n;
		static void on(int s) { n++; siglongjmp(back, s); }
		__attribute__((noinline, naked)) int refused(int *p) { __asm__("push %rbx; ud2; pop %rbx; ret"); }
		__attribute__((noinline, naked)) int reads(int *p) { __asm__("push %rbx; mov (%rdi), %eax; pop %rbx; ret"); }
		__attribute__((noinline, naked)) int traps(int *p) { __asm__("push %rbx; nop; int3; pop %rbx; ret"); }
		int main(int argc, char **argv) {
			int (*volatile f[])(int *) = { refused, reads, traps }, sum = 0;
			signal(SIGILL, on), signal(SIGSEGV, on), signal(SIGTRAP, on);
			for (int i = 0; i < 3 * atoi(argv[argc - 1]); i++) {
				int s = sigsetjmp(back, 1);
				if (s == 0) f[i % 3](0);
				sum += s;
			}
			printf("%d %d\n", n, sum);
			return 0;
		}
	END
	gcc -O1 -o fault fault.c
	# shellcheck disable=SC2046 # words
	set_breakpoints --one-by-one 3 ./fault $(starts fault 'refused|reads|traps' 1)
	same_result ./fault "$(long 1000 50000)"
	end_breakpoints
}

@test "threads, forks and signal handlers in functions with breakpoints" {
	need_breakpoints
	cp "$PROGRAMS/busy" busy-own
	setsid ./busy-own >busy.out 2>&1 </dev/null 3>&- &
	busy=$!
	eventually 60 grep -q counters busy.out || fail "it does not start"
	# shellcheck disable=SC2046 # words
	set_breakpoints --one-by-one 5 ./busy-own $(starts busy-own 'do_.*' 1)
	for _ in $(seq "$(long 3 300)"); do
		timeout "$(scaled 60)" "$RAROG" --quiet collect --pid "$busy" --duration 0.2s -o p.rarog 2>>err ||
			fail "$(cat err)"
	done
	end_breakpoints
	kill -TERM "$busy"
	eventually 60 grep -q fine busy.out || fail "$(cat busy.out)"
	busy=
}

# write_marks N: the same with N functions that have marks, of which some stand at the function's entry, some are
# nops of one to five bytes before all kinds of instructions, and some are reached only if somebody looks; what
# is below the stack pointer, flags and registers are read after them
write_marks() {
	python3 - "$1" >marks.c <<-'END'
		import sys
		n = int(sys.argv[1])
		print(r"""#include <signal.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <rarog.h>
		#define F __attribute__((noinline, noclone))
		#define NOTE(semaphore, name) ".pushsection .note.stapsdt, \"\", \"note\"\n.balign 4\n" \
			".4byte 992f-991f, 994f-993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n" \
			"993: .8byte 990b, _.stapsdt.base, " semaphore "\n.asciz \"own\", \"" name "\", \"\"\n994: .balign 4\n" \
			".popsection\n.ifndef _.stapsdt.base\n.pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n" \
			".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n" \
			".size _.stapsdt.base, 1\n.popsection\n.endif\n"
		#define MARK(name, code) __asm__ volatile("990: " code "\n" NOTE("0", name) ::: "memory")
		#define GUARDED(name) do { passed += looked != 0; __asm__ volatile("cmpw $0, looked(%%rip)\nje 995f\n990: nop\n995:\n" \
			NOTE("looked", name) ::: "memory", "cc"); } while (0)
		unsigned short looked __attribute__((section(".probes"), used)) = 1;
		static long passed;
		volatile long counter; static volatile sig_atomic_t over; static void end(int s) { (void)s; over = 1; }
		F long g(long x) { __asm__ volatile("" : "+r"(x)); return x * 3; }
		#define LEAF(name, code) __attribute__((noinline, naked)) static long name(long x) { (void)x; \
			__asm__("mov %rdi, -8(%rsp)\nlea (%rdi,%rdi), %rax\ncmp %rdi, %rax\n990: " code "\n" NOTE("0", #name) \
			"setg %cl\nmovzx %cl, %ecx\nadd -8(%rsp), %rax\nadd %rcx, %rax\nret"); }""")
		for i in range(0, n, 8):
		    # no nop of five bytes: newer kernels make a call of a breakpoint there, which writes below the stack pointer
		    print('LEAF(leaf%d, "%s")' % (i, ("nop", ".byte 0x66, 0x90", ".byte 0x0f, 0x1f, 0x40, 0")[i // 8 % 3]))
		bodies = ["return leaf%(leaf)d(x) + %(i)d;",
		          'MARK("entry%(i)d", "nop"); return g(x) + %(i)d;',
		          "RAROG_BEGIN(r%(i)d); x = g(x ^ 1) + %(i)d; RAROG_END(r%(i)d); return x;",
		          'counter++; MARK("nop%(i)d", "nop"); return g(x) + g(x + 1) + %(i)d;',
		          'long a[8]; for (int i = 0; i < 8; i++) { a[i] = x + i; MARK("turn%(i)d", "nop"); } return a[x & 7];',
		          'x += g(x); MARK("long%(i)d", ".byte 0x0f, 0x1f, 0x44, 0, 0"); return x + %(i)d;',
		          'x += g(x); GUARDED("guarded%(i)d"); return x ^ %(i)d;',
		          "RAROG_POINT(p%(i)d); if (x == -1) return %(i)d; counter++; return g(x ^ 1);"]
		for i in range(n):
		    print('F long f%d(long x) { __asm__ volatile("" : "+r"(x)); %s }' % (i, bodies[i % 8] % {"i": i, "leaf": i & ~7}))
		print("static long (*const all[])(long) = { %s };" % ", ".join("f%d" % i for i in range(n)))
		print("static unsigned long round_of(long r) { unsigned long s = 0;"
		      " for (int i = 0; i < %d; i++) s = s * 31 + (unsigned long)all[i](r + i); return s; }" % n)
		print("""int main(int argc, char **argv) {
			unsigned long s = 0; long rounds = argc > 1 ? atol(argv[1]) : -1, r, bad = 0;
			signal(SIGTERM, end);
			for (r = 0; r != rounds && !over; r++) {
				unsigned long one = round_of(r % 7);
				if (rounds < 0) bad += one != round_of(r % 7); else s = s * 7 + one;
			}
			printf("%lu %ld\\n", rounds < 0 ? 0ul : s, bad);
			return passed < 0; }""")
	END
}

# near_marks FILE [PATTERN]: file offsets of the instructions up to 30 bytes before and 8 after each mark that is called
# so; with a third argument, of the marks alone
near_marks() {
	python3 - "$@" <<-'END'
		import re, subprocess, sys
		file, pattern, alone = sys.argv[1], re.compile((sys.argv[2:] or [".*"])[0]), sys.argv[3:]
		def output(*words): return subprocess.run(words, capture_output=True, text=True).stdout
		text = re.search(r"\.text +PROGBITS +(\w+) +(\w+)", output("readelf", "-SW", file))
		delta = int(text[1], 16) - int(text[2], 16)
		marks = {int(at, 16) for name, at in
		         re.findall(r"Name: (\S+)\n +Location: 0x(\w+)", output("readelf", "-n", file)) if pattern.fullmatch(name)}
		found, own = set(), []
		for line in output("objdump", "-d", "--no-show-raw-insn", "-j", ".text", file).splitlines():
		    if re.match(r"[0-9a-f]+ <.*>:", line):
		        own = []
		    at = re.match(r" +([0-9a-f]+):", line)
		    if not at:
		        continue
		    own.append(int(at[1], 16))
		    found |= {a for a in own for m in marks if m - 30 <= a <= m + 8 and m - 30 <= own[-1] <= m + 8}
		for a in sorted(found & marks if alone else found):
		    print(hex(a - delta))
	END
}

@test "marks: breakpoints that come at them and around: the program does what it does" {
	need_breakpoints
	local flags seed
	write_marks 64
	for flags in "-O2" "-O0" "-O2 -fcf-protection -no-pie"; do
		# shellcheck disable=SC2086 # words
		gcc $flags -I"$repo/include" -o marks marks.c
		for seed in $(seq "$(long 3 50)"); do
			# shellcheck disable=SC2046 # words
			right_until_lost marks "$seed" $(near_marks ./marks)
		done
	done
}

@test "marks: a breakpoint set at one while it is measured: recording ends with a line, and the breakpoint is met" {
	need_breakpoints
	write_marks 16
	gcc -O2 -I"$repo/include" -o marks marks.c
	# hits are counted on one processor
	taskset -c 0 "$RAROG" collect --detail=summary -o p.rarog -- ./marks >got 2>err 3>&- &
	busy=$!
	eventually 60 pgrep -P "$busy" -x marks >/dev/null || fail "$(cat err)"
	# shellcheck disable=SC2046 # words
	set_breakpoints ./marks $(near_marks ./marks 'nop3' alone)
	eventually 60 grep -q 'nothing of it is measured from here on' err || fail "nothing was said"
	eventually 60 grep -q 'all met' set.out || fail "it is not met"
	pkill -TERM -P "$busy" -x marks
	wait "$busy" || fail "status $?: $(cat err)"
	busy=
	end_breakpoints
	[ "$(cat got)" = "0 0" ] || fail "another result: $(cat got)"
	rarog show --json p.rarog | jq -e '[.header.breakpoints[].mark] == ["own:nop3"]' >/dev/null || fail "another mark"
}

# an exception through functions that are measured, as long as a breakpoint is in the unwinder
write_throws() {
	cat >throws.cc <<-'END'
		#include <csignal>
		#include <cstdio>
		#include <cstdlib>
		static volatile sig_atomic_t over;
		static void end(int) { over = 1; }
		__attribute__((noinline)) int inner(int x) { if (x % 3 == 0) throw x; return x; }
		__attribute__((noinline)) int outer(int x) { return inner(x) + 1; }
		int main(int argc, char **argv) {
			long n = 0, rounds = argc > 1 ? atol(argv[1]) : -1;
			signal(SIGTERM, end);
			for (long i = 0; i != rounds && !over; i++)
				try { n += outer(int(i & 0xffff)); } catch (int x) { n -= x; }
			std::puts("fine");
			if (rounds >= 0) std::printf("%ld\n", n);
			return 0;
		}
	END
	g++ -O1 -static-libgcc -static-libstdc++ -o throws throws.cc
}

@test "a breakpoint in the unwinder: nothing is recorded any more, and exceptions arrive" {
	need_breakpoints
	write_throws
	"$RAROG" collect --func inner --func outer -o p.rarog -- ./throws >got 2>err 3>&- &
	busy=$!
	eventually 60 pgrep -P "$busy" -x throws >/dev/null || fail "$(cat err)"
	# shellcheck disable=SC2046 # words
	set_breakpoints ./throws $(starts throws '_Unwind_RaiseException' 1)
	eventually 60 grep -q 'no call is recorded from here on' err || fail "nothing was said"
	pkill -TERM -P "$busy" -x throws
	wait "$busy" || fail "status $?: $(cat err)"
	busy=
	end_breakpoints
	[ "$(cat got)" = fine ] || fail "$(cat got err)"
}

@test "a breakpoint in the unwinder from the start: nothing is recorded" {
	need_breakpoints
	write_throws
	# shellcheck disable=SC2046 # words
	set_breakpoints ./throws $(starts throws '_Unwind_RaiseException' 1)
	same_result ./throws 1000
	end_breakpoints
	[ "$(grep -c 'no call is recorded$' err)" -eq 1 ] || fail "$(cat err)"
	rarog show --json p.rarog | jq -e '[.functions[].count] | add // 0 | . == 0' >/dev/null || fail "something was"
}

@test "a breakpoint in prctl, which is only hooked: all is measured, nothing is said" {
	need_breakpoints
	local libc

	libc=$(ldd /bin/true | sed -n 's/.*=> \(.*libc[.]so[.]6\) .*/\1/p')
	[ -n "$libc" ] || skip "no libc.so.6"
	mkdir own && cp "$libc" own/libc.so.6
	cat >small.c <<<'#include <stdio.h>
		#include <sys/prctl.h>
		__attribute__((noipa)) long work(long n) { volatile long x = n; x++; return x; }
		int main(void) { long n = 0; for (int i = 0; i < 1000; i++) n = work(n) + prctl(PR_GET_SECCOMP); printf("%ld\n", n); }'
	gcc -O1 -Wl,-rpath,"$PWD/own" -o small small.c
	# shellcheck disable=SC2046 # words
	set_breakpoints own/libc.so.6 $(starts own/libc.so.6 'prctl@@.*' 1)
	same_result ./small
	end_breakpoints
	! grep warning err || fail "something is said"
	rarog show --json p.rarog | jq -e '[.functions[].count] | add == 1001' >/dev/null || fail "calls are missing"
}

@test "--engine ebpf refuses what the inline engine measures" {
	need_breakpoints
	cp /bin/sleep own-sleep
	"$RAROG" --quiet collect -o p.rarog -- ./own-sleep 1000 3>&- &
	busy=$!
	eventually 60 pgrep -P "$busy" -x own-sleep >/dev/null || fail "it does not start"
	eventually 60 grep -q memfd:rarog "/proc/$(pgrep -P "$busy" -x own-sleep)/maps" || fail "not measured"
	run_rarog collect --engine ebpf -o q.rarog -- ./own-sleep 0
	pkill -TERM -P "$busy" -x own-sleep
	expect_status 125
	[[ $errors == *"own-sleep is being measured by the inline engine in process"* ]] || fail "$errors"
	[ "$(wc -l <<<"$errors")" -eq 1 ] || fail "$errors"
	wait "$busy" || true
	busy=
}
