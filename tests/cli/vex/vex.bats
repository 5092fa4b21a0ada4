#!/usr/bin/env bats
# rarog collect --engine vex: counts of a program as it is, under the Valgrind tool.

load ../helper

need_tool() {
	[ -x "${RAROG_BUILD:-$repo/build}/src/vex/rarog-vex" ] || skip "needs a build with valgrind"
}

# instructions FUNCTION: "calls instructions" of a function of vex.rarog
counted() {
	rarog show --json vex.rarog | python3 -c '
import json, sys
for f in json.load(sys.stdin)["functions"]:
    if f["name"] == sys.argv[1]:
        print(f["count"], f["instructions"])' "$1"
}

@test "calls and instructions are those that can be read off the program" {
	need_tool
	program vex/known -nostdlib -static
	exits 7 collect --engine vex -o vex.rarog -- ./known
	[[ $errors == *"21,004 instructions, 5,001 calls"*"exact; the time is not the program's own" ]] ||
		fail "$errors"
	[ "$(counted _start)" = "1 3004" ]
	[ "$(counted twice)" = "1000 4000" ]
	[ "$(counted loop)" = "1000 8000" ]
	[ "$(counted tail)" = "1000 2000" ]
	[ "$(counted last)" = "1000 3000" ]
	[ "$(counted next)" = "1000 1000" ]
}

@test "more threads at once than Valgrind has by itself" {
	need_tool
	program vex/at-once -pthread
	works collect --engine vex -o vex.rarog -- ./at-once 600
	[ "$output" = "600 threads" ] || fail "$output $errors"
	[[ $errors == *"exact; the time is not the program's own" ]] || fail "$errors"
	[ "$(counted wait_for_all | cut -d' ' -f1)" = 600 ]
}

@test "callers and callees, in instructions; a tail call is its caller's caller's" {
	need_tool
	program vex/known -nostdlib -static
	rarog collect --engine vex -o vex.rarog -- ./known || [ $? -eq 7 ]
	rarog show --callees twice --json vex.rarog >callees.json
	rarog show --callers next --json vex.rarog >callers.json
	rarog show --tree --json vex.rarog >tree.json
	python3 -c '
import json
load = lambda name: json.load(open(name + ".json"))
got = {c["name"]: (c["count"], c["total_instructions"]) for c in load("callees")["callees"]}
assert got == {"loop": (1000, 8000), "tail": (1000, 2000), "last": (1000, 4000)}, got
got = {c["name"]: (c["count"], c["total_instructions"]) for c in load("callers")["callers"]}
assert got == {"last": (1000, 1000)}, got
nodes = load("tree")["nodes"]
assert nodes[0]["name"] == "_start" and nodes[0]["inclusive_instructions"] == 21004, nodes[0]
assert sum(n["exclusive_instructions"] for n in nodes) == 21004'
}

@test "callers and callees in callgrind's format and in folded stacks" {
	need_tool
	program vex/known -nostdlib -static
	rarog collect --engine vex -o vex.rarog -- ./known || [ $? -eq 7 ]
	rarog export --format collapsed vex.rarog -o folded.txt
	sort folded.txt | diff - <(printf '%s\n' '_start 3004' '_start;twice 4000' '_start;twice;last 3000' \
		'_start;twice;last;next 1000' '_start;twice;loop 8000' '_start;twice;tail 2000')
	rarog export --format collapsed --metric calls vex.rarog -o folded.txt
	grep -qx '_start;twice;loop 1000' folded.txt || fail "$(cat folded.txt)"
	exits 3 export --format speedscope vex.rarog
	command -v callgrind_annotate >/dev/null || skip "needs valgrind"
	rarog export --format callgrind vex.rarog -o known.out
	callgrind_annotate --tree=both --threshold=100 known.out | python3 -c '
import re, sys
got, at = {}, None
for line in sys.stdin:
    word = re.match(r" *([\d,]+) \(.*?\) +\S+(?: +\(.*?\))? +([*<>]) +\S*:(\S+) (?:\(([\d,]+)x\))?", line)
    if not word:
        continue
    amount, sign, name, calls = (word[1].replace(",", ""), *word.groups()[1:])
    if sign == "*":
        at = name
    elif sign == ">":
        got[at, name] = (int(calls.replace(",", "")), int(amount))
want = {("_start", "twice"): (1000, 18000), ("twice", "loop"): (1000, 8000), ("twice", "tail"): (1000, 2000),
        ("twice", "last"): (1000, 4000), ("last", "next"): (1000, 1000)}
missing = {k: (v, got.get(k)) for k, v in want.items() if got.get(k) != v}
assert not missing, (missing, got)'
}

@test "recursion, exceptions and frames left by longjmp leave the tree whole" {
	need_tool
	local words
	# shellcheck disable=SC2046 # nothing or a file
	for words in "recursion fib" "jump nested" "throw nested" "signals 1000"; do
		compile "${words% *}" $([[ $words != throw* ]] || echo "$conformance/programs/through-c.cc")
		rarog collect --engine vex -o vex.rarog -- ./$words >out.txt || fail "$words"
		rarog show --json vex.rarog >show.json
		python3 - "$words" <<-'END'
			import json, re, sys
			shown = json.load(open("show.json"))
			got = {}
			for f in shown["functions"]:
			    for name in {re.sub(r"\(.*", "", f["name"]), f["mangled"]}:
			        got[name] = got.get(name, 0) + f["count"]
			for line in open("out.txt"):
			    word = line.split()
			    if len(word) == 3 and word[0] == "expect":
			        assert got.get(word[1], 0) == int(word[2]), (sys.argv[1], line, got.get(word[1]))
		END
		rarog show --tree --json vex.rarog | python3 -c '
import json, sys
shown = json.load(sys.stdin)
whole = shown["header"]["totals"]["instructions"]
got = sum(n["exclusive_instructions"] for n in shown["nodes"])
assert whole - got < 100, (whole, got) # what no call contains is not in the tree'
	done
}

@test "what did not run is not known, and nothing says that all ran" {
	need_tool
	program vex/parts -g -O0
	rarog collect --engine vex -o vex.rarog -- ./parts
	for view in --coverage --paths; do
		exits 3 show $view vex.rarog
		[[ $errors == "rarog show: $view: vex.rarog is of the engine vex, which counts what runs: it knows no"*"; rarog collect blocks does, of what rarog cc compiled" ]] ||
			fail "$errors"
	done
	for view in --replay --by-thread; do
		says 3 "rarog show: $view: vex.rarog has sums of the whole run, and does not know when or in which thread; rarog collect trace --engine inline does" \
			show $view vex.rarog
	done
	for format in lcov gcov; do
		exits 3 export --format $format vex.rarog -o covered
		[[ $errors == *"it knows nothing of what did not run, and $format needs that; rarog collect blocks does"* ]] || fail "$errors"
		[ ! -e covered ]
	done
	says 3 "rarog export: vex.rarog has sums of calls and instructions, perfetto is for single calls and times; callgrind, collapsed and json are for both" \
		export --format perfetto vex.rarog
	works show --by-binary vex.rarog
	[[ $output == *"functions · "*[0-9]" blocks that ran"*"functions that ran  blocks that ran  binary"* && $output != *"blocks ran"* ]] || fail "$output"
	rarog show --by-binary --json vex.rarog | python3 -c '
import json, sys
for row in json.load(sys.stdin)["binaries"]:
    assert row["functions"] is None and row["blocks"] is None, row
    assert row["functions_executed"] > 0 and row["blocks_executed"] > 0, row'
	rarog show -n 0 --json vex.rarog | python3 -c '
import json, sys
assert all(f["blocks"] is None and f["blocks_executed"] >= 0 for f in json.load(sys.stdin)["functions"])'
}

@test "runs of overlapping instructions are told as blocks that do not overlap" {
	need_tool
	program vex/known -nostdlib -static
	rarog collect --engine vex -o vex.rarog -- ./known || [ $? -eq 7 ]
	rarog show --blocks loop --json vex.rarog >blocks.json
	python3 -c '
import json
blocks = json.load(open("blocks.json"))["blocks"]
got = [(b["count"], b["instructions"]) for b in blocks]
assert got == [(1000, 1), (3000, 2), (1000, 1)], got'
}

@test "two runs of a program without chance give the same numbers" {
	need_tool
	compile recursion
	for i in 1 2; do
		rarog collect --engine vex -o "$i.rarog" -- ./recursion deep >/dev/null
	done
	rarog check --method exact 1.rarog 2.rarog >said.txt || fail "$(cat said.txt)"
}

@test "counts equal callgrind's" {
	need_tool
	command -v valgrind >/dev/null || skip "needs valgrind"
	compile tail
	"$repo/tests/oracle/callgrind-counts" -o wanted.txt ./tail >/dev/null
	rarog collect --engine vex -o vex.rarog -- ./tail >/dev/null
	rarog show --json vex.rarog | python3 -c '
import json, sys
binary = sys.argv[1]
got = {f["address"]: f["count"] for f in json.load(sys.stdin)["functions"] if f["binary"] == binary and f["count"]}
want = {int(l.split()[0], 16): int(l.split()[1]) for l in open("wanted.txt")}
assert len(want) > 5
for address in want.keys() | got.keys():
    assert want.get(address) == got.get(address), (hex(address), want.get(address), got.get(address))' "$PWD/tail"
}

@test "the program finds its environment and its files as without us" {
	need_tool
	program vex/look
	env -i LD_PRELOAD= A=1 VALGRIND_LIB=mine B=2 ./look x y >wanted.txt
	env -i LD_PRELOAD= A=1 B=2 "$RAROG" collect --engine vex -o vex.rarog -- ./look x y >got.txt
	grep -v VALGRIND_LIB wanted.txt | grep -v '^LD_PRELOAD' | diff - <(grep -v '^LD_PRELOAD' got.txt)
}

@test "forked children and started programs are counted, killed ones too" {
	need_tool
	program vex/tree -O1
	rarog collect --engine vex -o vex.rarog -- ./tree
	[ "$(counted work | cut -d' ' -f1)" = 5 ] # 0; 2; 0 and 1; 3
	rarog collect --engine vex --no-follow -o vex.rarog -- ./tree
	[ "$(counted work | cut -d' ' -f1)" = 3 ] # 0, 2, 3
}

@test "threads count each for itself" {
	need_tool
	compile threads
	rarog collect --engine vex -o vex.rarog -- ./threads busy >out.txt
	while read -r _ name count; do
		got=$(counted "$name" | cut -d' ' -f1)
		[ "${got:-0}" = "$count" ] || fail "$name: $got instead of $count"
	done < <(grep '^expect ' out.txt)
}

@test "generated code is counted" {
	need_tool
	compile jit
	rarog collect --engine vex -o vex.rarog -- ./jit >/dev/null || [ $? -eq 77 ]
	rarog show -n 0 vex.rarog | grep -q '\[generated code\]'
}

@test "code that the program writes over is what it became" {
	need_tool
	program vex/patches -O1
	works collect --engine vex -o vex.rarog -- ./patches
	[ "$output" = "1 2" ] || fail "$output"
}

@test "parts of C++ functions that lie elsewhere are not called" {
	need_tool
	program vex/cold-parts -o parts -O2
	nm -C parts | grep -q 'passes.*cold' || skip "this compiler has no parts elsewhere"
	rarog -q collect --engine vex -o vex.rarog -- ./parts >/dev/null
	rarog show -n 0 --json vex.rarog | python3 -c '
import json, sys
got = [f["count"] for f in json.load(sys.stdin)["functions"] if f["name"].startswith("passes")]
assert got == [5], got'
}

@test "what cannot be done is said in one line" {
	need_tool
	says 127 "rarog collect: ./nothing: not found" collect --engine vex -- ./nothing
	exits 125 collect --engine valgrind -- true
	[[ $errors == *"--engine=valgrind: trace has inline, "*vex* ]] || fail "$errors"
	exits 125 collect --engine vex --libs -- true
	[[ $errors == *"--libs is not for --engine=vex; it counts everything that runs"* ]] ||
		fail "$errors"
	exits 125 collect --engine vex --pid $$
	[[ $errors == "rarog collect: --pid is not for --engine=vex; "* ]] || fail "$errors"
	exits 125 collect --engine vex --dry-run -- true
	[[ $errors == "rarog collect: --dry-run is not for --engine=vex; "* ]] || fail "$errors"
	for detail in calls summary count; do
		exits 125 collect --engine vex --detail=$detail -- true
		[[ $errors == "rarog collect: --detail is not for --engine=vex; it counts"* ]] || fail "$errors"
	done
	echo 'int main(void) { return 0; }' >plain.c
	gcc -pg -o profiled plain.c
	gcc -fsanitize=address -o checked plain.c
	for program in profiled checked; do
		exits 125 collect --engine vex -- ./$program
		[[ $errors == "rarog collect: --engine=vex: "*"/$program "*", which Valgrind may end; "* ]] || fail "$errors"
	done
}

@test "vex leaves no temporary files" {
	need_tool
	rarog collect --engine vex -o vex.rarog -- true
	[ -z "$(ls "$TMPDIR")" ]
}

@test "what a killed rarog has left is gone after the next run, what another one needs is not" {
	need_tool
	local first left
	mkfifo go
	program vex/waits
	"$RAROG" -q collect --engine vex -o killed.rarog ./waits 3>&- 4>&- &
	first=$!
	eventually 60 test -e ready
	left=$(ls "$TMPDIR")
	[[ $left == rarog-vex-?????? ]] || fail "$left"
	rarog -q collect --engine vex -o other.rarog -- true
	[ "$(ls "$TMPDIR")" = "$left" ] || fail "it was taken away from one that runs: $(ls "$TMPDIR")"
	kill -9 $first
	wait $first || true
	[ "$(ls "$TMPDIR")" = "$left" ]
	mkdir "$TMPDIR/rarog-vex-mine" "$TMPDIR/rarog-vex-other1-more" "$TMPDIR/rarog-vex-theirs"
	echo dear >"$TMPDIR/rarog-vex-theirs/data.vex" # a name like ours, but none that rarog made
	rarog -q collect --engine vex -o other.rarog -- true
	[ "$(ls "$TMPDIR")" = "$(printf 'rarog-vex-mine\nrarog-vex-other1-more\nrarog-vex-theirs')" ] || fail "$(ls "$TMPDIR")"
	[ "$(cat "$TMPDIR/rarog-vex-theirs/data.vex")" = dear ]
	echo x >go # it goes on as if nothing had happened
}

@test "a full disk: the program is what it is, and a line says what is missing" {
	need_tool
	unshare -m true 2>/dev/null || skip "needs unshare -m"
	printf '#include <stdio.h>\nint main(void) { return !puts("as ever") * 2 + 3; }\n' >ever.c
	gcc -o ever ever.c
	mkdir small
	for size in 64k 2200k; do
		run unshare -m sh -c "mount -t tmpfs -o size=$size none small && TMPDIR=$PWD/small exec \"$RAROG\" -q collect \
			--engine vex -o p.rarog ./ever"
		[ "$status" = 125 ] || fail "$size: $status"
		[ "$(sort <<<"$output" | head -1)" = "as ever" ] || fail "$size: $output"
		[[ $output == *"nothing was counted: there is no room for files of counters in $PWD/small/"* ]] ||
			fail "$size: $output"
		[ "$(grep -c . <<<"$output")" = 2 ] || fail "$size: $output"
	done
}
