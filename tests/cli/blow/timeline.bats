#!/usr/bin/env bats
# rarog blow --timeline: one more run with noise in what matters most, each call recorded.

load ../helper

blow() {
	"$RAROG" blow "$@" >blow.json 2>blow.err || fail "status $?: $(cat blow.err)"
}

@test "the calls of the function that had the noise last as long as that, at least" {
	take noise/work.h
	program noise/serial -O2 -DLESS=2
	blow slow --budget 12 --func heavy --noise-minimum 200us --timeline t.rarog --json -- ./serial
	"$RAROG" export --format json t.rarog -o dump.json
	python3 - <<-'END'
		import json
		told, = json.load(open("blow.json"))["functions"]
		dump = json.load(open("dump.json"))
		noised = dump["header"]["noised"]
		assert noised == {"name": "heavy", "mode": "slow", "delay_ns": told["delay_ns"]}, noised
		names = [l["name"] for l in dump["locations"]]
		calls = [s for s in dump["summaries"] if s["strand"] is None and names[s["location"]] == "heavy"]
		assert calls[0]["count"] == calls[0]["timed"] == 1000, calls
		least = calls[0]["min_ticks"] / dump["clock"]["hz"]
		assert least >= 0.95 * noised["delay_ns"] / 1e9, (least, noised)
	END
	works show --timeline t.rarog
}

@test "without an estimate there is none, and a program that runs has none" {
	take noise/work.h
	program noise/serial -O2 -DLESS=2
	# in ten runs nine places have less than three each
	exits 125 blow slow --budget 10 --at 'heavy@*' --at 'light@*' --at 'return@heavy' --at 'return@light' --at 'return@main' \
		--timeline t.rarog -- ./serial
	[[ "$errors" == *"rarog blow: --timeline: no function has an estimate; more of --budget would give one" ]] ||
		fail "$errors"
	says 125 "rarog blow: --pid: --timeline is of programs that are run" blow slow --pid 1 --timeline t.rarog
}
