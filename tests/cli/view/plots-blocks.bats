#!/usr/bin/env bats
# Drawings of counts of blocks: what they show is what rarog show has as JSON.

load ../helper
load ../profiles
load ../blocks-helper
export TZ=UTC

@test "report --svg sunburst: wedges are as wide as the instructions of blocks" {
	need_plugin
	cp "$repo/tests/blocks/lines.c" .
	rarog cc -O1 -g -o lines lines.c
	rarog -q collect blocks -- ./lines 50 >out.txt
	works report lines.rarog --svg sunburst -o one.svg
	works report lines.rarog --svg sunburst -o two.svg
	cmp one.svg two.svg
	rarog show -n 0 --json lines.rarog >shown.json
	python3 - <<-'END' || fail "one.svg"
		import json, re, xml.etree.ElementTree as tree
		s = "{http://www.w3.org/2000/svg}"
		found, blocks = {}, 0
		for path in tree.parse("one.svg").getroot().iter(s + "path"):
		    what, amount, share = re.fullmatch(r"(.*): ([0-9,]+), ([0-9.]+) %", path.find(s + "title").text).groups()
		    if what.startswith("block ") or what.endswith(" other blocks"):
		        blocks += int(amount.replace(",", ""))
		    else:
		        found[what] = int(amount.replace(",", ""))
		shown = {f["name"]: f["instructions"] for f in json.load(open("shown.json"))["functions"] if f["instructions"]}
		assert found == shown, (found, shown)
		assert blocks == sum(shown.values()), (blocks, shown)
	END
	works report lines.rarog --svg sunburst:instructions -o two.svg
	cmp one.svg two.svg
	for by in calls executions; do
		works report lines.rarog --svg "sunburst:$by" -o "$by.svg"
	done
	python3 - <<-'END' || fail "calls.svg, executions.svg"
		import json, re, xml.etree.ElementTree as tree
		s = "{http://www.w3.org/2000/svg}"
		functions = json.load(open("shown.json"))["functions"]
		for by, key in (("calls", "count"), ("executions", "block_executions")):
		    found = {}
		    for path in tree.parse(by + ".svg").getroot().iter(s + "path"):
		        what, amount = re.fullmatch(r"(.*): ([0-9,]+), [0-9.]+ %", path.find(s + "title").text).groups()
		        if not what.startswith("block ") and not what.endswith(" other blocks"):
		            found[what] = int(amount.replace(",", ""))
		    shown = {f["name"]: f[key] for f in functions if f[key]}
		    assert found == shown, (by, found, shown)
	END
	run_rarog report lines.rarog --svg sunburst:time -o x.svg
	[ "$status" -ne 0 ] && [[ $errors == *"has no time of blocks"* ]] && [ ! -e x.svg ] || fail "$errors"
	run_rarog report lines.rarog --svg sunburst:weight -o x.svg
	[ "$status" -ne 0 ] && [[ $errors == *"by time, instructions, executions or calls, not by 'weight'"* ]] || fail "$errors"
}

@test "report --svg sunburst: of a run without a single sample by instructions" {
	program blocks/loop -O1
	works collect blocks --engine rewrite -o short.rarog -- ./loop
	works report short.rarog --svg sunburst -o short.svg
	grep -Eq '>(instructions|time)<' short.svg || fail "$(head -c 1000 short.svg)"
}

@test "report --svg control-flow: blocks and ways of a function with their counts" {
	need_plugin
	cp "$repo/tests/blocks/lines.c" .
	rarog cc -O1 -g -o lines lines.c
	rarog -q collect blocks -- ./lines 50 >out.txt
	works report lines.rarog --svg control-flow:main -o one.svg
	works report lines.rarog --svg control-flow:main -o two.svg
	cmp one.svg two.svg
	rarog show -n 0 --blocks=main --json lines.rarog >shown.json
	python3 - <<-'END' || fail "one.svg"
		import json, re, xml.etree.ElementTree as tree
		s = "{http://www.w3.org/2000/svg}"
		root = tree.parse("one.svg").getroot()
		number = lambda text: int(text.replace(",", ""))
		drawn = {}
		for group in root.iter(s + "g"):
		    block, line, count = re.fullmatch(r"(\d+): line (\d+), ([0-9,]+) ×", group.find(s + "text").text).groups()
		    drawn[int(block)] = (int(line), number(count))
		blocks = json.load(open("shown.json"))["blocks"]
		shown = {b["id"]: (b["line"] or 0, b["count"]) for b in blocks}
		assert len(drawn) > 3 and drawn.items() <= shown.items(), (drawn, shown)
		assert all(block in drawn for block, (_, count) in shown.items() if count > 0)
		ways = sorted(number(path.find(s + "title").text) for path in root.iter(s + "path") if path.find(s + "title") is not None)
		dashed = [path for path in root.iter(s + "path") if path.get("stroke-dasharray")]
		assert len(dashed) == ways.count(0), (len(dashed), ways)
		# what flows into blocks is how often they ran, but for the entry
		assert sum(ways) == sum(count for block, (_, count) in drawn.items()) - drawn[0][1], (ways, drawn)
	END
	run_rarog report lines.rarog --svg control-flow:nobody -o x.svg
	[ "$status" -eq 3 ] && [[ $errors == *"has no blocks of 'nobody'"* ]] && [ ! -e x.svg ] || fail "$errors"
	printf '%s\n' 'header {"collector":"trace","detail":"calls"}' 'location main' | profile known.rarog
	run_rarog report known.rarog --svg control-flow:main -o x.svg
	[ "$status" -eq 3 ] && [[ $errors == *"has no ways between blocks"* ]] || fail "$errors"
}

@test "report --svg flame: counted instructions are widths where there are no times" {
	[ -x "${RAROG_BUILD:-$repo/build}/src/vex/rarog-vex" ] || skip "needs a build with valgrind"
	cp "$repo/tests/blocks/lines.c" .
	gcc -O1 -g -o lines lines.c
	works --quiet collect --engine vex -o vex.rarog -- ./lines 50
	for plot in flame flame-callers; do
		for i in one two; do works report vex.rarog --svg $plot -o $i.svg; done
		cmp one.svg two.svg
		mv one.svg $plot.svg
	done
	works export -f collapsed vex.rarog
	printf '%s\n' "$output" >folded
	python3 - <<-'END' || fail "$(grep '<title' flame.svg | head)"
		import collections, re, xml.etree.ElementTree as tree
		s = "{http://www.w3.org/2000/svg}"
		stacks = [(line.rsplit(" ", 1)[0].split(";"), int(line.rsplit(" ", 1)[1])) for line in open("folded").read().splitlines()]
		own, of_main, all_of_them = collections.Counter(), 0, 0
		for frames, n in stacks:
		    own[frames[-1]] += n
		    of_main += n if "main" in frames else 0
		    all_of_them += n
		def boxes(path):
		    tips = [(r.find(s + "title"), r) for r in tree.parse(path).getroot().iter(s + "rect")]
		    return [(*re.fullmatch(r"(.*): (itself )?([0-9,]+) instructions, .*", t.text).groups(), float(r.get("width"))) for t, r in tips if t is not None and t.text]
		name, _, n, width = next(b for b in boxes("flame.svg") if b[0] == "main")
		assert int(n.replace(",", "")) == of_main and abs(width - 1180 * of_main / all_of_them) < 0.02, (n, width, of_main)
		top = boxes("flame-callers.svg")[0]
		assert top[1] and int(top[2].replace(",", "")) == max(own.values()) == own[top[0]], (top, own.most_common(2))
	END
	works show --flame vex.rarog
	[[ $output == *"the whole width is "*" instructions"* ]] || fail "$output"
}

@test "report --svg scatter: what a call takes is instructions where there are no times" {
	[ -x "${RAROG_BUILD:-$repo/build}/src/vex/rarog-vex" ] || skip "needs a build with valgrind"
	cp "$repo/tests/blocks/lines.c" .
	gcc -O1 -g -fno-inline -o lines lines.c
	function=$(nm lines | awk '$2 == "t" && $3 !~ /^_|clones|frame_dummy/ { print $3; exit }')
	works --quiet collect --engine vex --args "$function" -o vex.rarog -- ./lines 50
	works report vex.rarog --svg "scatter:$function" -o one.svg
	grep -q ">$function: instructions of a call by " one.svg || fail "$(grep '<text' one.svg | head)"
	run_rarog report vex.rarog --svg "scatter:$function" --color-by n -o two.svg
	[ "$status" -eq 3 ] && [[ $errors == *"vex.rarog has no single calls"* ]] || fail "$status: $errors"
}
