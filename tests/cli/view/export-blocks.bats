#!/usr/bin/env bats
# What other programs read, of profiles of blocks.

load ../helper
load ../blocks-helper

need_profile() {
	need_plugin
	cp "$repo/tests/blocks/lines.c" .
	rarog cc "${1:--O0}" -g -o lines lines.c
	rarog -q collect blocks -- ./lines 50 >out.txt
}

@test "lcov: lines have the counts that gcov has" {
	need_profile
	command -v gcov >/dev/null || skip "needs gcov"
	rarog export --format lcov lines.rarog -o lines.info
	gcc -O0 --coverage -o covered lines.c
	./covered 50 >expected.txt
	cmp expected.txt out.txt
	gcov -t covered-lines.gcda >lines.gcov
	run "$repo/tests/tools/lines-compare.py" lines.info lines.gcov
	[ "$status" -eq 0 ] || fail "$output"
	grep -q "^SF:$PWD/lines.c$" lines.info
	grep -q '^FNDA:17,kind$' lines.info
	[ "$(grep -c '^FN:' lines.info)" -eq 4 ]
	# three of four functions ran
	grep -qx FNF:4 lines.info
	grep -qx FNH:3 lines.info
}

@test "lcov: fifteen programs have line by line the counts that gcov or llvm-cov have" {
	need_plugin
	command -v gcov >/dev/null || skip "needs gcov"
	command -v llvm-cov-14 >/dev/null || skip "needs llvm-cov-14"
	run "$repo/tests/oracle/compare-coverage" "$repo"/tests/programs/coverage/*.c*
	[ "$(grep -c ' lines are the same, ' <<<"$output")" = 15 ] || fail "$output"
	[ "$status" -eq 0 ] || fail "$output"
	# the head of a lambda is a line of two functions: that of its calls, and that of where it is made
	[ "$(grep -o '[1-9][0-9]* explained' <<<"$output")" = "1 explained" ] || fail "$output"
}

@test "gcov: its JSON" {
	need_profile
	rarog export --format gcov lines.rarog | python3 -c '
import json, sys
j = json.load(sys.stdin)
assert j["format_version"] == "2"
[file] = j["files"]
functions = {f["name"]: f for f in file["functions"]}
assert functions["never"]["execution_count"] == 0 == functions["never"]["blocks_executed"]
assert functions["kind"]["execution_count"] == 17
assert {l["line_number"]: l["count"] for l in file["lines"]}[functions["kind"]["start_line"] + 2] == 17'
}

@test "gcov: branches are those that gcov has" {
	need_profile
	command -v gcov >/dev/null || skip "needs gcov"
	gcc -O0 --coverage -o covered lines.c
	./covered 50 >expected.txt
	gcov -b --json-format -t covered-lines.gcda >theirs.json
	rarog export --format gcov lines.rarog -o ours.json
	# but ?:, which is no branch to clang, and && in a loop's condition, which is one more block
	python3 -c '
import json
def branches(name):
    [file] = [f for f in json.load(open(name))["files"] if f["file"].endswith("lines.c")]
    return {l["line_number"]: sorted(b["count"] for b in l["branches"]) for l in file["lines"] if l["branches"]}
ours, theirs = branches("ours.json"), branches("theirs.json")
for line in ("i & 1 ? 3 : 4", "while (s < 70"):
    [number] = [n for n, text in enumerate(open("lines.c"), 1) if line in text]
    ours.pop(number, None), theirs.pop(number)
assert ours == theirs and sum(map(len, ours.values())) == 18, (ours, theirs)'
	rarog export --format lcov lines.rarog >lines.info
	[ "$(grep -c '^BRDA:' lines.info)" -eq "$(sed -n 's/^BRF://p' lines.info)" ]
}

@test "coverage on a page: sums are those of the lines and branches that lcov gets" {
	need_profile
	rarog export --format lcov lines.rarog >lines.info
	rarog show --coverage --json lines.rarog | python3 -c '
import json, re, sys
[row] = json.load(sys.stdin)["coverage"]
lcov = dict(re.findall(r"^(\w+):(\d+)$", open("lines.info").read(), re.M))
for ours, theirs in dict(lines="LF", lines_executed="LH", branches="BRF", branches_taken="BRH", functions="FNF",
                         functions_executed="FNH").items():
    assert row[ours] == int(lcov[theirs]), ours'
	works show --coverage lines.rarog
	[[ "$output" == *" 4    3  lines.c" ]] || fail "$output"
	rarog -q collect -o calls.rarog -- ./lines 5 >out.txt
	says 3 "rarog show: --coverage: calls.rarog has no counts of blocks; rarog collect blocks makes them" \
		show --coverage calls.rarog
}

@test "coverage is of what somebody wrote, and says when no lines are known" {
	need_plugin
	take blocks/throws-at-end.cc throws.cc
	rarog c++ -w -g -o throws throws.cc
	nm throws | grep -q __clang_call_terminate || skip "this clang makes no function of its own"
	rarog -q collect blocks -o throws.rarog -- ./throws
	rarog export --format lcov throws.rarog >throws.info
	! grep -E '^SF:[^/]|^FN:0,|__clang_call_terminate' throws.info || fail "$(cat throws.info)"
	run_rarog show --coverage throws.rarog
	[[ "$output" != *" 0 "*" throws.cc"*"throws.cc"* ]] || fail "$output"
	rarog c++ -w -o throws throws.cc
	rarog -q collect blocks -o plain.rarog -- ./throws
	for format in lcov gcov; do
		says 0 "rarog: warning: plain.rarog: no source lines are known; compile with -g" \
			export --format $format plain.rarog
	done
	works show --coverage plain.rarog
	[[ $output == *"no source files are known; compile with -g"* ]] || fail "$output"
}

@test "lcov: a function's last line was reached as gcov says, also where an exception would leave it" {
	need_plugin
	take blocks/close.cc
	rarog c++ -O0 -g -o ours close.cc
	rarog -q collect blocks -o close.rarog -- ./ours
	g++ -O0 --coverage -o theirs close.cc
	./theirs
	gcov -t theirs-close.gcda >theirs.txt
	truth=$(sed -n 's/^ *\([0-9]*\)\*\?: *13:}.*/\1/p' theirs.txt)
	[ "$truth" = 10 ] || fail "$(cat theirs.txt)"
	rarog export --format lcov close.rarog | grep -x "DA:13,$truth" || fail "$(rarog export --format lcov close.rarog)"
}

@test "callgrind: callgrind_annotate adds up the same instructions" {
	need_profile -O2
	command -v callgrind_annotate >/dev/null || skip "needs valgrind"
	rarog export --format callgrind lines.rarog -o lines.out
	callgrind_annotate --threshold=100 lines.out >annotated.txt
	total=$(rarog show --json lines.rarog |
		python3 -c 'import json, sys; print("{:,}".format(json.load(sys.stdin)["header"]["totals"]["instructions"]))')
	grep -qE "^ *$total \(100.0%\).* PROGRAM TOTALS" annotated.txt || fail "$total: $(cat annotated.txt)"
	grep -q ':main' annotated.txt
}

@test "formats for calls and times say that this is none" {
	need_profile
	for format in chrome collapsed speedscope; do
		says 3 "rarog export: lines.rarog counts blocks, $format is for calls and times; callgrind, lcov, gcov and json are for both or for blocks" \
			export --format $format lines.rarog
	done
	rarog -q collect -o calls.rarog -- ./lines 5 >out.txt
	says 3 "rarog export: calls.rarog has no counts of blocks, and lcov needs them; rarog collect blocks makes them" \
		export --format lcov calls.rarog
}

@test "code that was inlined is where it was written" {
	need_plugin
	mkdir -p src/in
	take blocks/inner.h src/in/inner.h
	take blocks/outer.c src/outer.c
	rarog cc -O1 -g -o outer src/outer.c
	rarog collect blocks -o outer.rarog -- ./outer
	rarog show --blocks main outer.rarog >blocks
	# 0 + … + 9 rounds in the one that counts
	grep -E ' 45 .* 9 +2 +count inner.h:4:[0-9]+ < all outer.c:5:3 ' blocks || fail "$(cat blocks)"
	at=$(objdump -d --no-show-raw-insn outer | awk '/<sink>/ { print $1; exit }')
	"llvm-symbolizer-$llvm" --basenames --obj=outer "0x${at%:}" | paste -sd' ' >chain
	[[ $(cat chain) == "count inner.h:5:"*" all outer.c:5:3 main outer.c:9:2"* ]] || fail "$(cat chain)"
	rarog export --format=callgrind outer.rarog -o outer.grind
	callgrind_annotate --show=Blocks outer.grind | grep -E '^ *55 .*inner.h:main' || fail "$(cat outer.grind)"
	# lines of what was inlined are its file's; 0 + … + 9 rounds
	rarog export --format=lcov outer.rarog -o outer.lcov
	grep -q '^SF:.*outer.c' outer.lcov
	sed -n '/^SF:.*inner.h/,/^end_of_record/p' outer.lcov | grep -q '^DA:[0-9]*,45$' || fail "$(cat outer.lcov)"
}

@test "code that a function has in another file is that file's, with its branches" {
	need_plugin
	command -v gcov >/dev/null || skip "needs gcov"
	printf '\tif (x > 3)\n\t\ts += x;\n\telse\n\t\ts -= x;\n' >body.inc
	cat >parts.c <<-'END'
		#include <stdio.h>
		int f(int x)
		{
			int s = 0;
		#include "body.inc"
			return s;
		}
		int g(int x)
		{
			int r = 1;
		#line 100 "gram.y"
			if (x) {
				r = 7;
			}
		#line 16 "parts.c"
			if (x > 2)
				r++;
			return r;
		}
		int main(void)
		{
			int t = 0;
			for (int i = 0; i < 6; i++)
				t += f(i) + g(i);
			printf("%d\n", t);
			return 0;
		}
	END
	rarog cc -O0 -g -o ours parts.c
	rarog -q collect blocks -o parts.rarog -- ./ours
	rarog export --format gcov parts.rarog >ours.json 2>said
	[ ! -s said ] || fail "$(cat said)"
	gcc -O0 --coverage -o theirs parts.c
	./theirs
	gcov -b --json-format -t theirs-parts.gcda >theirs.json
	python3 -c '
import json, os
def read(name, of):
    files = {os.path.basename(f["file"]): f for f in json.load(open(name))["files"]}
    return {(name, l["line_number"]): of(l) for name, file in files.items() for l in file["lines"] if of(l)}
lines = [read(name, lambda l: l["count"]) for name in ("ours.json", "theirs.json")]
# gram.y is read by gcov as a part of parts.c
assert all(lines[0].get(n) == count for n, count in lines[1].items()), lines
assert {name for name, _ in lines[0]} == {"parts.c", "body.inc", "gram.y"}, lines
assert lines[0]["gram.y", 101] == 5, lines
branches = [read(name, lambda l: sorted(b["count"] for b in l["branches"])) for name in ("ours.json", "theirs.json")]
# gcov puts what body.inc and gram.y decide on the line before, too
real = [("parts.c", n) for n, text in enumerate(open("parts.c"), 1) if n == 16 or "for (" in text]
assert all(branches[0][n] == branches[1][n] for n in real) and len(real) == 2, branches
assert branches[0]["body.inc", 1] == [2, 4] and branches[0]["gram.y", 100] == [1, 5], branches
assert len(branches[0]) == 4, branches'
}

@test "files whose paths end the same are told apart" {
	need_plugin
	mkdir -p a/inc inc
	printf 'static inline int far(int x)\n{\n\treturn x + 1;\n}\n' >a/inc/list.h
	printf '/* near */\nstatic inline int near(int x)\n{\n\n\treturn x + 2;\n}\n' >inc/list.h
	printf '#include "a/inc/list.h"\n#include <list.h>\nint main(int c, char **v)\n{\n\t(void)v;\n\treturn far(c) + near(c) + near(c) != 8;\n}\n' >main.c
	for how in "-O0 -gdwarf-4" "-O0 -gdwarf-5" "-O1 -gdwarf-5"; do
		rarog cc $how -Iinc -o near main.c
		rarog -q collect blocks -o near.rarog -- ./near
		rarog export --format gcov near.rarog | python3 -c '
import json, os, sys
files = {os.path.relpath(f["file"]): {l["line_number"]: l["count"] for l in f["lines"]} for f in json.load(sys.stdin)["files"]}
assert set(files) <= {"main.c", "inc/list.h", "a/inc/list.h"}, files
if sys.argv[1] == "-O0":
    assert files["a/inc/list.h"][3] == 1 and files["inc/list.h"][5] == 2 and 3 not in files["inc/list.h"], files' $how
		rarog show --json near.rarog | python3 -c '
import json, sys
assert "a/inc/list.h" not in {f["file"] for f in json.load(sys.stdin)["functions"] if f["name"] == "near"}'
	done
}

# exit(), longjmp() and exceptions: what gcov counts after such a call is what ran
@test "lines after calls that do not return have the counts that gcov has" {
	need_plugin
	command -v gcov >/dev/null || skip "needs gcov"
	take blocks/leaves.cc
	rarog c++ -O0 -g -o ours leaves.cc
	rarog -q collect blocks -o leaves.rarog -- ./ours
	g++ -O0 --coverage -o theirs leaves.cc
	./theirs
	gcov --json-format -t theirs-leaves.gcda >theirs.json
	rarog export --format gcov leaves.rarog -o ours.json
	python3 -c '
import json
def lines(name):
    [file] = [f for f in json.load(open(name))["files"] if f["file"].endswith("leaves.cc")]
    counts = {}
    for l in file["lines"]:
        counts[l["line_number"]] = counts.get(l["line_number"], 0) + l["count"]
    return counts
ours, theirs = lines("ours.json"), lines("theirs.json")
both = set(ours) & set(theirs)
wrong = {n: (ours[n], theirs[n]) for n in both if ours[n] != theirs[n]}
assert not wrong and len(both) > 25 and sum(theirs[n] == 0 for n in both) == 2, (wrong, sorted(both))'
}

# at -O2 clang unrolls the loop and computes the second one beforehand
@test "coverage of optimised code says that lines are missing or too low, that of other code does not" {
	need_plugin
	cat >short.c <<-'END'
		int main(int argc, char **argv)
		{
			int s = 0;
			for (int i = 0; i < 3; i++)
				s += argv[0][i];
			for (int i = 0; i < 4; i++)
				argc += i;
			return s == argc;
		}
	END
	for level in 0 2; do
		rarog cc -O$level -g -o short short.c
		rarog -q collect blocks -o short$level.rarog -- ./short
		for way in "export -f lcov" "export -f gcov" "show --coverage"; do
			rarog $way short$level.rarog 2>said.txt >/dev/null
			[ "$(grep -c "of optimised code (-O2) lines are what the compiler left of them" said.txt)" = $((level / 2)) ] ||
				fail "-O$level, $way: $(cat said.txt)"
		done
	done
}

# genhtml 2 refuses a function without a line, gcovr 8 JSON without these keys
@test "lcov and gcov: what newer readers ask for is there" {
	need_profile
	rarog export --format lcov lines.rarog >lines.info
	sed -n 's/^FN:\([0-9]*\),.*/\1/p' lines.info | while read -r line; do
		grep -q "^DA:$line," lines.info || fail "no DA of line $line, where a function begins"
	done
	rarog export --format gcov lines.rarog | python3 -c '
import json, sys
j = json.load(sys.stdin)
assert j["current_working_directory"]
[file] = j["files"]
assert all({"start_column", "end_column"} <= f.keys() for f in file["functions"])
assert all("block_ids" in l and "calls" in l for l in file["lines"])
assert any(l["block_ids"] for l in file["lines"])
assert all({"source_block_id", "destination_block_id"} <= b.keys() for l in file["lines"] for b in l["branches"])'
}
