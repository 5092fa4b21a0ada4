# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of bench/pipelines: two versions of one program, in which slow-downs can be switched on.

Into each chosen function goes a loop that turns as often as the environment says, if that names the function. In the second
version some of these functions have one instruction more: these have changed, the others have not.
"""
import os
import shutil
import statistics
import subprocess
import time

import plants
from harness import HERE

SHARE = 0.2       # of the function's median
TURNS_PER_NS = 2  # about
LEAST_TURNS = 200
SEEN = 1.08       # the median has grown by as much at least

# Functions by where they are: near the top, in the middle, at the bottom. What has a loop is not constant any more: of the coder
# not the one that is called most, which is constant as it is.
UNCHANGED = {
    "lua": ["luaV_execute", "str_format", "luaH_resize", "luaM_realloc_", "luaV_lessequal"],
    "openjpeg2": ["opj_t1_enc_sigpass", "opj_malloc", "opj_dwt_encode_and_deinterleave_h_one_row", "opj_t1_encode_cblks"],
    "python3.11": ["_PyEval_Vector", "list_resize", "PyLong_FromLong", "PyObject_RichCompare"],
}
CHANGED = {
    "lua": ["sort", "luaH_newkey", "luaS_hash", "luaG_traceexec", "tconcat"],
    "openjpeg2": ["opj_calloc", "opj_dwt_encode_and_deinterleave_v", "opj_t1_allocate_buffers", "opj_mct_encode"],
    "python3.11": ["PyObject_SetItem", "list_ass_subscript", "long_mul", "PyUnicode_Join"],
}
# Numbers that are sorted; of the coder the edge of the picture.
SIZES = {"lua": {"quick": 300, "inline": 20000, "ebpf": 60, "long": 1600000},
         "openjpeg2": {"quick": 128, "inline": 512, "ebpf": 512},
         "python3.11": {"quick": 300, "inline": 5000, "long": 750000}}
LONG = ["lua", "python3.11"]
BINARIES = {"python3.11": "bin/python3.11", "openjpeg2": "opj_compress"}

def names(program):
    return UNCHANGED[program] + CHANGED[program]


def build(program, kind, changed):
    return plants.build(program, f"3-{kind}", names(program), changed) / BINARIES.get(program, program)


def two_versions(program):
    first = len(UNCHANGED[program])
    mask = sum(1 << k for k in range(first, len(names(program))))
    return build(program, "before", 0), build(program, "after", mask)


def workload(program, size, folder):
    if program == "openjpeg2":
        edge = {128: ":small"}.get(SIZES[program][size], "")
        return subprocess.run([HERE / "workload", program + edge], check=True, text=True, stdout=subprocess.PIPE).stdout.split()
    script = "quicksort.lua" if program == "lua" else "quicksort.py"
    shutil.copy2(HERE / "workloads" / script, folder / script)
    return [script, str(SIZES[program][size])]


def native_seconds(project):
    """of the program without probes; median of five"""
    times = []
    for _ in range(5):
        start = time.monotonic()
        subprocess.run([f"./{project.name}", *project.words], cwd=project.folder, check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "PYTHONHASHSEED": "0", **home(project)})
        times.append(time.monotonic() - start)
    return statistics.median(times)


def home(project):
    """the interpreter finds its library where it was built for"""
    return {"PYTHONHOME": str(project.program.parent.parent)} if project.name == "python3.11" else {}


def choose(project):
    """those that the program calls: (kind, function), and how often its loop turns"""
    project.collect("--detail=summary", env=home(project))
    functions = project.functions()
    project.turns = {n: max(LEAST_TURNS, int(SHARE * functions[n]["p50_ns"] * TURNS_PER_NS))
                     for n in names(project.name) if n in functions}
    return [("unchanged" if n in UNCHANGED[project.name] else "changed", n) for n in project.turns]


def shown(project, case, environment):
    import pipelines_cases as cases
    cases.prepare(project, case)
    project.collect("--detail=summary", *cases.options(case), env={**home(project), **environment})
    return project.functions()


def is_seen(project, case, kind, function):
    """"yes": it is measured, and its median says that it takes longer; "noise": that does not tell, on this machine, of so few
    calls (three times); "no": it is not measured, or its calls are too few of too many"""
    project.base = getattr(project, "base", {})
    environment = plants.switched_on(names(project.name).index(function), project.turns[function])
    for attempt in range(3):
        if attempt or case not in project.base:
            project.base[case] = shown(project, case, {})
        before, now = project.base[case].get(function), shown(project, case, environment).get(function)
        if not before or not now or not before["timed"] or not now["timed"]:
            return "no"
        if now["p50_ns"] >= SEEN * before["p50_ns"]:
            return "yes"
    return "noise"
