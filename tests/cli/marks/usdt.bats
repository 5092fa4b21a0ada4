#!/usr/bin/env bats
# USDT probes and the marks of rarog.h, measured by the engines inline and ebpf.

load ../helper
load ../collect-helper

# build PROGRAM FLAG…: from tests/cli/usdt-program.c, a file of the test's own: the kernel's probes are in files
build() {
	"${CC:-gcc}" "${@:2}" -g -Wall -Wextra -Werror -I"$repo/include" -o "$1" "$repo/tests/cli/usdt-program.c" -pthread
}

# counts FILE PREFIX: "NAME COUNT" of all that was counted under names with the prefix
counts() {
	rarog show --json "$1" | python3 -c '
import json, sys
for f in json.load(sys.stdin)["functions"]:
    if f["count"] and f["name"].startswith(sys.argv[1]):
        print(f["name"][len(sys.argv[1]):], f["count"])' "$2" | sort
}

# note NAME SEMAPHORE INSTRUCTION…: a USDT probe of the provider "shop" as assembly in C
note() {
	local name=$1 semaphore=$2
	shift 2
	printf '__asm__ volatile("990: %s\\n .pushsection .note.stapsdt, \\"\\", \\"note\\"\\n .balign 4\\n' "$*"
	printf ' .4byte 992f-991f, 994f-993f, 3\\n 991: .asciz \\"stapsdt\\"\\n 992: .balign 4\\n'
	printf ' 993: .8byte 990b, _.stapsdt.base, %s\\n .asciz \\"shop\\", \\"%s\\", \\"\\"\\n 994: .balign 4\\n' \
		"$semaphore" "$name"
	printf ' .popsection\\n .ifndef _.stapsdt.base\\n .pushsection .stapsdt.base, \\"aG\\", \\"progbits\\", '
	printf '.stapsdt.base, comdat\\n .weak _.stapsdt.base\\n .hidden _.stapsdt.base\\n _.stapsdt.base: .space 1\\n'
	printf ' .size _.stapsdt.base, 1\\n .popsection\\n .endif" ::: "memory");\n'
}

@test "marks are passed as often as the program says, and it is what it is without us" {
	for level in 0 2; do
		build program -O$level
		./program >wanted
		sort -o wanted wanted
		for engine in $(engines); do
			works --quiet collect --engine "$engine" -o p.rarog ./program
			printf '%s\n' "$output" | sort | diff wanted -
			counts p.rarog rarog: | diff wanted - || fail "-O$level, $engine"
			works --quiet collect --engine "$engine" --detail count -o p.rarog ./program
			counts p.rarog rarog: | diff wanted - || fail "-O$level, $engine, only counted"
		done
	done
}

@test "static programs and such without a fixed address have marks, too" {
	for flag in -static -static-pie -no-pie; do
		build program -O2 $flag
		./program | sort >wanted
		works --quiet collect -o p.rarog ./program
		counts p.rarog rarog: | diff wanted - || fail "$flag"
	done
}

# tree FILE: "DEPTH COUNT NAME" of the call tree's rows
tree() {
	rarog show --tree --min-share 0% --depth 0 "$1" | sed -n '/call tree$/,$p' | python3 -c '
import re, sys
for line in sys.stdin:
    m = re.match(r".*?([\d,]+)  ([│├└─ ]*)([\w:]+)$", line.rstrip())
    if m:
        print(len(m[2]) // 3, m[1], m[3])'
}

@test "regions stand in the call tree, and end with their function at the latest" {
	build program -O2
	for engine in $(engines); do
		rarog --quiet collect --engine "$engine" -o p.rarog ./program >/dev/null
		tree p.rarog >tree
		python3 - <<-'END' || fail "$engine: $(cat tree)"
			rows = [line.split() for line in open("tree")]
			paths, stack = {}, []
			for depth, count, name in rows:
			    stack[int(depth):] = [name]
			    path = " ".join(stack[1:])
			    paths[path] = paths.get(path, 0) + int(count.replace(",", ""))
			def expect(path, count):
			    assert paths.get(path) == count, (path, paths.get(path))
			left = "catches rarog:catches jumps rarog:left" + " jumps rarog:left" * 3
			expect(left, 1)
			expect("catches rarog:catches", 1)
			expect("calls_tail rarog:before_tail", 1)
			expect("calls_tail rarog:before_tail tail_called", None)
			expect("returns_early rarog:early", 2)
			expect("recurses rarog:recurses" + " recurses rarog:recurses" * 6, 64)
			expect("continues rarog:turns", 10)
			expect("continues rarog:turns tail_called", 5)
			expect("moves_stack rarog:moved at_entry rarog:at_entry", 1)
			expect("red_zone rarog:red_zone", 1000)
			assert not [p for p in paths if "rarog:turns rarog:turns" in p]
			END
	done
}

@test "nothing is lost, and what ends otherwise is said" {
	build program -O2
	for engine in $(engines); do
		rarog --quiet collect --engine "$engine" -o p.rarog ./program >/dev/null
		run_rarog show p.rarog
		[[ $output != *LOST* ]] || fail "$engine: $output"
		[[ $output == *"left by an exception or longjmp"* ]] || fail "$engine: $output"
	done
}

@test "an exception leaves a region, and its end is where the destructor has it" {
	take usdt/throwing.cc
	for level in 0 2; do
		g++ -O$level -I"$repo/include" -o throwing throwing.cc
		works --quiet collect -o p.rarog ./throwing
		[ "$output" = "$(./throwing)" ]
		tree p.rarog | grep rarog: >tree
		diff tree - <<-'END'
			2 300 rarog:outer
			4 300 rarog:inner
			3 100 rarog:caught
		END
		run_rarog show p.rarog
		[[ $output != *LOST* ]] || fail "$output"
	done
}

# A library whose probes are passed only where their semaphore says so.
write_guarded() {
	{
		echo 'unsigned short used __attribute__((section(".probes")));'
		echo 'unsigned short other __attribute__((section(".probes")));'
		echo 'int work(int n) { for (int i = 0; i < n; i++) { if (used)'
		echo '{' "$(note turn__start used nop)" '} if (other)' "$(note middle other nop)"
		echo '__asm__ volatile("" ::: "memory"); if (used)' "$(note turn__done used nop)" '}'
		echo 'return used * 100 + other; }'
	} >guarded.c
	gcc -O2 -shared -fPIC -o guarded.so guarded.c
	program usdt/loads -O2
}

@test "semaphores count us, each time the library is loaded, and in children" {
	write_guarded
	for options in "--engine=inline --libs" "--engine=ebpf --strategy=custom --binary=./guarded.so"; do
		[[ " $(engines)" == *" ${options:9:4}"* ]] || continue
		works --quiet collect $options --usdt 'shop:*' -o p.rarog ./loads
		[ "$output" = "$(printf '201\n%.0s' 1 2 3 4 5 6)" ] || fail "$options: $output"
		counts p.rarog shop: | diff - <(printf 'middle 330\nturn 330\n') || fail "$options"
	done
	[ "$(./loads)" = "$(printf '0\n%.0s' 1 2 3 4 5 6)" ]
}

@test "attaching raises semaphores, and letting go lowers them" {
	local pid
	write_guarded
	for options in "--engine=inline --libs" "--engine=ebpf --strategy=custom --binary=./guarded.so"; do
		[[ " $(engines)" == *" ${options:9:4}"* ]] || continue
		rm -f ready over
		./loads ready >loads.out 3>&- 4>&- &
		pid=$!
		eventually 60 test -e ready || fail "it does not run"
		rarog --quiet collect $options --usdt 'shop:*' --pid $pid --duration 100ms -o p.rarog
		touch over
		wait $pid
		[ "$(cat loads.out)" = "$(printf '0\n0\n')" ] || fail "$options: $(cat loads.out)"
	done
}

# The tracer that lets go steps the thread out of the mark's code, which saves the flags and brings them back.
@test "a program that is nearly always in a mark goes on when we let go" {
	program usdt/within -O1 -I"$repo/include"
	./within 3>&- &
	busy=$!
	for _ in 1 2 3 4 5; do
		rarog -q collect --engine=inline --pid "$busy" --duration 0.1s -o p.rarog
		sleep 0.1
		kill -0 "$busy"
		counts p.rarog rarog:within | grep -Eq ' [0-9]{3,}$'
	done
	kill "$busy"
	status=0
	wait "$busy" || status=$?
	expect_status 143
}

@test "one nop of five bytes is left to inline, which writes nothing below the stack pointer" {
	{
		echo '#include <stdio.h>'
		echo '__attribute__((noinline)) long leaf(long a) { long v[12];'
		echo 'for (int i = 0; i < 12; i++) v[i] = a * i;' "$(note long_nop 0 .byte 0x0f,0x1f,0x44,0x00,0x00)"
		echo 'long *p = v; __asm__("" : "+r"(p) :: "memory"); return p[3] + p[7] + p[11]; }'
		echo 'int main(void) { int bad = 0; for (int i = 0; i < 1000; i++) bad += leaf(i) != 21 * i;'
		echo 'printf("%d\n", bad); return bad > 0; }'
	} >leaf.c
	gcc -O2 -o leaf leaf.c
	for engine in $(engines); do
		works collect --engine "$engine" --usdt '*' -o p.rarog ./leaf
		[ "$output" = 0 ] || fail "$engine: $output"
		if [ "$engine" = inline ]; then
			[ "$(counts p.rarog shop:)" = "long_nop 1000" ]
		else
			[[ $errors == *"shop:long_nop is not measured: it is one nop of five bytes"* ]] || fail "$errors"
		fi
	done
}

@test "pairs in different functions are two counts" {
	{
		echo '__attribute__((noinline)) void begins(void) {' "$(note job__start 0 nop)" '}'
		echo '__attribute__((noinline)) void ends(void) {' "$(note job__done 0 nop)" '}'
		echo 'void last(void) { }' # after the room that there is for a jump
		echo 'int main(void) { for (int i = 0; i < 7; i++) { begins(); ends(); }'
		echo "$(note all__begin 0 nop)" "$(note all__end 0 nop)" 'return 0; }'
	} >apart.c
	gcc -O2 -o apart apart.c
	for engine in $(engines); do
		works collect --engine "$engine" --strategy custom --usdt '/./' -o p.rarog ./apart
		counts p.rarog shop: | diff - <(printf 'all 1\njob__done 7\njob__start 7\n')
		[[ $errors == *"job__start is counted, and so is its end, which is not in the same function"* ]] ||
			fail "$errors"
	done
}

@test "which probes are meant" {
	build program -O2
	rarog --quiet collect --no-usdt -o p.rarog ./program >/dev/null
	[ -z "$(counts p.rarog rarog:)" ]
	rarog --quiet collect --func catches -o p.rarog ./program >/dev/null
	counts p.rarog rarog: | grep -q '^catches 1$'
	rarog --quiet collect --usdt 'rarog:t*' --usdt works -o p.rarog ./program >/dev/null
	counts p.rarog rarog: | diff - <(printf 'turn 10\nturns 10\nworks 8100\n')
	counts p.rarog '' | grep -q '^main 1$'
	rarog --quiet collect --strategy custom --usdt worked -o p.rarog ./program >/dev/null
	[ "$(counts p.rarog '')" = "rarog:worked 8100" ]
	run_rarog collect --usdt workt -o p.rarog ./program
	[[ $errors == *"no USDT probe is called workt; did you mean worked?"* ]] || fail "$errors"
	run_rarog collect --usdt rarog:workt -o p.rarog ./program
	[[ $errors == *"no USDT probe is called rarog:workt; did you mean rarog:worked"* ]] || fail "$errors"
	exits 125 collect --usdt x --no-usdt ./program
	exits 125 collect --engine vex --usdt x ./program
}

@test "--dry-run names regions and points" {
	build program -O2
	works collect --dry-run ./program
	[[ $output == *"USDT region rarog:works"* ]] || fail "$output"
	[[ $output == *"USDT point rarog:worked"* ]] || fail "$output"
	rarog collect --dry-run --json ./program | python3 -c '
import json, sys
(b,) = json.load(sys.stdin)["binaries"]
assert {"name": "rarog:works", "is_region": True, "reason": None} in b["usdt"], b["usdt"]'
}

@test "--within and --not-below hold for marks" {
	build program -O2
	rarog --quiet collect --within catches -o p.rarog ./program >/dev/null
	counts p.rarog rarog: | diff - <(printf 'catches 1\nleft 4\n')
	rarog --quiet collect --not-below catches -o p.rarog ./program >/dev/null
	counts p.rarog rarog: | grep -q '^works 8100$'
	! counts p.rarog rarog: | grep -q '^left'
}

# values_said OUTPUT SHOWN ENGINE: the values in the profile are those that tests/cli/mark-values.c has printed; what is in vector
# registers ebpf does not see
values_said() {
	python3 - "$@" <<-'END'
		import json, sys
		vectors = {("real", "1"), ("real", "2")} if sys.argv[3] == "ebpf" else set()
		wanted = {}
		for line in sys.argv[1].splitlines():
		    name, number, *values = line.split()
		    wanted[name, number] = [float(v) for v in values]
		assert len(wanted) == 28 and sum(w[0] for w in wanted.values()) > 25000, len(wanted)
		unread = 0
		for row in json.load(open(sys.argv[2]))["arguments"]:
		    if not row["name"].startswith("rarog:"):
		        continue
		    name = row["name"].removeprefix("rarog:") + ("." if row["is_return"] else "")
		    number = row["argument"].removeprefix("arg") if row["argument"][:3] == "arg" else "0"
		    if (name, number) not in wanted:
		        assert name == "nowhere" and row["count"] == 0 and row["unknown"] == 100, row
		        unread += 1
		        continue
		    count, least, most, total = wanted.pop((name, number))
		    if (name, number) in vectors:
		        assert row["count"] == 0 and row["unknown"] == count, (row, count)
		        continue
		    assert row["count"] == count and row["unknown"] == 0, (row, count)
		    assert row["min"] == least and row["max"] == most, (row, least, most)
		    assert abs(row["mean"] * count - total) <= 1e-9 * abs(total) + 1e-6, (row, total)
		assert not wanted and unread == 4, (wanted, unread)
	END
}

build_told() {
	"$@" -I"$repo/include" -Wall -Wextra -o told "$repo/tests/cli/mark-values.c" -pthread
}

@test "values of marks are what the program says, wherever the compiler has them" {
	local flags detail engine
	for flags in "gcc -O0" "gcc -O1" "gcc -O2 -static" "gcc -O3 -no-pie -fno-pie" "clang-14 -O2" "clang-19 -O1"; do
		command -v "${flags%% *}" >/dev/null || continue
		build_told $flags
		for engine in $(engines); do
			for detail in calls summary; do # sums are made of the same events
				[ $detail = calls ] || [ "$flags" = "gcc -O1" ] || continue
				works collect --engine "$engine" --detail=$detail --strategy custom --usdt 'rarog:*' -o p.rarog ./told
				[[ $errors == *"nothing lost"* ]] || fail "$flags: $errors"
				[ "$engine" = inline ] || [[ $errors == *"told: 2 values in vector registers"* ]] || fail "$errors"
				rarog show --json -n 0 p.rarog >shown.json
				values_said "$output" shown.json "$engine" || fail "$flags, $detail, $engine"
			done
		done
	done
}

@test "values of marks stand beside those of functions" {
	build_told gcc -O1 -g
	for engine in $(engines); do
		works collect --engine "$engine" --func sizes --args sizes --usdt 'rarog:*' -o p.rarog ./told
		rarog show --json -n 0 p.rarog >shown.json
		values_said "$output" shown.json "$engine" || fail "$engine"
		python3 - "$output" <<-'END' || fail "$engine: $(cat shown.json)"
			import json, sys
			rows = {(row["name"], row["argument"]): row for row in json.load(open("shown.json"))["arguments"]}
			for argument, mark in (("n", "things__size"), ("depth", "depth__feature")):
			    (line,) = [line.split() for line in sys.argv[1].splitlines() if line.startswith(mark)]
			    row, told = rows["sizes", argument], rows["rarog:" + mark, mark.split("__")[1]]
			    assert [row["count"], row["min"], row["max"]] == [float(v) for v in line[2:5]], (row, line)
			    assert [(w["name"], w["count"]) for w in told["within"]] == [("sizes", 1200)], told
			END
	done
}

# The variable that is told lies where the program was mapped. Turns follow each other, so what was seen of them is whole.
@test "a program that runs: values of marks are those from there on, also in children" {
	program usdt/running -O1 -I"$repo/include"
	for engine in $(engines); do
		rarog -q collect --engine "$engine" -o started.rarog ./running
		./running x 3>&- &
		busy=$!
		rarog -q collect --engine "$engine" --pid "$busy" --duration 0.3s -o p.rarog
		kill "$busy"
		wait "$busy" || true
		rarog show started.rarog >started.txt
		for argument in "arg1 at the beginning" "arg1 at the end" "arg2 at the end"; do
			[ "$(grep -c "^rarog:turn  *$argument " started.txt)" = 1 ] || fail "$engine, $argument: $(cat started.txt)"
		done
		rarog show --json -n 0 started.rarog >started.json
		rarog show --json -n 0 p.rarog >attached.json
		python3 - <<-'END' || fail "$engine: $(cat started.json attached.json)"
			import json
			def load(name):
			    rows = {(r["argument"], r["is_return"]): r for r in json.load(open(name))["arguments"]}
			    assert len(rows) == 3 and all(r["name"] == "rarog:turn" and r["unknown"] == 0 for r in rows.values()), rows
			    return rows["arg1", False], rows["arg2", True], rows["arg1", True]
			def keys(row):
			    return row["count"], row["min"], row["max"], row["mean"]
			begin, end, total = load("started.json")
			turns = list(range(1010))
			totals = [n * (n + 1) // 2 for n in range(1000)] + [sum(range(1000, n + 1)) for n in range(1000, 1010)]
			for row, values in ((begin, turns), (end, turns), (total, totals)):
			    assert (row["count"], row["min"], row["max"]) == (1010, 0, max(values)), row
			    assert abs(row["mean"] * 1010 - sum(values)) < 1e-3, (row, sum(values))
			begin, end, total = load("attached.json")
			for row in begin, end:
			    assert row["min"] >= 1000 and row["count"] == row["max"] - row["min"] + 1 > 1000, row
			    assert abs(row["mean"] - (row["min"] + row["max"]) / 2) < 1e-6 * row["mean"], row
			assert 0 <= begin["count"] - end["count"] <= 1, (begin, end)
			assert total["count"] == end["count"], total
			for name in "min", "max":
			    assert total[name] == end[name] * (end[name] + 1) // 2, (total, end)
			END
	done
}

# python_tells ENGINE: what Python's own probe says of the lines at which functions return, into ENGINE.txt
python_tells() {
	PYTHONHASHSEED=0 setarch -R "$RAROG" -q collect --engine "$1" --strategy custom --usdt 'python:function__return' \
		-o p.rarog -- ./python -s -S -B script.py >got
	[ "$(cat got)" = 4950 ]
	rarog show --json -n 0 p.rarog | python3 -c '
import json, sys
for row in json.load(sys.stdin)["arguments"]:
    if row["argument"] == "arg3":
        print([row[k] for k in ("name", "type", "count", "unknown", "min", "max", "mean")])' >"$1.txt"
}

@test "a real program's probes tell both engines the same" {
	[[ "$(engines)" == *ebpf* ]] || skip "needs the ebpf engine"
	readelf -n /usr/bin/python3 2>/dev/null | grep -q function__return || skip "needs a Python with USDT probes"
	cp /usr/bin/python3 python # a file of the test's own
	cat >script.py <<-'END'
		def down(n):
		    return n and 1 + down(n - 1)
		print(sum(down(i) for i in range(100)))
	END
	for _ in 1 2 3; do # one run in some twenty returns once more
		python_tells inline
		python_tells ebpf
		cmp -s inline.txt ebpf.txt && break
	done
	diff inline.txt ebpf.txt
	grep -Eq "'python:function__return', 'int32_t', [5-9][0-9]{3}, 0, [12], " ebpf.txt || fail "$(cat ebpf.txt)"
}

@test "values of others' probes are captured if --usdt names them" {
	{
		echo 'int main(int argc, char **argv) { (void)argv; for (long i = 0; i < 9; i++) {'
		note counted 0 nop | sed 's/counted\\", \\"\\"/counted\\", \\"8@%0\\"/; s/::: "memory"/:: "r"(i + argc) : "memory"/'
		echo '} return 0; }'
	} >counted.c
	gcc -O1 -o counted counted.c
	for engine in $(engines); do
		rarog -q collect --engine "$engine" -o p.rarog ./counted
		rarog show --json p.rarog | python3 -c 'import json, sys; assert not json.load(sys.stdin).get("arguments")'
		rarog -q collect --engine "$engine" --usdt 'shop:*' -o p.rarog ./counted
		rarog show --json p.rarog | python3 -c '
import json, sys
(row,) = json.load(sys.stdin)["arguments"]
assert (row["name"], row["argument"], row["count"], row["min"], row["max"]) == ("shop:counted", "arg1", 9, 1, 9), row'
	done
}

# Times are wall times: of five runs on a busy machine one is undisturbed. The kernel's probes take some of the smaller ones.
grows_as_told() {
	for _ in 1 2 3 4 5; do
		rarog -q collect --engine "$1" -o p.rarog ./grows
		rarog show --json -n 0 p.rarog >shown
		python3 - "$1" <<-'END' && return
			import json, sys
			rows = {row["name"]: row for row in json.load(open("shown"))["arguments"]}
			side, area = rows["rarog:side__size"], rows["rarog:area__size"]
			assert side["count"] == 600 and area["count"] == 300, rows
			assert [(w["name"], w["count"]) for w in side["within"]] == [("square", 300)], side
			assert "quadratic" in [side["growth"]["class"], *side["growth"]["not_excluded"]], side
			assert "linear" in [area["growth"]["class"], *area["growth"]["not_excluded"]] or sys.argv[1] == "ebpf", area
			assert min(side["growth"]["r2"], area["growth"]["r2"]) > 0.8, rows
			END
	done
	return 1
}

@test "how the time of a function grows with the size that it tells" {
	program usdt/grows -O1 -I"$repo/include"
	for engine in $(engines); do
		grows_as_told "$engine" || fail "$engine: $(cat shown)"
	done
}

@test "marks of one name in several functions: each has its own growth" {
	program usdt/list -O1 -I"$repo/include"
	for _ in 1 2 3 4 5; do # as above
		rarog -q collect -o p.rarog ./list
		rarog show --json -n 0 p.rarog >shown
		python3 - <<-'END' && break
			import json
			(row,) = json.load(open("shown"))["arguments"]
			assert (row["name"], row["count"], row["growth"]) == ("rarog:list__size", 3429, None), row
			push, find = sorted(row["within"], key=lambda w: -w["count"])
			assert (push["name"], push["count"], push["min"], push["max"]) == ("list_push", 3000, 0, 2999), push
			assert (find["name"], find["count"], find["min"], find["max"]) == ("list_find", 429, 1, 2997), find
			assert find["growth"]["class"] != "constant" and find["growth"]["r2"] > 0.8, find
			assert push["growth"]["r2"] < 0.5, push
			END
	done || fail "$(cat shown)"
	rarog show p.rarog >said
	grep -Eq '^rarog:list__size in list_find +size +uint64_t +429 +0 +1 +1499 +2997 +[a-z]+ ' said
	grep -Eq '^rarog:list__size in list_push +size +uint64_t +3,000 +0 +0 +1499.5 +2999 +[a-z]+ ' said
	rarog show --func list_find p.rarog | grep -q '^rarog:list__size in list_find '
	rarog -q collect --detail=summary -o p.rarog ./list
	rarog show --json p.rarog | python3 -c '
import json, sys
(row,) = json.load(sys.stdin)["arguments"]
assert (row["count"], row["growth"], row["within"]) == (3429, None, []), row'
}

# write_far: a function with a mark at its entry, and an instruction there that names an address so far above that it cannot be named from
# where there is room for probes
write_far() {
	{ printf '#include <stdio.h>\n#include <unistd.h>\n'
	printf '__attribute__((noinline)) long near(long x) { __asm__ volatile("" : "+r"(x)); return x + 1; }\n'
	printf '__attribute__((noinline, naked)) long far(long x) { (void)x;\n'
	note at_entry 0 nop
	printf '__asm__("lea 0x7e000000(%%rip), %%rax\\nlea 2(%%rdi), %%rax\\nret"); }\n'
	printf 'int main(int argc, char **argv) { char c; (void)argv; setbuf(stdout, NULL); printf("%%ld\\n", far(near(1)) + near(2));\n'
	printf 'while (argc > 1 && read(0, &c, 1) == 1) printf("%%ld\\n", far(near(1))); return 0; }\n'
	} >far.c
	gcc -O1 -o far far.c
}

@test "a function that has no place for its probe: its file is refused if marks depend on it, else it is named" {
	write_far
	readelf -n far | grep -q at_entry || fail "no mark"
	exits 125 collect -o p.rarog ./far
	[ -z "$output" ] || fail "it was run: $output"
	[[ $errors == *"far: cannot patch its marks; --no-usdt leaves them out" ]] || fail "$errors"
	[ "$(wc -l <<<"$errors")" -eq 1 ] || fail "$errors"
	[ ! -e p.rarog ] || fail "a profile of nothing"
	works collect --no-usdt -o p.rarog ./far
	[ "$output" = 7 ] || fail "$output"
	[[ $errors == *"far: not measured, because what they begin with refers to something too far"*": far"* ]] || fail "$errors"
	rarog show -n 0 --json p.rarog | jq -e '(.header.unplaced | map(.function)) == ["far"] and
		([.functions[] | select(.name == "near").count] == [2]) and
		([.functions[] | select(.name == "far" and .count > 0)] == [])' >/dev/null || fail "$(rarog show p.rarog)"
}

@test "a program that runs is refused for such a function, and left as it is" {
	write_far
	open_told
	./far x <told >got 2>&1 3>&- &
	busy=$!
	eventually 60 grep -q 7 got || fail "it does not start"
	cat "/proc/$busy/maps" >before
	run_rarog collect --pid "$busy" --duration 0.1s -o p.rarog
	diff before "/proc/$busy/maps" >&2 || fail "something is left"
	tell x 4
	kill "$busy"
	expect_status 125
	[[ $errors == *"far: cannot patch its marks; --no-usdt leaves them out" ]] || fail "$errors"
}
