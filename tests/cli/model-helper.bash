# shellcheck shell=bash
# What rarog model said.

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
