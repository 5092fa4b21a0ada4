#!/usr/bin/env bats
# Arguments and results captured with calls: --args, --arg, --ret. Programs print what they are called
# with; what was captured must be the same.

load ../helper
load ../collect-helper

random=$repo/tests/oracle/random-signatures.py
engine=inline

need_vex() {
	[ -x "${RAROG_BUILD:-$repo/build}/src/vex/rarog-vex" ] || skip "needs a build with valgrind"
	engine=vex
}

# capture_random SEED LANGUAGE COMPILER…: builds, runs and compares; says how many values there were
capture_random() {
	local seed=$1 language=$2 suffix=c options

	shift 2
	[ "$language" = c ] || suffix=cc
	command -v "$1" >/dev/null || { echo "# skipped: no $1" >&3; return 0; }
	python3 "$random" make "$seed" "$language" 40 >"p.$suffix"
	"$@" -w -o p "p.$suffix"
	mapfile -t options < <(python3 "$random" paths "$seed" "$language" 40)
	works --quiet collect --engine "$engine" "${options[@]}" -o p.rarog -- ./p
	printf '%s\n' "$output" >printed
	./p | diff - printed >/dev/null || [ "$(./p | wc -l)" = "$(wc -l <printed)" ] || fail "it prints something else"
	rarog export --format json p.rarog >exported
	python3 "$random" compare exported printed >said || fail "$* $seed: $(cat said)"
}

# seed N: N, in the long tier any
seed() {
	if [ -n "${RAROG_LONG:-}" ]; then echo "$RANDOM"; else echo "$1"; fi
}

# value_of KEY ARGUMENT [FUNCTION]: of what show --json says of an argument in p.rarog
value_of() {
	rarog show --json p.rarog | python3 -c '
import json, sys
key, argument, function = sys.argv[1], sys.argv[2], sys.argv[3]
found = [a for a in json.load(sys.stdin)["arguments"] if a["argument"] == argument and a["name"] == function]
print(*(a[key] for a in found))' "$1" "$2" "$3"
}

hostile() {
	gcc -g "$@" -Wno-error -o hostile "$programs/arguments/hostile.c" -lpthread
}

@test "random signatures in C: values are what the program prints" {
	capture_random "$(seed 11)" c gcc -O2 -g
	capture_random "$(seed 12)" c gcc -O0 -gdwarf-4
	capture_random "$(seed 13)" c clang -O2 -gdwarf-4
}

@test "random signatures in C++: values are what the program prints" {
	capture_random "$(seed 14)" c++ g++ -O2 -g
	capture_random "$(seed 15)" c++ g++ -O0 -gdwarf-4
	capture_random "$(seed 711)" c++ clang++ -O2 -g
}

# Threads, handlers, longjmp, recursion, fork, bad pointers: every value is what the program prints.
hostile_values() {
	hostile -O2
	works --quiet collect --engine "$engine" --args plain --args deep --ret deep --args left:value \
		--args handled --args text --arg 'field:item->length' --args field:length \
		--ret result -o p.rarog -- ./hostile
	printf '%s\n' "$output" >printed
	rarog export --format json p.rarog >exported
	rarog show --json p.rarog >shown
	python3 - <<-'EOF' || fail "see above"
		import json, struct
		exported, shown = json.load(open("exported")), json.load(open("shown"))
		arguments = exported["arguments"]
		names = [l["name"] for l in exported["locations"]]
		counts, totals = {}, {}
		for v in exported["values"]:
		    a = arguments[v["argument"]]
		    key = names[a["location"]], a["name"]
		    value = v["value"]
		    if a["kind"] == 1 and value >> 63:
		        value -= 1 << 64
		    if a["kind"] == 5:
		        value = int(struct.unpack("d", struct.pack("Q", value))[0])
		    counts[key] = counts.get(key, 0) + 1
		    totals[key] = totals.get(key, 0) + value
		printed = {l.split()[0]: list(map(int, l.split()[1:])) for l in open("printed")}
		calls = {f["name"]: f["count"] for f in shown["functions"]}
		for name, (n, total) in printed.items():
		    assert calls[name] == n, (name, calls[name], n)
		def same(name, *what):
		    for w in what:
		        assert counts[name, w] == printed[name][0], (name, w, counts[name, w], printed[name])
		    assert sum(totals[name, w] for w in what) == printed[name][1], (name, totals, printed[name])
		same("plain", "a", "b", "c")
		same("deep", "n")
		same("left", "value")
		same("handled", "value")
		same("text", "length")
		same("field", "length")
		same("result", "return")
		assert counts["deep", "return"] == printed["deep"][0]
		# lengths: of each call what it said itself; -1 was not read
		known = {(v["strand"], v["number"]): v["value"] for v in exported["values"]
		         if (names[arguments[v["argument"]]["location"]], arguments[v["argument"]]["name"]) == ("text", "text")}
		said = {(v["strand"], v["number"]): v["value"] for v in exported["values"]
		        if (names[arguments[v["argument"]]["location"]], arguments[v["argument"]]["name"]) == ("text", "length")}
		for call, length in said.items():
		    assert known.get(call, (1 << 64) - 1) == length, (call, known.get(call), length)
		assert len(said) == 14 and len(known) == 5, (len(said), len(known))
		field = [a for a in shown["arguments"] if a["argument"] == "item->length"]
		assert (field[0]["count"], field[0]["unknown"], field[0]["min"]) == (1, 3, 42), field
	EOF
}

@test "threads, handlers, longjmp, recursion, fork, bad pointers: every value" {
	hostile_values
}

@test "the same under Valgrind" {
	need_vex
	hostile_values
	[ "$(value_of unknown instructions left)" = 3335 ] || fail "calls that longjmp left have no cost"
	capture_random "$(seed 11)" c gcc -O2 -g
	capture_random "$(seed 12)" c gcc -O0 -gdwarf-4
	capture_random "$(seed 13)" c clang -O2 -gdwarf-4
	capture_random "$(seed 14)" c++ g++ -O2 -g
	capture_random "$(seed 15)" c++ g++ -O0 -gdwarf-4
}

# Valgrind's side looks at no clock
@test "under Valgrind with values the run began when it did, and took as long as it took" {
	need_vex
	program args/sums -o grow -O1 -g
	before=$(date +%s)
	works --quiet collect --engine vex --args sum -o p.rarog -- ./grow
	after=$(date +%s)
	rarog show --json p.rarog | jq -e --argjson before "$before" --argjson after "$after" \
		'.duration_ns / 1e9 <= $after - $before + 1' >/dev/null || fail "$(rarog show p.rarog | head -2)"
}

@test "under Valgrind a forked child does not take its parent's values along" {
	need_vex
	program args/forks -O1 -g
	mkdir tmp
	TMPDIR=$PWD/tmp works -q collect --engine vex --no-follow --args f -o p.rarog -- ./forks
	[ "$(wc -l <sizes)" -ge 7 ] || fail "$(cat sizes)"
	awk '{ print $5 }' sizes | sort -n | tail -1 >largest
	awk -v most="$(cat largest)" '$5 > most - 5000000 { n++ } END { exit n != 1 }' sizes || fail "$(cat sizes)"
	rarog export --format json p.rarog | python3 -c '
import collections, json, sys
p = json.load(sys.stdin)
n = collections.Counter(p["strands"][v["strand"]]["process"] for v in p["values"] if p["arguments"][v["argument"]]["name"] == "n")
assert sorted(n.values()) == [1] * 6 + [100001], n'
}

@test "under Valgrind nothing of a script's functions is captured, and a line says why" {
	need_vex
	printf '#!/bin/sh\nexit 3\n' >script
	chmod +x script
	exits 3 collect --engine vex --args all -o p.rarog -- ./script
	[[ $errors == "rarog: warning: no values are captured: $PWD/script: a script for /bin/sh, not an ELF program; "* ]] || fail "$errors"
}

@test "under Valgrind a million calls that go on in each other have the result of the last" {
	need_vex
	compile tail
	for engine in inline vex; do
		timeout "$(scaled 300)" "$RAROG" -q collect --engine $engine --args all --ret all -o p.rarog -- ./tail >/dev/null
		rarog show --json p.rarog | python3 -c '
import json, sys
for a in json.load(sys.stdin)["arguments"]:
    if a["kind"] not in ("cost", "pointer"):
        print(a["name"], a["argument"], a["count"], a["unknown"], a["min"], a["max"], a["mean"])' >$engine.txt
	done
	[ "$(grep -c '33' vex.txt)" -gt 8 ]
	diff inline.txt vex.txt
}

@test "under Valgrind a call's instructions stand beside its values, and grow with them exactly" {
	need_vex
	take args/count.S
	take args/grow.c
	gcc -O2 -g -o grow grow.c count.S
	works --quiet collect --engine vex --args call --ret call --ret tail -o p.rarog -- ./grow
	rarog export --format json p.rarog >exported
	rarog show --json p.rarog >shown
	python3 - <<-'EOF' || fail "see above"
		import json
		exported, shown = json.load(open("exported")), json.load(open("shown"))
		names = [l["name"] for l in exported["locations"]]
		calls = {}
		for v in exported["values"]:
		    a = exported["arguments"][v["argument"]]
		    value = v["value"] - (v["value"] >> 63 << 64) if a["kind"] == 1 else v["value"]
		    calls.setdefault((names[a["location"]], v["number"]), {})[a["name"]] = value
		for n in range(1, 65):
		    one, other = calls["call", 2 * n - 1], calls["call", 2 * n]
		    assert (one["n"], one["result"], one["return"]) == (n, -n, -n + 1), (n, one)
		    assert (other["n"], other["result"], other["return"]) == (n, 5, 6), (n, other)
		    # of itself always the same; below it two a round, then two more
		    assert one["instructions"] == other["instructions"] == calls["call", 1]["instructions"] + 2 * (n - 1), (n, one)
		    # a round is a block
		    assert one["blocks"] == other["blocks"] == calls["call", 1]["blocks"] + n - 1, (n, one)
		    assert calls["tail", n]["return"] == 6, calls["tail", n] # it went on in call
		said = {(a["name"], a["argument"]): a for a in shown["arguments"]}
		assert said["tail", "return"]["unknown"] == 0
		assert said["call", "instructions"]["kind"] == "cost", said["call", "instructions"]
		growth = said["call", "n"]["growth"]
		assert growth["class"] == "linear" and growth["r2"] == 1, growth
		assert abs(growth["coefficients"][1] - 2) < 1e-9, growth
		assert shown["header"]["parameters"]["values"] == ["call", "call:return", "tail:return"], shown["header"]["parameters"]
	EOF
	run_rarog show p.rarog
	[[ $output == *"call      n  "*"linear"*"call      instructions  of the call"* ]] || fail "$output"
}

@test "under Valgrind a call that does __builtin_longjmp has a cost, calls that it leaves have none" {
	need_vex
	program args/jumps -O1 -g
	works --quiet collect --engine vex --args jumps --args between --args begin -o p.rarog -- ./jumps
	rarog show --json p.rarog | python3 -c '
import json, sys
said = {a["name"]: (a["count"], a["unknown"]) for a in json.load(sys.stdin)["arguments"] if a["argument"] == "instructions"}
assert said == {"jumps": (400, 0), "between": (100, 300), "begin": (400, 0)}, said'
}

@test "show tells sums, and how time grows with an argument" {
	program args/sums -o grow -O1 -g
	# Wall times on a busy machine: one of ten runs grows by n, or n log n.
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		works --quiet collect --args sum -o p.rarog -- ./grow
		[ "$(value_of count n sum) $(value_of min n sum) $(value_of max n sum) $(value_of mean n sum)" = "1000 0 99900 49950" ] ||
			fail "$(rarog show --json p.rarog)"
		growth=$(rarog show --json p.rarog | python3 -c '
import json, sys
a = [a for a in json.load(sys.stdin)["arguments"] if a["argument"] == "n"][0]
assert a["kind"] == "signed" and a["type"] == "long int", a
print(a["growth"]["class"], a["growth"]["r2"] > 0.9)')
		[[ $growth == linear*" True" ]] && break
	done
	[[ $growth == linear*" True" ]] || fail "$(rarog show --json p.rarog)"
	run_rarog show p.rarog
	[[ $output == *"sum"*"n "*"long int"*"1,000"*"99900"*"${growth% True} "* ]] || fail "$output"
	works --quiet collect --detail=summary --args sum -o p.rarog -- ./grow
	[ "$(value_of count n sum) $(value_of max n sum) $(value_of growth n sum)" = "1000 99900 None" ] ||
		fail "$(rarog show --json p.rarog)"
}

@test "what cannot be captured is one line each, and the program runs" {
	hostile -O2
	works collect --args plain:bb --arg 'field:item->lenght' --args nosuch -o p.rarog -- ./hostile
	[[ $errors == *"plain: 'bb' is not captured: there is no parameter 'bb'; did you mean b?"* ]] || fail "$errors"
	[[ $errors == *"field: 'item->lenght' is not captured: there is no field 'lenght'; did you mean length?"* ]] || fail "$errors"
	[[ $errors == *"no function is called nosuch"* ]] || fail "$errors"
	[ "$(grep -c warning <<<"$errors")" = 3 ] || fail "$errors"
	strip -g hostile
	works collect --args plain --args field -o p.rarog -- ./hostile
	[[ $errors == *"no debug information of 2 functions: no arguments of them are captured"* ]] || fail "$errors"
	[ "$(grep -c warning <<<"$errors")" = 1 ] || fail "$errors"
	run_rarog show --json p.rarog
	[[ $output != *'"arguments"'* ]] || fail "there are arguments"
}

@test "what cannot be captured is refused before the program runs" {
	exits 125 collect --detail=count --args plain -- true
	exits 125 collect --arg plain -- true
	[[ $errors == *"FUNC:PATH"* ]] || fail "$errors"
	exits 125 collect --args 'plain:' -- true
	exits 125 collect --args ':x' -- true
}

@test "probes --args lists what can be captured" {
	hostile -O2
	works probes --args --func field ./hostile
	[[ $output == *"item "*"const struct item *"*"pointer"* && $output == *"return "*"int"*"signed"* ]] || fail "$output"
	rarog probes --args --json --func text ./hostile | python3 -c '
import json, sys
f = json.load(sys.stdin)["binaries"][0]["functions"][0]
assert f["arguments_reason"] is None
assert [(a["name"], a["type"], a["kind"], a["reason"], a["is_return"]) for a in f["arguments"]] == [
    ("text", "const char *", "length", None, False), ("length", "long int", "signed", None, False),
    ("return", "int", "signed", None, True)], f["arguments"]'
	strip -g hostile
	run_rarog probes --args --func field ./hostile
	[[ $output == *"no debug information of it"* ]] || fail "$output"
}

@test "why a result is not captured: a sentence" {
	program args/ld -O0 -g
	works collect --ret ld --ret none -o p.rarog -- ./ld
	[[ $errors == *"ld: 'return' is not captured: it is returned in a register of the x87"* ]] || fail "$errors"
	[[ $errors == *"none: 'return' is not captured: it has no value: the function returns nothing"* ]] || fail "$errors"
}

@test "debug information that is damaged, or elsewhere, is not said to be missing" {
	printf 'int f(int n) { return n + 1; }\nint main(void) { return f(-1); }\n' >f.c
	gcc -O0 -g -o whole f.c
	objcopy --dump-section .debug_abbrev=abbrev whole
	head -c "$(stat -c %s abbrev)" /dev/zero >zeros
	cp whole damaged
	objcopy --update-section .debug_abbrev=zeros damaged
	works collect --args f -o p.rarog -- ./damaged
	[[ $errors == *"/damaged: its debug information is damaged: no arguments of 1 function are captured; build it again"* ]] ||
		fail "$errors"
	run_rarog collect --at f.c:1 -o p.rarog -- ./damaged
	[[ $errors == *"f.c: no lines are known, the debug information is damaged; build again, or name addresses"* ]] ||
		fail "$errors"
	# what libelf does not know is compressed as zstd is, whatever libelf knows
	objcopy --compress-debug-sections=zlib whole packed
	python3 - packed <<-'END'
		import struct, sys
		data = bytearray(open(sys.argv[1], "rb").read())
		at, size, n = struct.unpack_from("<Q", data, 40)[0], *struct.unpack_from("<HH", data, 58)
		for i in range(n):
		    flags, _, offset = struct.unpack_from("<QQQ", data, at + i * size + 8)
		    if flags & 0x800: # SHF_COMPRESSED
		        struct.pack_into("<I", data, offset, 77)
		open(sys.argv[1], "wb").write(data)
	END
	cp whole zstd
	objcopy --compress-debug-sections=zstd zstd 2>/dev/null || rm zstd # binutils before 2.40
	for file in packed zstd; do
		[ -e $file ] || continue
		works collect --args f -o p.rarog -- ./$file
		if [[ $errors == *warning* || $file = packed ]]; then # libelf may know zstd
			[[ $errors == *"/$file: its debug information is compressed in a way that this libelf does not know (zstd?): no \
arguments of 1 function are captured; objcopy --decompress-debug-sections, or build with -gz=zlib"* ]] || fail "$errors"
		fi
		run_rarog collect --at f.c:1 -o p.rarog -- ./$file
		if [[ $errors == *warning* || $file = packed ]]; then
			[[ $errors == *"f.c: no lines are known, the debug information is compressed in a way that this libelf does not \
know (zstd?); objcopy --decompress-debug-sections, build with -gz=zlib, or name addresses"* ]] || fail "$errors"
			rarog probes --args $file | grep -q "compressed in a way that this libelf does not know" || fail "probes"
		fi
	done
	gcc -O0 -g -gsplit-dwarf -o split f.c
	rm -f ./*.dwo
	works collect --args f -o p.rarog -- ./split
	[[ $errors == *"/split: its debug information is in .dwo files that are not there: no arguments of 1 function are captured; \
keep those of the build"* ]] || fail "$errors"
	gcc -O0 -o none f.c
	run_rarog collect --args f -o p.rarog -- ./none
	[[ $errors == *"compile with -g"* ]] || fail "$errors"
}

@test "pointers are still followed in a program whose child got a filter" {
	program args/parent -g -O1
	run_rarog --quiet collect --engine inline --arg 'look:item->length' -o p.rarog -- ./parent
	rarog show --json p.rarog >show.json
	jq -e '.arguments | map([.count, .unknown]) == [[10, 1]]' show.json || fail "$(jq -c .arguments show.json)"
}

# flags is 7 in the source; what the register holds is something else
@test "a parameter that callers do not pass is said not to be captured" {
	command -v clang >/dev/null || skip "needs clang"
	take args/unused.c
	clang -O2 -g -o unused unused.c
	works collect --args handle -o p.rarog -- ./unused
	[[ $errors == *"handle: 'flags' is not captured: it is not used by the function, so callers may not pass it"* ]] ||
		fail "$output $errors"
	[ "$(value_of max id handle)" = 12 ] || fail "id: $(value_of max id handle)"
	[ -z "$(value_of max flags handle)" ] || fail "flags: $(value_of max flags handle)"
	# nothing is left out where nothing was optimized, nor by gcc
	for compiler in "clang -O0" "gcc -O1 -fno-ipa-cp"; do
		$compiler -g -o unused unused.c
		works --quiet collect --args handle -o p.rarog -- ./unused
		[ "$(value_of max flags handle)" = 7 ] || fail "$compiler: flags $(value_of max flags handle)"
	done
}

@test "types that are in type units are known" {
	take args/units.cc
	for build in "g++ -gdwarf-5" "g++ -gdwarf-4" "g++ -gdwarf-4 -gsplit-dwarf" "clang++ -gdwarf-5" "clang++ -gdwarf-4"; do
		command -v "${build%% *}" >/dev/null || continue
		$build -O1 -fdebug-types-section -o units units.cc
		works --quiet collect --arg 'f:b->h' --arg f:s -o p.rarog -- ./units
		rarog show --json p.rarog | jq -e '[.arguments[].max] == [5, 4]' >/dev/null ||
			fail "$build: $(rarog show p.rarog)"
	done
	works probes --args --func f ./units
	[[ $output == *"const box *"* ]] || fail "$output $errors"
}

@test "arguments of a language that passes them otherwise are refused beforehand" {
	command -v gfortran >/dev/null || skip "needs gfortran"
	take args/numbers.f90
	gfortran -O0 -g -o numbers numbers.f90
	for request in '*_MOD_*' __m_MOD_inc; do
		works collect --args "$request" -o p.rarog -- ./numbers
		[[ $errors == *"__m_MOD_inc: it is in Fortran, which passes arguments otherwise than C"* ]] ||
			fail "$output $errors"
		rarog show --json p.rarog | jq -e '(.arguments // []) | length == 0' >/dev/null || fail "some are captured"
	done
}

@test "a .dwo file that is there but cannot be read is not called missing" {
	printf 'struct s { int a; };\n__attribute__((noinline)) int f(struct s *p) { return p->a; }\nint main() { s x = { 5 }; return f(&x) != 5; }\n' >both.cc
	g++ -gdwarf-5 -gsplit-dwarf -fdebug-types-section -o both both.cc
	run_rarog collect --args f -o p.rarog -- ./both
	expect_status 0
	# an elfutils that can read it says nothing
	[ -n "$(value_of min p 'f(s*)')" ] || [[ $errors == *"this libdw finds nothing in its .dwo files"* ]] || fail "$errors"
	[[ $errors != *"not there"* ]] || fail "$errors"
}

# rows KEY: of csv on standard input, function, arguments and what was returned, sorted
rows() {
	python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    print(row[sys.argv[1]], row["arguments"], row["returned"], sep=",")' "$1" | sort
}

@test "replay and CSV have of each call what it was passed and what it returned" {
	gcc -O1 -g -pthread -o p "$programs/arguments/replay.c"
	works --quiet collect --func leaf --func climb --args '*' --ret '*' -o p.rarog -- ./p
	sort <<<"$output" >truth
	[ "$(wc -l <truth)" = 28 ] || fail "$output"
	rarog export -f csv p.rarog | rows function | diff truth -
	rarog show --replay --csv p.rarog | rows name | diff truth -
	# a part of the calls keeps its values
	rarog export -f csv --func leaf p.rarog | rows function | diff <(grep ^leaf truth) -
	works show --replay --func leaf p.rarog
	grep -o 'leaf(.*' <<<"$output" | sed -E 's/leaf\((.*)\) = (.*);/leaf,\1,\2/' | sort | diff <(grep ^leaf truth) -
	# of a call that has others in it they stand at its beginning and its end
	works show --replay p.rarog
	[ "$(grep -c 'climb(n=[1-6] steps=[0-9]*) {$' <<<"$output")" = 12 ] || fail "$output"
	[ "$(grep -c '} /\* climb \*/ = [0-9]*$' <<<"$output")" = 12 ] || fail "$output"
	rarog show --replay --json p.rarog | python3 -c '
import json, sys
calls = json.load(sys.stdin)["replay"]
print(*sorted(",".join((c["name"], c["arguments"], c["returned"])) for c in calls), sep="\n")' | sort | diff truth -
}

@test "without captured values CSV has the columns that it had" {
	gcc -O1 -pthread -o p "$programs/arguments/replay.c"
	works --quiet collect -o p.rarog -- ./p
	[[ "$(rarog export -f csv p.rarog | head -1)" == *,file,line ]]
	[[ "$(rarog show --replay --csv p.rarog | head -1)" == *,file,line ]]
	rarog show --replay p.rarog | grep -q 'leaf();$' || fail "$(rarog show --replay p.rarog)"
}
