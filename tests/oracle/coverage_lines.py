# SPDX-License-Identifier: GPL-3.0-or-later
"""What compilers' own coverage says of a line, and what to think of what Rarog says: compare-coverage has the rules."""
import collections
import re

NO_CODE = re.compile(r"\s*(\}?\s*((case\b([^;]|';')*|default|\w+)\s*:\s*)+\{?;?\s*|vmcase\(\w+\)\s*\{?\s*|[{}();\s]*(else|do)?[{}();\s]*|"
                     r"for \(;;\) \{)(/[*/].*)?\s*$")

# What the others say otherwise, and why. Of a condition over several lines they say how often control came to the whole of
# it, Rarog how often to this part; and a part may be a constant, that no code is of.
OPERAND = re.compile(r"\s*(&&|\|\||[?:])|[\s\")]*(?!(return|break|continue|goto|throw)\b)(\"[^\"]*\"|[\w:,\s])*[,)]+;?\s*(/[/*].*)?$|"
                     r"\s*(\}?\s*(else )?if|while|for)\s*\($|\s*assert\(")
BEFORE_OPERAND = re.compile(r".*(&&|\|\||[?]|[^:]:)\s*$")
# Its head is a line of two functions: that of its calls, and that of where it is made.
LAMBDA = re.compile(r".*\[[&=\w, *]*\]\s*(\(.*\)?.*)?\{?")
# Past destructors: clang has no instruction of the line.
JUMP = re.compile(r"\s*(return( [\w:.-]+)?|break|continue);")


def is_explained(kind, text, line):
    """text: the lines of the file"""
    before, here = (text[at] if 0 <= at < len(text) else "" for at in (line - 2, line - 1))
    if kind == "missing":
        return OPERAND.match(here) or BEFORE_OPERAND.match(before) or JUMP.match(here) or here.lstrip().startswith('"')
    return kind == "wrong" and (OPERAND.match(here) or BEFORE_OPERAND.match(before) or LAMBDA.match(here))


def of_lcov(text):
    """{file: {line: count}} of the records DA"""
    files = collections.defaultdict(dict)
    counts = {}
    for line in text.splitlines():
        if line.startswith("SF:"):
            counts = files[line[3:]]
        elif line.startswith("DA:"):
            at, count = line[3:].split(",")[:2]
            counts[int(at)] = counts.get(int(at), 0) + int(count)
    return files


def of_gcov(documents):
    """{file: {line: count}} of `gcov --json-format`; functions of templates are summed"""
    files = collections.defaultdict(dict)
    for document in documents:
        for file in document["files"]:
            counts = files[file["file"]]
            for line in file["lines"]:
                counts[line["line_number"]] = counts.get(line["line_number"], 0) + line["count"]
    return files


def judge(ours, gcov, llvm, text):
    """of a file, {line: count} each and its lines: yields the kind and the line"""
    for line in sorted(set(ours) | set(gcov) | set(llvm)):
        said = {counts[line] for counts in (gcov, llvm) if line in counts}
        if NO_CODE.match(text[line - 1] if line <= len(text) else ""):
            kind = "same" if ours.get(line) in said else "without code"
        elif line not in ours:
            kind = "missing" if line in gcov and line in llvm else "unknown"
        elif not said:
            kind = "alone"
        elif ours[line] in said:
            kind = "same"
        else:
            kind = "wrong" if line in gcov and line in llvm and len(said) == 1 else "disputed"
        if is_explained(kind, text, line):
            kind = "explained"
        yield kind, line


def compare(name, ours, gcov, llvm, text):
    """prints what differs; how many lines there are of each kind"""
    told = collections.Counter()
    for kind, line in judge(ours, gcov, llvm, text):
        told[kind] += 1
        if kind in ("wrong", "missing", "disputed"):
            print(f"{name}:{line}: {kind}: {ours.get(line)}, gcov {gcov.get(line)}, llvm-cov {llvm.get(line)}: "
                  f"{text[line - 1].strip() if line <= len(text) else ''}")
    return told


def summary(name, told):
    return (f"{name}: {told['same']} lines are the same, {told['wrong']} wrong, {told['missing']} missing, "
            f"{told['disputed']} disputed, {told['explained']} explained; {told['unknown']} known to one of the others only, {told['alone']} to rarog only")
