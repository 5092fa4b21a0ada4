#!/usr/bin/env bats
# Regions of features: found as by hand, measured as often as the program says, and nothing of it in the code. The
# programs are the thesis's, and one whose regions were marked by hand.

load ../helper
load ../blocks-helper
load ../ebpf-helper

need_features() {
	need_plugin
	[ -f "$build/llvm/rarog-features-$llvm.so" ] || skip "needs a build with llvm-$llvm-dev"
	take "features/$1.c"
}

compile() {
	rarog cc --features -O2 "-I$repo/include" -o "$1" "$1.c"
}

# with_nops NAME: NAME, and NAME.first without nops at the edges of its regions
with_nops() {
	compile "$1"
	mv "$1" "$1.first"
	rarog feature regions --write "$1.list" "./$1.first"
	rarog cc --features --region-nops "--rarog-regions=$1.list" -O2 "-I$repo/include" -o "$1" "$1.c"
}

# lines FEATURES: what begins where, of the regions of exactly these features
lines() {
	"$RAROG" feature regions --json "${@:2}" | python3 -c '
import json, sys
for r in json.load(sys.stdin)["regions"]:
    if r["with"] == sys.argv[1].split(","):
        print(r["line"], r["last_line"])' "$1"
}

@test "regions of two options, and where these meet" {
	need_features interaction
	compile interaction
	at() { grep -n "$1" interaction.c | tail -1 | cut -d: -f1; }
	[ "$(lines A ./interaction)" = "$(at 'if (a) {') $(at '		first_off();')" ]
	run lines B ./interaction
	[ "${lines[0]%% *}" -eq "$(at 'if (b) {')" ]
	[ "${lines[0]##* }" -ge "$(at 'again();')" ]
	run lines A,B ./interaction
	[ "${#lines[@]}" -eq 2 ]
	[ "${lines[0]%% *}" -eq "$(at 'if (a && b)')" ]
	[ "${lines[1]%% *}" -eq "$(at 'if (x)')" ]
}

@test "each region is measured as often as it runs, in each configuration" {
	need_features interaction
	compile interaction
	for options in "" A B "A B"; do
		# shellcheck disable=SC2086
		units=$(rarog collect features -o run.rarog -- ./interaction $options)
		[ "$units" = "$(./interaction $options)" ]
		rarog show --json run.rarog >run.json
		python3 - "$options" <<-'PYTHON'
			import json, sys
			on = sys.argv[1].split()
			counts = {}
			for f in json.load(open("run.json"))["functions"]:
			    name = f["name"].split("@")[0]
			    counts[name] = counts.get(name, 0) + f["count"]
			want = {"A": 1}
			if "B" in on:
			    want["B"] = 1
			if len(on) == 2:
			    want["A,B"] = 2
			assert {k: v for k, v in counts.items() if v} == want, (on, counts)
		PYTHON
	done
}

@test "not one entry of a region is lost" {
	need_features busy-loop
	compile busy-loop
	rarog collect features -o run.rarog -- ./busy-loop 1000000 3
	rarog show --json run.rarog >run.json
	python3 -c '
import json
r = json.load(open("run.json"))
assert [f["count"] for f in r["functions"]] == [1000000], r["functions"]
assert r["losses"] == 0'
}

@test "code that nothing leads to begins no region" {
	need_features dead-code
	compile dead-code
	rarog collect features -o run.rarog -- ./dead-code 1
	rarog show --json run.rarog | python3 -c '
import json, sys
assert [f["count"] for f in json.load(sys.stdin)["functions"]] == [5]'
}

@test "that probes are a large part of a region is said with its share" {
	need_features busy-loop
	compile busy-loop
	take features/interaction.c
	compile interaction
	for how in "" --compensate; do
		# shellcheck disable=SC2086
		rarog collect features $how -o run.rarog -- ./busy-loop 1000000 1
		run_rarog show --features run.rarog
		[[ $output == *"and more than a tenth of Iterations: "*"collect features --engine perf has shares"* ]]
		rarog report -o run.html run.rarog
	done
	rarog collect features -o run.rarog -- ./interaction A B
	run_rarog show --features run.rarog
	[[ $output == *"share: of all that ran"* ]]
	[[ $output != *"probes took"* ]]
}

@test "what a table says flows through memory and members" {
	need_features table
	compile table
	cat >model.yml <<-'YAML'
		features:
		  Level:
		    variable: level
		    file: table.c
	YAML
	at() { grep -n "$1" table.c | tail -1 | cut -d: -f1; }
	run lines Level --model model.yml ./table
	[ "${#lines[@]}" -eq 2 ]
	[ "${lines[0]%% *}" -eq "$(at 'while (chain')" ]
	[ "${lines[1]%% *}" -eq "$(at 'if (s->lazy')" ]
	rarog feature regions --model model.yml ./table | grep -q "index of a table"
	for level in 0 1 2; do
		rarog collect features --model model.yml -o run.rarog -- ./table $level
		rarog show --json run.rarog | python3 -c '
import json, sys
level = int(sys.argv[1])
n = {f["name"].split(":")[1]: f["count"] for f in json.load(sys.stdin)["functions"]}
assert sorted(v for v in n.values() if v) == [[], [4], [1, 9]][level], n' $level
	done
}

@test "the code is what it is without" {
	need_features interaction
	take features/constant.c
	for file in interaction constant; do
		for level in -O1 -O2 -Os; do
			rarog cc --features $level "-I$repo/include" -o with $file.c
			"clang-$llvm" $level "-I$repo/include" -o without $file.c
			for made in with without; do
				objcopy -O binary -j .text -j .rodata -j .data $made $made.code
			done
			cmp with.code without.code
		done
	done
}

@test "nops at the edges of regions: the program does what it did, and probes stand there" {
	need_features interaction
	with_nops interaction
	for options in "" A B "A B"; do
		# shellcheck disable=SC2086
		[ "$(./interaction $options)" = "$(./interaction.first $options)" ]
	done
	for made in interaction.first interaction; do
		rarog collect features -o $made.rarog -- ./$made A B
		rarog show --json $made.rarog >$made.json
	done
	python3 - interaction <<-'PYTHON'
		import json, re, subprocess
		def counts(made):
		    return {f["name"]: f["count"] for f in json.load(open(made + ".json"))["functions"]}
		assert counts("interaction") == counts("interaction.first")
		code = {}
		for line in subprocess.run(["objdump", "-d", "interaction"], capture_output=True, text=True).stdout.splitlines():
		    row = re.match(r" *([0-9a-f]+):\t([0-9a-f ]+)", line)
		    if row:
		        code.update(enumerate(bytes.fromhex(row[2]), int(row[1], 16)))
		for f in json.load(open("interaction.json"))["functions"]:
		    begins = bytes(code[f["address"] + i] for i in range(5))
		    assert begins == bytes.fromhex("900f1f4000"), (f["name"], begins.hex())
	PYTHON
	run_rarog collect features --engine static -- ./interaction A
	[ "$status" -ne 0 ]
}

@test "nops at the edges of regions: functions that go on by jumps still do" {
	need_features circles
	with_nops circles
	for options in "" A; do
		# shellcheck disable=SC2086
		[ "$(./circles $options)" = "$(./circles.first $options)" ]
	done
	rarog collect features -o run.rarog -- ./circles A
	rarog show --json run.rarog | python3 -c '
import json, sys
counts = [f["count"] for f in json.load(sys.stdin)["functions"] if "@" in f["name"]]
assert sorted(counts) == [1, 1, 1500000, 1500000], counts'
}

# Compiled in these would let the stack grow; nops do not.
@test "nops at the edges of regions: also of those whose jumps lead back to their function" {
	need_features turns
	with_nops turns 2>said.txt
	[ "$(grep -c "not compiled in: .* which may lead back to it" said.txt)" = 3 ] || fail "$(cat said.txt)"
	for function in even sum through; do
		objdump -d --no-show-raw-insn --disassemble=$function turns >code.txt
		grep -A1 -w "nop$" code.txt | grep -q "nopl  *0x0(%rax)" || fail "$(cat code.txt)"
	done
	for way in 1 2; do
		[ "$(ulimit -s 8192; ./turns $way 2000000)" = "$(./turns.first $way 2000000)" ]
	done
	for made in turns.first turns; do
		rarog collect features -o $made.rarog -- ./$made 2 10
		rarog show --json $made.rarog | python3 -c '
import json, sys
print(sorted((f["name"], f["count"]) for f in json.load(sys.stdin)["functions"] if "T@" in f["name"]))' >$made.counts
	done
	cmp turns.first.counts turns.counts
	grep -q "T@turns.c:.*T@turns.c:.*T@turns.c:" turns.counts
}

@test "nops at the edges of regions: the kernel has to step over no instruction" {
	need_engine
	for program in near tail-call; do
		need_features $program
		with_nops $program
		run_rarog collect features --engine ebpf -o first.rarog -- ./$program.first 1 1
		[ "$status" -eq 0 ]
		[[ $errors == *"the kernel has to step over an instruction"*"rarog cc --region-nops"* ]]
		run_rarog collect features --engine ebpf -o run.rarog -- ./$program 1 1
		[ "$status" -eq 0 ]
		[[ $errors != *"has to step"* ]]
		"$RAROG" show --json run.rarog >run.json
		"$RAROG" collect features -o inline.rarog -- ./$program 1 1
		"$RAROG" show --json inline.rarog >inline.json
		python3 - <<-'PYTHON'
			import json
			def counts(made):
			    return {f["name"]: f["count"] for f in json.load(open(made))["functions"] if "@" in f["name"]}
			assert counts("run.json") == counts("inline.json") != {}, (counts("run.json"), counts("inline.json"))
		PYTHON
	done
}

@test "an exception begins no region, wherever it lands and whatever is cleaned up there" {
	need_features interaction
	take features/thrown.cc
	for level in -O0 -O1 -O2; do
		rarog c++ --features $level "-I$repo/include" -o thrown thrown.cc
		want=$(./thrown 1)
		rarog collect features -o run.rarog -- ./thrown 1
		rarog show --json run.rarog | python3 -c '
import json, sys
counts = {f["name"].split("@")[0]: f["count"] for f in json.load(sys.stdin)["functions"] if "@" in f["name"]}
assert counts == {"A": int(sys.argv[1])}, (counts, sys.argv[1])' "$want" || fail "$level"
	done
}

@test "samples are in the regions that were open, and in no others" {
	need_features interaction
	compile interaction
	"$RAROG" collect features --engine perf -o seen.rarog -- ./interaction A B || skip "no samples here"
	rarog collect features -o run.rarog -- ./interaction A B
	rarog export --format collapsed -o seen.txt seen.rarog
	rarog export --format collapsed -o run.txt run.rarog
	python3 - <<-'PYTHON'
		def stacks(name):
		    found = {}
		    for line in open(name):
		        stack, amount = line.rsplit(" ", 1)
		        stack = tuple(f for f in stack.split(";") if "@interaction.c:" in f)
		        found[stack] = found.get(stack, 0) + int(amount)
		    return found
		seen, run = stacks("seen.txt"), stacks("run.txt")
		assert len([s for s in run if s]) == 4, run
		assert any(seen), seen
		for stack in seen:
		    assert not stack or stack in run, (stack, run)
	PYTHON
}

@test "a table, options and their interaction: measured, modelled, told" {
	need_features interaction
	compile interaction
	printf 'features:\n  A: {kind: switch}\n  B: {kind: switch}\n' >model.yml
	rarog feature plan --model model.yml --plan pair-wise >plan.txt
	[ "$(sort plan.txt | uniq | wc -l)" -eq 4 ]
	while read -r options; do
		arguments=
		[[ $options == *A=true* ]] && arguments+=" A"
		[[ $options == *B=true* ]] && arguments+=" B"
		# shellcheck disable=SC2086
		rarog collect features $options -o "run$((n += 1)).rarog" -- ./interaction $arguments </dev/null
	done <plan.txt
	rarog feature influence --json --of B@interaction.c:"$(grep -n 'if (b) {' interaction.c | cut -d: -f1)" run?.rarog >it.json
	python3 - <<-'PYTHON'
		import json
		terms = {t["term"]: t["coefficient"] for t in json.load(open("it.json"))["terms"]}
		assert terms.get("B", 0) > 0, terms
		assert abs(terms["1"]) < 0.01 * terms["B"], terms
	PYTHON
	rarog feature predict --json --option A=false --option B=true run?.rarog | python3 -c '
import json, sys
assert json.load(sys.stdin)["value"] > 0'
	run_rarog feature predict --option A=false run?.rarog
	[ "$status" -eq 2 ]
	[[ $errors == *"--option B=VALUE"* ]]
}

@test "a region ends where its ways meet, though exceptions and goto lead past destructors" {
	need_features scopes
	at() { grep -n "$1" "$2" | tail -1 | cut -d: -f1; }
	for level in -O0 -O1 -O2; do
		rarog cc --features $level "-I$repo/include" -o scopes scopes.c
		read -r first last < <(lines Goto ./scopes)
		[ "$first" -eq "$(at 'if (way)' scopes.c)" ]
		[ "$last" -lt "$(at 'after it' scopes.c)" ]
	done
	take features/scopes.cc
	for level in -O0 -O2; do
		rarog c++ --features $level "-I$repo/include" -o scopes++ scopes.cc
		read -r first last < <(lines Throw ./scopes++)
		[ "$first" -eq "$(at 'if (way)' scopes.cc)" ]
		[ "$last" -lt "$(at 'after it' scopes.cc)" ]
		# what handles an exception of a region is in it
		[ "$(lines Catch,Inner ./scopes++ | cut -d' ' -f1)" = "$(at 'if (inner)' scopes.cc)" ]
	done
}

@test "what a function calls last, by a jump, is in its region, and nothing after it" {
	need_features tail-call
	compile tail-call
	objdump -d --no-show-raw-insn tail-call | grep -q 'jmp .*<called>' || skip "this compiler makes no jump of it"
	rarog collect features -o run.rarog -- ./tail-call 1 1
	rarog show run.rarog | grep -q "left by an exception or longjmp, or by a return at which no probe ends the region"
	rarog export --format collapsed -o run.txt run.rarog
	rarog show --json run.rarog >run.json
	python3 - <<-'PYTHON'
		import json
		counts = {f["name"].split("@")[0]: f["count"] for f in json.load(open("run.json"))["functions"]
		          if "@" in f["name"]}
		assert counts == {"Tail": 3, "Called": 6}, counts
		ways = {"".join(p.split("@")[0] + " " for p in line.rsplit(" ", 1)[0].split(";") if "@" in p).strip()
		        for line in open("run.txt")} - {""}
		assert ways == {"Tail", "Tail Called", "Called"}, ways
	PYTHON
}

@test "regions end however they are left, in each thread" {
	need_plugin
	[ -f "$build/llvm/rarog-features-$llvm.so" ] || skip "needs a build with llvm-$llvm-dev"
	take features/leaving.cc
	rarog c++ --features -O2 "-I$repo/include" -o leaving leaving.cc -lpthread
	rarog collect features -o run.rarog -- ./leaving
	rarog export --format collapsed -o run.txt run.rarog
	if grep -q "First@.*Second@" run.txt; then
		fail "$(cat run.txt)"
	fi
	rarog show --json run.rarog | python3 -c '
import json, sys
counts = {}
for f in json.load(sys.stdin)["functions"]:
    counts.setdefault(f["name"].split("@")[0], []).append(f["count"])
# four threads: six ways out, of which one is the end of the first turn; three of them lead to what is after the loop
assert counts["Second"] == [4 * 6], counts
assert sorted(counts["First"]) in ([4 * 7], [4 * 3, 4 * 7]), counts'
}

@test "a plan proposes nothing that the model forbids" {
	printf 'features:\n  A: {kind: switch, implies: [B]}\n  B: {kind: switch}\n  C: {kind: switch, excludes: [B]}\n' >model.yml
	for plan in feature-wise pair-wise random; do
		rarog feature plan --json --model model.yml --plan $plan --count 8 2>/dev/null >plan.json
		python3 - <<-'PYTHON'
			import itertools, json
			allowed = [c for c in itertools.product((0, 1), repeat=3) if c[1] >= c[0] and not (c[1] and c[2])]
			made = [tuple(int(c[n] == "true") for n in "ABC") for c in json.load(open("plan.json"))["configurations"]]
			assert made and len(set(made)) == len(made), made
			assert all(c in allowed for c in made), made
		PYTHON
	done
}

@test "a plan has each value of an option that always has one" {
	cat >model.yml <<-'YAML'
		features:
		  Level: {kind: number, values: [1, 6, 9], optional: false}
		  Threads: {kind: number, values: [1, 2], implies: [Level]}
	YAML
	rarog feature plan --model model.yml --plan feature-wise >plan.txt
	for level in 1 6 9; do
		grep -q -- "--option Level=$level " plan.txt
	done
	grep -q -- "--option Level=1 --option Threads=2" plan.txt
	printf 'features:\n  A: {kind: switch, optional: perhaps}\n' >model.yml
	run_rarog feature plan --model model.yml
	[ "$status" -eq 3 ] || [ "$status" -eq 2 ]
}

@test "influence of what is not there, of other programs and of runs that failed is refused" {
	sleepy() { rarog collect time "${@:2}" -o "$1.rarog" -- sh -c "${code:-:}"; }
	sleepy a --option A=1
	sleepy b --option A=2
	sleepy d --option A=3
	code='exit 3' sleepy c --option A=9 || true
	rarog collect time --option A=4 -o other.rarog -- true
	run_rarog feature influence a.rarog b.rarog d.rarog c.rarog
	[ "$status" -eq 0 ]
	[[ $errors == *"1 of 4 runs are left out"* ]]
	[[ $output == *"3 runs of 3 configurations"* ]]
	run_rarog feature influence --of Levle a.rarog b.rarog
	[ "$status" -ne 0 ]
	[[ $errors == *"--of=Levle: none of these profiles has"* ]]
	run_rarog feature influence a.rarog b.rarog other.rarog
	[ "$status" -ne 0 ]
	[[ $errors == *"runs of sh and of true"* ]]
	rarog collect trace --option A=2 -o traced.rarog -- sh -c :
	run_rarog feature influence a.rarog traced.rarog b.rarog
	[ "$status" -ne 0 ]
	[ "$errors" = "rarog feature: these are runs of the collectors time and trace; name the profiles of one" ] || fail "$errors"
	# one that failed is left out, whatever it is of
	rarog collect trace --option A=2 -o failed.rarog -- sh -c 'exit 3' || true
	run_rarog feature influence failed.rarog a.rarog b.rarog d.rarog
	[ "$status" -eq 0 ] || fail "$errors"
	# of one configuration, but told otherwise what to do
	rarog collect time --option A=2 -o longer.rarog -- sh -c 'sleep 0'
	run_rarog feature influence a.rarog b.rarog longer.rarog
	[ "$status" -ne 0 ]
	[ "$errors" = "rarog feature: these are runs with the arguments '-c :' and '-c 'sleep 0'', which their options do not explain; name the profiles of one" ] || fail "$errors"
	run_rarog feature predict --option A=5 a.rarog b.rarog d.rarog
	[ "$status" -eq 0 ]
	[[ $errors == *"A=5 is beyond what was measured (1 to 3)"* ]]
	run_rarog feature predict --option A=2 --option lvl=9 a.rarog b.rarog d.rarog
	[ "$status" -eq 2 ]
	run_rarog feature predict --option A=abc a.rarog b.rarog d.rarog
	[ "$status" -eq 2 ]
	[ "$errors" = "rarog feature: --option A=abc: all runs have a number there; give one" ]
}

@test "regions that a library leaves by longjmp are counted, and said to last too long" {
	need_features jump
	gcc "-I$repo/include" -DJUMP -shared -fPIC -o libjump.so jump.c
	rarog cc --features -O2 "-I$repo/include" -o jump jump.c -L. -ljump "-Wl,-rpath,$PWD"
	run_rarog collect features -o run.rarog -- ./jump 1
	[[ $errors == *"longjmp may leave regions of it"* ]]
	rarog show --json run.rarog | python3 -c '
import json, sys
assert [f["count"] for f in json.load(sys.stdin)["functions"] if "@" in f["name"]] == [6]'
}

@test "what cannot be told apart is refused: one source twice, -flto" {
	need_features tail-call
	rarog cc --features -O2 "-I$repo/include" -c -o one.o tail-call.c
	rarog cc --features -O2 "-I$repo/include" -Dmain=two -c -o two.o tail-call.c
	rarog cc --features -o twice one.o two.o
	run_rarog feature regions --json ./twice
	[[ $errors == *"tail-call.c is in the program twice"* ]]
	[ "$(grep -c '"measured"' <<<"$output")" -eq 0 ]
	run_rarog cc --features -flto "-I$repo/include" -c -o lto.o tail-call.c
	[ "$status" -eq 0 ]
	[[ $errors == *"-flto: features are not looked for"* ]]
	run_rarog cc --features -g -fdebug-info-for-profiling "-I$repo/include" -c -o numbered.o tail-call.c
	[[ $errors == *"-fdebug-info-for-profiling: features are not looked for"* ]]
	run_rarog cc --features -flto -fno-lto "-I$repo/include" -c -o lto.o tail-call.c
	[ -z "$errors" ]
}

@test "a region whose probes are too near each other is named" {
	need_features near
	compile near
	rarog collect features --dry-run -- ./near 1 >dry.txt
	name=$(sed -n 's/^  USDT region \(.*\) left out: .*/\1/p' dry.txt | head -1)
	[ -n "$name" ] || skip "this compiler leaves room between them"
	run_rarog collect features -o run.rarog -- ./near 1
	[[ $errors == *"$name is not measured: it "* ]]
}

@test "a feature that is written through a pointer nobody follows is named" {
	need_plugin
	[ -f "$build/llvm/rarog-features-$llvm.so" ] || skip "needs a build with llvm-$llvm-dev"
	take features/pointers.c
	compile pointers
	run_rarog feature list ./pointers
	[ "$status" -eq 0 ]
	[ "$(grep -c "a pointer that is not followed" <<<"$errors")" -eq 5 ] || fail "$errors"
	grep -q "Scanned may be .*passed to .*sscanf(), pointers.c:$(grep -n sscanf pointers.c | cut -d: -f1))" <<<"$errors"
	grep -q "Listed may be .*is in table)" <<<"$errors"
	grep -q "Member may be .*is in longs)" <<<"$errors"
	grep -q "Element may be .*is in main.numbers)" <<<"$errors"
	grep -q "Kept may be .*kept in memory that is not known, pointers.c:$(grep -n 'unknown = &kept' pointers.c | cut -d: -f1))" <<<"$errors"
	# their regions are found all the same
	for feature in Scanned Listed Kept Member Element Followed; do
		[ -n "$(lines $feature ./pointers 2>/dev/null)" ]
	done
}

@test "a region that no way leads out of is named" {
	need_plugin
	[ -f "$build/llvm/rarog-features-$llvm.so" ] || skip "needs a build with llvm-$llvm-dev"
	take features/no-way-out.c
	compile no-way-out
	at() { grep -n "$1" no-way-out.c | tail -1 | cut -d: -f1; }
	rarog feature regions --json ./no-way-out >regions.json
	python3 - "$(at 'for (;;)')" "$(at 'exit(3)')" "$(at 'usage(argc)')" <<-'PYTHON'
		import json, sys
		traps = {r["features"][0]: r["no_way_out"] for r in json.load(open("regions.json"))["regions"]}
		loop, ended, dies = (f"no-way-out.c:{line}" for line in sys.argv[1:])
		assert traps == {"Loop": loop, "Exit": ended, "Plain": None, "Dies": dies, "Jumps": None, "Returns": None}, traps
	PYTHON
	rarog feature regions ./no-way-out | grep -q "no way leads out of it from no-way-out.c:$(at 'exit(3)')"
	# the program ends in it: it counts, until then
	code=0
	"$RAROG" collect features -o run.rarog -- ./no-way-out 0 2 || code=$?
	[ "$code" -eq 3 ]
	rarog show --json run.rarog | python3 -c '
import json, sys
assert [(f["name"].split("@")[0], f["count"], f["open"]) for f in json.load(sys.stdin)["functions"] if f["count"] and "@" in f["name"]] == [("Exit", 1, 1)]'
}

@test "a region whose loop only an exception or longjmp() leaves is named so, and ends there" {
	need_features no-way-out
	take features/unending.cc
	rarog c++ --features -O2 "-I$repo/include" -o unending unending.cc
	rarog feature regions --json ./unending | python3 -c '
import json, sys
said = {r["features"][0]: (bool(r["no_way_out"]), r["unless_thrown"]) for r in json.load(sys.stdin)["regions"]}
assert said == {"Throws": (True, True), "Jumps": (True, True), "Stays": (True, False), "After": (False, False)}, said'
	rarog feature regions --feature Throws ./unending | grep -q "no way but an exception or longjmp() leads out of it"
	rarog collect features -o run.rarog -- ./unending
	are_left run.rarog
	rarog feature regions --write unending.list ./unending
	rarog c++ --features --rarog-regions=unending.list -O2 "-I$repo/include" -o compiled unending.cc
	rarog collect features --engine static -o run.rarog -- ./compiled
	are_left run.rarog
}

# are_left PROFILE: each region of unending.cc began five times and was not open when what follows it began
are_left() {
	rarog export --format collapsed -o run.txt "$1"
	if grep -q "\(Throws\|Jumps\)@.*After@" run.txt; then
		fail "$(cat run.txt)"
	fi
	rarog show --json "$1" | python3 -c '
import json, sys
found = {f["name"].split("@")[0]: (f["count"], f["open"]) for f in json.load(sys.stdin)["functions"] if "@" in f["name"] and f["count"]}
assert found == {"Throws": (5, 0), "Jumps": (5, 0), "After": (10, 0)}, found'
}

@test "an exception that is caught within a loop leads out of no region" {
	need_plugin
	[ -f "$build/llvm/rarog-features-$llvm.so" ] || skip "needs a build with llvm-$llvm-dev"
	take features/caught.cc
	rarog c++ --features -O2 "-I$repo/include" -o caught caught.cc
	rarog feature regions --json ./caught | python3 -c '
import json, sys
said = {r["features"][0]: (bool(r["no_way_out"]), r["unless_thrown"]) for r in json.load(sys.stdin)["regions"]}
assert said == {"Serves": (True, False), "Guards": (True, False), "GivesUp": (False, False), "Throws": (True, False), "Shields": (False, False), "Passes": (False, False),
                "Stops": (False, False), "After": (False, False)}, said'
	rarog collect features -o run.rarog -- ./caught
	rarog show --json run.rarog | python3 -c '
import json, sys
found = {f["name"].split("@")[0]: (f["count"], f["open"]) for f in json.load(sys.stdin)["functions"] if "@" in f["name"] and f["count"]}
assert found == {"Shields": (5, 0), "After": (5, 0), "Passes": (1, 0)}, found'
}

@test "one line for each mistake" {
	need_features interaction
	gcc -I"$repo/include" -o without interaction.c
	run_rarog feature list ./without
	[ "$status" -eq 3 ]
	[[ $errors == *"compile and link it with rarog cc --features"* ]]
	printf '#include <rarog.h>\nstatic int level RAROG_FEATURE_VARIABLE(Gone);\nint main(void) { return 0; }\n' >gone.c
	compile gone
	for command in "feature list" "feature regions" "collect features --"; do
		# shellcheck disable=SC2086
		run_rarog $command ./gone
		[ "$status" -ne 0 ]
		[[ $errors == *"no feature is named in it, or the variable was never used and is gone"* ]]
	done
	run_rarog cc --features --region-nops -c interaction.c
	[ "$status" -eq 125 ]
	[[ $errors == *"--region-nops: it is not known for which regions"* ]]
	run_rarog cc --region-nops -c interaction.c
	[ "$status" -eq 125 ]
	compile interaction
	run_rarog collect features --feature Nothing -- ./interaction
	[[ $errors == *"rarog feature list names them"* ]]
	run_rarog collect features --sample-calls 4 -- ./interaction
	[[ $status -eq 125 && $errors == *"--sample-calls: regions of features are recorded each time"* ]] || fail "$errors"
	printf 'features:\n  A: {implies: [B]}\n  B: {excludes: [A]}\n' >model.yml
	run_rarog feature list --model model.yml ./interaction
	[[ $errors == *"A can never be on"* ]]
	printf 'features:\n  C: {variable: nowhere}\n' >model.yml
	run_rarog feature list --model model.yml ./interaction
	[[ $errors == *"nowhere is not in the program's debug information"* ]]
}

@test "an analysis that takes too much says so, and tries with less" {
	need_features interaction
	compile interaction
	mkdir bin
	# a compiler that has no memory for implicit flow
	cat >"bin/clang-$llvm" <<-SHELL
		#!/bin/sh
		case "\$*" in
		*-rarog-explicit*) exec "$(command -v "clang-$llvm")" "\$@" ;;
		*-rarog-result*) echo "LLVM ERROR: out of memory" >&2; exit 134 ;;
		esac
	SHELL
	chmod +x "bin/clang-$llvm"
	PATH=$PWD/bin:$PATH run_rarog feature regions ./interaction
	[ "$status" -eq 0 ]
	[[ $errors == *"takes more than it may"*"as with --explicit"* ]]
	[ "$("$RAROG" feature regions --explicit ./interaction)" = "$output" ]
	run_rarog feature regions --analysis-memory 1M ./interaction
	[ "$status" -eq 3 ]
	[[ $errors == *"--analysis-memory"* ]]
}

@test "a section that is damaged, and variables of one name, are said" {
	need_features interaction
	compile interaction
	objcopy --dump-section .rarog.features=section interaction /dev/null
	head -c 200 section >"cut"
	head -c 4096 /dev/zero >zeros
	for what in cut zeros; do
		objcopy --update-section .rarog.features=$what interaction $what.prog
		run_rarog feature list ./$what.prog
		[ "$status" -eq 3 ]
		[[ $errors == *"is damaged; link it anew"* ]]
	done
	sed 's/RAROG_FEATURE_VARIABLE(B)/RAROG_FEATURE_VARIABLE(A)/' interaction.c >same.c
	compile same
	run_rarog feature list ./same
	[ "$status" -eq 0 ]
	[[ $errors == *"A is the name of two variables, at same.c:"*" and same.c:"*"they count as one"* ]]
}

# one_line DECLARATIONS: how often features of one name are said of a program that has them on one line
one_line() {
	printf '#include "rarog.h"\n%s\nint main(int n) { return g(n); }\n' "$1" >one.c
	rarog cc --features -O1 "-I$repo/include" -o one one.c
	run_rarog feature list ./one
	[ "$status" -eq 0 ]
	grep -c "A is the name of two variables, at one.c:2 and one.c:2" <<<"$errors" || true
}

@test "variables of one name on one line are said, and one variable that is used twice is not" {
	need_features interaction
	local variable='RAROG_FEATURE_VARIABLE(A) int'

	[ "$(one_line "$variable a; $variable b; int g(int n) { return (a && n) + (b && n); }")" -eq 1 ]
	[ "$(one_line "int g(int n) { $variable a = n; $variable b = -n; return (a ? n : 2) + (b ? 1 : n); }")" -eq 1 ]
	[ "$(one_line "struct s { $variable a; $variable b; } s; int g(int n) { return s.a ? n : s.b; }")" -eq 1 ]
	[ "$(one_line "struct s { $variable a; } s; int g(int n) { return (s.a ? n : 2) + (s.a > 3 ? 1 : n); }")" -eq 0 ]
}
