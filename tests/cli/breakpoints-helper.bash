# shellcheck shell=bash disable=SC2030,SC2031,SC2034,SC2154 # variables of helper.bash and of the tests
# Breakpoints of the kernel for tests: `load helper`, `load collect-helper`, then `load breakpoints-helper`.

SET=${RAROG_BUILD:-$repo/build}/tests/set-breakpoints

# need_breakpoints: may we set any?
need_breakpoints() {
	local status=0

	cp /bin/true own-true
	"$SET" own-true 0x4000 </dev/null >why || status=$?
	[ "$status" -ne 77 ] || skip "needs breakpoints of the kernel: $(cat why)"
}

teardown() {
	exec {breaks}>&- 2>/dev/null || true
	[ -z "${busy:-}" ] || kill -KILL "$busy" 2>/dev/null || true
}

# set_breakpoints ARGUMENT…: in the background; they are there when it returns, until end_breakpoints
set_breakpoints() {
	rm -f hold && mkfifo hold
	"$SET" "$@" <hold >set.out 2>set.err 3>&- &
	setter=$!
	exec {breaks}>hold
	eventually 60 grep -q ready set.out || fail "$(cat set.out set.err)"
}

end_breakpoints() {
	exec {breaks}>&-
	wait "$setter" || fail "$(cat set.out set.err)"
}

# starts FILE PATTERN [BYTES]: file offsets of the instructions that begin in the first bytes (5) of functions
starts() {
	python3 - "$@" <<-'END'
		import re, subprocess, sys
		file, pattern, size = sys.argv[1], re.compile(sys.argv[2]), int((sys.argv[3:] or ["5"])[0])
		def output(*words): return subprocess.run(words, capture_output=True, text=True).stdout
		text = re.search(r"\.text +PROGBITS +(\w+) +(\w+)", output("readelf", "-SW", file))
		delta = int(text[1], 16) - int(text[2], 16)
		entry = None
		for line in output("objdump", "-d", "--no-show-raw-insn", "-j", ".text", file).splitlines():
		    head = re.match(r"([0-9a-f]+) <(.*)>:", line)
		    if head:
		        entry = int(head[1], 16) if pattern.fullmatch(head[2]) else None
		    at = re.match(r" +([0-9a-f]+):", line)
		    if at and entry is not None and int(at[1], 16) - entry < size:
		        print(hex(int(at[1], 16) - delta))
	END
}
