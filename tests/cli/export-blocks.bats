#!/usr/bin/env bats
# What other programs read, of profiles of blocks.

load helper
load blocks-helper

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

@test "gcov: its JSON" {
	need_profile
	rarog export --format gcov lines.rarog | python3 -c '
import json, sys
j = json.load(sys.stdin)
assert j["format_version"] == "1"
[file] = j["files"]
functions = {f["name"]: f for f in file["functions"]}
assert functions["never"]["execution_count"] == 0 == functions["never"]["blocks_executed"]
assert functions["kind"]["execution_count"] == 17
assert {l["line_number"]: l["count"] for l in file["lines"]}[functions["kind"]["start_line"] + 2] == 17'
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
		run_rarog export --format $format lines.rarog
		expect_status 3
		expect_error "rarog export: lines.rarog counts blocks, $format is for calls and times; callgrind, lcov, gcov and json are for both or for blocks"
	done
	rarog -q collect -o calls.rarog -- ./lines 5 >out.txt
	run_rarog export --format lcov calls.rarog
	expect_status 3
	expect_error "rarog export: calls.rarog has no counts of blocks, and lcov needs them; rarog collect blocks makes them"
}
