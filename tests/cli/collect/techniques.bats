#!/usr/bin/env bats
# rarog collect --pipeline, --on, --off, --opt, --explain: what is not worth its cost is left out.

load ../helper
load ../collect-helper
load ../repositories

# main → top → wrap → mid → leaf; unused is called by nobody. What each call returns depends on its argument.
cat_program() {
	cat >p.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#define N __attribute__((noinline, noclone, noipa))
		static const double rates[4] = { 1.5, 2.5, 3.5, 4.5 };
		const char *words[3] = { "one", "two", "three" };
		int limit = 10;
		N int leaf(int x) { return x * 3; }
		N int mid(int x) { int s = 0; for (int i = 0; i <= x % 9; i++) s += leaf(i + x); return s; }
		N int wrap(int x) { return mid(x) + 1; }
		N int top(int n) { int s = 0; for (int i = 0; i < n; i++) s += wrap(i); return s; }
		N int unused(int n) { return n * leaf(n); }
		N double rate(int x) { return rates[x & 3] * 1.25; }
		N size_t word(int x) { return strlen(words[x % 3]); }
		N int below(int x) { return x < limit; }
		N int choose(int x)
		{
		        switch (x % 8) {
		        case 0: return 3;
		        case 1: puts("a"); return 4;
		        case 2: return x;
		        case 3: puts("bcd"); return 7;
		        case 4: return x * x;
		        case 5: puts("e"); return x + 1;
		        default: return 1;
		        }
		}
		int main(int argc, char **argv)
		{
		        int n = argc > 1 ? atoi(argv[1]) : 5;
		        return top(n) + rate(n) + word(n) + below(n) + choose(n) < 0;
		}
	END
}

build() {
	gcc -O2 -g p.c -o prog
}

# measured [FILE]: names with their numbers of calls, in one line
measured() {
	rarog show --json "$@" | python3 -c '
import json, sys
print(*sorted(f["name"] + "=" + str(f["count"]) for f in json.load(sys.stdin)["functions"] if f["count"]))'
}

# left_out FILE TECHNIQUE: the functions that an account says are left out by it
left_out() {
	awk -v t="$2" '$1 == t && $2 == "none" { print $3 }' "$1" | sort | tr '\n' ' '
}

here() {
	cat_program
	build
}

# versions: a repository with the program, of which one version has been collected
versions() {
	cat_program
	git init -q -b main .
	printf '%s\n' prog errors.txt account .rarog .rarog.yml >.gitignore
	git add p.c .gitignore
	git commit -qm first
	works init
	build
	works collect --on diff-tracing ./prog 9
}

@test "match leaves out what nobody calls, and loses no call" {
	here
	works collect -o all.rarog ./prog 100
	works collect --on cg-shaping --explain -o match.rarog ./prog 100
	echo "$errors" >account
	[[ "$(left_out account cg-shaping)" == *"unused "* ]]
	[ "$(measured all.rarog)" = "$(measured match.rarog)" ]
	[[ "$(measured all.rarog)" == *"leaf=496"* ]]
}

@test "the upper levels are kept, and main always" {
	here
	works collect --on cg-shaping --opt cg-mode=top-down --opt cg-proj-levels=3 --opt cg-proj-keep-leaf=yes \
		--explain -o p.rarog ./prog 100
	echo "$errors" >account
	[[ "$(left_out account cg-shaping)" == *"leaf mid "* ]]
	[[ "$errors" == *"leaf"*"on level 4"* ]]
	[[ "$(measured p.rarog)" == *"wrap=100"* ]]
	[[ "$(measured p.rarog)" != *mid* ]]
	# It was called, but nobody has seen it.
	[ "$(rarog show --func mid p.rarog)" = "mid: not traced: left out by cg-shaping" ]
	[[ "$(rarog show p.rarog)" == *"techniques left out "*" functions: the time of those that were called is in that of their callers"* ]]
	works collect --on cg-shaping --opt cg-mode=bottom-up --opt cg-proj-levels=0 -o p.rarog ./prog 100
	[ "$(measured p.rarog)" = "main=1" ]
}

@test "--dry-run says what would be left" {
	here
	works collect --dry-run --on cg-shaping --opt cg-mode=top-down --opt cg-proj-levels=3 ./prog
	[[ "$errors" == *"(cg-shaping "*")"* ]]
}

@test "constant functions are left out, those with loops are not" {
	here
	works collect --on static-baseline --opt static-keep-top=1 --explain -o p.rarog ./prog 100
	echo "$errors" >account
	[[ "$(left_out account static-baseline)" == *leaf* ]]
	[[ "$(measured p.rarog)" == *"mid=100"* ]]
	[[ "$(measured p.rarog)" != *leaf* ]]
}

@test "what is sampled is counted exactly" {
	here
	works collect --on dynamic-sampling --explain -o p.rarog ./prog 100
	[[ "$errors" == *"every 8."*"mid"* ]]
	[[ "$(measured p.rarog)" == *"leaf=496"*"mid=100"*"wrap=100"* ]]
}

@test "dynamic baseline learns from the last run, forgets with age, and sees what was left out again" {
	local i

	here
	repository r
	cp ../prog .
	works init
	works collect --on dynamic-baseline ./prog 2000
	[[ "$errors" == *"no earlier run of this is known"* ]]
	works collect --on dynamic-baseline --opt dyn-base-hard-threshold=1000 --opt dyn-base-again=3 --explain ./prog 2000
	echo "$errors" >account
	[ "$(left_out account dynamic-baseline)" = "leaf mid wrap " ]
	[[ "$errors" == *"leaf"*"calls in the last run: 9,993"* ]]
	# Another workload is another history.
	works collect --on dynamic-baseline --opt dyn-base-hard-threshold=1000 ./prog 2001
	[[ "$errors" == *"no earlier run of this is known"* ]]
	for i in 1 2; do
		works collect --on dynamic-baseline --opt dyn-base-hard-threshold=1000 --opt dyn-base-again=3 --explain ./prog 2000
	done
	echo "$errors" >account
	[ "$(left_out account dynamic-baseline)" = "" ]
}

assembled() {
	gcc p.S -o prog -Wl,--strip-debug
	objcopy -N eight -N four -N sixteen prog
}

kept_of_assembly() {
	sed -i "$1" p.S
	assembled
	git commit -qam edit
	works collect --on diff-tracing ./prog
	measured | sed 's/ *main=1 */ /; s/^ //; s/ $//'
}

# kept EDIT…: the functions that diff tracing alone measures after the edit, without main
kept() {
	sed -i "$@" p.c
	build
	git commit -qam edit
	works collect --on diff-tracing ./prog 9
	measured | sed 's/ *main=1 */ /; s/^ //; s/ $//'
}

@test "diff tracing measures what has changed in behaviour, and only that" {
	versions
	[[ "$errors" == *"no earlier version is known"* ]]
	[ "$(kept 's|^#define N|/* a comment\n\n*/\n&|')" = "" ]
	[ "$(kept 's|leaf|blade|g')" = "" ]
	[ "$(kept 's|3.5, 4.5|3.5, 5.5|')" = "rate=1" ]
	[ "$(kept 's|1\.25|1.35|')" = "rate=1" ]
	[ "$(kept 's|"three"|"tree"|')" = "word=1" ]
	[ "$(kept 's|limit = 10|limit = 11|')" = "below=1" ]
	[ "$(kept 's|return x + 1;|return x + 2;|')" = "choose=1" ]
	[ "$(kept 's|"a"|"bbb"|')" = "choose=1" ]
	[ "$(kept 's|return x \* 3|return x * 5|')" = "blade=45" ]
	[ "$(kept 's|^N int below|N int fresh(int x) { puts("some fresh text"); return x; }\n&|; s|top(n) +|& fresh(n) +|')" = "fresh=1" ]
}

@test "what has changed in the cold part of a function has changed in the function" {
	local name
	cat >p.c <<-'END'
		#include <stdio.h>
		#define N __attribute__((noinline, noclone))
		__attribute__((cold)) N void complain(int x) { printf("%d\n", x); }
		N int twice(int x)
		{
		        if (__builtin_expect(x < 0, 0)) {
		                complain(x);
		                complain(x * 7);
		                return 17;
		        }
		        return x * 2;
		}
		int main(int c, char **v) { (void)v; return twice(c) == 3; }
	END
	git init -q -b main .
	git add p.c
	git commit -qm first
	works init
	build
	nm prog | grep -q 'twice\.cold'
	works collect --on diff-tracing ./prog
	[ "$(kept 's|\* 7|* 9|')" = "twice=1" ]
	[ "$(kept 's|return 17|return 18|')" = "twice=1" ]
	[ "$(kept 's|"%d|"%x|')" = "" ]
	for name in diff-version diff-base; do
		exits 125 collect --on diff-tracing --opt "$name=nosuch" ./prog
		[[ "$errors" == *"--opt $name: 'nosuch' names no version"* ]]
	done
}

@test "a constant is as long as it is read, and what stands after it is nothing of the function" {
	cat >p.S <<-'END'
		        .globl main, reads, other
		        .type main, @function
		        .type reads, @function
		        .type other, @function
		main:   sub $8, %rsp
		        call reads
		        call other
		        xor %eax, %eax
		        add $8, %rsp
		        ret
		        .size main, . - main
		reads:  movsd eight(%rip), %xmm0
		        addss four(%rip), %xmm1
		        ret
		        .size reads, . - reads
		other:  movaps sixteen(%rip), %xmm0
		        ret
		        .size other, . - other
		        .section .rodata
		        .balign 16
		        .local eight, four, sixteen
		eight:  .quad 1, 2
		four:   .long 3, 4, 5, 6
		sixteen: .quad 7, 8
		        .section .note.GNU-stack, "", @progbits
	END
	printf 'prog\n' >.gitignore
	git init -q -b main .
	git add p.S .gitignore
	git commit -qm first
	works init
	assembled
	works collect --on diff-tracing ./prog
	# What is not read: 2, 4.
	[ "$(kept_of_assembly 's/1, 2/1, 9/; s/3, 4/3, 9/')" = "" ]
	[ "$(kept_of_assembly 's/1, 9/9, 9/')" = "reads=1" ]
	[ "$(kept_of_assembly 's/3, 9/2, 9/')" = "reads=1" ]
	[ "$(kept_of_assembly 's/7, 8/7, 9/')" = "other=1" ]
}

@test "a cold part that is gone, or is that of a clone, is told of its function" {
	cat >p.S <<-'END'
		        .globl main, plain
		        .type main, @function
		        .type plain, @function
		        .type plain.cold, @function
		        .type other.isra.0, @function
		        .type other.isra.0.cold, @function
		main:   sub $8, %rsp
		        call plain
		        call other.isra.0
		        xor %eax, %eax
		        add $8, %rsp
		        ret
		        .size main, . - main
		plain:  mov $3, %eax
		        add $4, %eax
		        ret
		        .size plain, . - plain
		other.isra.0:
		        mov $5, %eax
		        add $6, %eax
		        ret
		        .size other.isra.0, . - other.isra.0
		        .section .text.unlikely, "ax", @progbits
		other.isra.0.cold:
		        mov $7, %eax
		        ret
		        .size other.isra.0.cold, . - other.isra.0.cold
		plain.cold: mov $8, %eax
		        ret
		        .size plain.cold, . - plain.cold
		        .section .note.GNU-stack, "", @progbits
	END
	git init -q -b main .
	git add p.S
	git commit -qm first
	works init
	assembled
	works collect --on diff-tracing ./prog
	[ "$(kept_of_assembly 's|\$7|$9|')" = "other.isra.0=1" ]
	[ "$(kept_of_assembly '/^plain.cold/,/plain.cold$/d; /plain.cold/d')" = "plain=1" ]
}

@test "what changed is protected from the other techniques" {
	versions
	sed -i 's|return x \* 3|return x * 5|' p.c
	build
	git commit -qam second
	works collect --on diff-tracing --on static-baseline --explain ./prog 9
	echo "$errors" >account
	[[ "$(left_out account static-baseline)" != *leaf* ]]
	works collect --on static-baseline --explain ./prog 9
	echo "$errors" >account
	[[ "$(left_out account static-baseline)" == *leaf* ]]
}

@test "timed sampling is windows of half the time" {
	here
	works collect --on timed-sampling --opt timed-sample-freq=1000 -o p.rarog ./prog 9
	rarog show --json p.rarog >p.json
	grep -q '"windows' p.json
	exits 125 collect --on timed-sampling --detail count -o p.rarog ./prog 9
}

@test "what some runs left out is unknown to check, never gone or new" {
	local way

	here
	repository r
	cp ../prog .
	works init
	# shellcheck disable=SC2086 # words
	for way in "" "--on cg-shaping --opt cg-mode=top-down --opt cg-proj-levels=1" "--on dynamic-sampling"; do
		works --quiet collect $way ./prog 2000
	done
	commit second
	for way in 1 2 3; do
		works --quiet collect --on cg-shaping --opt cg-mode=top-down --opt cg-proj-levels=1 ./prog 2000
	done
	run_rarog check --json
	[[ "$output" == *'"verdict"'* ]]
	[[ "$output" != *NotIn* ]]
}

@test "what cannot be is refused in one line" {
	here
	exits 125 collect --on cg-shapin -o p.rarog ./prog
	[[ "$errors" == *"did you mean cg-shaping"* ]]
	exits 125 collect --on cg-shaping --off cg-shaping -o p.rarog ./prog
	[[ "$errors" == *"exclude each other"* ]]
	exits 125 collect --on cg-shaping --opt cg-mode=x -o p.rarog ./prog
	[[ "$errors" == *"expected one of match"* ]]
	exits 125 collect --opt cg-mode=match -o p.rarog ./prog
	[[ "$errors" == *"switch one on"* ]]
	exits 125 collect --on dynamic-sampling --opt dyn-sample-step=0 -o p.rarog ./prog
	[[ "$errors" == *"expected a number above 0"* ]]
	works collect --on timed-sampling --windows 1ms/10ms -o p.rarog ./prog
	[[ "$errors" == *"timed-sampling is off: --windows"* ]]
	exits 125 collect time --on cg-shaping -o p.rarog ./prog
	[[ "$errors" == *"does not trace them"* ]]
	if "$RAROG" doctor | grep -q 'vex engine.*Valgrind'; then
		exits 125 collect --engine vex --on cg-shaping -o p.rarog ./prog
		[[ "$errors" == *"--engine=vex cannot: it counts everything that runs, each call exactly" ]] || fail "$errors"
	fi
}

@test "a stripped program is measured as far as it is known" {
	here
	strip prog
	works collect --pipeline full -o p.rarog ./prog 9
}

# hot: a program that calls hot 100 times as often as warm, and never not at all
hot() {
	cat >hot.c <<-'END'
		#include <stdlib.h>
		#define N __attribute__((noinline, noclone, noipa))
		static volatile int sink;
		N int hot(int x) { sink += x; return sink; }
		N int warm(int x) { int s = 0; for (int i = 0; i < 100; i++) s += hot(i + x); return s; }
		N int never(int x) { sink -= x; return sink; }
		int main(int c, char **v) { int s = 0; for (int i = 0; i < atoi(v[1]); i++) s += warm(i); return c > 5 ? never(s) : 0; }
	END
	gcc -O2 -g hot.c -o hot
}

@test "what was called often enough is switched off while the program runs, and the profile says so" {
	hot
	works collect --on dynamic-probing --opt probing-threshold=20000 --detail summary -o p.rarog ./hot 200000
	[[ "$errors" == *"off at times"* ]]
	rarog show --json p.rarog | python3 -c '
import json, sys
d = json.load(sys.stdin)
of = {f["name"]: f for f in d["functions"]}
assert 20000 <= of["hot"]["count"] < 20000000, of["hot"]
assert of["main"]["count"] == 1
assert d["header"]["dynamic_probing"]["threshold"] == 20000
assert d["header"]["dynamic_probing"]["changes"] >= 1'
	works show p.rarog
	[[ "$output" == *"off at times, so there were at least as many calls"*hot* ]]
	works collect --on dynamic-probing --detail summary -o q.rarog ./hot 500
	[ "$(measured q.rarog)" = "hot=50000 main=1 warm=500" ]
}

@test "dynamic probing alone leaves on what has changed" {
	hot
	repository r
	cp ../hot ../hot.c .
	works init
	git add hot.c
	git commit -qm source
	works collect --on dynamic-probing --detail summary ./hot 50
	remade 's/sink += x;/sink += 2 * x;/'
	works collect --on dynamic-probing --opt probing-threshold=300000 --detail summary ./hot 200000
	[[ "$errors" != *"off at times"* ]] || fail "$errors"
	[ "$(measured)" = "hot=20000000 main=1 warm=200000" ]
}

@test "dynamic probing steps aside where it does not work, and the run goes on" {
	hot
	for options in "--overhead 10%" "--detail count" "--windows 1ms/10ms" "--within warm"; do
		# shellcheck disable=SC2086
		works collect --on dynamic-probing $options -o p.rarog ./hot 50
		[[ "$errors" == *"dynamic-probing is off:"* ]]
	done
}

@test "what no earlier run has called is not armed again, unless it is new or has changed" {
	hot
	repository r
	cp ../hot ../hot.c .
	works init
	works collect --on reached-before ./hot 50
	[[ "$errors" == *"no earlier run of this is known"* ]]
	works collect --on reached-before --explain ./hot 50
	echo "$errors" >account
	[[ "$(left_out account reached-before)" == *"never "* ]]
	[ "$(measured)" = "hot=5000 main=1 warm=50" ]
	# never is another function now, and is called
	sed -i 's/sink -= x/sink -= 2 * x/; s/c > 5/c > 1/' hot.c
	gcc -O2 -g hot.c -o hot
	run_rarog collect --on reached-before ./hot 50
	[ "$(measured)" = "hot=5000 main=1 never=1 warm=50" ]
}

# remade EXPRESSION: hot.c edited, built and committed
remade() {
	sed -i "$1" hot.c
	gcc -O2 -g hot.c -o hot
	git commit -qam "$1"
}

@test "what was left out is measured at once when it has changed, and not because something else has" {
	local by=(--on dynamic-baseline --opt dyn-base-hard-threshold=1000 --opt dyn-base-soft-threshold=1000 --explain)

	hot
	repository r
	cp ../hot ../hot.c .
	works init
	git add hot.c
	git commit -qm source
	works collect "${by[@]}" ./hot 50
	works collect "${by[@]}" ./hot 50
	echo "$errors" >account
	[ "$(left_out account dynamic-baseline)" = "hot " ]
	remade 's/s += hot(i + x)/s += 2 * hot(i + x)/'
	works collect "${by[@]}" ./hot 50
	echo "$errors" >account
	[ "$(left_out account dynamic-baseline)" = "hot " ]
	remade 's/{ sink += x;/{ for (int i = 0; i < 60; i++) sink += x;/'
	# A run without a probe in it does not hide the change.
	works collect "${by[@]}" -f main ./hot 50
	works collect "${by[@]}" ./hot 50
	[ "$(measured)" = "hot=5000 main=1 warm=50" ]
	works collect "${by[@]}" ./hot 50
	echo "$errors" >account
	[ "$(left_out account dynamic-baseline)" = "hot " ]
}

@test "what has changed is sampled as if it were new" {
	local by=(--on dynamic-sampling --opt dyn-sample-threshold=100 --explain)

	hot
	repository r
	cp ../hot ../hot.c .
	works init
	git add hot.c
	git commit -qm source
	works collect --off dynamic-sampling --on dynamic-baseline ./hot 50
	works collect "${by[@]}" ./hot 50
	[[ "$errors" == *"every 50."*"hot"*"calls in the last run: 5,000"* ]] || fail "$errors"
	remade 's/{ sink += x;/{ for (int i = 0; i < 60; i++) sink += x;/'
	works collect "${by[@]}" ./hot 50
	[[ "$errors" == *"every 4."*"hot"*"changed since the last run, on level"* ]] || fail "$errors"
}

# A function that had no probe, or whose run was cut off, may be called all the same.
@test "what had no probe in a whole run is measured, whatever earlier runs say" {
	hot
	repository r
	cp ../hot ../hot.c .
	works init
	works collect --on reached-before -f hot ./hot 50
	works collect --on reached-before --explain ./hot 50
	echo "$errors" >account
	[ "$(left_out account reached-before)" = "" ]
	[ "$(measured)" = "hot=5000 main=1 warm=50" ]
	works collect --on reached-before --explain ./hot 50
	echo "$errors" >account
	[[ "$(left_out account reached-before)" == *"never "* ]]
	# What a window or another function hides may have been called.
	works collect --on reached-before --windows 1ms/2ms ./hot 60
	[[ "$errors" == *"is not kept: --windows leave calls out"* ]]
	works collect --on reached-before --within warm ./hot 60
	works collect --on reached-before --explain ./hot 60
	echo "$errors" >account
	[ "$(left_out account reached-before)" = "" ]
}

@test "of a run that was cut off nothing is kept, which a line says" {
	cat >cut.c <<-'END'
		#include <stdlib.h>
		#include <unistd.h>
		static volatile int sink;
		__attribute__((noinline, noipa)) int late(int x) { sink += x; return sink; }
		int main(int c, char **v)
		{
		        if (access("cut", F_OK) == 0)
		                abort();
		        while (access("wait", F_OK) == 0)
		                usleep(1000);
		        late(c);
		        return c > 5 || !v;
		}
	END
	gcc -O2 -g cut.c -o cutter
	repository r
	cp ../cutter .
	works init
	touch cut
	exits 134 collect --on reached-before ./cutter
	[[ "$errors" == *"is not kept: a signal ended it"* ]]
	rm cut
	touch wait
	exits 124 collect --on reached-before --timeout 1s ./cutter
	[[ "$errors" == *"is not kept: it was stopped at its limit"* ]]
	rm wait
	works collect --on reached-before ./cutter
	[[ "$errors" == *"no earlier run of this is known"* ]]
	[ "$(measured)" = "late=1 main=1" ]
}

@test "marks are sampled and left out by how often the last run passed them" {
	cat >m.c <<-'END'
		#include <rarog.h>
		#include <stdlib.h>
		static volatile int sink;
		int main(int c, char **v)
		{
		        for (int i = 0; i < atoi(v[1]); i++) {
		                RAROG_BEGIN(turn);
		                sink += i;
		                RAROG_END(turn);
		                RAROG_POINT(passed);
		                if (i % 100 == 0)
		                        RAROG_POINT(seldom);
		        }
		        return c < 0;
		}
	END
	gcc -O2 -g -I"$repo/include" m.c -o m
	repository r
	cp ../m .
	works init
	works collect --on dynamic-sampling --opt dyn-sample-threshold=1000 ./m 50000
	works collect --on dynamic-sampling --opt dyn-sample-threshold=1000 --explain ./m 50000
	[[ "$errors" == *"every 50."*"rarog:turn"*"every 50."*"rarog:passed"* ]]
	[[ "$errors" != *"rarog:seldom"* ]]
	rarog show --json | python3 -c '
import json, sys
of = {f["name"]: (f["count"], f["timed"]) for f in json.load(sys.stdin)["functions"]}
assert of["rarog:turn"] == of["rarog:passed"] == (50000, 1000), of
assert of["rarog:seldom"] == (500, 500), of'
	works collect --on dynamic-baseline --opt dyn-base-hard-threshold=10000 ./m 50000
	[ "$(measured)" = "main=1 rarog:seldom=500" ]
}
