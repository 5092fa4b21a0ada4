#!/usr/bin/env bats
# rarog binary: which functions of a binary call which, and the blocks of a function.

load ../helper

oracle=$repo/tests/oracle
arguments='1 2 3'

build() {
	gcc -O2 -g -pthread -o prog "$@" "$programs/binary/call-graph.c"
}

# graph EXPRESSION [OPTION…]: of the JSON of ./prog, g; names by number are n, edges by names e[caller, callee]
graph() {
	"$RAROG" binary callgraph --json "${@:2}" ./prog >graph.json
	python3 - "$1" <<-'END'
		import json, sys
		g = json.load(open("graph.json"))
		f = {x["name"]: x for x in g["functions"]}
		n = {x["id"]: x["name"] for x in g["functions"]}
		e = {(n[x["caller"]], n[x["callee"]]): x for x in g["edges"]}
		print(eval(sys.argv[1]))
	END
}

is() {
	[ "$(graph "${@:2}")" = "$1" ] || fail "${*:2}: $(graph "${@:2}"), expected $1"
}

# has_pairs [OPTION…]: each pair that callgrind sees of ./prog, which is run with these $arguments
has_pairs() {
	command -v valgrind >/dev/null || skip "needs valgrind"
	# shellcheck disable=SC2086
	"$oracle/callgrind-pairs" pairs ./prog $arguments >/dev/null
	"$oracle/call-graph-has" "$RAROG" ./prog pairs "$@"
}

@test "calls that callgrind sees are in the graph, however they are compiled" {
	for flags in -O2 -O0 -Os "-O2 -fno-plt" "-O2 -no-pie" "-O2 -fcf-protection" "-O2 -Wl,-z,now"; do
		read -ra words <<<"$flags"
		build "${words[@]}"
		has_pairs || fail "$flags"
	done
	has_pairs --libs
	strip prog
	has_pairs
	clang-14 -O2 -pthread -o prog "$programs/binary/call-graph.c"
	has_pairs
}

@test "calls of a static program, stripped, too" {
	build -static
	has_pairs
	strip prog
	has_pairs
}

@test "virtual calls, clean-up and static objects" {
	arguments=''
	for compiler in g++ clang++-14; do
		$compiler -O2 -o prog "$programs/binary/call-graph-virtual.cc"
		has_pairs || fail "$compiler"
		has_pairs --libs || fail "$compiler with libraries"
	done
	g++ -O2 -o prog "$programs/binary/call-graph-virtual.cc"
	is "['constructor']" '[x["roots"] for x in g["functions"] if x["name"].startswith("_GLOBAL__sub_I")][0]'
	is "possible" 'e["(pointer)", "_ZNK6Square5sidesEv"]["strength"]'
	is "False" '("_Z5countRK5Shapei", "_ZNK6Square5sidesEv") in e'
	is "True" '("_Z5countRK5Shapei", "(pointer)") in e'
}

@test "direct calls and words of jump tables are those that the linker has relocations for" {
	for flags in -O2 -Os -O3 "-O2 -no-pie"; do
		read -ra words <<<"$flags"
		build "${words[@]}" -ffunction-sections -Wl,--emit-relocs
		"$oracle/call-graph-relocs" "$RAROG" ./prog || fail "$flags"
		g++ "${words[@]}" -ffunction-sections -Wl,--emit-relocs -o prog "$programs/binary/call-graph-virtual.cc"
		"$oracle/call-graph-relocs" "$RAROG" ./prog || fail "$flags, C++"
	done
}

@test "kinds and strengths of edges" {
	build
	is "direct sure" '"{kind} {strength}".format(**e["main", "recursive"])'
	is "tail sure" '"{kind} {strength}".format(**e["calls_by_jump", "tail_called"])'
	is "linked sure" '"{kind} {strength}".format(**e["main", "qsort"])'
	is "callback possible" '"{kind} {strength}".format(**e["qsort", "compare"])'
	is "pointer possible" '"{kind} {strength}".format(**e["through_pointer", "(pointer)"])'
	is "pointer possible" '"{kind} {strength}".format(**e["(pointer)", "by_pointer_one"])'
	is "True" 'f["recursive"]["recursive"] and not f["even"]["recursive"]'
	is "True" 'f["even"]["component"] == f["odd"]["component"]'
	is "True" 'f["fails"]["never_returns"] and not f["complains"]["never_returns"]'
	is "False" 'any(x["strength"] == "possible" for x in g["edges"])' --sure
	# call sites are where objdump has them
	site=$(objdump -d --no-show-raw-insn prog | sed -n '/<main>:/,/^$/p' | awk '/call.*<has_cold>/ { print $1 }')
	is "$((16#${site%:}))" 'e["main", "has_cold"]["sites"][0]'
}

@test "what begins other than by a call is a root" {
	build
	is "['main']" 'f["main"]["roots"]'
	is "['thread']" 'f["thread"]["roots"]'
	is "['signal']" 'f["handler"]["roots"]'
	is "['callback']" 'f["compare"]["roots"]'
	is "['destructor']" 'f["at_the_end"]["roots"]'
	is "['constructor']" 'f["before_main"]["roots"]'
	is "['start']" 'f["_start"]["roots"]'
	is "None" 'f["never_called"]["level"]'
	strip prog
	is "1" 'sum("main" in x.get("roots", []) for x in g["functions"])'
}

@test "levels, bottom and top" {
	build
	is "(0, 1, 1, 2)" 'tuple(f[x]["level"] for x in ("main", "switches", "has_cold", "case_zero"))'
	is "(True, True, False)" 'tuple(f[x]["bottom"] for x in ("case_zero", "even", "switches"))'
	is "(True, False)" 'tuple(f[x]["top"] for x in ("switches", "case_zero"))'
	is "(0, 1, 2)" 'tuple(f[x]["level"] for x in ("main", "switches", "case_zero"))' --levels estimated
}

@test "which functions take about the same with each call" {
	build
	for name in constant switches case_three tail_called calls_by_jump never_called; do
		is constant "f['$name']['cost']"
	done
	for name in has_loop recursive even odd main; do # what calls them, too
		is "needs bounds" "f['$name']['cost']"
	done
	for name in through_pointer complains has_cold; do
		is unknown "f['$name']['cost']"
	done
	cat >copies.c <<-'END'
		void copies(char *to, const char *from, unsigned long n)
		{
			__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
		}
		int main(int argc, char **argv)
		{
			copies(argv[0], argv[0], (unsigned long)argc);
			return 0;
		}
	END
	gcc -O1 -o prog copies.c
	is "unknown unknown" '"{} {}".format(f["copies"]["cost"], f["main"]["cost"])'
}

@test "cold parts and clones are their origin's, or kept" {
	build
	nm prog | grep -q ' has_cold\.cold$'
	is "False" '"has_cold.cold" in f'
	is "True" '("has_cold", "complains") in e'
	is "True" '("has_cold.cold", "complains") in e and ("has_cold", "has_cold.cold") in e' --parts
}

@test "a function's callers and callees, and its blocks" {
	build
	works binary callgraph has_cold ./prog
	[[ $output == *"Called by"*main*direct*sure*Calls*complains* ]]
	works binary callgraph ./prog
	[[ $output == "./prog: "*" functions, "*" sure and "*" possible edges, 1 jump tables, levels 0 to "* ]]
	works binary cfg switches ./prog
	[[ $output == *"has a table of 7 at "* ]]
	"$RAROG" binary cfg --json switches ./prog >cfg.json
	# from the block of the jump it goes on where the seven cases begin, and nowhere else
	python3 - <<-'END'
		import json
		g = json.load(open("cfg.json"))
		jump = g["jump_tables"][0]["jump"]
		block = next(b["id"] for b in g["blocks"] if b["address"] <= jump < b["address"] + b["size_bytes"])
		to = [e["to"] for e in g["edges"] if e["from"] == block]
		assert len(to) == len(set(to)) == 7 and None not in to, to
	END
}

@test "pictures are the same each time, and XML" {
	build
	"$RAROG" binary callgraph --svg ./prog >one.svg
	"$RAROG" binary callgraph --svg ./prog >two.svg
	cmp one.svg two.svg
	"$RAROG" binary callgraph --svg --depth 1 has_cold ./prog >near.svg
	"$RAROG" binary cfg --svg switches ./prog >cfg.svg
	for file in one near cfg; do
		python3 -c 'import sys, xml.dom.minidom as x; print(len(x.parse(sys.argv[1]).getElementsByTagName("rect")))' \
			$file.svg >$file.count
	done
	[ "$(cat near.count)" -eq 4 ] # itself, main, complains, fails
	[ "$(cat one.count)" -gt 25 ]
}

# kept N: so many graphs are in the store
kept() {
	[ "$(python3 -c 'import sqlite3
print(*sqlite3.connect(".git/rarog/catalog.db").execute("SELECT count(*) FROM derived WHERE kind = ?", ("call-graph",)).fetchone())')" = "$1" ]
}

@test "in a project a graph is kept, and read again when the binary is another one" {
	git init -q
	works init
	build
	"$RAROG" binary callgraph --json ./prog >first
	"$RAROG" binary callgraph --json ./prog >second
	cmp first second
	kept "1"
	build -DAPART= -fno-inline
	strip -d prog
	"$RAROG" binary callgraph --json ./prog >third
	if cmp -s first third; then
		fail "an old graph"
	fi
	kept "2"
	works gc
	kept "0"
}

@test "what cannot be shown is one line" {
	build
	says 3 "rarog binary: ./prog: no function 'nosuch'; see rarog binary callgraph ./prog" binary callgraph nosuch ./prog
	says 2 "rarog binary: give a function and one program or shared library" binary cfg ./prog
	says 2 "rarog binary: say what to show of a binary: callgraph or cfg" binary
	says 2 "rarog binary: give one of --json and --svg" binary callgraph --json --svg ./prog
	exits 3 binary callgraph ./nosuch
	echo text >text
	exits 3 binary callgraph ./text
}
