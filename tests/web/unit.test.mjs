/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The logic of the report without a browser, bundled as the page is. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { esbuild, random } from "./support.mjs";

const bundled = await esbuild.build({
	stdin: {
		contents: ["absences", "align", "axis", "blocks-data", "colour", "data", "detail", "format", "histogram", "layers", "pair-data", "pair-sources", "search", "source-view", "table", "tree"]
			.map((name) => `export * from "./${name}";`).join("\n"),
		resolveDir: fileURLToPath(new URL("../../web/src", import.meta.url)), loader: "ts",
	},
	bundle: true, write: false, format: "esm", target: "es2022",
});
const logic = await import("data:text/javascript;base64," + Buffer.from(bundled.outputFiles[0].text).toString("base64"));

test("times have three significant digits and a unit", () => {
	const expected = [
		[0, "0 ns"], [1, "1 ns"], [999, "999 ns"], [999.6, "1.00 µs"], [1234, "1.23 µs"], [12345, "12.3 µs"],
		[999499, "999 µs"], [999500, "1.00 ms"], [1e6, "1.00 ms"], [45.67e6, "45.7 ms"], [1.5e9, "1.50 s"],
		[119e9, "119 s"], [120e9, "2 min 00 s"], [3599e9, "59 min 59 s"], [3600e9, "1 h 00 min"],
		[90061e9, "25 h 01 min"], [NaN, "–"], [Infinity, "–"], [-5, "−5 ns"], [2.5, "2.5 ns"],
	];

	for (const [ns, text] of expected)
		assert.equal(logic.formatTime(ns), text);
});

test("times never read backwards: a longer one never looks shorter", () => {
	const scale = { "ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9 };
	const value = (text) => parseFloat(text) * scale[text.split(" ")[1]];

	for (let ns = 1, last = 0; ns < 119e9; ns *= 1.0007) {
		const now = value(logic.formatTime(ns));

		assert.ok(now >= last, `${ns}: ${logic.formatTime(ns)}`);
		assert.ok(Math.abs(now - ns) <= Math.max(0.5, ns * 0.0051), `${ns}: ${logic.formatTime(ns)}`);
		last = now;
	}
});

test("counts, shares and sizes", () => {
	assert.equal(logic.formatCount(1234567), "1,234,567");
	assert.equal(logic.formatBig(999999), "999,999");
	assert.equal(logic.formatBig(1e6), "1.00 million");
	assert.equal(logic.formatBig(2.5e9), "2.50 billion");
	assert.equal(logic.formatShare(0), "0 %");
	assert.equal(logic.formatShare(0.00001), "<0.01 %");
	assert.equal(logic.formatShare(0.00123), "0.12 %");
	assert.equal(logic.formatShare(0.123), "12.3 %");
	assert.equal(logic.formatShare(0.9999), "100 %");
	assert.equal(logic.formatShare(NaN), "–");
	assert.equal(logic.formatBytes(1023), "1023 bytes");
	assert.equal(logic.formatBytes(1536), "1.50 KiB");
});

test("short names of C++, Rust and C", () => {
	const expected = [
		["main", "main"],
		["core::solve(int)", "core::solve"],
		["void ns::f<int, std::less<int> >(int const&)", "ns::f<…>"],
		["std::vector<int, std::allocator<int> >::push_back(int const&)", "std::vector<…>::push_back"],
		["ns::A::operator()(int) const", "ns::A::operator()"],
		["bool operator< <int>(A<int> const&, A<int> const&)", "operator< <…>"],
		["std::ostream& operator<<(std::ostream&, X)", "operator<<"],
		["A::operator unsigned int() const", "A::operator unsigned int"],
		["operator new(unsigned long)", "operator new"],
		["(anonymous namespace)::helper(int)", "(anonymous namespace)::helper"],
		["outer(int)::{lambda(int)#1}::operator()(int) const", "outer::{lambda(int)#1}::operator()"],
		["core::solve(int) [clone .part.0]", "core::solve"],
		["core::ptr::drop_in_place<alloc::string::String>", "core::ptr::drop_in_place<…>"],
		["std::rt::lang_start::{{closure}}", "std::rt::lang_start::{{closure}}"],
		["ns::f(int)@void ns::run<int>(int)", "ns::f@ns::run<…>"],
		["broken>", "broken>"], ["broken<(", "broken<("], ["<<<", "<<<"], ["()", "()"], ["", ""],
		["</script><img src=x onerror=alert(1)>", "</script><img src=x onerror=alert(1)>"],
	];

	for (const [name, short] of expected)
		assert.equal(logic.shortName(name), short, name);
});

test("parts of a name are the name, cut where it matters", () => {
	const expected = [
		["main", ["", "main", ""]],
		["ns::A<int>::f<x>(a::b, c::d) const", ["ns::A<int>::", "f", "<x>(a::b, c::d) const"]],
		["ns::A::operator()(int)", ["ns::A::", "operator()", "(int)"]],
		["(anonymous namespace)::helper(int)", ["(anonymous namespace)::", "helper", "(int)"]],
		["<T as U>::deref", ["<T as U>::", "deref", ""]],
		["ns::f(int)@int ns::run(int)", ["ns::", "f", "(int)@int ns::run(int)"]],
		["A,B@prog.c:30", ["A,B", "@prog.c:30", ""]], ["f@g", ["", "f", "@g"]],
		["f(", ["", "f(", ""]], ["a>", ["", "a>", ""]], ["()", ["", "()", ""]], ["ns::", ["", "ns::", ""]],
	];

	for (const [name, parts] of expected) {
		assert.deepEqual(logic.nameParts(name), parts, name);
		assert.equal(logic.nameParts(name).join(""), name);
	}
});

test("characters that cannot be seen are made visible", () => {
	assert.equal(logic.visibleText("a\u202eb"), "a\\u{202e}b");
	assert.equal(logic.visibleText("a\nb\u0000\u2028"), "a\\u{a}b\\u{0}\\u{2028}");
	assert.equal(logic.visibleText("žluťoučký λ"), "žluťoučký λ");
});

test("search: text in any case, regular expressions, mistakes", () => {
	const hits = (query, ...names) => names.filter((name) => logic.parseQuery(query).test(name));

	assert.deepEqual(hits("PARSE", "sqlite3Parser", "parse", "other"), ["sqlite3Parser", "parse"]);
	assert.deepEqual(hits("/^parse/", "sqlite3Parser", "parse"), ["parse"]);
	assert.deepEqual(hits("/PARSE/i", "sqlite3Parser", "parse"), ["sqlite3Parser", "parse"]);
	assert.deepEqual(hits("a.c", "abc", "a.c"), ["a.c"]);
	assert.deepEqual(hits("vector<int>", "std::vector<int>::f"), ["std::vector<int>::f"]);
	assert.equal(logic.parseQuery("  ").empty, true);
	assert.equal(logic.parseQuery("/(/").error, "not a regular expression");
	assert.equal(logic.parseQuery("/(/").test("anything"), false);
	assert.equal(logic.parseQuery("operator/").empty, false);
});

/* A random tree in preorder with brute-force sums beside it. */
function randomTree(n, seed) {
	const rand = random(seed);
	const columns = { depth: [0], function: [-1], count: [0], self: [0], waited: [], preempted: [], left_out: [] };

	for (let i = 1; i < n; i++) {
		columns.depth.push(1 + Math.floor(rand() * Math.min(columns.depth[i - 1] + 1, 30)));
		columns.function.push(Math.floor(rand() * 20));
		columns.count.push(1 + Math.floor(rand() * 5));
		columns.self.push(Math.floor(rand() ** 4 * 10000));
	}
	return columns;
}

function bruteChildren(columns, i) {
	const list = [];

	for (let k = i + 1; k < columns.depth.length && columns.depth[k] > columns.depth[i]; k++)
		if (columns.depth[k] === columns.depth[i] + 1)
			list.push(k);
	return list;
}

test("tree: sums, ends and parents agree with brute force", () => {
	const columns = randomTree(500, 3), tree = logic.buildTree(columns);

	const sum = (i, own) => own[i] + bruteChildren(columns, i).reduce((a, k) => a + sum(k, own), 0);

	for (let i = 0; i < tree.n; i++) {
		assert.equal(tree.time[i], sum(i, columns.self));
		assert.equal(tree.calls[i], sum(i, columns.count));
		for (const child of bruteChildren(columns, i))
			assert.equal(tree.parent[child], i);
		const next = columns.depth.findIndex((d, k) => k > i && d <= columns.depth[i]);

		assert.equal(tree.end[i], next < 0 ? tree.n : next);
	}
	assert.equal(tree.levels, Math.max(...columns.depth) + 1);
});

for (const weight of ["time", "calls"]) {
	test(`layout by ${weight}: children lie inside their parents and do not overlap`, () => {
		const tree = logic.buildTree(randomTree(2000, 5)), starts = logic.frameStarts(tree, weight);
		const right = new Map();

		for (let i = 1; i < tree.n; i++) {
			const parent = tree.parent[i];

			assert.ok(starts[i] >= (right.get(parent) ?? starts[parent]));
			assert.ok(starts[i] + tree[weight][i] <= starts[parent] + tree[weight][parent]);
			right.set(parent, starts[i] + tree[weight][i]);
		}
	});

	test(`drawing by ${weight}: no width is lost or drawn twice on any level`, () => {
		const tree = logic.buildTree(randomTree(3000, 9)), starts = logic.frameStarts(tree, weight);
		const view = { from: 0, to: tree[weight][0], width: 800, firstLevel: 0, lastLevel: 99 };
		const drawn = [], levels = new Map();

		logic.visibleFrames(tree, weight, starts, view, (frame) => drawn.push(frame));
		for (const frame of drawn) {
			const depth = tree.depth[frame.node], last = levels.get(depth) ?? 0;

			assert.ok(frame.x >= last - 1e-6, `level ${depth}: ${frame.x} < ${last}`);
			levels.set(depth, frame.x + frame.width);
			assert.ok(frame.x + frame.width <= 800 + 1e-6);
			if (frame.more === 0)
				assert.ok(Math.abs(frame.width - tree[weight][frame.node] / tree[weight][0] * 800) < 1e-6);
		}
		for (let i = 0; i < tree.n; i++)
			if (tree[weight][i] / tree[weight][0] * 800 >= logic.MIN_WIDTH)
				assert.ok(drawn.some((frame) => frame.node === i), `frame ${i} is missing`);
	});

	test(`finding by ${weight}: the frame under a point is the one that was drawn there`, () => {
		const tree = logic.buildTree(randomTree(800, 11)), starts = logic.frameStarts(tree, weight);

		for (let i = 0; i < tree.n; i++) {
			if (tree[weight][i] === 0)
				continue;
			const middle = starts[i] + tree[weight][i] / 2;

			assert.equal(logic.frameAt(tree, weight, starts, middle, tree.depth[i]), i);
		}
		assert.equal(logic.frameAt(tree, weight, starts, -1, 0), -1);
		assert.equal(logic.frameAt(tree, weight, starts, tree[weight][0] * 2, 3), -1);
	});
}

test("zoomed drawing: what is outside is not drawn, ancestors fill the width", () => {
	const tree = logic.buildTree(randomTree(1000, 21)), starts = logic.frameStarts(tree, "time");
	const node = Array.from(tree.depth.keys()).filter((i) => tree.depth[i] === 3)
		.sort((a, b) => tree.time[b] - tree.time[a])[0];
	const frames = new Map();

	logic.visibleFrames(tree, "time", starts,
			    { from: starts[node], to: starts[node] + tree.time[node], width: 500, firstLevel: 0, lastLevel: 99 },
			    (frame) => frames.set(frame.node, frame));
	for (const i of logic.pathTo(tree, node)) {
		assert.ok(Math.abs(frames.get(i).x) < 1e-6);
		assert.ok(Math.abs(frames.get(i).width - 500) < 1e-6);
	}
	for (const i of frames.keys())
		assert.ok(i >= node ? i < tree.end[node] : tree.end[i] >= tree.end[node]);
});

test("matched share counts outermost frames once", () => {
	const columns = randomTree(1500, 17), tree = logic.buildTree(columns);
	const marked = new Uint8Array(20);
	const brute = (i, inside) => {
		const hit = !inside && columns.function[i] >= 0 && marked[columns.function[i]] === 1;

		return (hit ? tree.time[i] : 0) + bruteChildren(columns, i).reduce((a, k) => a + brute(k, inside || hit), 0);
	};

	assert.equal(logic.markedWeight(tree, "time", marked, 0), 0);
	marked[3] = marked[7] = 1;
	assert.equal(logic.markedWeight(tree, "time", marked, 0), brute(0, false));
	for (const root of bruteChildren(columns, 0))
		assert.equal(logic.markedWeight(tree, "time", marked, root), brute(root, false));
});

test("histogram buckets begin where the profile format says", () => {
	/* oracle: the bucket of a value as src/profile/profile.h computes it */
	const bucketOf = (v) => {
		if (v < 32n)
			return Number(v);
		const exponent = BigInt(v.toString(2).length - 1);

		return Number(((exponent - 4n) << 5n) + ((v >> (exponent - 5n)) & 31n));
	};

	for (let bucket = 0; bucket < 1900; bucket++) {
		const low = BigInt(logic.bucketLow(bucket));

		assert.equal(bucketOf(low), bucket);
		if (low > 0n)
			assert.equal(bucketOf(low - 1n), bucket - 1);
	}
});

test("rebinning keeps every count", () => {
	const rand = random(2);
	const bars = { bar: Array.from({ length: 60 }, (_, i) => 40 + i * 2), count: Array.from({ length: 60 }, () => Math.floor(rand() * 1000)) };
	const all = bars.count.reduce((a, b) => a + b);

	for (const bins of [1, 7, 44, 500])
		for (const [first, last] of [[40, 158], [0, 400], [60, 100]])
			assert.equal(logic.rebin(bars, first, last, bins).reduce((a, b) => a + b), all);
});

test("every text on a frame has a contrast of at least 4.5", () => {
	assert.equal(logic.contrast("#000000", "#ffffff").toFixed(1), "21.0");
	assert.equal(logic.contrast("#777777", "#ffffff").toFixed(2), "4.48"); /* known from WCAG's own examples */
	for (const theme of ["light", "dark"]) {
		for (let family = -1; family < logic.FAMILIES; family++)
			for (let shade = 0; shade < logic.SHADES; shade++) {
				const ratio = logic.contrast(logic.frameColour(theme, family, shade), logic.frameText[theme]);

				assert.ok(ratio >= 4.5, `${theme} family ${family} shade ${shade}: ${ratio.toFixed(2)}`);
			}
		for (let step = -4; step <= 4; step++) {
			const ratio = logic.contrast(logic.shiftColour(theme, step), logic.frameText[theme]);

			assert.ok(ratio >= 4.5, `${theme} difference ${step}: ${ratio.toFixed(2)}`);
		}
		assert.ok(logic.contrast(logic.dimColour(theme), logic.dimText[theme]) >= 4.5);
	}
});

test("sorting puts what is not known last in both directions", () => {
	const rows = [{ id: 0, x: 5 }, { id: 1, x: NaN }, { id: 2, x: 7 }, { id: 3, x: 5 }];
	const order = (descending) => [...rows].sort(logic.compareBy((row) => row.x, descending)).map(({ id }) => id);

	assert.deepEqual(order(true), [2, 0, 3, 1]);
	assert.deepEqual(order(false), [0, 3, 2, 1]);
});

test("moments of a line differ from each other, however near they are", () => {
	assert.deepEqual([0, 20e6, 40e6].map((ns) => logic.formatMoment(ns, 20e6)), ["0 ns", "20 ms", "40 ms"]);
	assert.deepEqual([101e6, 101.1e6, 101.2e6].map((ns) => logic.formatMoment(ns, 1e5)), ["101.0 ms", "101.1 ms", "101.2 ms"]);
	assert.deepEqual([3e9, 3e9 + 200].map((ns) => logic.formatMoment(ns, 200)), ["3.0000000 s", "3.0000002 s"]);
	assert.deepEqual([150e9, 150.5e9, 3e12].map((ns) => logic.formatMoment(ns, 5e8)), ["150.0 s", "150.5 s", "3000.0 s"]);
	assert.deepEqual([150e9, 160e9].map((ns) => logic.formatMoment(ns, 1e10)), ["2 min 30 s", "2 min 40 s"]);
	for (let step = 1; step < 1e12; step *= 2.5)
		for (const from of [0, 1e6, 1e10]) {
			const texts = Array.from({ length: 20 }, (_, i) => logic.formatMoment(Math.ceil(from / step) * step + i * step, step));

			assert.equal(new Set(texts).size, 20, `${step} ${texts}`);
		}
});

test("a short axis has fewer round numbers", () => {
	assert.deepEqual(logic.scale([-540, 60], false, true).ticks, [-600, -500, -400, -300, -200, -100, 0, 100]);
	assert.deepEqual(logic.scale([-540, 60], false, true, 4).ticks, [-600, -400, -200, 0, 200]);
	assert.deepEqual(logic.scale([-540, 60], false, true, 1).ticks, [-1000, 0, 1000]);
});

test("axis ticks are the powers of ten inside", () => {
	assert.deepEqual(logic.decades(5, 1500), [10, 100, 1000]);
	assert.deepEqual(logic.decades(0, 9), [1]);
});

/* How people who cannot tell red from green, or see no blue, see a colour: Vienot, Brettel and Mollon 1999
 * for the first two, in linear light; the third drops what only blue cones see. */
const blindness = {
	protan: [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
	deutan: [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
	tritan: [[1, 0.15, -0.15], [0, 0.87, 0.13], [0, 0.87, 0.13]],
};

test("red and blue of a difference differ for every colour vision", () => {
	const linear = (css) => [1, 3, 5].map((at) => (parseInt(css.slice(at, at + 2), 16) / 255) ** 2.2);
	const seen = (css, matrix) => matrix.map((row) => row.reduce((sum, x, i) => sum + x * linear(css)[i], 0) ** (1 / 2.2) * 255 || 0);
	const far = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));

	for (const theme of ["light", "dark"])
		for (const [name, matrix] of Object.entries(blindness))
			for (const step of [2, 3, 4]) {
				const distance = far(seen(logic.shiftColour(theme, step), matrix), seen(logic.shiftColour(theme, -step), matrix));

				assert.ok(distance > 25, `${theme} ${name} step ${step}: ${distance.toFixed(0)}`);
			}
});

test("steps of a difference: 2 %, 10 %, 30 %, twice, and the same factors downwards", () => {
	const step = (ratio) => logic.shiftStep({ kind: "changed", ratio });

	assert.deepEqual([1.03, 1.11, 1.31, 2.01, 50].map(step), [1, 2, 3, 4, 4]);
	assert.deepEqual([1 / 1.03, 1 / 1.11, 1 / 1.31, 0.49, 0.01].map(step), [-1, -2, -3, -4, -4]);
	assert.deepEqual(["same", "new", "gone"].map((kind) => logic.shiftStep({ kind, ratio: 1 })), [0, 4, -4]);
});

test("what became of a context: chance is no change, new and gone are told", () => {
	const tree = logic.buildPairTree({
		depth: [0, 1, 1, 1, 1, 1, 1], "function": [-1, 0, 1, 2, 3, 4, -2], left_out: [6, 3],
		before: [0, 1000, 1000, 0, 500, 1000, 0], now: [0, 1500, 1500, 700, 0, 1010, 9],
		calls_before: [0, 1, 1, 0, 1, 1, 0], calls_now: [0, 1, 1, 1, 0, 1, 1],
		margin: [null, 10, 60, 10, 10, 0, null],
	});

	assert.deepEqual([1, 2, 3, 4, 5, 6].map((node) => logic.shiftOf(tree, node).kind),
			 ["changed", "same", "new", "gone", "same", "changed"]);
	assert.deepEqual([tree.before[0], tree.now[0]], [350, 471.9]);
	assert.equal(tree.difference[0], 50 + 50 + 70 + 50 + 1 + 0.9);
});

test("differences and factors in words", () => {
	assert.deepEqual([1.5e6, -2e3, 0, NaN].map(logic.formatDifference), ["+1.50 ms", "−2.00 µs", "0 ns", "–"]);
	assert.deepEqual([1.053, 0.5, 1, 2.5, 11.5, 1234, NaN, Infinity].map(logic.formatFactor),
			 ["+5.3 %", "−50.0 %", "+0.0 %", "+150 %", "×11.5", "×1,234", "–", "–"]);
	assert.equal(logic.formatCount(2.5), "2.5");
});

test("every class of rarog check has a direction", () => {
	const expected = {
		Unknown: "unknown", NotInBaseline: "new", TotalDegradation: "slower", SevereDegradation: "slower", Degradation: "slower",
		MaybeDegradation: "maybe-slower", NoChange: "same", MaybeOptimization: "maybe-faster", Optimization: "faster",
		SevereOptimization: "faster", TotalOptimization: "faster", NotInTarget: "gone",
	};

	for (const [name, tone] of Object.entries(expected))
		assert.equal(logic.toneOf(name), tone);
	assert.equal(new Set(Object.values(logic.signs)).size, 8);
});

/* A random graph whose block 0 reaches all others; what is left of chance goes anywhere. */
function randomFlow(seed) {
	const rand = random(seed), n = 1 + Math.floor(rand() * 40), from = [], to = [];

	for (let v = 1; v < n; v++) {
		from.push(Math.floor(rand() * v));
		to.push(v);
	}
	for (let i = Math.floor(rand() * n); i > 0; i--) {
		from.push(Math.floor(rand() * n));
		to.push(Math.floor(rand() * n));
	}
	return { n, from, to };
}

test("layers: ways go down or close a loop, blocks do not touch", () => {
	for (let seed = 1; seed <= 300; seed++) {
		const flow = randomFlow(seed), layout = logic.layOutNow(flow);
		const rows = new Map();

		flow.from.forEach((from, e) => {
			const to = flow.to[e], down = layout.layer[to] - layout.layer[from];

			assert.ok(layout.isBack[e] ? down <= 0 : down > 0, `${seed}: ${from} to ${to}`);
			assert.equal(layout.between[e].length, from === to ? 0 : Math.max(0, Math.abs(down) - 1));
		});
		for (let v = 0; v < flow.n; v++)
			rows.set(layout.layer[v], [...rows.get(layout.layer[v]) ?? [], layout.x[v]]);
		assert.equal(layout.layers, rows.size);
		for (const row of rows.values())
			row.sort((a, b) => a - b).forEach((x, i) => assert.ok(i === 0 || x - row[i - 1] > logic.NODE_WIDTH, `${seed}`));
	}
});

test("layers: without the ways that go back there is no circle left", () => {
	for (let seed = 1; seed <= 100; seed++) {
		const flow = randomFlow(seed), layout = logic.layOutNow(flow);
		const kept = flow.from.map((from, e) => [from, flow.to[e]]).filter((_, e) => !layout.isBack[e]);
		const closed = (at, open) => open.has(at) || kept.some(([from, to]) => from === at && closed(to, new Set([...open, at])));

		if (flow.n < 12)
			assert.equal(closed(0, new Set()), false);
	}
});

test("layers: what need not cross does not", () => {
	const diamond = { n: 4, from: [0, 0, 1, 2], to: [1, 2, 3, 3] };
	const ladder = { n: 8, from: [0, 0, 1, 2, 3, 4, 5, 6], to: [1, 2, 3, 4, 5, 6, 7, 7] };

	for (const flow of [diamond, ladder])
		assert.equal(logic.layOutNow(flow).crossings, 0);
	assert.equal(logic.layOutNow({ n: 0, from: [], to: [] }).width, 0);
});

test("settling is least squares with room between", () => {
	assert.deepEqual(logic.settle([0, 100], [1, 1], [10]), [0, 100]);
	assert.deepEqual(logic.settle([50, 50], [1, 1], [10]), [45, 55]);
	assert.deepEqual(logic.settle([0, 0], [3, 1], [10]), [-2.5, 7.5]);
	const rand = random(5);

	for (let round = 0; round < 200; round++) {
		const n = 1 + Math.floor(rand() * 6), wanted = Array.from({ length: n }, () => rand() * 30);
		const weight = wanted.map(() => 1 + Math.floor(rand() * 4)), room = wanted.slice(1).map(() => rand() * 8);
		const places = logic.settle(wanted, weight, room);
		const cost = (list) => list.reduce((sum, x, i) => sum + weight[i] * (x - wanted[i]) ** 2, 0);
		const fits = (list) => room.every((gap, i) => list[i + 1] - list[i] >= gap - 1e-9);

		assert.ok(fits(places));
		for (let i = 0; i < n; i++) /* moving what lies behind, or before, is never better: it is convex */
			for (const by of [-0.01, 0.01])
				for (const part of [(k) => k >= i, (k) => k <= i, (k) => k === i]) {
					const other = places.map((x, k) => part(k) ? x + by : x);

					assert.ok(!fits(other) || cost(other) >= cost(places) - 1e-9);
				}
	}
});

test("columns are bytes; a line is cut where blocks begin", () => {
	assert.deepEqual([1, 2, 9, 99].map((column) => logic.unitOfColumn("\tabc", column)), [0, 1, 4, 4]);
	assert.deepEqual([1, 3, 6, 10, 11].map((column) => logic.unitOfColumn("é→𝄞x", column)), [0, 1, 2, 4, 5]);
	const block = (number, column, count) => ({ number, column, count });
	const cut = (text, ...blocks) => logic.piecesOf(text, blocks).map((piece) => [piece.text, piece.block?.number ?? -1]);

	assert.deepEqual(cut("for (;;)"), [["for (;;)", -1]]);
	assert.deepEqual(cut("a; b; c", block(1, 4, 5), block(2, 7, 9), block(3, 7, 10)), [["a; ", -1], ["b; ", 1], ["c", 3]]);
	assert.deepEqual(cut("abc", block(0, 1, 1)), [["abc", 0]]);
	assert.equal(cut("ab", block(0, 50, 1)).map(([text]) => text).join(""), "ab");
});

test("heat: never, then by share or by factors of ten", () => {
	const heat = (count, cost) => logic.blockHeat({ count, cost }, 1000);

	assert.deepEqual([heat(0, 0), heat(1, 0), heat(1, 0.9), heat(1, 1), heat(1, 10), heat(1, 50), heat(1, 200), heat(9, 1000)], [0, 1, 1, 2, 3, 4, 5, 5]);
	assert.deepEqual([0, 1, 100, 1000, 9000, 100000, 1e6].map((n) => logic.countHeat(n, 1e6)), [0, 1, 1, 2, 3, 4, 5]);
	assert.equal(logic.countHeat(1, 1), 5);
	assert.deepEqual([0, 7, 99999, 100000, 1234567, 12345678, 2.5e9, 3e13, NaN].map(logic.shortCount),
			 ["0", "7", "99,999", "100 k", "1.23 M", "12.3 M", "2.50 G", "30.0 T", "?"]);
});

test("heat can be read on, and is ordered by lightness alone", () => {
	for (const theme of ["light", "dark"]) {
		const steps = [0, 1, 2, 3, 4, 5].map((step) => logic.heatColour(theme, step));
		const onInk = steps.map((colour) => logic.contrast(colour, logic.frameText[theme]));

		onInk.forEach((ratio, step) => {
			assert.ok(ratio >= 4.5, `${theme} ${step}: ${ratio}`);
			assert.ok(step === 0 || ratio < onInk[step - 1] / 1.08, `${theme} ${step} is like the one before`);
		});
	}
});

/* What is said to be the same is; every line is there once and in order. */
function aligned(before, now) {
	const rows = logic.alignLines(before, now), of = (list) => [...list].filter((line) => line > 0);

	assert.deepEqual(of(rows.before), before.map((_, i) => i + 1));
	assert.deepEqual(of(rows.now), now.map((_, i) => i + 1));
	const same = [...rows.before].map((a, i) => [a, rows.now[i]]).filter(([a, b]) => a > 0 && b > 0);

	for (const [a, b] of same)
		assert.equal(before[a - 1], now[b - 1]);
	return same.length;
}

/* The longest common subsequence, by the book. */
function longest(a, b) {
	let row = new Array(b.length + 1).fill(0);

	for (const x of a) {
		const next = [0];

		b.forEach((y, j) => next.push(x === y ? row[j] + 1 : Math.max(row[j + 1], next[j])));
		row = next;
	}
	return row[b.length];
}

test("two texts as one: lines that both have stand together, what is gone before what is new", () => {
	const rows = (before, now) => {
		const { before: a, now: b } = logic.alignLines([...before], [...now]);

		return [...a].map((line, i) => (line === 0 ? "+" + now[b[i] - 1] : b[i] === 0 ? "-" + before[line - 1] : " " + now[b[i] - 1])).join("");
	};

	assert.equal(rows("", ""), "");
	assert.equal(rows("abc", "abc"), " a b c");
	assert.equal(rows("abc", "axc"), " a-b+x c");
	assert.equal(rows("abc", ""), "-a-b-c");
	assert.equal(rows("", "ab"), "+a+b");
	assert.equal(rows("{x}{y}", "{x}{z}{y}"), " { x } {+z+}+{ y }");
});

test("two texts as one: as many lines together as can be, without anchors", () => {
	const rand = random(5);

	for (let round = 0; round < 300; round++) {
		const letters = 1 + Math.floor(rand() * 4), make = () => Array.from({ length: Math.floor(rand() * 30) }, () => String(Math.floor(rand() * letters)));
		/* each letter twice in both: no line is there once, so nothing is an anchor */
		const double = (list) => list.flatMap((x) => [x, x]), a = double(make()), b = double(make());

		assert.equal(aligned(a, b), longest(a, b), JSON.stringify([a, b]));
	}
});

test("two texts as one: 250,000 lines with changes everywhere, and two that have nothing in common", (t) => {
	const rand = random(9), lines = Array.from({ length: 250000 }, (_, i) => i % 7 === 0 ? "}" : i % 3 === 0 ? "\treturn 0;" : `\tx${i % 9000} = ${i % 5};`);
	const other = lines.flatMap((line) => rand() < 0.01 ? [] : rand() < 0.01 ? [line, "\tnew();"] : rand() < 0.01 ? ["\tother();"] : [line]);
	const begin = performance.now(), same = aligned(lines, other);

	t.diagnostic(`${(performance.now() - begin).toFixed(0)} ms, ${same} lines in both`);
	assert.ok(same > 0.9 * lines.length, `${same}`);
	assert.equal(aligned(lines.slice(0, 50000), lines.slice(0, 50000).map((line) => `${line}?`)), 0);
});

test("differences of lines: steps of ten, with a sign", () => {
	const step = (d) => logic.differenceStep(d, 1e6);

	assert.deepEqual([0, NaN, 1, 100, 4000, 40000, 900000, 1e6].map(step), [0, 0, 1, 1, 2, 3, 4, 4]);
	assert.deepEqual([-1, -4000, -1e6].map(step), [-1, -2, -4]);
	assert.equal(logic.differenceStep(-3, 3), -4);
});

test("absences: what of a part of the time a thread was off-CPU", () => {
	const next = random(5), payload = { is_all: true, strand: [], begin: [], ticks: [], preempted: [] }, off = [];

	for (const strand of [0, 2, 3]) { /* thread 1 was never off-CPU */
		let at = 0;

		off[strand] = [];
		for (let i = 0; i < 200; i++) {
			const ticks = next(30) + 1, preempted = next(2);

			at += next(20);
			payload.strand.push(strand);
			payload.begin.push(at);
			payload.ticks.push(ticks);
			payload.preempted.push(preempted);
			for (let k = 0; k < ticks; k++)
				off[strand][at + k] = preempted ? "preempted" : "waited";
			at += ticks;
		}
	}
	const absences = new logic.Absences(payload);

	for (let i = 0; i < 500; i++) {
		const strand = next(5), from = next(4000), to = from + next(400), expected = { waited: 0, preempted: 0 };

		for (let at = from; at < to; at++)
			if (off[strand]?.[at])
				expected[off[strand][at]]++;
		assert.deepEqual(absences.within(strand, from, to), expected);
	}
});
