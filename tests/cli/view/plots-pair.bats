#!/usr/bin/env bats
# Drawings of two versions.

load ../helper
load ../profiles
load ../blocks-helper
export TZ=UTC

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

@test "report --svg control-flow of two: both versions as one graph, each whole in it" {
	need_plugin
	cp "$repo/tests/blocks/lines.c" .
	rarog cc -O1 -g -o lines lines.c
	rarog -q collect blocks -o old.rarog -- ./lines 50 >out.txt
	rarog -q collect blocks -o new.rarog -- ./lines 60 >out.txt
	for i in one two; do works report -f old.rarog new.rarog --svg control-flow:main -o $i.svg; done
	cmp one.svg two.svg
	for version in old new; do rarog show -n 0 --blocks=main --json $version.rarog >$version.json; done
	python3 - <<-'END' || fail "one.svg"
		import json, re, xml.etree.ElementTree as tree
		s = "{http://www.w3.org/2000/svg}"
		shown = [{b["id"]: b["count"] for b in json.load(open(v + ".json"))["blocks"]} for v in ("old", "new")]
		drawn, colours = {}, {}
		for group in tree.parse("one.svg").getroot().iter(s + "g"):
		    block, before, now = re.fullmatch(r"(\d+): (?:([0-9,]+) → )?([0-9,]+) ×", group.find(s + "text").text).groups()
		    number = lambda text: int(text.replace(",", ""))
		    drawn[int(block)] = (number(before or now), number(now))
		    colours[int(block)] = group.find(s + "rect").get("style")[5:]
		# one program, two inputs: blocks are the same ones
		assert drawn == {block: (count, shown[1][block]) for block, count in shown[0].items()}, (drawn, shown)
		assert any(a != b for a, b in drawn.values()), drawn
		for block, (before, now) in drawn.items():
		    red, blue = int(colours[block][1:3], 16), int(colours[block][5:7], 16)
		    assert (red > blue + 8) == (now > before), (block, before, now, colours[block])
	END
	run_rarog report -f old.rarog new.rarog --svg control-flow:nobody -o x.svg
	[ "$status" -eq 3 ] && [ ! -e x.svg ] && [[ $errors == *"neither version ran a function 'nobody'"* ]] || fail "$errors"
	exits 2 report -f old.rarog new.rarog --svg control-flow
	version_profile old.rarog 1000 2000 500
	version_profile new.rarog 3000 2000 0
	run_rarog report old.rarog new.rarog --svg control-flow:main -o x.svg
	[ "$status" -eq 3 ] && [ ! -e x.svg ] && [[ $errors == *"these have no counts of blocks"* ]] || fail "$errors"
}

# growing FILE EXPRESSION [NAME…]: 40 calls of f or of each NAME, of which the i-th takes so many ns
growing() {
	local file=$1 cost=$2 i name

	shift 2
	[ $# -gt 0 ] || set -- f

	{
		echo 'header {"collector":"trace","detail":"calls"}'
		printf 'location %s\n' "$@"
		echo 'process 10 - 0 100000 0 "./known"'
		echo 'strand 0 10 0 100000'
		for name; do
			for i in {1..40}; do printf '> %s 0\n< %d\n' "$name" $((cost)); done
		done
	} | profile "$file"
}

@test "report --svg model of two: points and curves of both versions in one plane" {
	growing old.rarog '10 * i + i % 3'
	growing new.rarog 'i * i + i % 3'
	for i in one two; do works report old.rarog new.rarog --svg model:f -o $i.svg; done
	cmp one.svg two.svg
	for version in old new; do rarog model f $version.rarog --json >$version.json; done
	python3 - <<-'END' || fail "$(grep '<text' one.svg)"
		import json, statistics, xml.etree.ElementTree as tree
		s = "{http://www.w3.org/2000/svg}"
		root = tree.parse("one.svg").getroot()
		texts = [t.text for t in root.iter(s + "text")]
		classes = [json.load(open(v + ".json"))["models"][0]["pieces"][0]["class"] for v in ("old", "new")]
		assert classes == ["linear", "quadratic"], classes
		assert any(t.startswith("before: linear, ") for t in texts) and any(t.startswith("now: quadratic, ") for t in texts), texts
		rings, dots = ([(float(c.get("cx")), float(c.get("cy"))) for g in root.iter(s + "g") if (g.get("fill") == "none") == is_ring
		                for c in g.findall(s + "circle")] for is_ring in (True, False))
		# a point is the median of five calls: on one scale of both, 0 at the bottom of the plane
		took = [[statistics.median(cost(i) for i in range(5 * k + 1, 5 * k + 6)) for k in range(8)]
		        for cost in (lambda i: 10 * i + i % 3, lambda i: i * i + i % 3)]
		assert len(rings) == len(dots) == 8 and [x for x, _ in rings] == [x for x, _ in dots]
		scale = (dots[0][1] - dots[7][1]) / (took[1][7] - took[1][0])
		for drawn, truth in ((rings, took[0]), (dots, took[1])):
		    for (_, y), ns in zip(drawn, truth):
		        assert abs(y - (dots[0][1] - scale * (ns - took[1][0]))) < 0.3, (y, ns)
		curves = [[tuple(map(float, p.split(","))) for p in l.get("points").split()] for l in root.iter(s + "polyline")]
		assert len(curves) == 2, len(curves)
		for curve, drawn in zip(curves, (rings, dots)):
		    for x, y in drawn:
		        assert abs(min(curve, key=lambda p: abs(p[0] - x))[1] - y) < 8, (x, y)
	END
	# what only one version has says so
	growing old.rarog '10 * i' f g
	works report old.rarog new.rarog --svg 'model:*' -o one.svg
	[ "$(grep -c ">now: there is no such model<" one.svg)" -eq 1 ] && grep -q ">g: wall by order<" one.svg || fail "$(grep '<text' one.svg)"
	works report new.rarog old.rarog --svg model:g -o one.svg
	grep -q ">before: there is no such model<" one.svg || fail "$(grep '<text' one.svg)"
	# rarog check takes it for the same under a new name
	growing old.rarog '10 * i' g
	for name in f g; do
		works report old.rarog new.rarog --svg model:$name -o one.svg
		grep -q ">f: wall by order<" one.svg && grep -q ">before: linear, " one.svg && grep -q ">now: quadratic, " one.svg || fail "$(grep '<text' one.svg)"
	done
	run_rarog report old.rarog new.rarog --svg model:nobody -o x.svg
	[ "$status" -eq 3 ] && [ ! -e x.svg ] && [[ $errors == *"neither version has a cost of 'nobody'"* ]] || fail "$errors"
	exits 2 report old.rarog new.rarog --svg model
}
