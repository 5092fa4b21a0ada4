# shellcheck shell=bash
# Profiles that models are made of, and what rarog model said.

# facts EXPRESSION: python, of the JSON that rarog printed, as d
facts() {
	printf '%s' "$output" | python3 -c '
import json, sys
d = json.load(sys.stdin)
m = {x["name"]: x for x in d["models"]}
c = lambda name: [float(round(b["value"], 6)) for b in m[name]["pieces"][0]["coefficients"]]
print(eval(sys.argv[1]))' "$1"
}

# is EXPRESSION EXPECTED
is() {
	local found

	found=$(facts "$1")
	[ "$found" = "$2" ] || fail "$1: '$found', expected '$2'"
}

# shellcheck disable=SC2154 # repo is of helper.bash
make_profile=${RAROG_BUILD:-$repo/build}/tests/make-profile

need_vex() {
	[ -x "${RAROG_BUILD:-$repo/build}/src/vex/rarog-vex" ] || skip "needs a build with valgrind"
}

# run_of NAME NUMBER NS-OF-F [NS-OF-MAIN]: NAME.rarog, a run with a workload of NUMBER: main (NS-OF-MAIN
# itself) calls f twice, NS-OF-F together
run_of() {
	"$make_profile" "$1.rarog" <<END
header {"collector":"trace","command":["./p"],"job":{"command":"./p","collector":"trace","workload":{"name":"sizes:$2","number":$2}},"end":{"wall_ns":$((1000 * $2)),"user_ns":$((600 * $2)),"system_ns":$((100 * $2)),"max_rss_bytes":$((4096 * $2)),"counters":[{"name":"branches","count":$((7 * $2 + 1))}]}}
location main
location f
process 1 - 0 1000000 0 ./p
strand 0 1 0
> main 0
> f 0
< $(($3 / 2))
> f ${4:-10}
< $(($3 - $3 / 2))
< 0
END
}

# runs: of eight sizes, twice each; f takes 3 n + 50
runs() {
	local n i

	for n in 10 20 40 80 160 320 640 1280; do
		for i in 1 2; do
			run_of "$n-$i" "$n" $((3 * n + 50))
		done
	done
}

# calls_of NAME FACTOR: NAME.rarog, of 40 calls of f that take FACTOR * 100 times their number
calls_of() {
	{
		echo 'header {"collector":"trace","command":["./p"]}'
		printf '%s\n' 'location main' 'location f' 'process 1 - 0 1000000 0 ./p' 'strand 0 1 0' '> main 0'
		for i in $(seq 40); do
			printf '> f 1\n< %d\n' $(($2 * 100 * i))
		done
		echo '< 0'
	} | "$make_profile" "$1.rarog"
}

# perf_of NAME X:Y…: NAME.rarog, imported, with calls of f that were given X and took Y ms
perf_of() {
	python3 - "$@" >"$1.perf" <<'END'
import sys
call = '{"uid": "f", "type": "mixed", "subtype": "time delta", "structure-unit-size": %s, "amount": %s}'
calls = ",".join(call % tuple(pair.split(":")) for pair in sys.argv[2:])
print('{"origin": "", "header": {"type": "mixed", "cmd": "./p", "args": "", "workload": "", "units": {"mixed(time delta)": "ms"}},'
      '"collector_info": {"name": "complexity", "params": {}}, "postprocessors": [], "global": {"time": "1s", "resources": [%s]}}' % calls)
END
	works --quiet import -o "$1.rarog" "$1.perf"
}

# page EXPRESSION: python, of the data of page.html, as d
page() {
	python3 - "$1" <<'END'
import base64, json, re, sys, zlib
text = max(re.findall(r">([A-Za-z0-9+/=\s]{200,})<", open("page.html").read()), key=len)
d = json.loads(zlib.decompress(base64.b64decode(text), -15))
print(eval(sys.argv[1]))
END
}

# measured COLLECTOR [POSTPROCESS]: a repository whose job ran rounds with 10, 20, … 80
measured() {
	git init -q -b main
	git config user.name Tester
	git config user.email tester@example.org
	take model/rounds.c
	cat >.rarog.yml <<END
build: gcc -O1 -g -o prog rounds.c
workloads: {n: {type: integer, min: 10, max: 80, step: 10}}
jobs: {rounds: {command: ./prog, workload: n, collector: $1${2:+, postprocess: $2}}}
END
	git add .
	git commit -q -m one
	gcc -O1 -g -o prog rounds.c
	rarog --quiet init
	works --quiet run
}
