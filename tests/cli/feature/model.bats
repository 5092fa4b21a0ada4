#!/usr/bin/env bats
# Feature models of other programs: SPL Conqueror's, and VaRA's with places in the source.

load ../helper
load ../blocks-helper

# option NAME MORE: of a <vm>
option() {
	printf '<configurationOption><name>%s</name><outputString>-%s</outputString>%s</configurationOption>\n' "$1" "$1" "$2"
}

vm() {
	printf '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE vm SYSTEM "vm.dtd">\n<vm name="prog" root="prog">\n'
	printf '<binaryOptions>\n%s\n</binaryOptions>\n<numericOptions>\n%s\n</numericOptions>\n' "$1" "$2"
	printf '<booleanConstraints>%s</booleanConstraints><nonBooleanConstraints/>\n</vm>\n' "$3"
}

optional='<optional>True</optional>'
needed='<optional>False</optional>'

# configurations FILE: all that it allows, a line each
configurations() {
	rarog feature plan --plan all --json --model "$1" 2>warnings.txt | python3 -c '
import json, sys
for c in json.load(sys.stdin)["configurations"]:
    print(" ".join(k + "=" + c[k] for k in sorted(c)))' | sort
}

@test "a model of SPL Conqueror's allows what it says" {
	vm "$(option root "$needed"
	option Encryption "<parent>root</parent>$optional"
	option AES "<parent>Encryption</parent>$needed<excludedOptions><options>DES</options></excludedOptions>"
	option DES "<parent>Encryption</parent>$needed<excludedOptions><options>AES</options></excludedOptions>"
	option Fast "<parent></parent>$optional")" \
		"<configurationOption><name>Size</name><minValue>1</minValue><maxValue>8</maxValue><stepFunction>x * 2</stepFunction></configurationOption>" \
		"<constraint>!Fast | Encryption</constraint><constraint>!(AES &amp; Fast)</constraint>" >model.xml
	configurations model.xml >found.txt
	python3 - <<-'PYTHON'
		import itertools
		found = [dict(p.split("=") for p in line.split()) for line in open("found.txt")]
		want = {(e, a, d, f, s) for e, a, d, f in itertools.product((False, True), repeat=4) for s in "1248"
		        if (a != d if e else not a and not d) and (e or not f) and not (a and f)}
		rows = [tuple(c[n] == "true" for n in ("Encryption", "AES", "DES", "Fast")) + (c["Size"],) for c in found]
		assert len(rows) == len(set(rows)) and set(rows) == want, (rows, want)
	PYTHON
	for plan in feature-wise pair-wise random; do
		rarog feature plan --plan $plan --model model.xml 2>warnings.txt | sort -u >some.txt
		[ -s some.txt ]
		while read -r line; do
			tr ' ' '\n' <<<"${line//--option /}" | sort | paste -sd' '
		done <some.txt | sort >sorted.txt
		[ -z "$(comm -23 sorted.txt found.txt)" ]
	done
}

@test "steps of another kind are said, and their ends are taken" {
	vm "" "<configurationOption><name>N</name><minValue>2</minValue><maxValue>30</maxValue><stepFunction>x ^ 2</stepFunction></configurationOption>" "" >model.xml
	[ "$(configurations model.xml | paste -sd,)" = "N=2,N=30" ]
	grep -q "steps 'x ^ 2' are not understood" warnings.txt
	vm "" "<configurationOption><name>N</name><values>5;7;11</values></configurationOption>" "" >model.xml
	[ "$(configurations model.xml | sort -V | paste -sd,)" = "N=5,N=7,N=11" ]
}

# number NAME LEAST MOST STEP MORE
number() {
	printf '<configurationOption><name>%s</name>%s<minValue>%s</minValue><maxValue>%s</maxValue><stepFunction>%s</stepFunction></configurationOption>\n' "$1" "${5:-}" "$2" "$3" "$4"
}

@test "numbers are multiples of their step, with the last one" {
	vm "" "$(number N 1 100 'x + 1')" "" >model.xml
	configurations model.xml | cut -d= -f2 >found.txt
	[ "$(sort -n found.txt | sed -n '1p;$p' | paste -sd,)" = 1,100 ]
	[ "$(wc -l <found.txt)" -le 64 ]
	if grep -vxE '[0-9]+' found.txt; then fail "not in the domain"; fi
	vm "" "$(number N 0 0.3 'x + 0.1')" "" >model.xml
	[ "$(configurations model.xml | paste -sd,)" = "N=0,N=0.1,N=0.2,N=0.3" ]
}

@test "bars are constraints, a number is on below its parent, and what is not taken is said" {
	vm "$(option A "$optional<impliedOptions><options>B | C</options></impliedOptions>"
	option B "$optional"
	option C "$optional<excludedOptions><options>B | D</options></excludedOptions>"
	option D "$optional")" "$(number N 1 3 'x + 1' '<parent>D</parent>')" "" |
		sed 's,<nonBooleanConstraints/>,<nonBooleanConstraints><constraint>N \&gt; 2</constraint></nonBooleanConstraints>,' >model.xml
	configurations model.xml >found.txt
	python3 - <<-'PYTHON'
		import itertools
		found = [dict(p.split("=") for p in line.split()) for line in open("found.txt")]
		rows = [tuple(c[n] == "true" for n in "ABCD") + (c["N"],) for c in found]
		want = {(a, b, c, d, n) for a, b, c, d in itertools.product((False, True), repeat=4) for n in "123"
		        if (b or c or not a) and not (c and (b or d)) and (d or n == "1")}
		assert len(rows) == len(set(rows)) and set(rows) == want, (rows, want)
	PYTHON
	grep -q "the constraint 'N > 2' is of numbers and is not taken" warnings.txt
}

# The documentation of these files: entries like "A | B" are split up and added as single entries, which makes a group of
# alternatives of options that exclude each other and share their parent.
@test "excluded options with bars are entries of their own, and make alternatives" {
	vm "$(option root "$needed"
	option Mode "<parent>root</parent>$optional"
	option X "<parent>Mode</parent>$needed<excludedOptions><options>Y | Z</options></excludedOptions>"
	option Y "<parent>Mode</parent>$needed<excludedOptions><options>X |Z</options></excludedOptions>"
	option Z "<parent>Mode</parent>$needed<excludedOptions><options>X</options><options>Y</options></excludedOptions>"
	option L "$needed<excludedOptions><options>R|S</options></excludedOptions>"
	option R "$needed<excludedOptions><options>L | S</options></excludedOptions>"
	option S "$needed<excludedOptions><options>L | R</options></excludedOptions>")" "" "" >model.xml
	configurations model.xml >found.txt
	python3 - <<-'PYTHON'
		import itertools
		found = [dict(p.split("=") for p in line.split()) for line in open("found.txt")]
		rows = [tuple(c[n] == "true" for n in ("Mode", "X", "Y", "Z", "L", "R", "S")) for c in found]
		want = {c for c in itertools.product((False, True), repeat=7)
		        if sum(c[1:4]) == c[0] and sum(c[4:]) == 1}
		assert len(rows) == len(set(rows)) and set(rows) == want, (rows, want)
	PYTHON
}

@test "VaRA's places name variables and members of structs" {
	need_plugin
	[ -f "$build/llvm/rarog-features-$llvm.so" ] || skip "needs a build with llvm-$llvm-dev"
	cat >prog.c <<-'C'
		#include <stdlib.h>
		typedef struct {
			int size;
			int keep;
		} options;
		static int level = 1;
		static options its;
		volatile long sink;
		static void work(long n) { while (n--) sink++; }
		int main(int argc, char **argv)
		{
			level = atoi(argv[1]);
			its.keep = argc > 2;
			if (level > 5)
				work(1000);
			if (its.keep)
				work(2000);
			return 0;
		}
	C
	rarog cc --features -O1 -o prog prog.c
	range() {
		printf '<locations><sourceRange category="necessary"><path>prog.c</path><start><line>%d</line><column>%d</column></start><end><line>%d</line><column>%d</column></end></sourceRange></locations>' "$1" "$2" "$1" "$3"
	}
	vm "$(option Keep "$optional$(range 4 2 9)")" \
		"<configurationOption><name>Level</name><minValue>1</minValue><maxValue>9</maxValue>$(range 6 12 16)</configurationOption>" "" >model.xml
	rarog feature regions --json --model model.xml ./prog | python3 -c '
import json, sys
found = {tuple(r["features"]): r["line"] for r in json.load(sys.stdin)["regions"]}
assert found == {("Level",): 14, ("Keep",): 16}, found'
	vm "$(option Keep "$optional$(range 400 2 9)")" "" "" >model.xml
	run_rarog feature list --model model.xml ./prog
	[[ $errors == *"Keep: there is no name at prog.c:400"* ]]
}

# The values, and the names, of real files: a step is written with the option's own name.
@test "steps are written with the option's name, and numbers with a comma" {
	vm "" "$(number level 1 9 'level + 4')$(number size 1 8 'size * 2,0')$(number x9 0 1 'x9 + 0,5')" "" >model.xml
	configurations model.xml >found.txt
	[ ! -s warnings.txt ]
	python3 - <<-'PYTHON'
		found = [dict(p.split("=") for p in line.split()) for line in open("found.txt")]
		values = {n: sorted({c[n] for c in found}) for n in ("level", "size", "x9")}
		assert values == {"level": ["1", "5", "9"], "size": ["1", "2", "4", "8"], "x9": ["0", "0.5", "1"]}, values
		assert len(found) == 36
	PYTHON
}

# ranges of a source: LINE FIRST LAST [removed]
ranges() {
	local place

	printf '<locations>'
	for place; do
		# shellcheck disable=SC2086
		set -- $place
		printf '<sourceRange><revisionRange><introduced>a1</introduced>%s</revisionRange>' "${4:+<removed>b2</removed>}"
		printf '<path>src/prog.c</path><start><line>%d</line><column>%d</column></start><end><line>%d</line><column>%d</column></end></sourceRange>' "$1" "$2" "$1" "$3"
	done
	printf '</locations>'
}

@test "of places in several versions of a source that is taken where a name stands" {
	need_plugin
	[ -f "$build/llvm/rarog-features-$llvm.so" ] || skip "needs a build with llvm-$llvm-dev"
	mkdir -p src models
	cat >src/prog.c <<-'C'
		#include <stdlib.h>
		struct coder {
			int other;
			int rate;
		} coder;
		static int level;
		static int far_away;
		volatile long sink;
		static void work(long n) { while (n--) sink++; }
		int main(int argc, char **argv)
		{
			level = atoi(argv[1]);
			coder.rate = argc > 2;
			far_away = argc > 3;
			if (level > 5)
				work(1000);
			if (coder.rate)
				work(2000);
			if (far_away)
				work(3000);
			return 0;
		}
	C
	member='<locations><sourceRange><path>src/prog.c</path><start><line>2</line><column>1</column></start><end><line>2</line><column>5</column></end><memberOffset> coder::rate </memberOffset></sourceRange></locations>'
	vm "$(option Level "$optional$(ranges '6 12 16' '7 12 16' '3 9 14 removed')")
$(option Far "$optional$(ranges '7 12 19 removed' '2 3 9')")
$(option Rate "$optional$member")" "" "" |
		sed 's,<nonBooleanConstraints/>,&<mixedConstraints><constraint req="all">Far * Level = 1</constraint></mixedConstraints>,' >models/model.xml
	rarog cc --features -O1 -o prog src/prog.c
	rarog feature regions --json --model models/model.xml ./prog 2>warnings.txt | python3 -c '
import json, sys
found = {tuple(r["features"]): r["line"] for r in json.load(sys.stdin)["regions"]}
assert found == {("Level",): 15, ("Rate",): 17, ("Far",): 19}, found'
	grep -q "the constraint 'Far \* Level = 1' is of numbers and is not taken" warnings.txt
}

@test "what is no model is told in one line" {
	printf '<vm><binaryOptions><configurationOption><name>A</name>' >cut.xml
	run_rarog feature plan --model cut.xml
	[ "$status" -eq 3 ] || [ "$status" -eq 2 ]
	[[ $errors == *"cut.xml:1: "* ]]
	printf '<html></html>' >other.xml
	run_rarog feature plan --model other.xml
	[[ $errors == *"it has no configurationOption"* ]]
	printf '<!DOCTYPE a [<!ENTITY a "b">]><vm>&a;</vm>' >bomb.xml
	run_rarog feature plan --model bomb.xml
	[[ $errors == *"no entities are expected"* ]]
	vm "$(option A "$optional")" "" "<constraint>A | Nothing</constraint>" >model.xml
	run_rarog feature plan --model model.xml
	[[ $errors == *"'A | Nothing' is no constraint"* ]]
	vm "$(option A "$optional<impliedOptions><options>B</options></impliedOptions>")" "" "" >model.xml
	run_rarog feature plan --model model.xml
	[[ $errors == *"B is no feature"* ]]
	vm "$(option A "$optional")$(option A "$optional")" "" "" >model.xml
	run_rarog feature plan --model model.xml
	[[ $errors == *"model.xml: two features are called A"* ]] || fail "$errors"
}

@test "options that getopt() finds are guessed, with what keeps them" {
	need_plugin
	[ -f "$build/llvm/rarog-features-$llvm.so" ] || skip "needs a build with llvm-$llvm-dev"
	cat >prog.c <<-'C'
		#include <getopt.h>
		#include <limits.h>
		#include <stdlib.h>
		static struct settings {
			int unused;
			int keep;
		} settings;
		static int level = 1, is_loud;
		volatile long sink;
		static void work(long n) { while (n--) sink++; }
		int main(int argc, char **argv)
		{
			static const struct option all[] = {
				{ "level", required_argument, NULL, 'l' },
				{ "keep", no_argument, NULL, 'k' },
				{ "loud", no_argument, &is_loud, 1 },
				{ "threads", required_argument, NULL, 1000 },
				{ "far", no_argument, NULL, INT_MIN }, /* as xz has them */
				{ "help", no_argument, NULL, 'h' },
				{ NULL, 0, NULL, 0 },
			};
			int threads = 1, is_quick = 0, is_far = 0, c;
			while ((c = getopt_long(argc, argv, "l:kqh", all, NULL)) != -1)
				switch (c) {
				case 'l':
					level = atoi(optarg);
					break;
				case 'k':
					settings.keep = 1;
					break;
				case 'q':
					is_quick = 1;
					break;
				case 1000:
					threads = atoi(optarg);
					break;
				case INT_MIN:
					is_far = 1;
					break;
				case 0:
					break;
				default:
					return 2;
				}
			if (level > 5)
				work(1000);
			if (settings.keep)
				work(2000);
			if (is_quick)
				work(3000);
			if (is_far)
				work(4000);
			if (threads > 1)
				work(threads);
			return is_loud;
		}
	C
	rarog cc --features -O2 -o prog prog.c
	rarog feature guess --json ./prog | python3 -c '
import json, sys
found = {(g["name"] or g["letter"]): (g["letter"], g["has_value"], g["function"], g["variable"] or g["member"]) for g in json.load(sys.stdin)}
assert found == {
    "level": ("l", True, "", "level"), "keep": ("k", False, "", "settings.keep"), "loud": ("", False, "", "is_loud"),
    "threads": ("", True, "main", "threads"), "far": ("", False, "main", "is_far"), "q": ("q", False, "main", "is_quick")}, found'
	rarog feature guess ./prog >model.yml
	rarog feature regions --json --model model.yml ./prog | python3 -c '
import json, sys
found = {f for r in json.load(sys.stdin)["regions"] for f in r["features"]}
assert {"level", "keep", "threads", "q"} <= found, found'
	printf 'int main(void) { return 0; }\n' >none.c
	rarog cc --features -o none none.c
	run_rarog feature guess ./none
	[ "$status" -eq 3 ]
	[[ $errors == *"no variable is written where an option has been found"* ]]
}

# guesses PROGRAM: of each feature its letter, values, other names, and what keeps it
guesses() {
	rarog feature guess --json "$1" | python3 -c '
import json, sys
for g in json.load(sys.stdin):
    print(g["name"] or g["letter"], g["letter"] or "-", ",".join(map(str, g["values"])) or "-", ",".join(g["others"]) or "-",
          (g["function"] + ":" if g["function"] else "") + (g["variable"] or g["member"]))' | sort
}

@test "digits that lead to one variable are the values of one feature" {
	need_plugin
	[ -f "$build/llvm/rarog-features-$llvm.so" ] || skip "needs a build with llvm-$llvm-dev"
	take features/digits.c
	for level in -O0 -O2; do
		rarog cc --features $level -o digits digits.c
		[ "$(guesses ./digits)" = "family - 4,6 - family
far f - distant family
far f - distant far
level - 1,2,3 fast,best level
preset - 7,8 - preset" ] || fail "$(guesses ./digits)"
	done
	rarog feature guess ./digits >model.yml
	grep -A4 "^  level: # -1, -2, -3, --fast, --best$" model.yml | grep -qx "    values: \[1, 2, 3\]" || fail "$(cat model.yml)"
	grep -A1 "^  far: # -f, --far, --distant$" model.yml | grep -qx "    variable: far" || fail "$(cat model.yml)"
	rarog feature regions --json --model model.yml ./digits | python3 -c '
import json, sys
found = {f for r in json.load(sys.stdin)["regions"] for f in r["features"]}
assert found == {"family", "far", "level", "preset"}, found'
}

@test "options that a program reads by itself are guessed, too" {
	need_plugin
	[ -f "$build/llvm/rarog-features-$llvm.so" ] || skip "needs a build with llvm-$llvm-dev"
	take features/own-options.c
	rarog cc --features -O2 -o own own-options.c
	[ "$(guesses ./own)" = "k k - - keeps
level - 0,1,2,3,4,5,6,7,8,9 - main:level
loud - - - main:is_loud
small s - - is_small
x x - - block_size
y y - - block_size" ] || fail "$(guesses ./own)"
}

@test "what a feature is has a form, which is said" {
	echo 'features: {A: sink}' >m.yml
	exits 3 feature list --model m.yml /bin/true
	[[ $errors == *"m.yml:1:15: expected variable: NAME or member: TYPE.MEMBER, not 'sink'" ]] || fail "$errors"
}
