#!/usr/bin/env bats
# rarog collect blocks: from the compiler to the table.

load ../helper
load ../blocks-helper

need_compiler() {
	need_plugin
}

# Its counts can be known without running it: the rounds of Collatz' sequence.
write_program() {
	cat >steps.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static volatile int sink;
		int idle(int x)
		{
			return x + 1;
		}
		__attribute__((noinline)) void steps(unsigned long n)
		{
			while (n != 1) {
				sink++;
				n = n % 2 ? 3 * n + 1 : n / 2;
			}
		}
		int main(int argc, char **argv)
		{
			unsigned long most = strtoul(argv[1], NULL, 10);
			pid_t child = argc > 2 && strcmp(argv[2], "fork") == 0 ? fork() : -1;
			for (unsigned long n = 1; n <= most; n++)
				steps(n);
			if (child == 0)
				_exit(0);
			if (child > 0)
				wait(NULL);
			if (argc > 2 && strcmp(argv[2], "abort") == 0)
				abort();
			return 3;
		}
	END
}

program() {
	need_compiler
	write_program
	rarog cc -O1 -g -o steps steps.c
}

rounds() { # of all sequences up to $1
	python3 -c "
n = 0
for i in range(1, $1 + 1):
    while i != 1:
        i = 3 * i + 1 if i % 2 else i // 2
        n += 1
print(n)"
}

# ask EXPRESSION ARGUMENT…: of what show --json prints, as j
ask() {
	rarog show --json "${@:2}" steps.rarog | python3 -c "import json, sys; j = json.load(sys.stdin); print($1)"
}

@test "functions, blocks and loops have the counts that arithmetic says" {
	program
	run_rarog collect blocks -- ./steps 30
	expect_status 3
	[[ $errors == *" instructions in "*" blocks in "*", exact"* ]] || fail "$errors"
	[ "$(ask '[f["count"] for f in j["functions"] if f["name"] == "steps"]')" = "[30]" ]
	[ "$(ask '[f["count"] for f in j["functions"] if f["name"] == "idle"]')" = "[0]" ]
	[ "$(ask '[f["line"] for f in j["functions"] if f["name"] == "steps"]')" = "[11]" ]
	# sink++ is on line 14, in the only block that runs in every round
	[ "$(ask '{b["count"] for b in j["blocks"] if b["function"] == "steps" and b["line"] == 14}')" = "{$(rounds 30)}" ]
	[ "$(ask '[(l["entries"], l["iterations"]) for l in j["loops"]]' --loops -f main)" = "[(1, 30)]" ]
	[ "$(ask '[l["most_per_entry"] for l in j["loops"]]' --loops -f main)" = "[30]" ]
	[ "$(ask '[l["iterations"] for l in j["loops"]]' --loops -f steps)" = "[$(rounds 30)]" ]
	# a function's instructions are those of its blocks
	[ "$(ask 'sum(f["instructions"] for f in j["functions"]) == sum(b["count"] * b["instructions"] for b in j["blocks"])')" = True ]
	[ "$(ask 'j["header"]["totals"]["instructions"] == sum(f["instructions"] for f in j["functions"])')" = True ]
}

@test "for people" {
	program
	rarog -q collect blocks -- ./steps 30 || true
	rarog show steps.rarog >table.txt
	grep -qE '^ *[0-9,]+ +[0-9.]+ % +30 +[0-9.]+ +[0-9]+/[0-9]+ +steps$' table.txt || fail "$(cat table.txt)"
	[ "$(grep -c idle table.txt)" = 0 ]
	grep -q ' of [0-9]* blocks ran' table.txt
	rarog show --blocks steps steps.rarog >blocks.txt
	grep -qE "$(rounds 30) +[0-9]+ +14 " blocks.txt || fail "$(cat blocks.txt)"
	rarog show --blocks idle steps.rarog | grep -q '^idle steps.c:7: 0 calls, 0 instructions$'
	rarog show --loops steps.rarog | grep -qE '  1 +30 +30\.00 +1 +main '
	rarog show --by-binary steps.rarog | grep -q '/steps$'
	rarog show --columns calls,line --sort count steps.rarog | grep -qE '30 +steps +steps.c:11'
}

@test "all processes are one profile, and the same every time" {
	program
	rarog -q collect blocks -o one.rarog -- ./steps 40 fork || true
	rarog -q collect blocks -o two.rarog -- ./steps 40 fork || true
	for one in one two; do
		rarog export --format json $one.rarog -o $one.json
		python3 -c 'import json, sys; j = json.load(sys.stdin)
for k in "binaries", "locations", "blocks", "edges", "summaries", "losses": print(j[k])
print(j["header"]["totals"])' <$one.json >$one.txt
	done
	cmp one.txt two.txt
	mv one.rarog steps.rarog
	[ "$(ask '[f["count"] for f in j["functions"] if f["name"] == "steps"]')" = "[80]" ]
	[ "$(ask 'j["header"]["totals"]["processes"]')" = 2 ]
	[ -z "$(ls "$TMPDIR")" ]
}

@test "a program that is killed has counted, and its status is passed on" {
	program
	run_rarog collect blocks -- ./steps 30 abort
	expect_status 134
	[ "$(ask '[f["count"] for f in j["functions"] if f["name"] == "steps"]')" = "[30]" ]
	[[ $errors == *", exact"* ]] || fail "$errors"
	run_rarog collect blocks -- ./nowhere
	expect_status 127
	# no call that ends it: main is left in the midst of a block, whose count follows from what comes after
	echo 'int main(void) { *(volatile int *)1 = 0; return 3; }' >fault.c
	rarog cc -O1 -o fault fault.c
	run_rarog collect blocks -- ./fault
	expect_status 139
	[[ $errors == *"warning: 1 unfinished, perhaps: "* ]] || fail "$errors"
	[[ $errors != *", exact"* ]] || fail "$errors"
	[ "$(rarog show --json fault.rarog | python3 -c 'import json, sys; print(json.load(sys.stdin)["losses"])')" = 1 ]
}

@test "scripts, libraries, and objects that were compiled by others" {
	program
	run_rarog collect blocks -o steps.rarog -- sh -c './steps 3; ./steps 4; true'
	expect_status 0
	[ "$(ask '[f["count"] for f in j["functions"] if f["name"] == "steps"]')" = "[7]" ]
	echo 'int outside(int x) { return x * 2; } int also(int x) { return x; }' >lib.c
	echo 'int outside(int); int main(void) { return outside(2); }' >main.c
	rarog cc -O1 -fPIC -shared -o libout.so lib.c
	rarog cc -O1 -o both main.c -L. -lout -Wl,-rpath,"$PWD"
	run_rarog collect blocks -o steps.rarog -- ./both
	expect_status 4
	[ "$(ask '[b["binary"].split("/")[-1] for b in j["binaries"]]' --by-binary)" = "['both', 'libout.so']" ]
	[ "$(ask '[f["count"] for f in j["functions"] if f["name"] == "outside"]')" = "[1]" ]
	gcc -O1 -c -o other.o lib.c
	rarog cc -O1 -o mixed main.c other.o
	run_rarog collect blocks -o steps.rarog -- ./mixed
	expect_status 4
	[[ $errors == *"/mixed: 2 of its functions have no counters: they were compiled without rarog cc"* ]] || fail "$errors"
}

@test "one line for each mistake" {
	need_compiler
	run_rarog collect blocks -- true
	expect_status 125
	expect_error 'rarog collect: true: nothing that ran counts its blocks; build it with CC="rarog cc" (C++: CXX="rarog c++"), or, where it has symbols, count by --engine rewrite (a job: by engine: rewrite)'
	[ -z "$(ls ./*.rarog 2>/dev/null)" ]
	run_rarog collect blocks --detail=count -- true
	expect_status 125
	expect_error "rarog collect: --detail is for rarog collect trace; blocks counts everything that rarog cc compiled"
	run_rarog collect blocks --libs -- true
	expect_status 125
	expect_error "rarog collect: --libs is for rarog collect blocks --engine rewrite"
	run_rarog collect blocks --pid 1
	expect_status 125
	TMPDIR=/nowhere run_rarog collect blocks -- true
	expect_status 125
	[[ $errors == *"/nowhere: cannot make a folder (TMPDIR"* ]] || fail "$errors"
}

# What the program's own words do to its counters, behind its back.
meddle() {
	printf '#!/bin/sh\n./steps 3\n%s\n' "$1" >meddle
	chmod +x meddle
	run_rarog collect blocks -o "${2:-meddle.rarog}" -- ./meddle
}

@test "counters that are cut off, damaged or written by another version, and a place that cannot be written" {
	local cut="no counts: programs, libraries or children left no counts, or may have left none; give them room"

	program
	for size in 0 100 4100; do
		meddle "truncate -s $size \$RAROG_BLOCKS_DIR/*.counts"
		expect_status 125
		[[ $errors == *"$cut"* ]] || fail "$errors"
	done
	meddle 'for file in $RAROG_BLOCKS_DIR/*.counts; do echo hello >$file; done'
	expect_status 125
	[[ $errors == *"$cut"* ]] || fail "$errors"
	meddle 'for file in $RAROG_BLOCKS_DIR/*.counts; do printf "\377" | dd of=$file bs=1 seek=8 conv=notrunc status=none; done'
	expect_status 125
	[[ $errors == *": no counts: programs or libraries were built for another version of rarog, "*"; build them again, with this rarog cc" ]] || fail "$errors"
	# one of two: what is left is a profile, and what is not is said
	meddle './steps 4; truncate -s 100 $(ls $RAROG_BLOCKS_DIR/*.counts | head -1); exit 0'
	expect_status 0
	[[ $errors == *"warning: 1 missing: "* ]] || fail "$errors"
	rm meddle.rarog
	meddle true /nowhere/steps.rarog
	expect_status 125
	expect_error "rarog collect: /nowhere/steps.rarog: cannot create a file in its directory: No such file or directory"
	[ -z "$(ls ./*.rarog 2>/dev/null)" ]
}

@test "a program without room for its counters runs on, and is not said to count nothing" {
	need_plugin
	echo 'int main(void) { return 4; }' >small.c
	for i in {1..900}; do
		echo "__attribute__((noinline)) int f$i(int x) { return x > $i ? f(x) * $i : x; }"
	done | sed '1i int f(int x) { return x; }' >large.c
	echo 'int main(void) { return f7(9) == 63 ? 5 : 6; }' >>large.c
	rarog cc -O1 -o small small.c
	rarog cc -O1 -fno-inline -o large large.c
	(
		ulimit -f 4
		run_rarog collect blocks -- ./small
		expect_status 125
		[[ $errors == "rarog collect: "*": no counts: programs, libraries or children left no counts, or may have left none; give them room"* ]] || fail "$errors"
		[ -z "$(ls ./*.rarog 2>/dev/null)" ]
		ulimit -f 0
		./small || [ $? -eq 4 ]
	)
	(
		ulimit -f 12
		run_rarog collect blocks -o both.rarog -- sh -c './small; ./large'
		expect_status 5
		[[ $errors == *"warning: 1 missing: "* && $errors != *", exact"* ]] || fail "$errors"
	)
	run_rarog collect blocks -o both.rarog -- sh -c './small; ./large'
	expect_status 5
	[[ $errors == *", exact"* ]] || fail "$errors"
}

@test "a binary that was built anew meanwhile is said to be lost" {
	program
	printf '#!/bin/sh\n./steps 3\n%s cc -O1 -DOTHER -o steps steps.c -Wl,-Ttext-segment=0x200000 -no-pie\n' "$RAROG" >rebuild
	chmod +x rebuild
	run_rarog collect blocks -- ./rebuild
	expect_status 125
	[[ $errors == *"/steps: was built anew since it was started (its build-id is another); run it again" ]] || fail "$errors"
}

@test "show --func: what was inlined everywhere is said to be where it went" {
	need_compiler
	cat >inlined.cc <<-'END'
		volatile int v;
		struct A {
			int x;
			__attribute__((always_inline)) int odd(int n) const { if (n & 1) v = x; return v; }
			__attribute__((always_inline)) int operator*(int n) const { if (n & 2) v = x; return v * n; }
		};
		static inline __attribute__((always_inline)) int deep(int n)
		{
			A a{n};
			return a.odd(n);
		}
		__attribute__((noinline)) int host(int n) { return deep(n) + 1; }
		__attribute__((noinline)) int other(int n) { return deep(n) * A{n}.odd(n + 1); }
		__attribute__((noinline)) int third(int n) { return A{n} * n; }
		int main(int argc, char **) { return (host(argc) + other(argc) + third(argc)) & 1; }
	END
	rarog c++ -g -O1 -o inlined inlined.cc
	run_rarog --quiet collect blocks -o p.rarog -- ./inlined
	for view in "-f" --blocks "--loops -f"; do
		run_rarog show $view 'A::operator*' p.rarog
		expect_status 0
		[ "$output" = "A::operator*(int) const: no calls of its own; inlined into third(int) (inlined.cc:14)" ] || fail "$view: $output"
	done
	run_rarog show -f deep p.rarog
	[ "$(tr -s ' ' <<<"$output")" = "no calls of their own:
function inlined into at
deep(int) host(int) inlined.cc:12
deep(int) other(int) inlined.cc:13" ] || fail "$output"
	run_rarog show -f A::odd --json p.rarog
	jq -c '[.inlined[] | [.name, .into, .line]] | sort | .[]' <<<"$output" >odd.txt
	printf '["A::odd(int) const","%s",%d]\n' 'host(int)' 10 'other(int)' 10 'other(int)' 13 | diff - odd.txt
	run_rarog show -f 'A::odd(int) cost' p.rarog
	expect_status 3
	[[ $errors == *"no function 'A::odd(int) cost' in p.rarog; did you mean"*"A::odd(int) const"* ]] || fail "$errors"
}

@test "what a profile of blocks cannot show is said" {
	program
	rarog -q collect blocks -- ./steps 5 || true
	run_rarog show --tree steps.rarog
	expect_status 3
	expect_error "rarog show: --tree: steps.rarog has counts of blocks, and does not know callers or when; rarog collect trace does"
	run_rarog show --sort total steps.rarog
	expect_status 2
	run_rarog show --columns mean steps.rarog
	expect_status 2
	expect_error "rarog show: no column 'mean'; profiles of blocks have: instructions share calls time time-share per-call executions blocks bar loads load-bytes stores store-bytes function binary machine loop line"
}

# callgrind's own count of the function, in the same run: steps() calls nothing.
@test "instructions of the machine are those that callgrind sees" {
	command -v valgrind >/dev/null || skip "needs valgrind"
	program
	rarog cc -O2 -gdwarf-4 -o steps steps.c
	rarog -q collect blocks -o steps.rarog -- valgrind -q --tool=callgrind --compress-strings=no --callgrind-out-file=seen ./steps 40 || true
	rarog show --json --func steps steps.rarog >shown.json
	rarog export --format json -o all.json steps.rarog
	python3 - <<-'END'
		import json
		shown = json.load(open("shown.json"))["functions"][0]
		cost = 0
		own = is_called = False
		for line in open("seen"):
		    if line.startswith("fn="):
		        own = line == "fn=steps\n"
		    elif line.startswith("calls="):
		        is_called = True
		    elif line[:1] in "+-*0123456789":
		        cost += int(line.split()[-1]) if own and not is_called else 0
		        is_called = False
		assert cost > 0
		assert shown["machine_instructions"] == shown["machine_instructions_most"] == cost, (shown, cost)
		rows = json.load(open("all.json"))["machine"]
		assert all(row["least"] == row["most"] for row in rows if row["address"] // 4096 == shown["address"] // 4096 and
		           shown["address"] <= row["address"] < shown["address"] + 64), rows
	END
}

# $1: the program's words; the file that is looked at is $2
compare_with_callgrind() {
	rarog -q collect blocks -o p.rarog -- valgrind -q --tool=callgrind --dump-instr=yes --dump-line=no --skip-plt=no --compress-strings=no \
		--compress-pos=no --callgrind-out-file=seen $1 >/dev/null || true
	rarog -q export --format json -o p.json p.rarog
	run "$repo/tests/oracle/compare-machine" p.json seen "$PWD/$2"
	[ "$status" -eq 0 ] || fail "$output"
}

# Loops whose counters are registers, calls that do not inline, and some that may not return.
write_library() {
	cat >inside.c <<-'END'
		#include <setjmp.h>
		#include <string.h>
		static jmp_buf back;
		volatile int sink;
		__attribute__((noinline)) void leave(int n) { if (n % 7 == 3) longjmp(back, 1); sink += n; }
		__attribute__((noinline)) static int small(int n) { return n % 3 ? sink + n : n * 2; }
		int inside(int n)
		{
			int sum = 0;
			for (int i = 0; i < n; i++) {
				for (int k = 0; k < i; k++)
					sum += k % 5 == 2 ? k * sink : i;
				if (!setjmp(back))
					leave(i);
				switch (i % 6) {
				case 0: sum += small(i); break;
				case 1: sink--; break;
				case 2: sum ^= i; break;
				case 3: sum += (int)strlen(&"abc"[i % 2]); break;
				case 4: sink = small(sum); break;
				}
			}
			return sum;
		}
	END
	echo 'int inside(int); int main(int n, char **words) { (void)words; return inside(40 + n) == 7; }' >main.c
}

@test "instructions of a library are those that callgrind sees" {
	command -v valgrind >/dev/null || skip "needs valgrind"
	need_compiler
	write_library
	rarog cc -O2 -gdwarf-4 -fPIC -shared -o libinside.so inside.c
	cc -o main main.c -L. -linside "-Wl,-rpath,$PWD"
	compare_with_callgrind ./main libinside.so
	[[ $output =~ known\ ([0-9]+) ]] && ((BASH_REMATCH[1] > 50)) || fail "$output"
}

@test "instructions that the linker made of several functions are known or said not to be" {
	command -v valgrind >/dev/null || skip "needs valgrind"
	command -v "ld.lld-$llvm" >/dev/null || skip "needs ld.lld-$llvm"
	need_compiler
	write_library
	for lto in -flto -flto=thin; do
		rarog cc -O2 -gdwarf-4 $lto "-fuse-ld=lld-$llvm" -o main main.c inside.c
		compare_with_callgrind ./main main
	done
}

# Constructors and destructors have two symbols (C1, C2) of one function, of which the linker's
# optimiser may leave either; with virtual bases they are two functions.
write_classes() {
	cat >classes.h <<-'END'
		struct base {
			virtual ~base();
			int n;
		};
		struct plain : base {
			__attribute__((noinline)) plain(int n);
			~plain() override;
			int kept;
		};
		struct shared : virtual base {
			__attribute__((noinline)) shared(int n);
			~shared() override;
		};
		struct both : shared {
			__attribute__((noinline)) both(int n);
		};
	END
	cat >classes.cc <<-'END'
		#include "classes.h"
		base::~base() { n = 0; }
		plain::plain(int m) : kept(0) { n = m; for (int i = 0; i < m; i++) kept += kept % 7 + i; }
		plain::~plain() { if (n > 3) kept = 0; }
		shared::shared(int m) { n = m; for (int i = 0; i < m; i++) n += n % 5; }
		shared::~shared() { if (n > 2) n = 1; }
		both::both(int m) : shared(m) { while (n > 9) n /= 2; }
	END
	cat >main.cc <<-'END'
		#include "classes.h"
		#include <memory>
		int main(int n, char **)
		{
			int sum = 0;
			for (int i = 0; i < 10 * n; i++) {
				auto a = std::make_unique<plain>(i);
				plain b(i);
				auto c = std::make_unique<shared>(i);
				both d(i);
				sum += a->kept + b.kept + c->n + d.n;
			}
			return sum == 0;
		}
	END
}

@test "constructors and destructors are where the one symbol is that the linker left" {
	need_compiler
	command -v "ld.lld-$llvm" >/dev/null || skip "needs ld.lld-$llvm"
	write_classes
	for flags in -O2 "-O2 -flto=thin" "-O2 -flto=full" "-O1 -g0 -flto=thin"; do
		# shellcheck disable=SC2086
		rarog c++ -g $flags "-fuse-ld=lld-$llvm" -o classes classes.cc main.cc
		run_rarog collect blocks -o classes.rarog -- ./classes
		[[ $errors != *"have no counters"* ]] || fail "$flags: $errors"
		rarog show --json -n 0 classes.rarog >classes.json
		nm classes >symbols
		python3 - <<-'END' || fail "$flags: $(cat symbols)"
			import json
			symbols = {}
			for line in open("symbols"):
			    words = line.split()
			    if len(words) == 3 and words[1] in "tTwW":
			        symbols.setdefault(int(words[0], 16), set()).add(words[2])
			seen = {}
			functions = [f for f in json.load(open("classes.json"))["functions"] if "::" in f["name"]]
			assert len(functions) > 4, functions
			kinds = str.maketrans("12", "33")
			recorded = {f["mangled"] for f in functions}
			everywhere = {name for names in symbols.values() for name in names} - recorded
			for f in functions:
			    if f["address"] is None: # inlined everywhere: what has its other symbol is another function
			        assert not any(f["mangled"] in names for names in symbols.values()), f
			        assert f["mangled"].translate(kinds) not in {name.translate(kinds) for name in everywhere}, f
			        continue
			    names = symbols[f["address"]]
			    # the same, but for which of the two it is called; and no two functions are one
			    assert f["mangled"] in names or f["mangled"].translate(kinds) in {name.translate(kinds) for name in names - recorded}, (f, names)
			    assert seen.setdefault(f["address"], f["mangled"]) == f["mangled"], f
			assert {"_ZN5plainC2Ei", "_ZN6sharedC2Ei"} <= {f["mangled"] for f in functions if f["address"]}, functions
		END
	done
}

@test "records that were packed are read" {
	need_plugin
	for i in {1..150}; do
		echo "int f$i(int x) { return x > $i ? x * $i : x + $i; }"
	done >many.c
	echo 'int main(int n, char **words) { (void)words; return f1(n) == 9; }' >>many.c
	rarog cc -O1 -o many many.c
	objcopy --compress-debug-sections=zlib many packed
	[[ $(readelf -SW packed) =~ \.debug\.rarog\ [^$'\n']*\ C\  ]] || skip "objcopy packed nothing"
	for program in many packed; do
		run_rarog collect blocks -o $program.rarog -- ./$program
		[[ $errors == *" in 1 of 151 blocks in "* ]] || fail "$program: $errors"
	done
}

@test "a source that was changed after the build is named, wherever its lines are shown" {
	need_plugin
	echo 'int main(void) { return 0; }' >stale.c
	rarog cc -O1 -g -o stale stale.c
	run_rarog collect blocks -o stale.rarog -- ./stale
	[[ $errors != *warning* ]] || fail "$errors"
	touch -d '+1 minute' stale.c
	run_rarog collect blocks -o stale.rarog -- ./stale
	[[ $errors == *"/stale.c: changed after "*"/stale was built; counts are those of the lines it had then, build it again"* ]] || fail "$errors"
	touch -d '-1 minute' stale.c
	for how in "show --coverage" "export --format=lcov" "export --format=gcov"; do
		# shellcheck disable=SC2086
		run_rarog $how stale.rarog
		[[ $errors == *"warning: "*"/stale.c: changed after the program was built; counts are"* ]] || fail "$how: $errors"
	done
}

# says_since NUMBER: of so many of the commands that show lines it is said that q.c was changed since
says_since() {
	for how in "show --coverage" "export --format=lcov" "export --format=gcov"; do
		# shellcheck disable=SC2086
		run_rarog $how ../q.rarog
		expect_status 0
		run grep -c 'warning: .*/project/q.c: changed since the program ran; counts are those of the lines it had then$' <<<"$errors"
		[ "$output" = "$1" ] || fail "$how: $errors"
	done
}

@test "a source that was changed after the run is named where its lines are shown, unless its commit has the same" {
	need_plugin
	mkdir project
	cd project
	echo 'int main(void) { return 0; }' >q.c
	rarog cc -O1 -g -o ../q q.c
	rarog -q collect blocks -o ../q.rarog -- ../q
	says_since 0
	sed -i '1i\\n\n\n' q.c
	says_since 1
	# written anew as it was: nobody knows that without a commit
	echo 'int main(void) { return 0; }' >q.c
	says_since 1
	git init -q .
	git add q.c
	git -c user.name=a -c user.email=a@b.c commit -qm first
	rarog cc -O1 -g -o ../q q.c
	rarog -q collect blocks -o ../q.rarog -- ../q
	sleep 0.02
	touch q.c
	says_since 0
	sed -i '1i\\n\n\n' q.c
	says_since 1
	git -c user.name=a -c user.email=a@b.c commit -qam second
	says_since 1
	rm q.c
	says_since 0
}

# changed_since PROFILE: what is said of its sources
changed_since() {
	run_rarog export --format=lcov -o out "$1"
	expect_status 0
	sed -n 's,^rarog: warning: .*/\([^/ ]*/[^/ ]*\): changed since the program ran.*,\1,p; s,^rarog: warning: .*/\([^/ ]*/[^/ ]*\) and others: changed since.*,\1 +,p' <<<"$errors"
}

@test "a source that its commit has is not named: by links, and beside files of no project" {
	need_plugin
	mkdir -p project/src outside
	cd project
	echo 'int host(int n) { return n + 1; }' >src/host.c
	printf '#include "one.h"\n#include "two.h"\nint host(int);\nint main(int argc, char **v) { return two(one(host(argc))) == (long)v; }\n' >src/main.c
	echo 'static inline __attribute__((noinline)) int one(int n) { return n + 1; }' >../outside/one.h
	echo 'static inline __attribute__((noinline)) int two(int n) { return n + 1; }' >src/real.h
	ln -s real.h src/two.h
	git init -q .
	git add .
	git -c user.name=a -c user.email=a@b.c commit -qm first
	ln -s "$PWD" ../link
	cd ../link # the compiler names files by the link
	rarog cc -O1 -g -I../outside -o ../q "$PWD/src/main.c" "$PWD/src/host.c"
	cd ../project
	rarog -q collect blocks -o ../q.rarog -- ../q
	rarog show --json ../q.rarog | jq -e '[.functions[].file | select(. != null)] | any(contains("/link/src/two.h"))' >/dev/null || fail "no link"
	sleep 0.02
	[ "$(changed_since ../q.rarog)" = "" ] || fail "$errors"
	touch src/*
	[ "$(changed_since ../q.rarog)" = "" ] || fail "written anew: $errors"
	touch ../outside/one.h
	[ "$(changed_since ../q.rarog)" = outside/one.h ] || fail "outside: $errors"
	echo >>src/real.h
	changed_since ../q.rarog >said; grep -q " +" said || fail "another: $(cat said) $errors"
	touch -d 2001-01-01 ../outside/one.h
	[ "$(changed_since ../q.rarog)" = src/two.h ] || fail "a link's target: $errors"
}

@test "a source that its commit has is not named where its project lies within another" {
	need_plugin
	mkdir -p outer/include outer/project
	cd outer
	git init -q .
	echo '__attribute__((noinline)) int one(int n) { return n + 1; }' >include/one.h
	cd project
	git init -q .
	printf '#include "../include/one.h"\nint later(int n) { return n; }\n' >first.c
	printf 'int one(int);\nint main(int argc, char **v) { return one(argc) == (long)v; }\n' >main.c
	git add .
	git -c user.name=a -c user.email=a@b.c commit -qm first
	rarog cc -O1 -g -o ../../q first.c main.c
	rarog -q collect blocks -o ../../q.rarog -- ../../q
	sleep 0.02
	touch first.c main.c ../include/one.h
	[ "$(changed_since ../../q.rarog)" = include/one.h ] || fail "$errors"
	echo >>main.c
	[ "$(changed_since ../../q.rarog)" = "include/one.h +" ] || fail "$errors"
}

@test "source files have whole paths, wherever and however the compiler was called" {
	need_plugin
	mkdir -p project/src project/include/deep build elsewhere
	printf 'static inline int low(int x) { for (int i = 0; i < x; i++) if (i %% 7 == 3) return i; return x; }\n' >project/include/deep/low.h
	printf '#include "low.h"\nint last(int);\nint main(int argc, char **argv) { return low(argc + 5) == 3 ? last(low(argc)) : 2; }\n' >project/src/main.c
	echo 'int last(int x) { return x > 5 ? x - 5 : x - 1; }' >project/src/last.c # with LTO it becomes a part of main
	truth=$(realpath project/include/deep/low.h project/src/last.c project/src/main.c | jq -R . | jq -cs .)
	for format in -gdwarf-5 -gdwarf-4 "-g -gsplit-dwarf" "-g -flto"; do
		for place in build:../project project:. project/src:.. project/include:"$PWD/project" build:"$PWD/build/.././project"; do
			top=${place#*:}
			(cd "${place%%:*}" && rarog cc -O2 $format "-I$top/include/deep" -o "$OLDPWD/main" "$top/src/main.c" "$top/src/last.c")
			rm -f elsewhere/main.rarog
			(cd elsewhere && rarog -q collect blocks -o main.rarog -- ../main)
			rarog export --format json -o - elsewhere/main.rarog |
				jq -c '[.locations[].file, .frames[].file, .origins[].file] | unique' >files
			[ "$(cat files)" = "$truth" ] || fail "$format $place: $(cat files), not $truth"
		done
	done
}

@test "options of every command may stand after the collector's name" {
	rarog collect --help >help
	rarog collect blocks --help >other
	cmp help other
	printf '#!/bin/sh\necho "$@"\n' >blocks
	chmod +x blocks
	[ "$(rarog collect time -o first.rarog -- ./blocks --help -q 2>/dev/null)" = "--help -q" ] # a program's are its own
	run_rarog collect time -q --no-color -o second.rarog -- ./blocks
	expect_status 0
	expect_error ""
	run_rarog collect blocks --quite -- ./blocks
	expect_status 125
	expect_error "rarog collect: unknown option --quite; did you mean --quiet?"
}
