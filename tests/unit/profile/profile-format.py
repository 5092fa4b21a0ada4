#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: profile-format.py PROFILE-SAMPLE

An independent reader, written from doc/design/profile-format.md alone, with zstd's own program for
the frames. What it finds in a random profile must be what rarog's reader dumps as JSON.
"""
import json
import struct
import subprocess
import sys
import tempfile

U64 = 2**64 - 1
# name, type, prediction as in the document
TABLES = {
    4: ("binaries", "path:t:^ build_id:t:^ load_bias:q:0"),
    5: ("locations", "kind:u:0 binary:u:^ address:q:^ size_bytes:q:0 name:t:^ demangled:t:^ file:t:^ line:u:^"),
    6: ("processes", "pid:u:^ parent:u:^ start_ticks:q:^ end_ticks:q:start_ticks wait_status:i:0 command:t:^"),
    7: ("strands", "process:u:^ tid:u:^ start_ticks:q:^ end_ticks:q:start_ticks"),
    9: ("nodes", "parent:u:# location:u:0 count:q:0 exclusive_ticks:q:0 inclusive_ticks:q:exclusive_ticks"),
    10: ("summaries", "location:u:^ strand:u:^ count:q:0 timed:q:count sum_ticks:q:0 total_ticks:q:sum_ticks "
         "exclusive_ticks:q:sum_ticks min_ticks:q:0 max_ticks:q:min_ticks squares_low:q:0 squares_high:q:0 "
         "open:q:0 unwound:q:0 n_bars:u:0"),
    11: ("inlined", "name:t:^ host:u:^ file:t:^ line:u:^"),
    12: ("losses", "what:t:0 count:q:0"),
    13: ("quantities", "location:u:^ what:t:^ unit:t:^ count:q:0 sum:q:0 min:q:0 max:q:min"),
    14: ("notes", "key:t:^ text:t:0"),
    15: ("away", "location:u:^ strand:u:^ is_unknown:b:0 waited_ticks:q:0 preempted_ticks:q:0 "
         "total_waited_ticks:q:waited_ticks total_preempted_ticks:q:preempted_ticks"),
    16: ("nodes_away", "node:u:^ waited_ticks:q:0 preempted_ticks:q:0"),
    17: ("blocks", "location:u:^ line:u:^ column:u:0 instructions:u:0 count:q:^"),
    19: ("block_lines", "block:u:^ line:u:^"),
    20: ("frames", "parent:u:^ name:t:^ file:t:^ line:u:^ column:u:0"),
    21: ("machine", "location:u:^ address:q:^ size:u:0 instructions:u:0 counting:u:0 frame:u:^ file:t:^ "
         "line:u:^ column:u:0 least:q:^ most:q:least"),
    27: ("accesses", "block:u:^ loads:q:0 load_bytes:q:0 stores:q:0 store_bytes:q:0"),
    33: ("block_times", "block:u:^ machine:u:^ is_estimated:b:0 count:q:0 sum_ticks:q:0 min_ticks:q:0 max_ticks:q:min_ticks"),
    34: ("allocations", "location:u:^ site:q:^ count:q:0 bytes:q:0 live_bytes:q:0 peak_bytes:q:live_bytes"),
    35: ("bounds", "location:u:^ what:t:^ unit:t:^ least:q:0 most:q:least reason:t:^"),
    36: ("regions", "location:u:^ name:t:^ file:t:^ line:u:^ last_line:u:line count:q:0 exclusive_ticks:q:0 inclusive_ticks:q:exclusive_ticks"),
    37: ("experiments", "location:u:^ line:u:^ kind:t:^ amount_ticks:q:0 runs:q:0 effect_bits:q:0 low_bits:q:0 high_bits:q:0"),
    38: ("snapshots", "ticks:q:^ location:u:^ what:t:^ unit:t:^ value:q:^"),
    39: ("measured", "location:u:^ binary:u:^ how:u:^ every:q:^ reason:t:^"),
    40: ("absences", "strand:u:^ begin_ticks:q:^ ticks:q:0 is_preempted:b:^"),
    41: ("trials", "location:u:^ line:u:^ strand:u:^ number:q:^ amount_ticks:q:^ injected_ticks:q:0 time_ticks:q:^"),
    42: ("parts", "block:u:^ frame:u:^ file:t:^ line:u:^ flags:u:0"),
    43: ("unrolled", "block:u:^ copies:u:0"),
    18: ("edges", "from:u:^ to:u:from count:q:0 is_unknown:b:0"),
}


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def varint(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def zigzag(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def take(self, n):
        self.at += n
        return self.data[self.at - n:self.at]


def blocks(data):
    offset, count, _, size = struct.unpack("<QIIQ", data[-40:-16])
    assert size == len(data) and data[-8:] == b"RAROGEND"
    at = 32
    while at < len(data) - 40:
        magic, _, _, kind, version, stored, raw, strand, first, last, n, zero = struct.unpack(
            "<4sIQHHIIIQQII", data[at:at + 56])
        assert magic == b"RBLK" and version == (2 if kind in (9, 10) else 1) and zero == 0
        body = subprocess.run(["zstd", "-dcq"], input=data[at + 56:at + 56 + stored],
                              stdout=subprocess.PIPE, check=True).stdout
        assert len(body) == raw <= 2**20
        assert (kind == 255) == (at >= offset)
        yield kind, strand, first, last, n, body
        at += 56 + stored
    assert at == len(data) - 40


def present(kind, value, texts):
    if kind == "u":
        return None if value == 0 else value - 1
    if kind == "i":
        return value - 2**32 if value >= 2**31 else value
    if kind == "t":
        return None if value == 0 else texts[value - 1]
    return value


def table(spec, first, n, data, texts):
    columns = {}
    for item in spec.split():
        name, kind, guess = item.split(":")
        last, values = 0, []
        for i in range(n):
            base = {"0": 0, "^": last, "#": first + i}.get(guess)
            if base is None:
                base = columns[guess][1][i]
            last = (base + data.zigzag()) & U64
            values.append(last)
        columns[name] = (kind, values)
    return [{name: present(kind, values[i], texts) for name, (kind, values) in columns.items()}
            for i in range(n)]


def bar_low(bucket):
    return bucket if bucket < 32 else (32 + bucket % 32) << (bucket // 32 - 1)


def bucket_of(value):
    if value < 32:
        return value
    exponent = value.bit_length() - 1
    return (exponent - 4 << 5) + (value >> exponent - 5 & 31)


def bars(rows, data):
    for row in rows:
        bucket, row["histogram"] = bucket_of(row["min_ticks"]), []
        for _ in range(row["n_bars"]):
            bucket += data.zigzag()
            row["histogram"].append([bar_low(bucket)])
    for row in rows:
        for bar in row["histogram"]:
            bar.append(data.varint())


def unfold_nodes(first, rows):
    """inclusive: without that of the children in the same block"""
    for i in reversed(range(len(rows))):
        parent = rows[i]["parent"]
        if parent is not None and first <= parent < first + i:
            row = rows[parent - first]
            row["inclusive_ticks"] = row["inclusive_ticks"] + rows[i]["inclusive_ticks"] & U64


def unfold_summaries(rows):
    for row in rows:
        timed, total = row["timed"], row["sum_ticks"]
        shift = total if timed == 1 else 0
        row["min_ticks"] = row["min_ticks"] + shift & U64
        row["max_ticks"] = row["max_ticks"] + shift & U64
        if timed == 2:
            row["max_ticks"] = row["max_ticks"] + total - 2 * row["min_ticks"] & U64
        rest = total - row["min_ticks"] - row["max_ticks"] & U64
        known = {1: total**2, 2: row["min_ticks"]**2 + row["max_ticks"]**2 + rest**2}
        known = known.get(min(timed, 2) if timed in (1, 2, 3) else 0, 0)
        row["squares_low"] = row["squares_low"] + known & U64
        row["squares_high"] = row["squares_high"] + (known >> 64) & U64


def calls(strand, first, last, n, data):
    opened = [data.varint() for _ in range(data.varint())]
    ops = [data.varint() for _ in range(data.varint())]
    step = data.varint()
    ranks = data.take(n)
    op = [ops[255 + data.varint() if rank == 255 else rank] for rank in ranks]
    deltas = data.take(n)
    delta = [data.varint() if byte == 255 else byte * step for byte in deltas]
    assert data.at == len(data.data)
    assert (first + sum(d for o, d in zip(op, delta) if o not in (3, 4))) & U64 == last
    return {"strand": strand, "start_ticks": first, "open": opened, "op": op, "delta_ticks": delta}


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    assert data[:10] == b"\x89RAROG\r\n\x01\0"
    found = {name: [] for name, _ in TABLES.values()}
    found["calls"] = []
    texts = []
    for kind, strand, first, last, n, body in blocks(data):
        stream = Bytes(body)
        if kind == 1:
            found["header"] = json.loads(body)
        elif kind == 2:
            found["clock"] = table("hz:q:0 origin_ticks:q:0 origin_ns:q:0 is_suspect:q:0", 0, 1,
                                   stream, texts)[0]
        elif kind == 3:
            texts += [text.decode() for text in body[:-1].split(b"\0")]
            assert len(texts) == first + n
        elif kind == 8:
            found["calls"].append(calls(strand, first, last, n, stream))
        elif kind in TABLES:
            name, spec = TABLES[kind]
            rows = table(spec, first, n, stream, texts)
            if kind == 9:
                unfold_nodes(first, rows)
            if kind == 10:
                unfold_summaries(rows)
                bars(rows, stream)
            assert stream.at == len(body) and first <= len(found[name])
            found[name][first:first + n] = rows
    return found


def main():
    with tempfile.TemporaryDirectory() as directory:
        path, dumped = directory + "/p", directory + "/json"
        subprocess.run([sys.argv[1], path, dumped], check=True)
        found = read(path)
        with open(dumped) as file:
            expected = json.load(file)
    assert len(found["calls"]) > 3 and len(found["nodes"]) == 2000
    assert len(found["blocks"]) == 3000 and len(found["accesses"]) == 1500
    for name in ("block_times", "allocations", "bounds", "regions", "experiments", "snapshots", "measured", "absences",
                 "trials", "parts", "unrolled"):
        assert len(found[name]) == 100, name
    for key, value in found.items():
        assert value == expected[key], "%s differ" % key
    print("1..1\nok 1 - the document describes the file")


main()
