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

@test "report --svg timeline: when threads were off-CPU, long times as bars, short ones as high as their part" {
	profile away.rarog <<-'END'
		header {"collector":"trace","detail":"calls"}
		location main
		process 10 - 0 1180000 0 "./known"
		strand 0 10 0 1180000
		> main 0
		< 1180000
		absence 100000 200000
		absence 500000 100000 preempted
		absence 700000 250
		absence 700500 250
		absence 700750 250 preempted
		strand 0 11 0 1180000
		> main 0
		< 1180000
		absence 0 590000
	END
	for i in one two; do works report away.rarog --svg timeline -o $i.svg; done
	cmp one.svg two.svg
	python3 - <<-'END' || fail one.svg
		import xml.etree.ElementTree as tree
		s = "{http://www.w3.org/2000/svg}"
		rects = list(tree.parse("one.svg").getroot().iter(s + "rect"))
		def tip(rect):
		    title = rect.find(s + "title")
		    return title.text or "" if title is not None else ""
		place = lambda rect: tuple(float(rect.get(key)) for key in ("x", "width"))
		preempted = "could have run; another thread had the processor"
		# a pixel is 1,000 ns
		bars = [(tip(r), place(r), float(r.get("y"))) for r in rects if tip(r).startswith(("waited", "could"))]
		assert [(text, at) for text, at, _ in bars] == [
		    ("waited: 200.0 us", (110, 200)), (preempted + ": 100.0 us", (510, 100)), ("waited: 590.0 us", (10, 590))], bars
		small = [(place(r), float(r.get("y")), float(r.get("height")), r.get("fill")) for r in rects if r.get("width") == "1"]
		assert [at for at, *_ in small] == [(710, 1), (710, 1)], small
		whole = float(next(r for r in rects if tip(r) == "waited: 200.0 us").get("height"))
		assert [height for _, _, height, _ in small] == [whole / 2, whole / 4], small
		assert small[0][1] == small[1][1] + small[1][2] and small[0][1] + small[0][2] == bars[0][2] + whole, small
		assert small[0][3] != small[1][3], small
		# above its thread's calls
		calls = sorted(float(r.get("y")) for r in rects if tip(r).startswith("main"))
		assert bars[0][2] == bars[1][2] < calls[0] < bars[2][2] < calls[1], (bars, calls)
	END
	grep -q ">waited</text>" one.svg && grep -q ">could have run; another thread had the processor</text>" one.svg || fail "$(grep '<text' one.svg)"
	works report away.rarog --svg timeline --from 150us --to 151us -o part.svg
	grep -q "<title>waited: 1.000 us<" part.svg || fail "$(grep '<title' part.svg)"
	works report away.rarog --svg flame -o flame.svg
	! grep -q waited flame.svg || fail "a flame graph is no time"
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

@test "report --svg flame-callers: functions by own time, below each what called it" {
	known_profile
	for i in one two; do works report known.rarog --svg flame-callers -o $i.svg; done
	cmp one.svg two.svg
	python3 - <<-'END' || fail "one.svg"
		import xml.etree.ElementTree as tree
		s = "{http://www.w3.org/2000/svg}"
		rows = {}
		for box in tree.parse("one.svg").getroot().iter(s + "rect"):
		    tip = box.find(s + "title")
		    if tip is not None and tip.text:
		        rows.setdefault(float(box.get("y")), []).append((float(box.get("x")), tip.text.split(":")[0], round(float(box.get("width")) / 1.18)))
		rows = [[(name, width) for _, name, width in sorted(rows[y])] for y in sorted(rows)]
		# own times: a 300, main 200, c 200, d 200, b 100; what is called from d's is c, from c's main …
		assert dict(rows[0]) == {"a": 300, "main": 200, "c": 200, "d<>&": 200, "b": 100}, rows
		assert rows[0][0] == ("a", 300) and rows[0][-1] == ("b", 100), rows
		assert sorted(rows[1]) == [("a", 100), ("c", 200), ("main", 200), ("main", 300)], rows
		assert sorted(rows[2]) == [("main", 100), ("main", 200)] and len(rows) == 3, rows
	END
	grep -q "a: own time 300 ns, 1 call<" one.svg || fail "$(grep title one.svg)"
}

@test "report --svg flame-threads: each thread by itself, refused where there is one" {
	profile threads.rarog <<-'END'
		header {"collector":"trace","detail":"calls"}
		location main
		location f
		process 10 - 0 1000 0 "./known"
		strand 0 10 0 1000
		> main 0
		> f 100
		< 300
		< 200
		strand 0 11 0 1000
		> f 0
		< 200
	END
	for i in one two; do works report threads.rarog --svg flame-threads -o $i.svg; done
	cmp one.svg two.svg
	python3 - <<-'END' || fail "one.svg"
		import xml.etree.ElementTree as tree
		s = "{http://www.w3.org/2000/svg}"
		tips = [(tip.text, round(float(box.get("width")) / 1.18)) for box in tree.parse("one.svg").getroot().iter(s + "rect")
		        if (tip := box.find(s + "title")) is not None]
		# 600 ns and 200 ns of 800
		assert sorted(tips) == [("f: 200 ns, 1 call", 250), ("f: 300 ns, 1 call", 375), ("main: 600 ns, 1 call", 750),
		                        ("process 10, thread 11: 200 ns", 250), ("process 10: 600 ns", 750)], tips
	END
	known_profile
	run_rarog report known.rarog --svg flame-threads -o x.svg
	[ "$status" -eq 3 ] && [ ! -e x.svg ] && [[ $errors == *"has no single calls of several threads"* ]] || fail "$errors"
}

# hexagons SVG N: those of a drawing stand for N points, and it is small
hexagons() {
	python3 - "$@" <<-'END' || fail "$1"
		import os, sys, xml.etree.ElementTree as tree
		s = "{http://www.w3.org/2000/svg}"
		root = tree.parse(sys.argv[1]).getroot()
		counts = [int(p.find(s + "title").text.replace(",", "")) for p in root.iter(s + "polygon")]
		texts = [t.text for t in root.iter(s + "text")]
		assert sum(counts) == int(sys.argv[2]), (sum(counts), len(counts))
		assert not list(root.iter(s + "circle"))
		assert any(t.startswith(f"{int(sys.argv[2]):,} calls; a hexagon stands for") and t.endswith(f" {max(counts):,}") for t in texts), texts
		assert os.path.getsize(sys.argv[1]) < 400000
	END
}

@test "report --svg scatter: many calls are hexagons, of which none is left out" {
	profile many.rarog <<-'END'
		header {"collector":"trace","detail":"calls"}
		location f
		process 10 - 0 10000000 0 "./known"
		strand 0 10 0 10000000
		repeat 19998
		> f 3
		< 10
		end
		> f 3
		< 5000
		> f 3
		< 5000
	END
	for i in one two; do works report many.rarog --svg scatter:f -o $i.svg; done
	cmp one.svg two.svg
	hexagons one.svg 20000
	# the two long calls are there, far above all others
	python3 - <<-'END' || fail one.svg
		import xml.etree.ElementTree as tree
		s = "{http://www.w3.org/2000/svg}"
		above = [p for p in tree.parse("one.svg").getroot().iter(s + "polygon") if float(p.get("points").split(",")[1].split()[0]) < 100]
		assert sum(int(p.find(s + "title").text) for p in above) == 2, above
	END
	works show --scatter f many.rarog
	[[ $output == *"20000 calls; a dot is the mean of neighbours"* ]] || fail "$output"
}

@test "report --svg scatter: hexagons of captured values stand for all calls, too" {
	take args/steps.c
	gcc -O1 -g -o steps steps.c
	works collect --args step -o steps.rarog -- ./steps 20000
	works report steps.rarog --svg scatter:step -o steps.svg
	hexagons steps.svg 20000
	grep -q "step: time of a call by n<" steps.svg || fail "$(grep '<text' steps.svg)"
}

@test "report --svg scatter --color-by: another value of the same call, in steps of as many calls each" {
	take args/pairs.c
	gcc -O1 -g -o pairs pairs.c
	works collect --args step -o pairs.rarog -- ./pairs 90
	for i in one two; do works report pairs.rarog --svg scatter:step --color-by m -o $i.svg; done
	cmp one.svg two.svg
	python3 - <<-'END' || fail "$(grep '<text' one.svg)"
		import xml.etree.ElementTree as tree
		s = "{http://www.w3.org/2000/svg}"
		root = tree.parse("one.svg").getroot()
		groups = [[float(c.get("cx")) for c in g.findall(s + "circle")] for g in root.iter(s + "g")]
		# n goes evenly from 1 at the left to 90 at the right; m is its last decimal, two of them are a step
		left, right = min(sum(groups, [])), max(sum(groups, []))
		n = [sorted(round(1 + 89 * (x - left) / (right - left)) for x in group) for group in groups]
		assert n == [[i for i in range(1, 91) if i % 10 // 2 == step] for step in range(5)], n
		assert len({g.get("fill") for g in root.iter(s + "g")}) == 5
		texts = [t.text for t in root.iter(s + "text")]
		assert "step: time of a call by n, coloured by m" in texts, texts
		assert [t for t in texts if " … " in t] == ["0 … 1", "2 … 3", "4 … 5", "6 … 7", "8 … 9"], texts
	END
	# a sample of many calls says so
	works --quiet collect --args step -o many.rarog -- ./pairs 10000
	works report many.rarog --svg scatter:step --color-by m -o many.svg
	dots=$(grep -c '<circle' many.svg)
	[ "$dots" -le 4000 ] && grep -q ">step: time of a call by n, coloured by m; ${dots%???},${dots: -3} of 10,000 calls, spread evenly<" many.svg ||
		fail "$dots $(grep '<text' many.svg)"
	run_rarog report pairs.rarog --svg scatter:step --color-by k -o x.svg
	[ "$status" -eq 3 ] && [ ! -e x.svg ] && [[ $errors == *"has no calls of 'step' with 'k' and another value"* ]] || fail "$errors"
	exits 2 report pairs.rarog --color-by m
	exits 2 report pairs.rarog --svg model:step --color-by m
	[[ $errors == *"--color-by is for --svg scatter:FUNC; say both"* ]] || fail "$errors"
}

@test "report --svg candidates: the curves of the families that rarog model lists, best first" {
	local i

	{
		echo 'location f'
		echo 'process 10 - 0 100000 0 "./known"'
		echo 'strand 0 10 0 100000'
		for i in {1..40}; do
			printf '> f 0\n< %d\n' $((10 * i + i % 3))
		done
	} | profile growing.rarog
	for i in one two; do works report growing.rarog --svg candidates:f -o $i.svg; done
	cmp one.svg two.svg
	works model f growing.rarog --json
	printf '%s' "$output" >model.json
	shapes
	python3 - <<-'END' || fail "one.svg"
		import json, xml.etree.ElementTree as tree
		from shapes import read, s
		texts, dots, _ = read("one.svg")
		candidates = json.load(open("model.json"))["models"][0]["pieces"][0]["candidates"][:6]
		names = [t.split(",")[0] for t in texts if t.endswith((" behind", ", best"))]
		assert sorted(names) == sorted(c["family"] for c in candidates), (names, candidates)
		assert f'{candidates[0]["family"]}, best' in texts, texts
		assert len(list(tree.parse("one.svg").getroot().iter(s + "polyline"))) == len(candidates)
		assert len(dots) == 8 and texts[1].startswith("f: candidates for "), texts
	END
}

@test "report --svg speed-up: a point for each strength, of the run or of each progress point" {
	profile noise.rarog <<-'END'
		header {"collector":"trace","detail":"calls","noise_points":[{"name":"f","profile":[{"part":0.25,"gain":0.1,"runs":3},{"part":0.5,"gain":-0.1,"runs":3},{"part":1,"gain":0.3,"runs":4}],"points":[]},{"name":"g","points":[{"point":"a<b","profile":[{"part":0.5,"gain":0.2,"runs":2}]},{"point":"c","profile":[]}]}]}
		location f
		location g
		process 10 - 0 1000 0 "./known"
		strand 0 10 0 1000
		> f 0
		< 10
	END
	for i in one two; do works report noise.rarog --svg speed-up:f -o $i.svg; done
	cmp one.svg two.svg
	shapes
	python3 - <<-'END' || fail "one.svg"
		from shapes import read
		texts, dots, curve = read("one.svg")
		assert "f: speed-up of the run by that of the function (%)" in texts, texts
		# across 0 … 100 %, upwards -10 … 30 %: both even
		x, y = zip(*dots)
		assert dots == curve and abs((x[1] - x[0]) * 2 - (x[2] - x[1])) < 0.3, dots
		assert abs((y[0] - y[2]) - (y[1] - y[0])) < 0.3 and y[2] < y[0] < y[1], dots
	END
	works report noise.rarog --svg speed-up:g -o g.svg
	grep -q "g: speed-up of a passage of a&lt;b by that" g.svg || fail "$(grep '<text' g.svg)"
	run_rarog report noise.rarog --svg speed-up:h -o x.svg
	[ "$status" -eq 3 ] && [ ! -e x.svg ] && [[ $errors == *"has no profile of speed-up of 'h'"* ]] || fail "$errors"
}

@test "drawings refuse in one line what a profile has not" {
	known_profile
	exits 2 report known.rarog --svg pie
	[[ $errors == *"no plot 'pie'; there are flame, flame-threads, flame-callers, timeline, flow, bars, sunburst, noise, difference, scatter:FUNC, histogram:FUNC, model:FUNC, candidates:FUNC, residuals:FUNC, trials:FUNC, speed-up:FUNC, control-flow:FUNC and versions:FUNC"* ]] || fail "$errors"
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
