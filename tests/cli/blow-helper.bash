# shellcheck shell=bash
# Journals of rarog blow whose runs are not made: a test writes them.

# begin_journal FILE ARGUMENT…: FILE has the session of rarog blow ARGUMENT… -- true and no more; it takes too little
# time to be measured
begin_journal() {
	rm -f "$1"
	exits 125 blow "${@:2}" --resume "$1" -- true
	[ "$(wc -l <"$1")" -eq 1 ] || fail "$(cat "$1")"
}

# session FILE RUNS…: a journal of runs of step(), which takes all of a run of 1 s. A run is plain, control, own, or even (a
# control of causal), and how it ended: nothing, =STATUS (a wait status), =hangs after NS, =printed or =unpassed (it has ten passages else); with
# *N, so many of them. Noise is in the own ones or, with NOISY=control, in the controls, as in rarog blow speed
session() {
	python3 - "$@" <<-'END'
		import json, os, sys
		out = open(sys.argv[1], "a")
		step = {"binary": "/p", "name": "step", "address": 16, "calls": 1000, "total_ns": 10**9,
		        "exclusive_ns": 10**9, "waited_ns": 0, "self_ns": 10**9}
		print(json.dumps({"functions": [step], "status": 0, "passes": 10, "called": 1, "traced_ns": 10**9, "output": 1}),
		      file=out)
		for number, text in enumerate(sys.argv[2:]):
		    text, _, times = text.partition("*")
		    what, _, end = text.partition("=")
		    kind = ["plain", "control", "own", "even"].index(what)
		    for i in range(int(times or 1)):
		        noise = 10**7 * (1 + i % 3) if what in ("even", os.environ.get("NOISY", "own")) else 0
		        run = {"what": kind, "own": 0 if kind >= 2 else -1, "delay_ns": noise // 1000,
		               "time_ns": 1e9 + noise + (-1) ** i * 1e5, "gained_ns": noise, "paused_ns": 0,
		               "passes": 0 if end == "unpassed" else 10,
		               "status": int(end) if end.isdigit() else 0, "output": 2 if end == "printed" else 1,
		               "timed_out": end.startswith("hangs"), "spent": [[noise, 1000]]}
		        if end.startswith("hangs"):
		            frames = ["futex", f"stuck{number}"]
		            run |= {"timeout_ns": int(end[5:]),
		                    "stacks": [{"tid": 7, "runs": False, "call": 202, "waits_for": 8, "frames": frames},
		                               {"tid": 8, "runs": True, "call": -1, "waits_for": 0, "frames": []}]}
		        print(json.dumps({"run": run}), file=out)
	END
}
