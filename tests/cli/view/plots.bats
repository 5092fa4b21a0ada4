#!/usr/bin/env bats
# Drawings of rarog show and rarog report --svg, of profiles whose calls are known to the tick. What
# must be drawn is computed here by hand: 1,000 ns are 50 columns, so a column is 20 ns.

load ../helper
load ../profiles
load ../blocks-helper
export TZ=UTC

# main 0 … 1000, in it a 100 … 500, in it b 200 … 300; then c 600 … 1000 of 40 calls of d, 5 of each 10 ns
known_profile() {
	profile known.rarog <<-'END'
		header {"collector":"trace","detail":"calls"}
		binary /usr/bin/known
		location main
		location a
		location b
		location c
		location d<>&
		process 10 - 0 1000 0 "./known"
		strand 0 10 0 1000
		> main 0
		> a 100
		> b 100
		< 100
		< 200
		> c 100
		repeat 40
		> "d<>&" 5
		< 5
		end
		< 0
		< 0
	END
}

# drawn OPTION…: what rarog show prints below its heading
drawn() {
	works show --width 50 "$@" known.rarog
	printf '%s\n' "$output" | awk 'is_below { print } /^$/ { is_below = 1 }'
}

@test "--flame: a context is as wide as its time, the heaviest child first" {
	known_profile
	# main 50 columns; a and c 20 each; in a b 5, in c the calls of d 10
	[ "$(drawn --flame | head -3)" = "$(
		cat <<-'END'
			[main                                            ]
			[a                 ][c                 ]
			[b  ]               [d<>&    ]
		END
	)" ] || fail "$output"
	works show --flame --depth 2 known.rarog
	[[ $output == *"the whole width is 1.000 us"* ]] || fail "$output"
	[[ $output == *"2 call contexts deeper than 2 levels not shown"* ]] || fail "$output"
}

@test "--timeline: calls where they were in time, short ones as shades of how much of it they take" {
	known_profile
	[ "$(drawn --timeline --ascii | head -5)" = "$(
		cat <<-'END'
			process 10
			[main                                            ]
			     [a                 ]     [c                 ]
			          [b  ]               ====================
			0 ns                                      1.000 us
		END
	)" ] || fail "$output"
	[ "$(drawn --timeline --ascii --from 100ns --to 600ns | sed -n 4p)" = "          [b       ]" ] || fail "$output"
}

@test "--flow: the time in each function itself, from moment to moment" {
	known_profile
	works show --flow --json known.rarog
	printf '%s' "$output" | python3 -c '
import json, sys
r = json.load(sys.stdin)
def own(name, at):  # by hand, of the nanosecond that begins at at
    if 200 <= at < 300: return name == "b"
    if 100 <= at < 500: return name == "a"
    if 600 <= at < 1000: return name == ("c" if at % 10 < 5 else "d<>&")
    return name == "main"
assert (r["begin_ns"], r["end_ns"]) == (0, 1000), r
for f in r["functions"]:
    cells = [sum(own(f["name"], t) for t in range(10 * i, 10 * i + 10)) for i in range(100)]
    assert f["cells_ns"] == cells, (f, cells)
    assert f["exclusive_ns"] == sum(cells)
assert {f["name"] for f in r["functions"]} == {"main", "a", "b", "c", "d<>&"}'
}

@test "--scatter: a point for each call" {
	known_profile
	works show --scatter 'd<>&' --csv known.rarog
	[ "$(printf '%s\n' "$output" | tail -n +2 | awk -F, '{ n += $5; y += $4 * $5 } END { print n, y }')" = "40 200" ] || fail "$output"
	drawn --scatter b
	[[ $output == *"b: time of a call by the order of the calls, 1 call"* ]] || fail "$output"
}

@test "--bars: as long as what functions are sorted by" {
	known_profile
	works show --bars --ascii --columns exclusive,bar known.rarog
	# a 300 of 300: 20 cells, b 100: 6 whole ones
	[ "$(printf '%s\n' "$output" | awk '$NF == "a" || $NF == "b" { print length($(NF - 1)) }')" = $'20\n6' ] || fail "$output"
}

@test "--tableof: for documents, and names are no markup" {
	known_profile
	works show --tableof markdown --columns calls known.rarog
	[ "$(printf '%s\n' "$output" | head -2)" = $'| calls | function |\n|--:|---|' ] || fail "$output"
	[[ $output == *'| 40 | d&lt;&gt;&amp; |'* ]] || fail "$output"
	works show --tableof html --columns calls known.rarog
	printf '%s' "$output" | python3 -c '
import sys, xml.etree.ElementTree as tree
rows = [[cell.text for cell in row] for row in tree.fromstring(sys.stdin.read())]
assert rows[0] == ["calls", "function"] and ["40", "d<>&"] in rows, rows'
	works show --tableof latex --columns calls known.rarog
	[[ $output == '\begin{tabular}{rl}'*'40 & d\textless{}\textgreater{}\& \\'*'\end{tabular}' ]] || fail "$output"
	exits 2 show --tableof html --flame known.rarog
	[[ $errors == *"--flame is a drawing, not a table"* ]] || fail "$errors"
	exits 2 show --tableof html --csv known.rarog
}

@test "report --svg: the same boxes, the same bytes, valid XML" {
	known_profile
	for plot in flame timeline flow bars 'scatter:d<>&'; do
		works report known.rarog --svg "$plot" -o one.svg
		works report known.rarog --svg "$plot" -o two.svg
		cmp one.svg two.svg || fail "$plot"
		python3 - "$plot" <<-'END' || fail "$plot"
			import sys, xml.etree.ElementTree as tree
			s = "{http://www.w3.org/2000/svg}"
			root = tree.parse("one.svg").getroot()
			boxes = {}
			for box in root.iter(s + "rect"):
			    tip = box.find(s + "title")
			    if tip is not None and tip.text:
			        boxes.setdefault(tip.text.split(":")[0], []).append((float(box.get("x")), float(box.get("width"))))
			if sys.argv[1] in ("flame", "timeline"):
			    assert boxes["main"] == [(10, 1180)], boxes
			    at = {"flame": 0, "timeline": 100}[sys.argv[1]]
			    assert boxes["a"] == [(10 + 1180 * at / 1000, 1180 * 400 / 1000)], boxes
			if sys.argv[1] == "bars":
			    assert abs(boxes["b"][0][1] / boxes["a"][0][1] - 1 / 3) < 0.01, boxes
			if sys.argv[1].startswith("scatter"):
			    assert len(list(root.iter(s + "circle"))) >= 1
		END
	done
}

# shapes.py: the title, dots, and the curve of the one plane of a drawing
shapes() {
	cat >shapes.py <<-'END'
		import xml.etree.ElementTree as tree
		s = "{http://www.w3.org/2000/svg}"
		def read(path):
		    root = tree.parse(path).getroot()
		    dots = [(float(c.get("cx")), float(c.get("cy"))) for c in root.iter(s + "circle")]
		    curve = [tuple(map(float, p.split(","))) for l in root.iter(s + "polyline") for p in l.get("points").split()]
		    return [t.text for t in root.iter(s + "text")], dots, curve
	END
}

@test "report --svg model: points, and the curve that rarog model computes" {
	local i

	{
		echo 'location f'
		echo 'process 10 - 0 100000 0 "./known"'
		echo 'strand 0 10 0 100000'
		for i in {1..40}; do # the i-th call takes 10 i ns
			printf '> f 0\n< %d\n' $((10 * i))
		done
	} | "${RAROG_BUILD:-$repo/build}/tests/make-profile" growing.rarog
	works model f growing.rarog --json
	class=$(printf '%s' "$output" | jq -r '.models[0].pieces[0].class')
	works report growing.rarog --svg model:f -o f.svg
	shapes
	python3 - "$class" <<-'END' || fail "$class"
		import sys
		from shapes import read
		texts, dots, curve = read("f.svg")
		assert any(sys.argv[1] in t for t in texts), texts
		assert len(dots) == 8, dots # a point is the median of five calls
		# the line goes through the dots, and they lie on a line
		for x, y in dots:
		    at = min(curve, key=lambda p: abs(p[0] - x))
		    assert abs(at[1] - y) < 12, (x, y, at)
		slope = (dots[7][1] - dots[0][1]) / (dots[7][0] - dots[0][0])
		assert all(abs(y - dots[0][1] - slope * (x - dots[0][0])) < 0.3 for x, y in dots), dots
	END
}

@test "report --svg residuals: points less the curve of rarog model, around a line at zero" {
	local i

	{
		echo 'location f'
		echo 'process 10 - 0 100000 0 "./known"'
		echo 'strand 0 10 0 100000'
		for i in {1..40}; do
			printf '> f 0\n< %d\n' $((10 * i + i % 3))
		done
	} | profile growing.rarog
	works report growing.rarog --svg residuals:f -o one.svg
	works report growing.rarog --svg residuals:f -o two.svg
	cmp one.svg two.svg
	works model f growing.rarog --json
	printf '%s' "$output" >model.json
	shapes
	python3 - <<-'END' || fail "$output"
		import json, statistics
		from shapes import read
		texts, dots, _ = read("one.svg")
		# the points are medians of five calls by their order; the line is that of least squares, by its textbook
		# formulas
		groups = [[(i, 10 * i + i % 3) for i in range(5 * k + 1, 5 * k + 6)] for k in range(8)]
		x = [statistics.median(i for i, _ in g) for g in groups]
		y = [statistics.median(t for _, t in g) for g in groups]
		model = json.load(open("model.json"))["models"][0]["pieces"][0]
		assert model["class"] == "linear", model
		b0, b1 = (c["value"] for c in model["coefficients"])
		left = [t - b0 - b1 * i for i, t in zip(x, y)]
		assert len(dots) == 8, dots
		# dots are as far from each other as what is left is: one scale for all
		scale = (dots[0][1] - dots[1][1]) / (left[1] - left[0])
		for (_, at), value in zip(dots, left):
		    assert abs(at - dots[0][1] - scale * (left[0] - value)) < 0.5, (dots, left)
		assert any(t.startswith("f: residuals of ") for t in texts), texts
		assert "0 ns" in texts, texts
	END
}

@test "report --svg histogram: bars with as many calls as took so long" {
	local i

	{
		echo 'location f'
		echo 'process 10 - 0 100000 0 "./known"'
		echo 'strand 0 10 0 100000'
		for i in 8 8 8 9 100 101 5000; do
			printf '> f 0\n< %d\n' "$i"
		done
	} | profile lengths.rarog
	works report lengths.rarog --svg histogram:f -o one.svg
	works report lengths.rarog --svg histogram:f -o two.svg
	cmp one.svg two.svg
	python3 - <<-'END' || fail "one.svg"
		import re, xml.etree.ElementTree as tree
		s = "{http://www.w3.org/2000/svg}"
		root = tree.parse("one.svg").getroot()
		bars = []
		for box in root.iter(s + "rect"):
		    tip = box.find(s + "title")
		    if tip is not None:
		        low, high, count = re.fullmatch(r"([0-9.,]+) (?:ns|us) … ([0-9.,]+) (?:ns|us): ([0-9]+) calls?", tip.text).groups()
		        bars.append((float(box.get("height")), int(count)))
		assert [count for _, count in bars] == [4, 2, 1], bars
		assert all(abs(height / count - bars[0][0] / 4) < 0.1 for height, count in bars), bars
	END
	grep -q "f: durations of 7 calls; median 9 ns, longest 5.000 us" one.svg || fail "$(cat one.svg)"
	run_rarog report lengths.rarog --svg histogram:nobody -o x.svg
	[ "$status" -ne 0 ] && [[ $errors == *"has no durations of 'nobody'"* ]] && [ ! -e x.svg ] || fail "$errors"
}

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
	known_profile
	run_rarog report known.rarog --svg control-flow:main -o x.svg
	[ "$status" -eq 3 ] && [[ $errors == *"has no ways between blocks"* ]] || fail "$errors"
}

# A run of a program whose f takes $2 ns, g $3 and h $4; 0: it is not called.
version_profile() {
	{
		cat <<-'END'
			header {"collector":"trace","detail":"calls"}
			location main
			location f
			location g
			location "h<>&"
			process 10 - 0 10000 0 "./known"
			strand 0 10 0 10000
			> main 0
		END
		if [ "$2" -gt 0 ]; then printf '> f 0\n< %d\n' "$2"; fi
		if [ "$3" -gt 0 ]; then printf '> g 0\n< %d\n' "$3"; fi
		if [ "$4" -gt 0 ]; then printf '> "h<>&" 0\n< %d\n' "$4"; fi
		echo '< 1000'
	} | profile "$1"
}

@test "report --svg difference: as wide as both together, what became of each in figures and colour" {
	version_profile old.rarog 1000 2000 500
	version_profile new.rarog 3000 2000 0
	works report old.rarog new.rarog --svg difference -o one.svg
	works report old.rarog new.rarog --svg difference -o two.svg
	cmp one.svg two.svg
	python3 - <<-'END' || fail "one.svg"
		import xml.etree.ElementTree as tree
		s = "{http://www.w3.org/2000/svg}"
		found = {}
		for rect in tree.parse("one.svg").getroot().iter(s + "rect"):
		    tip = rect.find(s + "title")
		    if tip is not None and ": " in tip.text:
		        found[tip.text.split(": ")[0]] = (rect, tip.text)
		# main 4500 -> 6000: 1500 more in 10500; f 1000 -> 3000, g 2000 -> 2000, h 500 -> 0
		width = {name: float(rect.get("width")) for name, (rect, _) in found.items()}
		for name, share in (("all", 10500), ("main", 10500), ("f", 4000), ("g", 4000), ("h<>&", 500)):
		    assert abs(width[name] - width["all"] * share / 10500) < 0.02, (name, width)
		for name, words in (("main", "+33.3 %"), ("f", "+200.0 %"), ("h<>&", "gone"), ("g", "2.000 us -> 2.000 us, calls 1 -> 1")):
		    assert words in found[name][1], found[name][1]
		red, green, blue = ([int(found[name][0].get("fill")[at:at + 2], 16) for name in ("f", "main", "g", "h<>&")] for at in (1, 3, 5))
		assert red[0] > blue[0] and red[1] > blue[1] and blue[3] > red[3], "slower is red, faster is blue"
		assert blue[0] < blue[1], "more is stronger"
		assert max(red[2], green[2], blue[2]) - min(red[2], green[2], blue[2]) < 8, "no change is grey"
	END
	grep -q "of one run a side: any difference may be chance" one.svg || fail "$(tail -3 one.svg)"
	works report old.rarog new.rarog --svg difference
	[ -s old..new.svg ] || fail "$output"
	for plot in flame versions; do
		exits 2 report old.rarog new.rarog --svg "$plot"
	done
	[[ $errors == *"versions is of a range of versions; give A..B"* ]] || fail "$errors"
	exits 2 report old.rarog --svg difference
	[[ $errors == *"difference is of two versions; give both"* ]] || fail "$errors"
}

@test "report --svg difference: refuses counts" {
	for which in old new; do
		profile $which.rarog <<-'END'
			header {"collector":"trace","detail":"count"}
			detail count
			location main
			process 10 - 0 10000 0 "./known"
			strand 0 10 0 10000
			> main 0
			< 1000
		END
	done
	run_rarog report old.rarog new.rarog --svg difference -o x.svg
	[ "$status" -eq 3 ] && [[ $errors == *"these have counts and no times"* ]] && [ ! -e x.svg ] || fail "$errors"
}

@test "drawings refuse in one line what a profile has not" {
	known_profile
	exits 2 report known.rarog --svg pie
	[[ $errors == *"no plot 'pie'; there are flame, timeline, flow, bars, sunburst, noise, difference, scatter:FUNC, histogram:FUNC, model:FUNC, residuals:FUNC, trials:FUNC, control-flow:FUNC and versions:FUNC"* ]] || fail "$errors"
	exits 2 report known.rarog --svg scatter
	exits 2 report known.rarog --svg flame:main
	exits 2 report known.rarog --svg model
	exits 2 report known.rarog --svg versions:main
	[[ $errors == *"versions is of a range of versions; give A..B"* ]] || fail "$errors"
	run_rarog report known.rarog --svg sunburst -o x.svg
	[ "$status" -ne 0 ] && [[ $errors == *"has no blocks that ran; rarog collect blocks counts them"* ]] || fail "$errors"
	run_rarog report known.rarog --svg model:nobody -o x.svg
	[ "$status" -ne 0 ] && [ ! -e x.svg ] || fail "$output"
	run_rarog report known.rarog --svg scatter:nobody -o x.svg
	[ "$status" -ne 0 ] && [ ! -e x.svg ]
	profile sums.rarog <<-'END'
		detail summary
		location main
		process 10 - 0 1000 0 "./known"
		strand 0 10 0 1000
		> main 0
		< 1000
	END
	for view in --timeline --flow '--scatter main'; do
		# shellcheck disable=SC2086
		run_rarog show $view sums.rarog
		[ "$status" -ne 0 ] && [[ $errors == *"has sums, not single calls in time"* ]] || fail "$view: $errors"
	done
	works show --flame sums.rarog
	run_rarog report sums.rarog --svg timeline -o x.svg
	[ "$status" -ne 0 ] && [ ! -e x.svg ] || fail "$output"
}

@test "drawings of calls that took no time are refused; those of names that XML cannot have are XML" {
	profile none.rarog <<-'PROFILE'
		header {"collector":"trace","detail":"calls"}
		location main
		process 10 - 0 0 0 "./known"
		strand 0 10 0 0
		> main 0
		< 0
	PROFILE
	for plot in flame flow bars; do
		run_rarog report none.rarog --svg $plot -o none.svg
		[ "$status" -eq 3 ] && [ ! -e none.svg ] && [[ $errors == *"none.rarog: no call took any time, so that there is nothing to draw"* ]] ||
			fail "$plot: $status $errors"
	done
	profile odd.rarog <<-PROFILE
		header {"collector":"trace","detail":"calls"}
		location main
		location "o$(printf '\357\277\276\357\277\277')d"
		process 10 - 0 2000 0 "./known"
		strand 0 10 0 2000
		> main 0
		> "o$(printf '\357\277\276\357\277\277')d" 0
		< 1000
		< 1000
	PROFILE
	for plot in flame timeline flow bars; do
		works report odd.rarog --svg $plot -o odd.svg
		python3 -c 'import xml.etree.ElementTree as tree; tree.parse("odd.svg")' || fail "$plot"
		grep -q 'o\\u{fffe}\\u{ffff}d' odd.svg || fail "$plot: $(grep -a "<title" odd.svg)"
	done
}
