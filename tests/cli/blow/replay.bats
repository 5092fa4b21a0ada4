#!/usr/bin/env bats
# rarog blow on runs that are not made: what simulated programs would take under noise is in the journal (simulated.py),
# and the truth is the same program with a function that really is faster.

load ../helper

SIMULATED="$BATS_TEST_DIRNAME/simulated.py"

# answers MODE SEEDS POINTS
answers() {
	python3 "$SIMULATED" "$RAROG" "$@" >answers 2>&1 || fail "$(cat answers)"
}

@test "speed: what would be gained is told of a hundred replays, and intervals have it" {
	answers speed 10 4
}

@test "causal: what would be gained is told of a hundred replays, and intervals have it" {
	answers causal 10 4
}

@test "slow: the part of a delay that reaches the end is in the intervals of a hundred replays" {
	answers slow 10 4
}

has_runs() {
	[ "$(grep -c '^{"run":{.*}$' "$1")" -ge "$2" ]
}

@test "a session that was killed goes on where it was" {
	take noise/work.h
	program noise/serial -O2 -DLESS=2
	"$RAROG" blow slow --resume killed.journal --budget 1000 -- ./serial >/dev/null 2>&1 3>&- &
	local pid=$!
	eventually 60 has_runs killed.journal 6
	kill -9 $pid
	wait $pid || true
	printf '{"run":{"what":1,"ow' >>killed.journal
	local n
	n=$(grep -c '^{"run":{.*}$' killed.journal)
	"$RAROG" blow slow --resume killed.journal --budget 20 --json -- ./serial >first.json 2>err || fail "$(cat err)"
	"$RAROG" blow slow --resume killed.journal --budget 20 --json -- ./serial >second.json 2>err || fail "$(cat err)"
	python3 - "$n" <<-'END'
		import json, sys
		first, second = json.load(open("first.json")), json.load(open("second.json"))
		assert first["resumed"] == min(int(sys.argv[1]), first["runs"]), first
		assert second["resumed"] == second["runs"] == first["runs"], second
		assert first["functions"] == second["functions"]
	END
}

@test "a signal that ends rarog ends the session: the run that was cut off is kept nowhere" {
	take noise/work.h
	program noise/serial -O2 -DLESS=2
	for signal in TERM INT; do
		rm -f ended.journal
		env --default-signal=$signal "$RAROG" blow slow --resume ended.journal --budget 1000 -- ./serial >told 2>err 3>&- &
		local pid=$! status=0
		eventually 60 has_runs ended.journal 3
		kill -$signal $pid
		wait $pid || status=$?
		[ "$status" -eq $((128 + $(kill -l $signal))) ] || fail "$status: $(cat err)"
		grep -qx 'rarog blow: ./serial: ended by a signal to rarog; --resume goes on from here' err || fail "$(cat err)"
		python3 - <<-'END'
			import json
			runs = [json.loads(line)["run"] for line in open("ended.journal") if line.startswith('{"run"')]
			assert len(runs) >= 3 and all(r["status"] == 0 and r["time_ns"] > 0 for r in runs), runs
		END
	done
	"$RAROG" blow slow --resume ended.journal --budget 12 --json -- ./serial >again.json 2>err || fail "$(cat err)"
	python3 -c 'import json; r = json.load(open("again.json")); assert r["resumed"] >= 3 and r["findings"] == [], r'
}

@test "a journal of something else is refused in one line" {
	take noise/work.h
	program noise/serial -O2 -DLESS=2
	"$RAROG" blow slow --resume one.journal --budget 10 -- ./serial >/dev/null 2>&1
	local other="is of another program, mode, seed, progress point, noise or choice of functions; name another file for --resume"
	says 125 "rarog blow: one.journal: $other" blow speed --resume one.journal -- ./serial
	says 125 "rarog blow: one.journal: $other" blow slow --seed 2 --resume one.journal -- ./serial
	says 125 "rarog blow: one.journal: $other" blow slow --compare-output --resume one.journal -- ./serial
	says 125 "rarog blow: one.journal: $other" blow slow -f heavy --resume one.journal -- ./serial
	says 125 "rarog blow: one.journal: $other" blow slow -x heavy --resume one.journal -- ./serial
	# what a journal does not say is not known: an older one is of none
	head -1 one.journal | jq -r '.blow | keys[]' >keys
	grep -qx within keys || fail "$(cat keys)"
	while read -r key; do
		jq -c "if .blow then del(.blow.$key) else . end" one.journal >without.journal
		says 125 "rarog blow: without.journal: $other" blow slow --resume without.journal -- ./serial
	done <keys
	gcc -O1 -o serial serial.c
	says 125 "rarog blow: one.journal: $PWD/serial has changed since; name another file for --resume" \
		blow slow --resume one.journal -- ./serial
	says 125 "rarog blow: serial.c: is no journal of rarog blow" blow slow --resume serial.c -- ./serial
	# what is damaged, or another session's, is left as it is
	{ head -2 one.journal; echo '{"run":{"what":1'; tail -n +3 one.journal; } >damaged.journal
	{ head -1 one.journal | jq -c '.blow.within = "other"'; echo '{"mine":1}'; printf 'and more'; } >others.journal
	sha256sum damaged.journal others.journal >sums
	says 125 "rarog blow: damaged.journal: the line at byte $(head -2 one.journal | wc -c) is damaged, and more follows; \
remove it, or begin another journal" blow slow --resume damaged.journal -- ./serial
	run_rarog blow slow --resume others.journal -- ./serial
	[ "$status" -eq 125 ]
	sha256sum --quiet -c sums
	says 125 "rarog blow: .: cannot be opened: Is a directory" blow slow --resume . -- ./serial
}

@test "each run reads the standard input from where the first one did" {
	take noise/work.h
	program noise/reader -O2
	head -c 5000 /dev/zero >input
	"$RAROG" blow slow --budget 10 -- ./reader <input >/dev/null 2>&1
	[ "$(wc -l <amounts)" -ge 4 ]
	[ "$(sort -u amounts)" = 5000 ]
	rm amounts
	{ head -c 1000 >/dev/null; "$RAROG" blow slow --budget 10 -- ./reader >/dev/null 2>&1; } <input
	[ "$(sort -u amounts | wc -l)" -eq 1 ]
}

@test "a pipe that only the first run could read is refused in one line" {
	local status=0
	printf 'a line\n' >line
	{ cat line; sleep 1; } | "$RAROG" blow slow -- true 2>err || status=$?
	[ "$status" -eq 125 ]
	grep -q 'standard input is a pipe, which only the first run could read' err
	[ "$(wc -l <err)" -eq 1 ]
}
