# SPDX-License-Identifier: GPL-3.0-or-later
"""The cases of the documents' chapter 8, and their tables D.1 and D.2: Δ % of probes, time and raw data, and M_FC in %."""
import shutil

CG, DT, DP, TS = "--on=cg-shaping", "--on=diff-tracing", "--on=dynamic-probing", "--on=timed-sampling"
SB, DB, DS = "--on=static-baseline", "--on=dynamic-baseline", "--on=dynamic-sampling"


def opt(*parameters):
    return [f"--opt={p}" for p in parameters]


# Of each: options, and whether what an earlier run has shown is known.
CASES = {
    "no-opt": ([], False),
    "cg:m": ([CG, *opt("cg-mode=match")], False),
    "cg:p": ([CG, *opt("cg-mode=prune")], False),
    "cg:p-1": ([CG, *opt("cg-mode=prune", "cg-prune-chain-length=1")], False),
    "cg:p-max": ([CG, *opt("cg-mode=prune", "cg-prune-chain-length=1000")], False),
    "cg:t-s": ([CG, *opt("cg-mode=soft")], False),
    "cg:t-s:l": ([CG, *opt("cg-mode=soft", "cg-trim-keep-leaf=1")], False),
    "cg:t-r": ([CG, *opt("cg-mode=strict")], False),
    "cg:t-r:l": ([CG, *opt("cg-mode=strict", "cg-trim-keep-leaf=1")], False),
    "sb:c": ([SB, *opt("static-complexity=constant")], False),
    "sb:l": ([SB, *opt("static-complexity=linear")], False),
    "sb:q": ([SB, *opt("static-complexity=quadratic")], False),
    "db:s:1": ([DB, *opt("threshold-mode=soft")], True),
    "db:r:1": ([DB, *opt("threshold-mode=strict")], True),
    "ds:d:1": ([DS], False),
    "ds:d:10:1": ([DS, *opt("dyn-sample-step=10")], False),
    "ds:d:1.1:1": ([DS, *opt("dyn-sample-step=1.1")], False),
    "ds:s:1": ([DS, *opt("threshold-mode=soft")], True),
    "ds:r:1": ([DS, *opt("threshold-mode=strict")], True),
    "dt": ([DT, *opt("diff-keep-leaf=0", "diff-cfg-mode=semistrict")], False),
    "dt:l": ([DT, *opt("diff-keep-leaf=1", "diff-cfg-mode=semistrict")], False),
    "dt:i": ([DT, *opt("diff-keep-leaf=0", "diff-inspect-all=0")], False),
    "dt:s": ([DT, *opt("diff-keep-leaf=0", "diff-cfg-mode=soft")], False),
    "dt:r": ([DT, *opt("diff-keep-leaf=0", "diff-cfg-mode=strict")], False),
    "dp": ([DP], False),
    "dp:l": ([DP, *opt("probing-threshold=10000")], False),
    "dp:h": ([DP, *opt("probing-threshold=1000000")], False),
    "dp:r": ([DP, *opt("probing-reattach=1")], False),
    "ts": ([TS], False),
    "ts:2": ([TS, *opt("timed-sample-freq=2")], False),
    "ts:4": ([TS, *opt("timed-sample-freq=4")], False),
    "p:d:b": (["--pipeline=basic"], False),
    "p:b": (["--pipeline=basic"], True),
    "p:d:a": (["--pipeline=advanced"], False),
    "p:a": (["--pipeline=advanced"], True),
    "p:d:f": (["--pipeline=full"], False),
    "p:f": (["--pipeline=full"], True),
}

OF_TABLE_8_6 = ["cg:m", "cg:p", "cg:p-max", "cg:t-s", "cg:t-r", "sb:c", "db:s:1", "db:r:1", "ds:d:1", "ds:s:1", "dt", "dt:l",
                "dp", "dp:l", "ts", "p:d:b", "p:b", "p:d:a", "p:a", "p:d:f", "p:f"]


# Of table 8.6: what each technique is for.
METHODS = [("call-graph shaping", "OC_CP", "cg:"), ("static baseline", "OC_T", "sb:"), ("dynamic baseline", "OC_T", "db:"),
           ("dynamic sampling", "OC_DV", "ds:"), ("dynamic probing", "OC_T", "dp"), ("timed sampling", "OC_DV", "ts")]


# Return probes would break handlers of signals that have a stack of their own, so that ebpf refuses CPython.
REFUSED = {("python3.11", "ebpf")}


def options(name):
    words = CASES[name][0]
    return [*words, "--opt=cg-levels=estimated"] if words else []


def keeps_changed(name):
    """does it promise to measure what has changed, leaves as well?"""
    return name in ("dt:l", "p:d:a", "p:a", "p:d:f", "p:f")


def stats_folder(project):
    return project.folder / ".git" / "rarog" / "history" / "stats"


def save(project):
    """what a run without techniques has shown, once"""
    saved = project.folder / "stats.saved"
    if not saved.exists():
        project.rarog("stats", "reset")
        project.collect("--detail=summary", "--on=reached-before")
        shutil.copytree(stats_folder(project), saved)
    return saved


def prepare(project, name):
    """each run of a case finds the same: nothing, or what a run without techniques has shown"""
    saved = save(project)
    shutil.rmtree(stats_folder(project))
    shutil.copytree(saved, stats_folder(project))
    if not CASES[name][1]:
        project.rarog("stats", "reset")


def theirs(program, engine, cache):
    """the table that is nearest: their CPython for python3.11, their CCSDS coder for the others"""
    if program == "python3.11":
        return CPYTHON_CACHE_ON if cache == "on" else CPYTHON_CACHE_OFF
    return CCSDS_EBPF_CACHE_ON if engine == "ebpf" else CCSDS_STAP_CACHE_OFF


# Raw data of a run without techniques, of their tables B: MB.
RAW_MB = {"CPYTHON_CACHE_OFF": 1272.8, "CPYTHON_CACHE_ON": 1250.1, "CCSDS_STAP_CACHE_OFF": 216.9, "CCSDS_EBPF_CACHE_ON": 48.9}


def their_raw_mb(program, engine, cache):
    if program == "python3.11":
        return RAW_MB["CPYTHON_CACHE_ON" if cache == "on" else "CPYTHON_CACHE_OFF"]
    return RAW_MB["CCSDS_EBPF_CACHE_ON" if engine == "ebpf" else "CCSDS_STAP_CACHE_OFF"]


CPYTHON_CACHE_OFF = {
    "no-opt": (0.0, 0.0, 0.0, 51.6),
    "cg:m": (259.2, 343.6, 77.6, 56.2),
    "cg:p": (425.6, 777.2, 466.3, 49.0),
    "cg:p-1": (291.5, 482.9, 184.0, 54.5),
    "cg:p-max": (928.5, 1278.3, 6332.5, 32.2),
    "cg:t-s": (554.8, 1013.3, 5494.4, 47.8),
    "cg:t-s:l": (461.6, 884.5, 2435.6, 48.7),
    "cg:t-r": (887.2, 1268.3, 7125.3, 36.6),
    "cg:t-r:l": (736.2, 1137.4, 3564.3, 38.6),
    "db:s:1": (266.4, 511.7, 217.2, 56.9),
    "db:r:1": (276.7, 573.5, 366.3, 55.6),
    "ds:d:1": (259.2, 421.2, 846695.0, 0.3),
    "ds:d:10:1": (259.2, 417.2, 907376.5, 0.0),
    "ds:d:1.1:1": (259.2, 416.8, 9256.1, 10.4),
    "ds:s:1": (259.2, 454.8, 169.4, 56.5),
    "ds:r:1": (259.2, 485.0, 643.3, 56.8),
    "dt": (777.5, 1123.7, 2575.8, 49.7),
    "dt:l": (709.7, 1049.5, 1967.7, 50.2),
    "dt:i": (982.4, 1251.1, 3866.7, 47.9),
    "dt:s": (777.5, 1123.4, 2576.0, 49.9),
    "dt:r": (777.5, 1126.0, 2534.3, 49.9),
    "p:d:b": (887.2, 1273.3, 7125.3, 36.4),
    "p:b": (938.5, 1315.3, 13787.9, 35.7),
    "p:d:a": (429.6, 690.0, 1325130.4, 0.1),
    "p:a": (434.0, 779.2, 3211.6, 50.9),
    "p:d:f": (344.5, 538.6, 1046599.1, 0.3),
    "p:f": (348.9, 573.9, 369.9, 52.0),
}
CPYTHON_CACHE_ON = {
    "no-opt": (0.0, 0.0, 0.0, 49.8),
    "cg:m": (259.2, 127.7, 74.4, 55.2),
    "cg:p": (425.6, 726.6, 454.3, 49.0),
    "cg:p-1": (291.5, 289.2, 178.9, 53.1),
    "cg:p-max": (928.5, 1953.9, 6116.5, 32.4),
    "cg:t-s": (554.8, 1578.6, 5298.4, 48.0),
    "cg:t-s:l": (461.6, 1209.1, 2425.8, 48.9),
    "cg:t-r": (887.2, 2084.5, 7125.4, 36.2),
    "cg:t-r:l": (736.2, 1394.4, 3500.3, 38.2),
    "db:s:1": (266.4, 382.4, 211.7, 57.0),
    "db:r:1": (276.3, 583.1, 350.8, 55.7),
    "ds:d:1": (259.2, 1062.9, 831597.1, 0.3),
    "ds:d:10:1": (259.2, 1085.3, 905852.5, 0.0),
    "ds:d:1.1:1": (259.2, 1011.6, 9133.3, 10.3),
    "ds:s:1": (259.2, 437.0, 164.9, 55.8),
    "ds:r:1": (259.2, 746.5, 630.2, 56.7),
    "dt": (777.5, 1087.0, 2485.0, 49.5),
    "dt:l": (709.7, 933.6, 1928.7, 49.3),
    "dt:i": (982.4, 1525.9, 3790.4, 47.9),
    "dt:s": (777.5, 1085.0, 2484.0, 49.1),
    "dt:r": (777.5, 1085.1, 2484.0, 49.3),
    "p:d:b": (887.2, 2064.0, 6996.4, 36.2),
    "p:b": (931.8, 2378.7, 12626.5, 36.3),
    "p:d:a": (429.6, 1535.8, 1279479.9, 0.1),
    "p:a": (434.0, 1055.3, 3151.8, 50.7),
    "p:d:f": (344.5, 878.1, 1027937.1, 0.3),
    "p:f": (348.6, 344.4, 348.2, 51.6),
}
CCSDS_STAP_CACHE_OFF = {
    "no-opt": (0.0, 0.0, 0.0, 52.2),
    "cg:m": (144.8, -6.1, -0.2, 54.0),
    "cg:p": (310.0, 141.8, 364.5, 42.1),
    "cg:p-1": (310.0, 141.0, 364.6, 42.1),
    "cg:p-max": (16300.0, 284.0, 124637452.9, 0.0),
    "cg:t-s": (446.7, 284.1, 330211.5, 42.9),
    "cg:t-s:l": (300.0, 222.6, 1424.1, 43.2),
    "cg:t-r": (1390.9, 284.1, 22900569.7, 0.0),
    "cg:t-r:l": (925.0, 284.4, 15186828.7, 0.0),
    "sb:c": (507.4, 180.7, 2076.5, 52.0),
    "sb:l": (1071.4, 212.8, 2522810.0, 25.0),
    "sb:q": (1390.9, 212.7, 19225905.5, 22.2),
    "db:s:1": (209.4, 219.1, 1481.1, 49.0),
    "db:r:1": (234.7, 226.8, 1858.9, 44.4),
    "ds:d:1": (144.8, 146.4, 2998.8, 54.0),
    "ds:d:10:1": (144.8, 160.3, 1018448.5, 11.1),
    "ds:d:1.1:1": (144.8, 37.8, 82.8, 55.6),
    "ds:s:1": (144.8, 132.5, 1089.0, 55.6),
    "ds:r:1": (144.8, 165.7, 11272.8, 55.6),
    "dt": (2242.9, 150.7, 386.2, 57.1),
    "dt:l": (1540.0, 50.9, 55.9, 70.0),
    "dt:i": (2242.9, 150.3, 385.8, 57.1),
    "dt:s": (2242.9, 150.9, 386.2, 71.4),
    "dt:r": (2242.9, 150.0, 397.1, 57.1),
    "p:d:b": (1390.9, 283.5, 23496036.7, 0.0),
    "p:b": (1390.9, 282.6, 22900569.7, 0.0),
    "p:d:a": (382.4, 233.0, 14634.5, 37.5),
    "p:a": (397.0, 241.3, 4873.8, 38.7),
    "p:d:f": (530.8, 178.2, 14737.7, 54.2),
    "p:f": (583.3, 184.3, 4845.7, 63.6),
}
CCSDS_EBPF_CACHE_ON = {
    "no-opt": (0.0, 0.0, 0.0, 37.3),
    "cg:m": (144.8, -4.2, 3.2, 43.9),
    "cg:p": (310.0, 66.9, 232.4, 22.2),
    "cg:p-1": (310.0, 66.6, 232.4, 19.4),
    "cg:p-max": (16300.0, 186.1, 148242154.5, 0.0),
    "cg:t-s": (446.7, 131.5, 232365.0, 7.7),
    "cg:t-s:l": (300.0, 122.1, 226843.5, 6.2),
    "cg:t-r": (1390.9, 154.9, 14516203.9, 0.0),
    "cg:t-r:l": (925.0, 148.6, 8612566.2, 0.0),
    "sb:c": (507.4, 52.3, 1174.4, 26.1),
    "sb:l": (1071.4, 70.2, 2260525.9, 20.0),
    "sb:q": (1390.9, 71.5, 15780527.1, 14.3),
    "db:s:1": (203.7, 101.3, 2437.5, 20.5),
    "db:r:1": (228.0, 107.5, 4678.6, 12.5),
    "ds:d:1": (144.8, 35.5, 2992.2, 46.4),
    "ds:d:10:1": (144.8, 42.3, 2242905.2, 8.9),
    "ds:d:1.1:1": (144.8, 30.4, 631.3, 32.7),
    "ds:s:1": (144.8, 34.2, 1343.1, 31.4),
    "ds:r:1": (144.8, 39.4, 12289.2, 31.4),
    "dt": (2242.9, 86.0, 255.9, 57.1),
    "dt:l": (1540.0, 70.3, 179.2, 66.7),
    "dt:i": (2242.9, 86.1, 255.9, 57.1),
    "dt:s": (2242.9, 86.2, 243.6, 57.1),
    "dt:r": (2242.9, 85.7, 243.6, 57.1),
    "dp": (0.0, 35.4, 106.9, 40.7),
    "dp:l": (0.0, 55.2, 230.6, 47.5),
    "dp:h": (0.0, -3.6, -0.5, 39.0),
    "dp:r": (0.0, 48.8, 206.6, 49.2),
    "ts": (0.0, 19.5, 186.6, 46.7),
    "ts:2": (0.0, 16.2, 119.3, 38.2),
    "ts:4": (0.0, 17.5, 130.0, 38.0),
    "p:d:b": (1390.9, 155.1, 14516203.9, 0.0),
    "p:b": (1390.9, 154.8, 15480894.9, 0.0),
    "p:d:a": (382.4, 98.8, 27307.4, 27.6),
    "p:a": (382.4, 99.4, 14974.4, 11.1),
    "p:d:f": (530.8, 46.9, 27133.3, 45.5),
    "p:f": (556.0, 47.9, 15085.3, 21.1),
}
