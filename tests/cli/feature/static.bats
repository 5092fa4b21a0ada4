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

# Neither compiler puts a function that calls itself into itself; where one does, the end of the inner region must not
# end the outer one.
@test "compiled in: a region within itself ends as often as it begins, each where it began" {
	need_features
	compile_in nested.c
	measure ./nested 1 5
	[ "$(counts)" = '{"On": [5, 5, 5]}' ] || fail "$(counts)"
	rarog export --format collapsed -o run.txt run.rarog
	depths="$(sed 's/ .*//' run.txt | awk -F ';' '{ for (i = 2; i <= NF; i++) if ($i != $1) exit 1; print $1, NF }' | sort -u | awk '{ n[$1] += $2 } END { for (r in n) print n[r] }')"
	[ "$depths" = $'15\n15\n15' ] || fail "$(cat run.txt)"
}

@test "compiled in: nothing in a coroutine, and all of what it calls and what goes on with it" {
	need_features
	compile_in suspended.cc -std=c++20 -lpthread 2>said.txt
	grep -q "On@suspended.cc:.*: not compiled in: turns(int) is a coroutine, which may go on on another stack" said.txt || fail "$(cat said.txt)"
	[ "$(./suspended 1 1 1)" = "$(./suspended.first 1 1 1)" ]
	measure ./suspended 1 1 1
	[ "$(counts)" = '{"Around": [6], "On,Helps": [10]}' ] || fail "$(counts)"
	rarog feature regions ./suspended.first | grep -A1 "branch in turns(int)" | grep -q "in a coroutine"
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
	compile_in forked.c -O1
	measure ./forked 1
	python3 -c '
import json
r = json.load(open("run.json"))
assert r["losses"] == 0
assert sum(f["count"] for f in r["functions"]) == 3, r["functions"]'
}

@test "compiled in: a process that goes on after the run is said in the profile" {
	need_features
	compile_in outliving.c
	run_rarog collect features --engine static -o run.rarog -- ./outliving "$PWD/end"
	touch end
	[ "$status" -eq 0 ]
	[[ $errors == *"1 process goes on after the run has ended; what it does from then on is not in the profile"* ]]
	rarog show --json run.rarog >run.json
	run summary
	[ "$output" = "1 1" ]
	run_rarog collect features --engine static -o run.rarog -- ./outliving "$PWD/end"
	[[ $errors != *"after the run"* ]]
	rarog show --json run.rarog >run.json
	run summary
	[ "$output" = "0 2" ]
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
	compile_in cancelled.c -O1 -lpthread
	[ "$(./cancelled.first)" = "0 499500" ]
	measure ./cancelled >out.txt
	[ "$(cat out.txt)" = "0 499500" ] || fail "$(cat out.txt)"
	[ "$(summary)" = "0 1" ] || fail "$(summary)"
}

@test "compiled in: a limit on files or descriptors does not end the program, and is counted" {
	need_features
	compile_in limited.c -O1 -lpthread
	measure ./limited
	counts_of_work="$(python3 -c '
import json
r = json.load(open("run.json"))
print(r["losses"], max(f["count"] for f in r["functions"]))')"
	[ "$counts_of_work" = "0 5" ] || fail "$counts_of_work"
	for arguments in "1" "1 2"; do
		# shellcheck disable=SC2086
		measure ./limited $arguments 2>said.txt
		[ "$(python3 -c 'import json; print(json.load(open("run.json"))["losses"] >= 5)')" = True ] ||
			fail "$arguments: $(summary)"
		grep -q "were lost" said.txt || fail "$(cat said.txt)"
	done
}

@test "compiled in: a thread leaves a file no longer than its events, a child without events none" {
	need_features
	compile_in short-files.c -O1 -lpthread
	measure ./short-files >out.txt
	read -r small all <out.txt
	[ "$small" = 4 ] && [ "$all" -le 5 ] || fail "$(cat out.txt)"
}

@test "compiled in: what longjmp left in code without the plug-in is not around the next" {
	need_features
	take features/attempt.c
	gcc -shared -fPIC -o libattempt.so attempt.c
	compile_in attempts.c -O1 -L. -lattempt "-Wl,-rpath,$PWD"
	measure ./attempts
	[ "$(summary)" = "0 6" ] || fail "$(summary)"
	rarog export --format collapsed -o run.txt run.rarog
	if grep -q "Left@.*Left@" run.txt; then
		fail "$(cat run.txt)"
	fi
}

@test "compiled in: on a coroutine's stack nothing is recorded, and nothing of the thread's ends" {
	need_features
	compile_in coroutine.c -O1
	measure ./coroutine
	[ "$(summary)" = "20 11" ] || fail "$(summary)"
}

@test "compiled in: a child that no fork() of libc made has a file of its own" {
	need_features
	compile_in own-fork.c -O1
	measure ./own-fork
	[ "$(summary)" = "0 200001" ] || fail "$(summary)"
}

# ends: where the open call of a child ended, not after the parent's next region began
@test "compiled in: what a child that ended by _exit, exec or a signal had open ends with its last event" {
	need_features
	compile_in ended.c -O1
	for how in e x k; do
		measure ./ended $how 2>said.txt
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
	compile_in deletes-itself.c -O1
	cp deletes-itself whole
	measure ./deletes-itself deletes-itself
	[ "$(summary)" = "0 3" ] || fail "$(summary)"
	# another program that is gone has no names: it is counted, and the rest is saved
	cp whole deletes-itself
	cp whole second
	measure ./deletes-itself deletes-itself second 2>said.txt
	[ "$(summary)" = "1 3" ] || fail "$(summary)"
	grep -q "second.*what such programs ran is left out" said.txt || fail "$(cat said.txt)"
}

# Two million turns that go on by jumps alone; with a frame each they take more stack than there is.
@test "compiled in: jumps that come back to their function stay jumps" {
	need_features
	take features/turns.c
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
	mkdir moved
	cp interaction.c moved
	cd moved
	run_rarog cc "--rarog-compiler=clang-$llvm" --features --rarog-regions=../interaction.list "-I$repo/include" -c interaction.c
	[ "$status" -eq 0 ]
	[[ $errors == *"is of interaction.c in ${PWD%/moved}, not of this one: it gets no regions"* ]] || fail "$errors"
	cd ..
	sed 's/int main(/int more(int n) { return n ? 3 : sink; }\nint main(/' interaction.c >other.c
	sed 's/interaction.c/other.c/' interaction.list >other.list
	run_rarog cc "--rarog-compiler=clang-$llvm" --features --rarog-regions=other.list "-I$repo/include" -c other.c
	[ "$status" -ne 0 ]
	[[ $errors == *"is of another source than other.c"* ]]
}
