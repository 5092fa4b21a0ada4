# shellcheck shell=bash
# Journals of rarog blow whose runs are not made: a test writes them.

# begin_journal FILE ARGUMENT…: FILE has the session of rarog blow ARGUMENT… -- true and no more; it takes too little
# time to be measured
begin_journal() {
	rm -f "$1"
	exits 125 blow "${@:2}" --resume "$1" -- true
	[ "$(wc -l <"$1")" -eq 1 ] || fail "$(cat "$1")"
}
