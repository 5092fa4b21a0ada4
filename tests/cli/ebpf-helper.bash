# shellcheck shell=bash
# For the tests of the ebpf engine: `load helper` first, then `load ebpf-helper`.

need_engine() {
	local known=$BATS_FILE_TMPDIR/engine
	[ -e "$known" ] || rarog doctor --json | python3 -c '
import json, sys
(row,) = [c for c in json.load(sys.stdin)["checks"] if c["what"] == "ebpf engine"]
print("" if row["verdict"] == "fine" else row["found"])' >"$known"
	[ -z "$(cat "$known")" ] || skip "needs the ebpf engine: $(cat "$known")"
}

# links PID: numbers of the kernel's links that a process holds, or all whose pids have that pattern
links() {
	cat /proc/$1/fdinfo/* 2>/dev/null | awk '/^link_id:/ { print $2 }'
}

# none_left NUMBER…: none of these links is there any more
none_left() {
	bpftool -j link | python3 -c '
import json, sys
sys.exit(any(str(link["id"]) in sys.argv[1:] for link in json.load(sys.stdin)))' "$@"
}

# is_reading PID: has rarog, attached to a program, begun? Then one of its processes has probes and three
# threads: that which writes the profile was there before them.
is_reading() {
	local pid

	for pid in "$1" $(pgrep -P "$1"); do
		[ "$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)" -ge 3 ] &&
			[ -n "$(links "$pid")" ] && return
	done
	return 1
}
