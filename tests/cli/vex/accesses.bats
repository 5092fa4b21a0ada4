#!/usr/bin/env bats
# rarog collect --engine vex --accesses: what functions and blocks do with memory.

load ../helper

setup_file() {
	[ -x "${RAROG_BUILD:-$repo/build}/src/vex/rarog-vex" ] || skip "needs a build with valgrind"
}

# accesses: "name loads load_bytes stores store_bytes" of each function of p.rarog, per 1000
accesses() {
	rarog show --json p.rarog | python3 -c '
import json, sys
for f in json.load(sys.stdin)["functions"]:
    print(f["name"], *(f[key] / 1000 for key in ("loads", "load_bytes", "stores", "store_bytes")))' | sed 's/\.0//g' | sort
}

@test "loads and stores are those that can be read off the program" {
	program vex/memory -nostdlib -static
	exits 7 collect --engine vex --accesses -o p.rarog -- ./memory
	accesses >got
	diff - got <<-'EOF'
		_start 0 0 9 72
		bits 3 16 1 4
		changes 6 26 3 13
		locked 7 49 6 41
		repeats 10 17 8 43
		stack 4 32 2 16
		strings 4 19 2 12
		unused 6 28 2 8
		wide 6 62 5 54
		widths 5 23 4 15
	EOF
	rarog show --json p.rarog | python3 -c '
import json, sys
shown = json.load(sys.stdin)
sums = {key: sum(f[key] for f in shown["functions"]) for key in ("loads", "stores", "load_bytes", "store_bytes")}
assert shown["header"]["parameters"] == {"follow": True, "accesses": True}, shown["header"]["parameters"]
assert [shown["header"]["totals"][key] for key in ("loads", "stores")] == [sums["loads"], sums["stores"]], sums
for key in sums:
    assert sum(b[key] for b in shown["blocks"]) == sums[key], key
of = [(b["count"], b["loads"], b["store_bytes"]) for b in shown["blocks"] if b["function"] == "repeats"]
assert (6000, 0, 40000) in of, of # rep stosq: five times and the look that it is over'
}

@test "a table of functions and of blocks has them, and only where they were counted" {
	program vex/memory -nostdlib -static
	rarog -q collect --engine vex --accesses -o p.rarog -- ./memory || [ $? -eq 7 ]
	run_rarog show -f widths p.rarog
	[[ $output == *"loads  stores  function"*"5,000   4,000  widths"* ]] || fail "$output"
	run_rarog show --columns loads,load-bytes,stores,store-bytes -f widths p.rarog
	[[ $output == *"5,000  23,000   4,000  15,000  widths"* ]] || fail "$output"
	run_rarog show --blocks widths p.rarog
	[[ $output == *"loads   bytes  stores   bytes  line"*"5,000  23,000   4,000  15,000"* ]] || fail "$output"
	rarog show --csv p.rarog | head -1 | grep -q 'loads,load_bytes,stores,store_bytes' || fail "no columns in CSV"
	rarog -q collect --engine vex -o plain.rarog -- ./memory || [ $? -eq 7 ]
	rarog show --json plain.rarog >plain.json
	! grep -q 'loads\|stores\|accesses' plain.json || fail "$(head -c 2000 plain.json)"
	! rarog show plain.rarog | grep -q 'loads' || fail "a column of nothing"
	rarog show --json p.rarog | python3 -c '
import json, sys
with_them, without = json.load(sys.stdin), json.load(open("plain.json"))
for f in with_them["functions"] + with_them["blocks"]:
    for key in ("loads", "stores", "load_bytes", "store_bytes"):
        del f[key]
assert with_them["functions"] == without["functions"] and with_them["blocks"] == without["blocks"]'
}

@test "a forked child, and code that is made while the program runs" {
	program vex/makes -O1
	works collect --engine vex --accesses -o p.rarog -- ./makes
	rarog show -n 0 --json p.rarog | python3 -c '
import json, sys
got = {f["name"]: [f[key] for key in ("loads", "load_bytes", "stores", "store_bytes")] for f in json.load(sys.stdin)["functions"]}
assert got["twice"] == [3, 24, 6, 36], got["twice"]
made = got["[generated code]"]
assert made == [30, 200, 10, 40], made # 20 returns, 10 loads of 4; 10 stores of 4'
}

@test "each function has what lackey sees" {
	command -v valgrind >/dev/null || skip "needs valgrind"
	compile recursion
	rarog -q collect --engine vex --accesses -o p.rarog -- ./recursion deep >/dev/null
	"$repo/tests/oracle/lackey-accesses" p.rarog ./recursion deep >said.txt || fail "$(cat said.txt)"
	[ "$(sed -n 's/ functions, 0 differ,.*//p' said.txt)" -gt 5 ] || fail "$(cat said.txt)"
	program vex/memory -nostdlib -static
	rarog -q collect --engine vex --accesses -o p.rarog -- ./memory || [ $? -eq 7 ]
	"$repo/tests/oracle/lackey-accesses" p.rarog ./memory >said.txt || fail "$(cat said.txt)"
	grep -q '^10 functions, 0 differ, 2 have locked' said.txt || fail "$(cat said.txt)"
}

@test "other ways to measure refuse in a line" {
	for way in "" "--engine ebpf" blocks sample; do
		says 125 "rarog collect: --accesses is for rarog collect --engine vex" collect $way --accesses -- true
	done
}
