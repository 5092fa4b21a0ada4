#!/usr/bin/env python3
"""usage: lines-compare.py TRACEFILE GCOV-OUTPUT

Do the lines that both know (lcov's and gcov's) have the same counts? Prints how many lines and the
differences; fails if there are any, or if too few lines are in both.
"""
import re
import sys

ours, theirs = {}, {}
for text in open(sys.argv[1]):
    if found := re.match(r"DA:(\d+),(\d+)", text):
        ours[int(found[1])] = int(found[2])
for text in open(sys.argv[2]):
    if found := re.match(r"\s*([0-9]+|[#=]+)\*?:\s*(\d+):", text):
        theirs[int(found[2])] = int(found[1]) if found[1].isdigit() else 0
both = sorted(ours.keys() & theirs.keys())
wrong = [line for line in both if ours[line] != theirs[line]]
for line in wrong:
    print(f"line {line}: {ours[line]} instead of {theirs[line]}")
print(f"{len(both)} lines of {len(ours)} and {len(theirs)}, {len(wrong)} wrong")
sys.exit(bool(wrong) or 2 * len(both) < len(theirs))
