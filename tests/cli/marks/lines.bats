#!/usr/bin/env bats
# Lines and addresses that are counted, and regions between two of them (--at).

load ../helper
load ../collect-helper

# build COMPILER FLAG…: ./program from at-program.c, its books and the lines in them; the kernel's probes are in files,
# so it is the test's own
build() {
	"$@" -g -Wall -Wextra -Werror -I"$repo/tests/cli" -o program "$repo/tests/cli/at-program.c" -pthread
	./program >books
	grep -v '^region' books >wanted
	# shellcheck disable=SC2046 # words
	set -- $(sed 's/ .*//' wanted)
	at=("${@/#/--at=}")
	[ ${#at[@]} -gt 15 ]
}

# counts FILE: "NAME COUNT" of all that was measured
counts() {
	rarog show --json -n 0 "$1" | python3 -c '
import json, sys
for f in json.load(sys.stdin)["functions"]:
    if f["count"]:
        print(f["name"], f["count"])'
}

# expect_counts ENGINE WHAT: as in the books; inline may have refused some, each in a line
expect_counts() {
	counts p.rarog >got
	python3 - "$1" <<-'END' || fail "$2, $1: $errors"
		import re, sys
		wanted = dict(line.split() for line in open("wanted"))
		got = dict(line.split() for line in open("got") if line.startswith("at-"))
		refused = set(re.findall(r"(at-[a-z]+\.[ch]:\d+) is not measured", open("errors.txt").read()))
		wrong = {k: (v, got.get(k)) for k, v in wanted.items() if k not in refused and got.get(k) != v}
		assert not wrong, wrong
		assert not refused & set(got) and not set(got) - set(wanted), (refused, got)
		assert len(refused) * 4 <= len(wanted) and (sys.argv[1] == "inline" or not refused), refused
		END
}

kinds=("gcc -O0" "gcc -O1" "gcc -O2" "gcc -O3 -funroll-loops" "gcc -O2 -static" "gcc -Os -no-pie" "clang-14 -O0"
	"clang-14 -O2 -fno-unroll-loops" "clang-19 -O1")

@test "lines are passed as often as the program says: loops, inlined and doubled code, recursion, threads" {
	for kind in "${kinds[@]}"; do
		command -v "${kind%% *}" >/dev/null || continue
		build $kind
		for engine in $(engines); do
			works collect --engine "$engine" --strategy custom "${at[@]}" -o p.rarog ./program
			[[ $errors == *"nothing lost"* ]] || fail "$kind: $errors"
			printf '%s\n' "$output" | grep -v '^region' | diff wanted - || fail "$kind: it is another program"
			expect_counts "$engine" "$kind"
		done
	done
}

@test "counting is the same, and functions may be measured beside" {
	build gcc -O2
	for engine in $(engines); do
		works collect --engine "$engine" --strategy custom --detail count "${at[@]}" -o p.rarog ./program
		expect_counts "$engine" "only counted"
	done
	works collect "${at[@]}" -o p.rarog ./program
	expect_counts inline "with functions"
	grep -q '^loops 50$' got
	rarog show --json p.rarog | python3 -c '
import json, sys
(row,) = [f for f in json.load(sys.stdin)["functions"] if f["name"] == "at-header.h:5"]
assert row["file"].endswith("/tests/cli/at-header.h") and row["line"] == 5, row'
}

@test "gcov has the same counts of all lines of the program" {
	command -v gcov >/dev/null || skip "gcov is not there"
	build gcc -O0
	mkdir covered
	gcc -O0 --coverage -I"$repo/tests/cli" -o covered/program "$repo/tests/cli/at-program.c" -pthread
	./covered/program >/dev/null
	"$oracle/compare-lines" --engine inline covered ./program >compared || fail "$(cat compared)"
	python3 -c '
import ast, sys
tally = ast.literal_eval(open("compared").read().split("} {")[0] + "}")
assert tally["same"] > 100 and tally.get("refused", 0) < 20 and not {"low", "high"} & set(tally), tally'
}

# expect_regions ENGINE WHAT: begun as often as the books say, and as long: the program read its clock inside of each
# and around it (not of those that it leaves early)
expect_regions() {
	rarog show --json -n 0 p.rarog >shown.json
	python3 - <<-'END' || fail "$2, $1: $errors"
		import json, re
		got = {f["name"]: f for f in json.load(open("shown.json"))["functions"]}
		refused = re.findall(r"(at-program\.c:\S+) is not measured", open("errors.txt").read())
		rows = [line.split()[1:] for line in open("printed") if line.startswith("region")]
		assert len(rows) == 6 and len(refused) <= 1, (rows, refused)
		for name, at, count, least, most in rows:
		    if at in refused:
		        continue
		    f = got[at]
		    assert f["count"] == int(count), (name, f)
		    # two clocks, read at two places: a thousandth
		    assert name == "early" or int(least) * 0.999 <= f["total_ns"] <= int(most) * 1.001, (name, f, least, most)
		END
}

@test "regions between two lines: turns of a loop, a loop's head, inlined copies, recursion, threads" {
	for kind in "${kinds[@]}"; do
		command -v "${kind%% *}" >/dev/null || continue
		build $kind
		# shellcheck disable=SC2046 # words
		set -- $(sed -n 's/^region [a-z]* \([^ ]*\) .*/--at=\1/p' books)
		[ $# = 6 ]
		for engine in $(engines); do
			works collect --engine "$engine" --strategy custom "$@" -o p.rarog ./program
			[[ $errors == *"nothing lost"* ]] || fail "$kind: $errors"
			printf '%s\n' "$output" >printed
			expect_regions "$engine" "$kind"
		done
	done
}

@test "regions are in the call tree, and one that begins anew ends the former" {
	local recurs early
	build gcc -O2
	recurs=$(sed -n 's/^region recurs \([^ ]*\) .*/\1/p' books)
	early=$(sed -n 's/^region early \([^ ]*\) .*/\1/p' books)
	rarog -q collect --at "$recurs" --at "$early" -o p.rarog ./program >/dev/null
	rarog show --tree --min-share 0% --depth 0 p.rarog | sed -n '/call tree$/,$p' | python3 -c '
import re, sys
stack, paths = [], {}
for line in sys.stdin:
    m = re.match(r".*?([\d,]+)  ([│├└─ ]*)(\S+)$", line.rstrip())
    if m:
        stack[len(m[2]) // 3:] = [m[3].removesuffix(".constprop.0")]
        paths[" ".join(stack[1:])] = int(m[1].replace(",", ""))
deep = " ".join(["recurs " + sys.argv[1]] * 8)
assert paths[deep] == 1, paths
assert paths["leaves_early " + sys.argv[2]] == 11, paths
assert paths["leaves_early " + sys.argv[2] + " wait_a_bit"] == 11, paths' "$recurs" "$early"
	rarog show p.rarog | grep -q 'left by an exception or longjmp'
}

# address_of FUNCTION: hexadecimal, with 0x
address_of() {
	nm program | awk -v name="$1" '$3 == name { sub("^0*", "", $1); print "0x" $1 }'
}

@test "addresses: an entry is passed as often as its function is called; a pair is a region" {
	local entry second
	build gcc -O1
	entry=$(address_of chooses)
	second=$(objdump -d program | sed -n '/<chooses>:$/,/^$/s/^ *\([0-9a-f]*\):.*/0x\1/p' | sed -n 2p)
	for engine in $(engines); do
		run_rarog collect --engine "$engine" --strategy custom --at "$entry" --at "program#$second" \
			--at "$(address_of twice)-$(objdump -d program | sed -n '/<twice>:$/,/^$/s/^ *\([0-9a-f]*\):.*ret.*/0x\1/p' |
				head -n 1)" -o p.rarog ./program
		expect_status 0
		counts p.rarog >got
		grep -qx "$entry 50" got || fail "$engine: $(cat got) $errors"
		[ "$(grep -c '^0x' got)" -ge 2 ] || fail "$engine: $(cat got) $errors"
		grep -q '^0x[0-9a-f]*-0x[0-9a-f]* 50$' got || fail "$engine: $(cat got) $errors"
		# between two instructions there is nothing to be probed
		works collect --engine "$engine" --strategy custom --at "0x$(printf %x $((entry + 1)))" -o p.rarog ./program
		[[ $errors == *"0x"*" is not measured: it is not where an instruction begins"* ]] || fail "$engine: $errors"
		works collect --engine "$engine" --strategy custom --at 0xffffffff0 -o p.rarog ./program
		[[ $errors == *"0xffffffff0 is in no function that was loaded"* ]] || fail "$engine: $errors"
	done
}

@test "several marks at one address: ends, points, beginnings" {
	local from to
	build gcc -O2
	read -r from to < <(sed -n 's/^region turns [^:]*:\([0-9]*\)-\([0-9]*\) .*/\1 \2/p' books)
	for engine in $(engines); do
		works collect --engine "$engine" --strategy custom --at "at-program.c:$from-$to" --at "at-program.c:$from" \
			--at "at-program.c:$to" --at "at-program.c:$((from + 1))-$to" -o p.rarog ./program
		counts p.rarog | sort >got
		diff got <(printf 'at-program.c:%s 40\n' "$((from + 1))-$to" "$from" "$from-$to" "$to" | sort) ||
			fail "$engine: $errors"
		[[ $errors == *"nothing lost"* ]] || fail "$engine: $errors"
	done
}

@test "what cannot be measured is said, with what can be" {
	program at/odd -O1 -g
	works collect --strategy custom --at odd.c:9 --at odd.c:10 -o p.rarog ./odd
	[[ $errors == *"odd.c:9 is not measured: its code at 0x"*" has a branch target in the five bytes that a jump needs; "*"10 can be"* ]] ||
		fail "$errors"
	[ "$(counts p.rarog)" = "odd.c:10 1" ]
	if [[ $(engines) == *ebpf* ]]; then
		run_rarog collect --engine ebpf --strategy custom --at odd.c:9 -o p.rarog ./odd
		[ "$(counts p.rarog)" = "odd.c:9 1" ] || fail "$errors"
	fi
	run_rarog collect --strategy custom --at odd.c:3 -o p.rarog ./odd
	[[ $errors == *"odd.c:3 is not measured: it has no code; the next line that has some is 4"* ]] || fail "$errors"
	run_rarog collect --strategy custom --at odd.c:99 -o p.rarog ./odd
	[[ $errors == *"odd.c:99 is not measured: it has no code; the last line that has some is 17"* ]] || fail "$errors"
	run_rarog collect --strategy custom --at ood.c:9 -o p.rarog ./odd
	[[ $errors == *"no source file is called ood.c; did you mean odd.c?"* ]] || fail "$errors"
	run_rarog collect --strategy custom --at 'nodd#odd.c:9' -o p.rarog ./odd
	[[ $errors == *"nodd#odd.c:9: no binary that is measured is called nodd"* ]] || fail "$errors"
	run_rarog collect --strategy custom --at odd.c:10-16 -o p.rarog ./odd
	[[ $errors == *"odd.c:10-16 is not measured: it begins and ends in different functions"* ]] || fail "$errors"
	strip odd
	run_rarog collect --strategy custom --at odd.c:9 -o p.rarog ./odd
	[[ $errors == *"odd.c: no lines are known without debug information; build with -g, or name addresses"* ]] || fail "$errors"
}

@test "a region that begins before its function's probe has its whole length, with every engine" {
	program at/early -O1 -g
	local engine
	for engine in $(engines); do
		works collect --engine "$engine" --at early.c:6-12 -o p.rarog ./early
		rarog show --tree --json p.rarog >tree.json
		rarog show --json -n 0 p.rarog | python3 -c '
import json, sys
shown, nodes = json.load(sys.stdin), json.load(open("tree.json"))["nodes"]
rows = {f["name"]: [f["count"], f["timed"], f["unwound"], f["open"]] for f in shown["functions"] if f["count"]}
name = {n["id"]: n["name"] for n in nodes}
print(*sorted([n["name"], name.get(n["parent"]), n["count"]] for n in nodes if n["name"] in ("take", "early.c:6-12")))
assert [rows["take"], rows["early.c:6-12"]] == [[20, 20, 0, 0]] * 2 and shown["loss_list"] == [], (rows, shown["loss_list"])
' >"$engine.txt" || fail "$engine"
		diff inline.txt "$engine.txt" || fail "$engine is not as inline"
	done
	[ "$(cat inline.txt)" = "['early.c:6-12', 'take', 20] ['take', 'main', 20]" ] || fail "$(cat inline.txt)"
}

@test "a file's name may be two files'; its folder tells them apart" {
	mkdir one two
	echo 'int f(int i); int g(int i); int main(void) { return f(1) + g(2) != 3; }' >main.c
	printf '__attribute__((noinline)) int f(int i)\n{\n\treturn i;\n}\n' >one/same.c
	printf '__attribute__((noinline)) int g(int i)\n{\n\treturn i;\n}\n' >two/same.c
	gcc -O1 -g -o both main.c one/same.c two/same.c
	run_rarog collect --strategy custom --at same.c:3 -o p.rarog ./both
	[[ $errors == *"same.c:3 is not measured: it is a line of more than one file; "*"one/same.c and "*"two/same.c"* ]] ||
		fail "$errors"
	run_rarog collect --engine "$(engines | awk '{ print $NF }')" --strategy custom --at two/same.c:3 -o p.rarog ./both
	[ "$(counts p.rarog)" = "two/same.c:3 1" ] || fail "$errors"
}

# compare_lines FOLDER WHAT: ./shaped has the counts of all lines that can be measured that are in the folder
compare_lines() {
	"$oracle/compare-lines" --engine inline "$1" ./shaped >compared || fail "$2: $(cat compared)"
	python3 -c '
import ast
tally = ast.literal_eval(open("compared").read().split("} {")[0] + "}")
assert tally["same"] > 5 and not {"low", "high"} & set(tally), tally' || fail "$2: $(cat compared)"
}

# compare_with_gcov FILE.c FLAG…: compiled so by clang, all lines that can be measured have gcov's counts
compare_with_gcov() {
	local source=$1
	shift
	rm -rf covered.d && mkdir covered.d
	clang-14 -g "$@" -o shaped "$source"
	gcc -O0 --coverage -o covered.d/shaped "$source"
	./covered.d/shaped >/dev/null
	compare_lines covered.d "$*"
}

@test "the end of a statement that is a jump by itself is no passing" {
	command -v gcov >/dev/null && command -v clang-14 >/dev/null || skip "needs gcov and clang-14"
	take at/shapes.c
	compare_with_gcov shapes.c -O0
}

@test "a loop's head is passed once a turn, by whichever way control comes back; or it is refused" {
	command -v llvm-cov-14 >/dev/null && command -v clang-14 >/dev/null || skip "needs clang-14 with llvm-cov"
	take at/heads.c
	mkdir regions
	clang-14 -fprofile-instr-generate -fcoverage-mapping -o regions/shaped heads.c
	(cd regions && LLVM_PROFILE_FILE=default.profraw ./shaped)
	for kind in "clang-14 -O0" "gcc -O0" "clang-19 -O0"; do
		command -v "${kind%% *}" >/dev/null || continue
		$kind -g -o shaped heads.c
		compare_lines regions "$kind"
	done
	# gcc jumps from the inner loop of two to where both begin
	gcc -O0 -g -o shaped heads.c
	# shellcheck disable=SC2046 # words
	run_rarog collect --strategy custom $(sed -n '/while (1)/{=}' heads.c | sed 's/^/--at=heads.c:/') -o p.rarog ./shaped
	[[ $errors == *"it is a loop's head without code, and where its turns begin those of another may begin"* ]] || fail "$errors"
}

@test "type units have the table of their code, and it is read once" {
	take at/units.cc
	for flags in "" "-fdebug-types-section -gdwarf-4" "-fdebug-types-section -gdwarf-5"; do
		for level in -O0 -O1; do
			g++ -g $level $flags -o units units.cc
			run_rarog collect --strategy custom --at units.cc:1 --at units.cc:7 --at units.cc:8 -o p.rarog ./units
			[[ $level = -O1 ]] || [ "$(counts p.rarog | sort | tr '\n' ' ')" = "units.cc:1 20 units.cc:7 11 units.cc:8 10 " ] ||
				fail "$level $flags: $(counts p.rarog) $errors"
			rarog show --json -n 0 p.rarog | python3 -c '
import json, sys
print([(f["name"], f["count"]) for f in json.load(sys.stdin)["functions"]])' >"of$level"
			[ -n "$flags" ] || mv "of$level" "plain$level"
			[ -z "$flags" ] || diff "plain$level" "of$level" || fail "$level $flags"
		done
	done
}

@test "code that the linker dropped has no lines" {
	python3 - >dropped.c <<-'END'
		print("volatile int v[8];\nint kept(int n) {\n int s = n;\n s++;\n return s;\n}\nint dropped(int n) {\n int s = n;")
		for i in range(700):
		    print(f" s += v[{i % 7}] * {i};")
		print(" return s;\n}\nint main(void) {\n int t = 0;\n for (int i = 0; i < 3; i++)\n  t += kept(i);\n return t == 77;\n}")
	END
	for compiler in gcc clang-14; do
		command -v $compiler >/dev/null || continue
		for packed in "" -gz; do
			$compiler -O0 -g $packed -ffunction-sections -Wl,--gc-sections -o dropped dropped.c
			[ "$(readelf --debug-dump=decodedline dropped | awk '$3 == "0" || $3 == "0x0" { n++ } END { print n }')" -gt 0 ]
			at=(--at dropped.c:4 --at dropped.c:5)
			for line in $(seq 9 10 709); do
				at+=(--at "dropped.c:$line")
			done
			works collect --strategy custom "${at[@]}" -o p.rarog ./dropped
			[ "$(counts p.rarog | sort | tr '\n' ' ')" = "dropped.c:4 3 dropped.c:5 3 " ] || fail "$compiler: $(counts p.rarog) $errors"
			[[ $errors == *"dropped.c:9 is not measured: it has no code; the next line that has some is 711"* ]] || fail "$errors"
		done
	done
}

@test "a line of many blocks is found its places in" {
	python3 -c '
body = " ".join(f"if (a == {i}) b++; else if (b > {i}) a--; for (int i = 0; i < a; i++) b++;" for i in range(200))
print("volatile int a, b;\nint f(int k) {\n while (k--) { " + body + " }\n return a; }\nint main(void) { return f(3); }")' >many.c
	gcc -O1 -g -o many many.c
	# (cubic, it would take minutes)
	works collect --dry-run --strategy custom --at many.c:3 --at many.c:4 ./many
	[[ $output == *"  point many.c:4"* ]] || fail "$output"
}

@test "a header without code is known, and a path may begin with ./" {
	printf 'struct point { int x, y; };\n#define ADD(a) ((a).x + (a).y)\n' >types.h
	printf '#include "types.h"\nint main(void)\n{\n\tstruct point p = { 1, 2 };\n\treturn ADD(p) == 4;\n}\n' >uses.c
	gcc -g -o uses uses.c
	run_rarog collect --strategy custom --at types.h:1 -o p.rarog ./uses
	[[ $errors == *"no line of types.h has code"* && $errors != *"did you mean"* ]] || fail "$errors"
	run_rarog collect --strategy custom --at 'uses#./uses.c:5' -o p.rarog ./uses
	[ "$(counts p.rarog)" = "./uses.c:5 1" ] || fail "$errors"
	rarog show --json p.rarog | python3 -c '
import json, sys
assert json.load(sys.stdin)["header"]["parameters"]["at"] == ["uses#./uses.c:5"]'
}

@test "the last -O of a compilation counts" {
	for flags in -O2 "-O0 -O2" -O0 "-O2 -O0"; do # the code of each two is the same
		build gcc $flags
		# shellcheck disable=SC2046 # words
		works collect --strategy custom $(seq -f '--at=at-program.c:%g' 75 145) -o p.rarog ./program
		counts p.rarog | sort >"of ${flags##* } $((${#flags} > 3))"
	done
	[ "$(wc -l <"of -O2 0")" -gt 20 ]
	diff "of -O2 0" "of -O2 1"
	diff "of -O0 0" "of -O0 1"
}

@test "turns that the compiler made one are warned of, where it may have" {
	take at/turns.c
	local compiler level
	for compiler in gcc clang-14 clang-19; do
		command -v "$compiler" >/dev/null || continue
		for level in -O0 -O3; do
			"$compiler" -g "$level" -o turns turns.c
			works collect --at turns.c:7 --at turns.c:9 -o p.rarog ./turns 998
			counts p.rarog | grep turns >got || true
			if [ "$level" = -O0 ]; then
				diff got - <<<$'turns.c:7 1000\nturns.c:9 1000'
				[[ $errors != *optimized* ]] || fail "$compiler: $errors"
			else
				! grep -q 'turns.c:9 1000' got || fail "$compiler makes no turns one: the test proves nothing"
				[[ $errors == *"turns: turns.c:"*"in optimized code: several turns of a loop"* ]] || fail "$compiler: $errors"
			fi
		done
	done
}

@test "wrong places, and engines that have none" {
	build gcc -O1
	for place in at-program.c at-program.c: at-program.c:x :3 at-program.c:0 at-program.c:3- at-program.c:3-4x 0x 0x12-13 '#0x12' \
		at-program.c:99999999999 ''; do
		exits 125 collect --at "$place" ./program
		[[ $errors == *"--at=$place: expected FILE:LINE, FILE:LINE-LINE, 0xADDRESS, 0xADDRESS-0xADDRESS, FUNC@CALLER"* ]] ||
			fail "$place: $errors"
	done
	exits 125 collect --at at-program.c:9-8 ./program
	[[ $errors == *"the region's end is not after its beginning"* ]]
	exits 125 collect --engine vex --at at-program.c:9 ./program
	exits 125 collect sample --at at-program.c:9 ./program
}

@test "--dry-run and the profile's header name places" {
	build gcc -O1
	works collect --dry-run --strategy custom "${at[0]}" --at at-program.c:1 ./program
	[[ $output == *"  point ${at[0]#--at=}"* ]] || fail "$output"
	[[ $output == *"  point at-program.c:1 left out: has no code"* ]] || fail "$output"
	rarog collect --dry-run --json --strategy custom "${at[0]}" --at at-program.c:1 ./program | python3 -c '
import json, sys
(b,) = json.load(sys.stdin)["binaries"]
assert b["places"] == [{"name": sys.argv[1], "is_region": False, "reason": None},
                       {"name": "at-program.c:1", "is_region": False, "reason": "has no code"}], b
assert b["usdt"] == [], b' "${at[0]#--at=}"
	rarog -q collect --strategy custom "${at[0]}" -o p.rarog ./program >/dev/null
	rarog show --json p.rarog | python3 -c '
import json, sys
header = json.load(sys.stdin)["header"]
assert header["parameters"]["at"] == [sys.argv[1]], header["parameters"]
assert [p["name"] for p in header["places"]] == [sys.argv[1]], header["places"]' "${at[0]#--at=}"
}

@test "lines of a running program are counted, and it is left as it was" {
	program at/runs -O1 -g
	for engine in $(engines); do
		rm -f over
		./runs over >runs.out 3>&- 4>&- &
		pid=$!
		rarog -q collect --engine "$engine" --strategy custom --at runs.c:8 --pid $pid --duration 300ms -o p.rarog
		touch over
		wait $pid
		[ "$(cat runs.out)" = 1 ]
		[ "$(counts p.rarog | sed 's/ .*//')" = runs.c:8 ] || fail "$engine"
	done
}

@test "ends that more ways lead to than from the beginning are no loss" {
	program at/head -O0 -g
	for engine in $(engines); do
		works collect --engine "$engine" --func main --at head.c:7-8 -o p.rarog ./head
		[[ $errors != *lost,* && $errors != *warning* ]] || fail "$engine: $errors"
		[[ $errors == *"nothing lost; 50 ends of regions that had not begun" ]] || fail "$engine: $errors"
		rarog show --json p.rarog | jq -e '.losses == 0 and (.loss_list | length) == 0 and .header.totals.unbegun == 50 and
			([.functions[] | select(.name == "head.c:7-8").count] == [50])' >/dev/null || fail "$engine: $(rarog show --json p.rarog)"
		rarog show p.rarog | grep -q '^50 ends of regions that had not begun: ' || fail "$engine: $(rarog show p.rarog)"
	done
}

@test "a line of thousands of blocks takes as long as it has blocks" {
	command -v valgrind >/dev/null || skip "needs valgrind"
	not_sanitized "valgrind does not run programs with sanitizers"
	cost() { # N: millions of instructions to find the places of a line of N conditions
		{
			printf 'volatile int v, w;\nint main(void) {\n'
			for i in $(seq "$1"); do printf 'if (v & %d) w += %d; ' $((1 << i % 20)) "$i"; done
			printf '\n}\n'
		} >wide.c
		gcc -g -O0 -o wide wide.c
		valgrind --tool=callgrind --callgrind-out-file=/dev/null "$RAROG" collect --dry-run --at wide.c:3 -- ./wide 2>&1 |
			sed -n 's/.*Collected : \([0-9]*\)[0-9]\{6\}$/\1/p'
	}
	one=$(cost 1) some=$(cost 800) more=$(cost 1600)
	[ $((some - one)) -gt 5 ] || fail "$one, $some, $more"
	[ $((more - some)) -lt $((2 * (some - one))) ] || fail "$one, $some, $more million instructions"
}
