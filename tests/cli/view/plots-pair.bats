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
