#!/usr/bin/env bats
# rarog probes: what of a binary can be traced, what not and why.

load ../helper

build() {
	gcc -g -O2 -o prog "$programs/binary/names.c" "$programs/binary/names-other.c"
}

@test "lists every function that nm knows, with its address and source line" {
	build
	works probes --all --csv ./prog
	nm --defined-only prog | awk '$2 ~ /[tT]/ { print $3 }' >names
	[ "$(wc -l <names)" -gt 15 ]
	while read -r name; do
		case $name in visible | _visible | __visible | choose | asm_*) continue ;; esac
		grep -q ",$name,$name," <<<"$output" || fail "no $name"
	done <names
	address=0x$(nm prog | awk '$3 == "has_cold" { sub(/^0+/, "", $1); print $1 }')
	line=$(addr2line -e prog "$address" | sed 's/.*:\([0-9]*\).*/\1/')
	grep -q "^$address,[0-9]*,has_cold,has_cold,$programs/binary/names.c,$line,true,,entry$" \
		<<<"$output" || fail "$(grep has_cold <<<"$output")"
}

@test "the summary counts what can be traced and why the rest cannot" {
	build
	works probes ./prog
	[[ $output == *"./prog: position-independent, with symbols, with source lines"* ]]
	[[ $output == *" can be traced, at about 25 ns a call"* ]]
	[[ $output == *"Why the others cannot:"* ]]
	[[ $output == *"1  chooses an implementation while the program is loaded"* ]]
	# only traceable ones stand in the table
	[ "$(grep -c '^ *0x.* _start' <<<"$output")" -eq 0 ]
	run_rarog probes --call-cost 100ns ./prog
	[[ $output == *"at about 100.0 ns a call"* || $output == *"at about 100 ns a call"* ]]
}

@test "--func answers why a function cannot be traced" {
	build
	works probes ./prog --func _start
	[[ $output =~ 0x[0-9a-f]+\ +[0-9]+\ +_start.*"is part of the run-time system" ]]
	run_rarog probes ./prog --func 'has_*' --exclude '*.cold'
	[ "$(grep -c '^ *0x' <<<"$output")" -eq 2 ]
	says 3 "rarog probes: no function of ./prog matches 'no_such_function'; see rarog probes --all" \
		probes ./prog --func no_such_function
	exits 2 probes ./prog --func '/[/'
}

@test "a function that exists only inlined is named with its first place" {
	g++ -g -O2 -o inlines "$programs/binary/inlines.cc"
	line=$(grep -n 'INLINED shapes::four_times' "$programs/binary/inlines.cc" | cut -d: -f1)
	works probes ./inlines --func shapes::four_times --csv
	[[ $output == *"shapes::four_times(int)"*"inlined into first_host(int) at "*"/inlines.cc:$line"* ]]
	run_rarog probes ./inlines --func shapes::four_times
	[[ $output == *"1 more exist only inlined into others"* ]]
}

@test "the summary and --csv say which places left by the compiler are used" {
	gcc -Os -fpatchable-function-entry=7,5 -o prog "$programs/binary/names.c" "$programs/binary/names-other.c"
	run_rarog probes ./prog
	[[ $output =~ "Of them at places left by the compiler: "[0-9]+" nops" ]]
	run_rarog probes --csv ./prog --func has_cold
	[[ $output == *",true,,nops"* ]]
}

@test "--json is valid and says the same" {
	build
	works probes --json --all ./prog
	printf '%s' "$output" >probes.json
	python3 -c '
import json
b = json.load(open("probes.json"))["binaries"][0]
f = {x["mangled"]: x for x in b["functions"]}
assert f["visible"]["aliases"] == ["_visible", "__visible"], f["visible"]
assert f["visible"]["traceable"] and f["visible"]["reason"] is None
assert not f["_start"]["traceable"] and f["_start"]["reason"]
assert "ifunc" in f["chosen"]["flags"] or "ifunc" in f["choose"]["flags"]
cold = [x for x in b["functions"] if "cold" in x["flags"]]
assert b["total"] == len(f) - len(cold) + len([x for x in b["functions"] if x["mangled"] == "helper"]) - 1
assert b["total"] == b["traceable"] + sum(r["count"] for r in b["reasons"])
assert b["source_lines"] and not b["stripped"] and b["pie"]
'
}

@test "--libs adds the shared libraries" {
	build
	works probes --libs ./prog --func '/^a?bort$/'
	[[ $output == *"libc.so.6: "* ]]
	gcc -shared -o libgone.so -x c /dev/null
	program probes/missing -Wl,--no-as-needed -L. -lgone
	rm libgone.so
	says 3 "rarog probes: ./missing: its library libgone.so is not found; install it or set LD_LIBRARY_PATH" \
		probes --libs ./missing
}

@test "a stripped program is listed by its addresses" {
	build
	strip prog
	works probes ./prog
	[[ $output == *"stripped (functions without a name are fn_ADDRESS)"* ]]
	[[ $output == *" fn_"* ]]
}

@test "what is not a program for this machine is named" {
	printf '#!/bin/sh\n' >script
	says 3 "rarog probes: script: a script for /bin/sh, not an ELF program; name the program that it starts" probes script
	run_rarog probes none
	expect_error "rarog probes: none: No such file or directory"
	gcc -c -x c /dev/null -o x.o
	run_rarog probes x.o
	expect_error "rarog probes: x.o: an object file (.o), not a program; link it first"
	build
	head -c 5000 prog >cut-off
	exits 3 probes cut-off
	[[ $errors == "rarog probes: cut-off: "*"cut off or damaged" ]]
	exits 2 probes
	exits 2 probes ./prog ./prog
}

# small_program NAME OPTION…: two functions, one inlined
small_program() {
	program probes/small -o "$1" -O1 "${@:2}"
}

# mini NAME: strips the program and leaves it MiniDebugInfo
mini() {
	objcopy --only-keep-debug "$1" "$1.symbols"
	objcopy -S "$1"
	python3 -c 'import lzma, sys; sys.stdout.buffer.write(lzma.compress(sys.stdin.buffer.read()))' \
		<"$1.symbols" >"$1.xz"
	objcopy --add-section .gnu_debugdata="$1.xz" "$1"
	rm "$1.symbols"
}

@test "MiniDebugInfo names the functions of a stripped program, and that is said" {
	small_program full
	cp full small
	mini small
	diff <("$RAROG" probes --all --csv full | cut -d, -f1-3) \
		<("$RAROG" probes --all --csv small | cut -d, -f1-3) || fail "other functions"
	works probes --all small
	[[ $output == *" visible"* ]] || fail "$output"
	[[ $output == *"with symbols of MiniDebugInfo (.gnu_debugdata), without source lines"* ]] || fail "$output"
	run_rarog probes --json small
	[[ $output == *'"stripped": false'*'"names_from": ".gnu_debugdata"'* ]] || fail "$output"
}

@test "MiniDebugInfo that is damaged, cut off or a bomb is left alone" {
	small_program small
	cp small bare
	objcopy -S bare
	mini small
	for damage in garbage empty cut bomb; do
		case $damage in
		garbage) head -c 500 /dev/urandom >data ;;
		empty) : >data ;;
		cut) head -c 100 small.xz >data ;;
		bomb) python3 -c 'import lzma, sys; sys.stdout.buffer.write(lzma.compress(bytes(200 << 20), preset=0))' >data ;;
		esac
		objcopy --add-section .gnu_debugdata=data bare damaged
		works probes --all damaged
		[[ $output == *"stripped (functions without a name are fn_ADDRESS)"* ]] || fail "$damage: $output"
	done
}

@test "split DWARF: lines are known without the .dwo, and what is not is said" {
	for version in 4 5; do
		small_program "split$version" -g -gsplit-dwarf "-gdwarf-$version"
		run_rarog probes --all "split$version"
		[[ $output == *" visible "*"small.c:2"* ]] || fail "$output"
		[[ $output == *hidden* && $output != *.dwo* ]] || fail "$output"
		rm ./*.dwo
		works probes --all "split$version"
		[[ $output == *" visible "*"small.c:2"* && $output != *hidden* ]] || fail "$output"
		[[ $output == *"1 compilation unit without the .dwo file where it was built: \
what is inlined there is unknown"* ]] || fail "$output"
	done
}

# probe PROVIDER NAME ARGUMENTS [SEMAPHORE]: as sys/sdt.h writes it
probe() {
	cat <<-END
		990:	nop
		.pushsection .note.stapsdt, "", "note"
		.balign 4
		.4byte 992f-991f, 994f-993f, 3
		991:	.asciz "stapsdt"
		992:	.balign 4
		993:	.8byte 990b, _.stapsdt.base, ${4:-0}
		.asciz "$1"
		.asciz "$2"
		.asciz "$3"
		994:	.balign 4
		.popsection
	END
}

write_marked() {
	{
		echo '.globl main, used
		.section .stapsdt.base, "aG", "progbits", .stapsdt.base, comdat
		.weak _.stapsdt.base
		_.stapsdt.base: .space 1
		.data
		.balign 2
		used: .2byte 0
		.text
		.type main, @function
		main:'
		probe shop visit_begin "8@%rdi -4@\$7"
		probe shop visit-end ""
		probe shop visit_end "" used
		probe kitchen visit_begin "8@-16(%rbp)"
		probe shop query-return ""
		probe shop entry ""
		echo 'xor %eax, %eax
		ret
		.size main, . - main
		.section .note.GNU-stack, "", @progbits'
	} >marked.S
	gcc -o marked marked.S
}

@test "USDT probes stand there with arguments, semaphore and what closes them" {
	write_marked
	works probes ./marked
	[[ $output == *"6 USDT probes:"* ]] || fail "$output"
	[[ $output == *"  shop:visit_begin(8@%rdi -4@\$7)  in main, until visit_end"* ]] || fail "$output"
	works probes ./marked --func 'kitchen:*'
	[[ $output == *"1 USDT probe"*"kitchen:visit_begin(8@-16(%rbp))  in main" ]] || fail "$output"
	run_rarog probes ./marked --func visit_end
	[[ $output == *"1 USDT probe"*"shop:visit_end  in main" ]] || fail "$output"
	rarog probes --json ./marked >probes.json
	nm marked >names
	python3 - <<-'END'
import json
used = next(int(line.split()[0], 16) for line in open("names") if line.split()[-1] == "used")
usdt = json.load(open("probes.json"))["binaries"][0]["usdt"]
got = [(u["provider"], u["name"], u["arguments"], u["semaphore"], u["end"], u["function"]) for u in usdt]
assert got == [("shop", "visit_begin", "8@%rdi -4@$7", None, "visit_end", "main"),
               ("shop", "visit-end", "", None, None, "main"), ("shop", "visit_end", "", used, None, "main"),
               ("kitchen", "visit_begin", "8@-16(%rbp)", None, None, "main"),
               ("shop", "query-return", "", None, None, "main"), ("shop", "entry", "", None, None, "main")], got
first = usdt[0]["address"]
assert [u["address"] - first for u in usdt] == [0, 1, 2, 3, 4, 5]
	END
}

@test "USDT probes are those that readelf finds" {
	local library
	library=$(ldconfig -p | awk '/libstdc\+\+\.so\.6 .*x86-64/ { print $NF; exit }')
	[ -n "$library" ] || skip "needs libstdc++"
	rarog probes --json "$library" | python3 -c '
import json, re, subprocess, sys
got = {(u["provider"], u["name"], u["address"], u["arguments"]) for u in json.load(sys.stdin)["binaries"][0]["usdt"]}
notes = subprocess.run(["readelf", "-n", sys.argv[1]], capture_output=True, text=True).stdout
sections = subprocess.run(["readelf", "-SW", sys.argv[1]], capture_output=True, text=True).stdout
base = int(re.search(r"\.stapsdt\.base +PROGBITS +(\w+)", sections)[1], 16)
want = {(p, n, int(at, 16) + base - int(b, 16), a.strip()) for p, n, at, b, a in re.findall(
    r"Provider: (\S+)\s+Name: (\S+)\s+Location: (\w+), Base: (\w+), Semaphore: \w+\s+Arguments:(.*)", notes)}
assert want == got and len(want) >= 3, (want, got)' "$library"
}

@test "notes of USDT probes that are cut off are left out" {
	write_marked
	for cut in 'desc' 'text' 'owner'; do
		python3 - "$cut" <<-'END'
			import sys
			bytes_ = bytearray(open("marked", "rb").read())
			at = bytes_.index(b"stapsdt\0") - 12
			if sys.argv[1] == "desc":
			    bytes_[at + 4:at + 8] = (8).to_bytes(4, "little")
			elif sys.argv[1] == "text":
			    bytes_[at + 4:at + 8] = (0x7fffffff).to_bytes(4, "little")
			else:
			    bytes_[at:at + 4] = (0xfffffff0).to_bytes(4, "little")
			open("cut", "wb").write(bytes_)
		END
		works probes ./cut
		[[ $output != *"shop:visit_begin"* ]] || fail "$cut: $output"
	done
}

@test "where a function cannot be traced the summary does not say that nothing is lost" {
	cat >short.c <<-'END'
		__asm__(".globl tiny\n.type tiny, @function\ntiny: ret\n.size tiny, 1\n"
			".globl other\n.type other, @function\nother: ret\n.size other, 1\n.p2align 4\n");
		void tiny(void);
		__attribute__((noipa)) int plain(int n) { return n * 3 + 1; }
		int main(void) { tiny(); return plain(2) != 7; }
	END
	gcc -O2 -o short short.c
	works collect -o short.rarog -- ./short
	[[ $errors == *", 2 functions not traced (rarog probes says why)"* && $errors != *"nothing lost"* ]] || fail "$errors"
	works collect --func plain -o short.rarog -- ./short
	[[ $errors == *", nothing lost"* ]] || fail "$errors"
}
