/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all pages of the report share: tabs, the address, one selection, keys, the head. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { blocksPayload, emptyPayload, largePairPayload, largePayload, linearModel, makePage, node, payloadOf, smallPayload } from "./fixture.mjs";
import { launch, lowContrast, openPage, showTab, timeScale } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "rarog-shell-"));
let browser;

before(async () => {
	browser = await launch();
});
after(async () => {
	await browser?.close();
	rmSync(folder, { recursive: true });
});

async function open(t, payload, options = {}) {
	const file = join(folder, `${t.name.replace(/\W+/g, "-").slice(0, 60)}.html`);

	writeFileSync(file, makePage(payload));
	return openPage(t, browser, file, options);
}

const settle = (page) => page.waitForTimeout(260 * timeScale); /* the zoom's animation */
const tabs = (page) => page.$$eval("#tabs button", (list) => list.map((button) => button.dataset.tab));
const visiblePages = (page) => page.$$eval("#pages > *", (list) => list.filter((e) => e.offsetParent).map((e) => e.id));
const state = async (page) => Object.fromEntries(new URLSearchParams((await page.evaluate(() => location.hash)).slice(1)));

test("tabs are of what the profile has, one page is shown at a time", async (t) => {
	const page = await open(t, smallPayload(), { tab: "overview" }), ids = await tabs(page);

	for (const id of ["overview", "flame", "functions", "environment"])
		assert.ok(ids.includes(id), id);
	for (const id of ["differences", "blocks"])
		assert.ok(!ids.includes(id), id);
	for (const id of ids) {
		await showTab(page, id);
		assert.equal((await visiblePages(page)).length, 1, id);
		assert.equal(await page.getAttribute("#tabs [aria-selected=true]", "data-tab"), id);
		assert.equal((await state(page)).tab, id);
	}
});

test("what is looked at is in the address, and an address shows it", async (t) => {
	const page = await open(t, smallPayload());

	await page.click("#functions tbody tr:has-text('parse_input')");
	await page.click("#page-flame .zoom-to");
	await settle(page);
	await page.fill("#search", "memcpy");
	const hash = await page.evaluate(() => location.hash), zoom = await page.evaluate(() => window.rarog.zoom());

	assert.ok(zoom > 0);
	const other = await open(t, smallPayload(), { hash });

	await settle(other);
	assert.equal(await other.inputValue("#search"), "memcpy");
	assert.equal(await other.textContent("#detail h2"), "parse_input");
	assert.equal(await other.evaluate(() => window.rarog.zoom()), zoom);
	assert.equal(await other.getAttribute("#tabs [aria-selected=true]", "data-tab"), "flame");
});

test("the back button undoes one step, forward does it again", async (t) => {
	const page = await open(t, smallPayload());

	await page.click("#functions tbody tr:has-text('compare')");
	await page.click("#functions tbody tr:has-text('parse_input')");
	await showTab(page, "environment");
	await page.goBack();
	assert.deepEqual(await visiblePages(page), ["page-flame"]);
	assert.equal(await page.textContent("#detail h2"), "parse_input");
	await page.goBack();
	assert.equal(await page.textContent("#detail h2"), "compare");
	await page.goForward();
	assert.equal(await page.textContent("#detail h2"), "parse_input");
});

test("the order of the table is in the address: back, and for somebody else", async (t) => {
	const page = await open(t, smallPayload(), { tab: "functions" });
	const order = (of) => of.$$eval("#functions tbody tr[id]", (rows) => rows.map((row) => row.querySelector(".c-name")?.textContent ?? row.textContent));
	const first = await order(page);

	await page.click("#functions button[data-sort=calls]");
	const byCalls = await order(page);

	await page.click("#functions button[data-sort=calls]");
	const upwards = await order(page), address = await page.evaluate(() => location.hash);

	assert.notDeepEqual(byCalls, first);
	assert.notDeepEqual(upwards, byCalls);
	assert.match(address, /sort=calls\.up/);
	await page.goBack();
	assert.deepEqual(await order(page), byCalls);
	await page.goBack();
	assert.deepEqual(await order(page), first);
	const other = await open(t, smallPayload(), { tab: "functions" });

	await other.evaluate((hash) => {
		location.hash = hash;
	}, address);
	await settle(other);
	assert.deepEqual(await order(other), upwards);
	await other.evaluate(() => {
		location.hash = "#tab=functions&sort=nonsense.up";
	});
	await settle(other);
	assert.deepEqual(await order(other), first);
});

test("one selection for all pages", async (t) => {
	const page = await open(t, smallPayload(), { tab: "overview" });
	const name = await page.textContent("#headline button >> nth=0");

	await page.click("#headline button >> nth=0");
	assert.ok((await page.textContent("#detail h2")).includes(name));
	await showTab(page, "functions");
	assert.ok((await page.textContent("#detail h2")).includes(name));
	assert.equal(await page.isVisible("#flame-box"), false);
});

test("what the overview finds is what the data says", async (t) => {
	const payload = smallPayload(), f = payload.functions, page = await open(t, payload, { tab: "overview" });
	const most = (list) => f.demangled[list.indexOf(Math.max(...list))] ?? f.name[list.indexOf(Math.max(...list))];
	const shown = await page.$$eval("#headline li", (list) => list.map((li) => li.textContent));

	assert.ok(shown.length >= 3 && shown.length <= 5, `${shown.length}`);
	assert.ok(shown[0].startsWith("Most time of its own") && shown[0].includes(most(f.exclusive).replace(/\(.*/, "").replace(/.*::/, "")), shown[0]);
	assert.ok(shown.some((text) => text.startsWith("Most calls") && text.includes(most(f.count))), shown.join("\n"));
});

test("an address that means nothing shows the overview", async (t) => {
	for (const hash of ["#tab=nowhere&fn=none&zoom=-5", "#tab=flame&zoom=1e9&fn=%E0%A4", "#zoom=abc", "#=&&==", "#7"]) {
		const page = await open(t, smallPayload(), { hash });

		assert.equal((await visiblePages(page)).length, 1, hash);
	}
});

test("keys: the sheet, tabs by number and by arrows", async (t) => {
	const page = await open(t, smallPayload(), { tab: "overview" }), ids = await tabs(page);

	await page.evaluate(() => document.activeElement.blur());
	await page.keyboard.press("?");
	assert.equal(await page.isVisible("#keys"), true);
	assert.match(await page.textContent("#keys"), /ctrl F.*search/);
	await page.keyboard.press("Escape");
	assert.equal(await page.isVisible("#keys"), false);
	await page.keyboard.press("2");
	assert.equal(await page.getAttribute("#tabs [aria-selected=true]", "data-tab"), ids[1]);
	await page.focus("#tabs [aria-selected=true]");
	await page.keyboard.press("ArrowRight");
	assert.equal(await page.evaluate(() => document.activeElement.dataset.tab), ids[2]);
	await page.focus("#search");
	await page.keyboard.type("?1");
	assert.equal(await page.inputValue("#search"), "?1");
});

test("calls with blocks: the panel of a function has its hottest loop, which leads to the blocks", async (t) => {
	const payload = smallPayload(), blocks = blocksPayload(5, 20);

	blocks.functions.name[0] = "main";
	blocks.binaries.path[0] = payload.binaries.path[payload.functions.binary[payload.functions.name.indexOf("main")]];
	const page = await open(t, { ...payload, blocks }, { tab: "flame" });
	const own = blocks.loops.filter((loop) => loop.function === 0).reduce((a, b) => b.own > a.own ? b : a);

	await page.click("#functions td.c-name >> text=compare");
	assert.doesNotMatch(await page.textContent("#detail"), /Hottest loop/);
	await page.click("#functions td.c-name >> text=main");
	assert.match(await page.textContent("#detail"), new RegExp(`Hottest loop.* × .*line ${own.line}`));
	await page.click("#detail button:has-text('line ')");
	assert.equal(await page.getAttribute("#tabs [aria-selected=true]", "data-tab"), "blocks");
	assert.equal(await page.textContent("#flow-name"), "main");
});

test("a frame of the flame graph is marked where most of the function's own work is in one loop", async (t) => {
	const payload = smallPayload(), blocks = blocksPayload(5, 20);

	blocks.functions.name[0] = "main";
	blocks.binaries.path[0] = payload.binaries.path[payload.functions.binary[payload.functions.name.indexOf("main")]];
	const n = blocks.functions.blocks[0];
	const cost = blocks.blocks.count.slice(0, n).reduce((sum, count, i) => sum + count * blocks.blocks.instructions[i], 0);
	const remarks = async (own) => {
		for (const loop of blocks.loops)
			Object.assign(loop, { own: loop.function === 0 ? own : 0, iterations: Math.max(loop.iterations, 1) });
		const page = await open(t, { ...payload, blocks }, { tab: "flame" });
		const frames = await page.evaluate(() => window.rarog.frames());

		return [frames.filter(({ remark }) => remark === "↻").map(({ label }) => label), await page.textContent("#legend")];
	};
	const [hot, legend] = await remarks(Math.ceil(0.51 * cost)), [cold, without] = await remarks(Math.floor(0.49 * cost));

	assert.deepEqual([...new Set(hot)], ["main"]);
	assert.match(legend, /↻ most of its own work is in one loop/);
	assert.deepEqual(cold, []);
	assert.doesNotMatch(without, /↻/);
});

test("the overview has the verdict that was kept of the version, and none where there is none", async (t) => {
	const page = await open(t, { ...smallPayload(), verdict: "degradation", changes: 2 }, { tab: "overview" });

	assert.match(await page.textContent("#figures"), /Verdict.*degradation.*2 changes/);
	const other = await open(t, { ...smallPayload(), verdict: null, changes: 0 }, { tab: "overview" });

	assert.doesNotMatch(await other.textContent("#figures"), /Verdict/);
});

test("the head takes at most a sixth of the window, all pages fit their width", async (t) => {
	for (const viewport of [{ width: 1440, height: 900 }, { width: 1024, height: 768 }, { width: 390, height: 844 }]) {
		const page = await open(t, smallPayload(), { tab: "overview", viewport });

		assert.ok(await page.$eval("#bar", (bar) => bar.getBoundingClientRect().bottom) <= viewport.height / 6, `${viewport.width}`);
		for (const id of await tabs(page)) {
			await showTab(page, id);
			assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth), false, `${id} at ${viewport.width}`);
		}
	}
});

for (const colorScheme of ["light", "dark"])
	test(`every text of every page can be read (${colorScheme})`, async (t) => {
		const page = await open(t, smallPayload(), { tab: "overview", colorScheme });

		for (const id of await tabs(page)) {
			await showTab(page, id);
			assert.deepEqual(await page.evaluate(lowContrast), [], id);
		}
	});

test("an empty profile has pages, each says so", async (t) => {
	const page = await open(t, emptyPayload(), { tab: "overview" });

	for (const id of await tabs(page)) {
		await showTab(page, id);
		assert.equal((await visiblePages(page)).length, 1, id);
	}
	await showTab(page, "overview");
	assert.match(await page.textContent("#limits"), /Nothing was recorded: no function that was chosen was called/);
	assert.doesNotMatch(await page.textContent("#figures"), /counted only|one process/);
});

test("every page on paper", async (t) => {
	const page = await open(t, largePayload(2000, 200), { tab: "overview" });

	await page.emulateMedia({ media: "print" });
	for (const id of await tabs(page)) {
		await page.evaluate((tab) => {
			location.hash = `#tab=${tab}`;
		}, id);
		await page.waitForFunction((tab) => document.querySelector("#tabs [aria-selected=true]").dataset.tab === tab, id);
		assert.ok((await page.pdf()).length > 5000, id);
		assert.equal(await page.isVisible("#bar"), false);
		/* what a button says is text of the page, but for those that do something */
		assert.deepEqual(await page.$$eval(".page:not([hidden]) :is(th button, button.link, button.edge)", (list) =>
			list.filter((button) => button.closest("th, li")?.checkVisibility() && !button.checkVisibility()).map((button) => button.textContent)), [], id);
	}
});

test("a program as a whole: what the kernel said of it, and nothing of functions", async (t) => {
	const payload = { ...emptyPayload(), whole_program: true };

	payload.header = JSON.stringify({ command: "./whole", collector: "time", engine: "kernel", end: { wall_ns: 31696127, user_ns: 145000,
		system_ns: 4222000, max_rss_bytes: 2199552, minor_faults: 1020, major_faults: 3, voluntary_switches: 16, involuntary_switches: 2 } });
	const page = await open(t, payload, { tab: "overview" });

	assert.deepEqual(await tabs(page), ["overview", "environment"]);
	for (const part of ["31.7 ms", "145 µs", "4.22 ms", "1,020", "and 3 from the disk", "2 preempted"])
		assert.ok((await page.textContent("#figures")).includes(part), part);
	assert.match(await page.textContent("#limits"), /as a whole/);
});

test("samples: the overview does not call them calls", async (t) => {
	const payload = smallPayload();

	payload.header = JSON.stringify({ ...JSON.parse(payload.header), counts: "samples" });
	const page = await open(t, payload, { tab: "overview" }), text = await page.textContent("#headline");

	assert.match(text, /Most time of its own.*of the sampled time/);
	assert.doesNotMatch(text, /Most calls|traced time/);
});

test("sampled calls: estimates are shown, what is not known is not", async (t) => {
	const payload = { ...smallPayload(), calls_sampled: true };

	payload.functions.exclusive.fill(null);
	const page = await open(t, payload, { tab: "functions" });

	assert.deepEqual(await tabs(page), ["overview", "functions", "environment"]);
	assert.equal(await page.$("th.c-exclusive"), null);
	assert.equal((await page.$$eval("#functions tbody:not(.spacer) tr", (list) => list.length)), 6);
	await page.click("#functions tbody tr:has-text('compare')");
	assert.doesNotMatch(await page.textContent("#detail"), /Exclusive|flame graph/);
	await showTab(page, "overview");
	assert.match(await page.textContent("#limits"), /Only some calls were recorded/);
	assert.match(await page.textContent("#limits"), /there is no flame graph and no call tree/);
	assert.match(await page.textContent("#limits"), /too long if a function called a sampled one/);
});

test("sampled calls: exclusive times of functions that call nothing sampled are known", async (t) => {
	const payload = { ...smallPayload(), calls_sampled: true };
	const known = payload.functions.name.indexOf("main");

	payload.functions.exclusive = payload.functions.exclusive.map((_, i) => i === known ? 5e6 : null);
	const page = await open(t, payload, { tab: "functions" });
	const cell = (name) => page.textContent(`#functions tbody tr:has-text('${name}') .c-exclusive .amount`);

	assert.match(await cell("main"), /ms|µs/);
	assert.match(await cell("compare"), /^[–-]$/);
	await page.click("#functions tbody tr:has-text('main')");
	assert.match(await page.textContent("#detail"), /Exclusive/);
	await page.click("#functions tbody tr:has-text('compare')");
	assert.doesNotMatch(await page.textContent("#detail"), /Exclusive/);
});

test("a budget: the overview says how much it left out, and whose totals are not known", async (t) => {
	const payload = { ...smallPayload(), calls_sampled: true, unsure: [0, 1, 2, 3, 5] };
	const header = JSON.parse(payload.header);
	const limits = async (budget, unsure) => {
		const page = await open(t, { ...payload, unsure, header: JSON.stringify({ ...header, budget }) }, { tab: "overview" });

		return page.textContent("#limits");
	};
	let text = await limits({ overhead: 0.1, thinned: 40, off: 4 }, [0, 1, 2, 3, 5]);

	assert.match(text, /at most 10(\.0)? % of the program's time, so calls of 40 functions were left out; 4 of these had no probe at times/);
	assert.match(text, /differ too much: main, parse_input, core::solve and 2 more\./);
	text = await limits({ overhead: 0.1, thinned: 1, off: 0 }, [3]);
	assert.match(text, /so calls of 1 function were left out\./);
	assert.match(text, /differ too much: compare\./);
	text = await limits({ overhead: 0.1, thinned: 0, off: 0 }, []);
	assert.doesNotMatch(text, /left out|differ too much/);
});

test("a machine that was not quiet: the overview says so, unless there are no times", async (t) => {
	const payload = smallPayload(), header = { ...JSON.parse(payload.header), conditions: { noisy: ["load", "throttled"] } };

	payload.header = JSON.stringify(header);
	assert.match(await (await open(t, payload, { tab: "overview" })).textContent("#limits"), /not quiet \(load, throttled\): times may be too long/);
	payload.functions.timed = payload.functions.timed.map(() => 0);
	assert.doesNotMatch(await (await open(t, payload, { tab: "overview" })).textContent("#limits"), /not quiet/);
});

test("two versions: amounts of the whole program have the names that people use", async (t) => {
	const payload = largePairPayload(300, 40), words = { class: "slower", before: "1 ms", now: "2 ms", change: "+100 %", interval: "", sure: "", impact: "" };

	payload.checks[0].changes = ["wall-time", "cpu-time"].map((metric) => ({
		row: -1, location: "program", class: "Degradation", metric, unit: "ns", before: 1e6, now: 2e6, relative: 1, low: 0.9, high: 1.1, p: 0.001, q: 0.01,
		impact: 1, method: "runs", reason: "", path: null, lines: null, runs_before: [1e6], runs_now: [2e6], words }));
	const labels = await (await open(t, payload, { tab: "overview" })).$$eval("#figures dt", (list) => list.map(({ textContent }) => textContent));

	assert.deepEqual(labels.slice(0, 2), ["Wall time", "CPU time"]);
});

test("call tree: at any depth there is room for a name, however long it is", async (t) => {
	const longest = { name: `ns::${"Outer<int, ".repeat(30)}${">".repeat(30)}::find(${"int, ".repeat(50)}int) const` };
	let tree = [];

	for (let depth = 0; depth < 40; depth++)
		tree = [node(0, 1, 10, tree)];
	const page = await open(t, payloadOf([longest], tree), { tab: "calltree" });

	for (const width of [1280, 420]) {
		await page.setViewportSize({ width, height: 800 });
		await checkRooms(page);
	}
});

async function checkRooms(page) {
	await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));
	/* what a browser draws of a name that is too wide for its cell is an ellipsis */
	const rooms = await page.$$eval("#contexts .c-name", (cells) => cells.filter((cell) => cell.tagName === "TD").map((cell) => {
		const name = cell.querySelector(".parts"), box = name.getBoundingClientRect(), style = getComputedStyle(cell), edge = cell.getBoundingClientRect();

		return { title: cell.title, text: name.children[1].textContent, width: name.children[1].getBoundingClientRect().width, isInside: box.right <= edge.right - parseFloat(style.paddingRight) + 1 };
	}));

	assert.ok(rooms.length >= 15, `${rooms.length} rows`);
	for (const { text, width, isInside } of rooms)
		assert.ok(text === "find" && width >= 25 && isInside, JSON.stringify({ text, width, isInside }));
}

test("calls and blocks of one run are in one report", async (t) => {
	const payload = { ...smallPayload(), blocks: blocksPayload(4, 12) }, page = await open(t, payload, { tab: "overview" });
	const ids = await tabs(page);

	for (const id of ["flame", "calltree", "blocks"])
		assert.ok(ids.includes(id), id);
	await showTab(page, "blocks");
	assert.ok(await page.isVisible("#counted"));
	await showTab(page, "functions");
	assert.ok(await page.isVisible("#functions"));
	assert.equal((await page.$$eval("[id]", (list) => list.map(({ id }) => id).filter((id, i, all) => all.indexOf(id) !== i))).length, 0);
});

test("arguments: a point for each call, where value and time put it, also by powers of ten", async (t) => {
	const payload = smallPayload(), x = [1, 10, 100, 1000], y = [1000, 20000, 300000, 4000000];

	payload.arguments = [{ function: 0, within: -1, name: "</b>n", type: "size_t", seen: 4, x, y },
			     { function: 1, within: -1, name: "m", type: "int", seen: 3, x: [0, 5, 10], y: [10, 10, 10] }];
	const page = await open(t, payload, { tab: "arguments" });
	const points = () => page.evaluate(() => window.rarog.points());
	const linear = await points();

	assert.equal(linear.length, 4);
	assert.match(await page.textContent("#scatter-name"), /<\/b>n/);
	/* linear: distances are as those of the values */
	const ratio = (list, k) => (list[2][k] - list[1][k]) / (list[3][k] - list[2][k]);

	assert.ok(Math.abs(ratio(linear, 0) - 90 / 900) < 0.01);
	assert.ok(Math.abs(ratio(linear, 1) - 280000 / 3700000) < 0.01);
	await page.click("label[for=scatter-x-log]");
	await page.click("label[for=scatter-y-log]");
	const log = await points();

	assert.ok(Math.abs(ratio(log, 0) - 1) < 0.01, "factors of ten are as far from each other");
	assert.ok(Math.abs(ratio(log, 1) - Math.log10(15) / Math.log10(40 / 3)) < 0.01);
	await page.click("#arguments tbody tr:has-text(': m')");
	assert.match(await page.textContent("#scatter-note"), /1 point at or below zero/);
	assert.equal((await state(page)).log, "xy");
});

test("arguments: the model's curve, colours by another argument, a click leads to the call", async (t) => {
	const payload = smallPayload(), x = [1, 2, 3, 4], y = x.map((n) => 100 + 20 * n), begin = [50, 1000, 2000, 3000], strand = [0, 0, 0, 0];

	payload.arguments = [{ function: 1, within: -1, name: "n", type: "int", seen: 4, x, y, strand, begin },
			     { function: 1, within: -1, name: "level", type: "int", seen: 4, x: [9, 9, 1, 1], y, strand, begin }];
	payload.models = { level: 0.95, models: [linearModel(1, "parse_input", 4)] };
	payload.timeline = { from: 0, to: 4000, slice: 10, all: 4, strands: { process: [0], tid: [1] },
			     calls: { strand, depth: [0, 0, 0, 0], function: [1, 1, 1, 1], begin: begin.map((at, i) => at - (begin[i - 1] ?? 0)), extent: y, waited: strand },
			     sums: { strand: [], depth: [], slice: [], function: [], calls: [], ticks: [] }, losses: { strand: [], at: [], count: [] } };
	const page = await open(t, payload, { tab: "arguments" });

	assert.match(await page.textContent("#scatter-note"), /its model \(linear\)/);
	assert.deepEqual(await page.$$eval("#scatter-colour option", (list) => list.map((option) => option.value)), ["", "level"]);
	await page.selectOption("#scatter-colour", "level");
	assert.equal((await state(page)).colour, "level");
	const box = await page.locator("#scatter").boundingBox(), [px, py] = (await page.evaluate(() => window.rarog.points()))[2];

	await page.mouse.click(box.x + px, box.y + py);
	assert.equal(await page.getAttribute("#tabs [aria-selected=true]", "data-tab"), "timeline");
	assert.equal(await page.evaluate(() => window.rarog.call()), 2);
	const [from, to] = await page.evaluate(() => window.rarog.look());

	assert.ok(from < 2000 && to > 2160);
	const other = await open(t, payload, { hash: await page.evaluate(() => location.hash) });

	assert.equal(await other.evaluate(() => window.rarog.call()), 2, "the address leads to the call");
	await page.goBack();
	assert.equal(await page.inputValue("#scatter-colour"), "level");
});

test("the flame graph of callers: own times, below each function what called it", async (t) => {
	const payload = smallPayload(), page = await open(t, payload), { tree, functions } = payload;
	const own = new Map(), path = [];

	tree.depth.forEach((depth, i) => { /* by brute force: own time of each way up */
		path[depth] = tree.function[i];
		for (let k = depth; k > 0; k--) {
			const way = path.slice(k, depth + 1).reverse().join(" ");

			own.set(way, (own.get(way) ?? 0) + tree.self[i]);
		}
	});
	await page.click("label[for=graph-callers]");
	assert.equal((await state(page)).graph, "callers");
	const shown = await page.evaluate(() => {
		const { n, fn, parent, time, depth } = window.rarog.tree();
		const way = (node) => node > 0 ? `${way(parent[node])} ${fn[node]}`.trim() : "";

		return Array.from({ length: n - 1 }, (_, i) => [way(i + 1), time[i + 1], depth[i + 1]]);
	});

	for (const [way, time] of shown)
		assert.equal(time, own.get(way), way);
	assert.equal(shown.length, [...own.values()].filter((time) => time > 0).length);
	assert.equal(shown.filter(([, , depth]) => depth === 1).length, functions.name.length);
	const frame = (await page.evaluate(() => window.rarog.frames())).find(({ label }) => label === "compare");

	await page.mouse.click(frame.x, frame.y);
	await settle(page);
	const zoom = await page.evaluate(() => window.rarog.zoom()), hash = await page.evaluate(() => location.hash);

	assert.ok(zoom > 0);
	const other = await open(t, payload, { hash });

	await settle(other);
	assert.equal(await other.evaluate(() => window.rarog.zoom()), zoom);
	assert.equal(await other.evaluate(() => location.hash), hash);
	await page.goBack();
	await page.goBack();
	await page.goBack();
	assert.ok(await page.isChecked("#graph-all"));
});

test("the flame graph by thread is there where there are several", async (t) => {
	const payload = smallPayload(), n = payload.functions.name.length;

	assert.equal(await (await open(t, payload)).isVisible("label[for=graph-threads]"), false);
	payload.threads = { depth: [0, 1, 2, 1, 2], function: [-1, n + 1, 3, n, 4], count: [0, 0, 10, 0, 20], self: [0, 0, 4000, 0, 1000], left_out: [] };
	payload.timeline = { from: 0, to: 1, slice: 1, all: 0, strands: { process: [0, 0], tid: [71, 72] }, losses: { strand: [], at: [], count: [] },
			     calls: { strand: [], depth: [], function: [], begin: [], extent: [], waited: [] }, sums: { strand: [], depth: [], slice: [], function: [], calls: [], ticks: [] } };
	const page = await open(t, payload, { hash: "#tab=flame&graph=threads&weight=calls" });
	const frames = await page.evaluate(() => window.rarog.frames());
	const width = (label) => frames.find((frame) => frame.label === label).width;

	assert.ok(Math.abs(width("thread 71") / width("thread 72") - 2) < 0.01);
	assert.ok(Math.abs(width("memcpy") - width("thread 71")) < 0.01);
});

test("columns can be hidden and made wider, and the address says so", async (t) => {
	const page = await open(t, smallPayload(), { tab: "functions" }), heads = (of) => of.$$eval("#functions thead th", (list) => list.map((th) => th.className));

	await page.click("#page-flame .columns summary");
	await page.uncheck("#page-flame [data-column=min]");
	await page.uncheck("#page-flame [data-column=calls]");
	assert.ok(!(await heads(page)).includes("c-min"));
	await page.click("h1");
	assert.equal(await page.isVisible("#page-flame [data-column=min]"), false, "a click beside the menu closes it");
	const before = (await page.locator("th.c-name").boundingBox()).width, edge = await page.locator("th.c-name .resizer").boundingBox();

	await page.mouse.move(edge.x + edge.width / 2, edge.y + 4);
	await page.mouse.down();
	await page.mouse.move(edge.x + edge.width / 2 + 120, edge.y + 4, { steps: 4 });
	await page.mouse.up();
	const wide = (await page.locator("th.c-name").boundingBox()).width, { "hide-functions": hidden, "width-functions": widths } = await state(page);

	assert.ok(wide > before + 60, `${before} ${wide}`);
	assert.equal(hidden, "min.calls");
	assert.match(widths, /^name:\d+$/);
	await page.click("#functions tbody tr:has-text('parse_input')");
	const other = await open(t, smallPayload(), { hash: await page.evaluate(() => location.hash) });

	assert.deepEqual(await heads(other), await heads(page));
	assert.ok(Math.abs((await other.locator("th.c-name").boundingBox()).width - wide) < 3);
	await page.locator("th.c-name .resizer").dblclick();
	assert.equal((await state(page))["width-functions"], undefined);
});

test("what is searched for stands out, also over parts of a name, as text and as expression", async (t) => {
	const page = await open(t, smallPayload(), { tab: "functions" });
	/* marks are made anew with the next picture after rows have changed */
	const marked = (...texts) => page.waitForFunction((wanted) => {
		const shown = [...CSS.highlights.get("search") ?? []].map((range) => range.toString());

		return JSON.stringify([...new Set(shown)].sort()) === JSON.stringify(wanted);
	}, texts);

	await page.fill("#search", "SOLVE");
	await marked("solve");
	await page.fill("#search", "core::so");
	await marked("core::so");
	await page.fill("#search", "/^m.*[yn]$/");
	await marked("main", "memcpy");
	await page.fill("#search", "-?+");
	await marked();
	await page.fill("#search", "");
	await marked();
});

test("noise: intervals stand where their numbers are, the most sensitive first", async (t) => {
	const payload = smallPayload(), header = { ...JSON.parse(payload.header), base_ns: 10000 };

	payload.header = JSON.stringify(header);
	payload.functions.total.fill(5000);
	payload.experiments = { function: [1, 3], line: [0, 12], kind: ["busy", "busy"], amount: [100, 200], runs: [7, 9], effect: [0.25, 1], low: [0, 0.9], high: [0.5, 1.25] };
	const page = await open(t, payload, { tab: "noise" }), rows = await page.$$eval("#noise tbody:not(.spacer) tr", (list) => list.map((tr) => tr.textContent));

	assert.match(rows[0], /compare, line 12.*100 %.*0\.500/);
	assert.match(rows[1], /parse_input.*25\.0 %.*0\.125/);
	const [track, bar] = await page.$$eval("#noise tbody:not(.spacer) tr:nth-child(2) .track, #noise tbody:not(.spacer) tr:nth-child(2) .track b", (list) => list.map((e) => e.getBoundingClientRect().toJSON()));

	assert.ok(Math.abs(bar.left - track.left) < 1, "from 0, the least of all");
	assert.ok(Math.abs(bar.width / track.width - 0.5 / 1.25) < 0.01);
	assert.equal(await (await open(t, smallPayload(), { tab: "overview" })).$("#tabs [data-tab=noise]"), null);
});

test("noise: the overview says on what most hangs, or that nothing is sure; pages that it lacks are no tabs", async (t) => {
	const payload = smallPayload(), finds = async () => {
		const page = await open(t, payload, { tab: "overview" });

		assert.deepEqual(await tabs(page), ["overview", "noise", "environment"]);
		return page.$$eval("#headline li", (list) => list.map((li) => li.textContent));
	};

	Object.assign(payload, { timeline: null, models: null, arguments: null, threads: null, tree: { depth: [], function: [], count: [], self: [], waited: [], preempted: [], left_out: [] } });
	payload.experiments = { function: [1, 3], line: [0, 0], kind: ["speed-up", "speed-up"], amount: [10, 10], runs: [6, 6], effect: [0.4, 0.1], low: [0.3, -0.1], high: [0.5, 0.2] };
	assert.match((await finds()).join("|"), /^Would gain most if it were fasterparse_input40\.0 % of the run; 95 % interval 30\.0 % … 50\.0 %$/);
	payload.experiments.low[0] = -0.3;
	assert.match((await finds()).join("|"), /^Nothing is sure.*largest estimateparse_input40\.0 % of the run; 95 % interval −30\.0 % … 50\.0 %$/);
});

test("noise: the runs of the chosen function, of all or of a thread, with what is told of them", async (t) => {
	const payload = smallPayload();

	payload.header = JSON.stringify({ ...JSON.parse(payload.header), base_ns: 10000 });
	payload.functions.total.fill(5000);
	payload.experiments = { function: [1, 3], line: [0, 0], kind: ["busy", "busy"], amount: [100, 200], runs: [2, 1], effect: [0.25, 1], low: [0, 0.9], high: [0.5, 1.25],
				trials: { function: [1, 1, 1, 1, 3, 3], strand: [-1, -1, -1, 0, -1, -1], number: [1, 2, 3, 3, 1, 4], injected: [0, 1000, 2000, 2000, 0, 500], time: [9000, 9250, 9500, 700, 9000, 9500] } };
	const page = await open(t, payload, { tab: "noise" });

	assert.match(await page.textContent("#noise-runs-heading"), /compare/); /* the most sensitive one */
	assert.match(await page.textContent("#noise-plot-note"), /^2 runs, 1 of them without noise/);
	await page.click("#noise tbody tr:has-text('parse_input')");
	assert.match(await page.textContent("#noise-plot-note"), /^3 runs, 1 of them without noise.*the run; the line is the estimate/);
	assert.match(await page.getAttribute("#noise-plot", "aria-label"), /parse_input: time of 3 runs by the noise in it/);
	await page.selectOption("#noise-thread", "0");
	assert.match(await page.textContent("#noise-plot-note"), /^1 run, 0 of them without noise.*the thread\.$/);
	payload.experiments.trials = null;
	assert.equal(await (await open(t, payload, { tab: "noise" })).isVisible("#noise-runs"), false);
});

test("noise: functions by thread, and the profile of speed-up of each progress point", async (t) => {
	const payload = smallPayload(), steps = (gains) => gains.map((gain, i) => ({ part: 0.25 * 2 ** i, gain, runs: 2 }));

	payload.experiments = { function: [1, 3], line: [0, 0], kind: ["speed-up", "speed-up"], amount: [10, 10], runs: [6, 6], effect: [0.4, 0.1], low: [0.3, 0], high: [0.5, 0.2],
				trials: { function: [1, 1], strand: [-1, -1], number: [1, 2], injected: [0, 1000], time: [9000, 9100] } };
	payload.header = JSON.stringify({ ...JSON.parse(payload.header), base_ns: 10000,
		noise_points: [{ name: "parse_input", profile: steps([0.1, 0.2, 0.4]), points: [{ point: "done", estimate: 0.4, profile: steps([0.1, 0.2, 0.4]) }, { point: "half", profile: steps([0.05]) }] }],
		noise_threads: { starts: ["main", "worker"], functions: [{ name: "parse_input", calls: [3, 1000], effects: [null, 0.25] }, { name: "compare", calls: [0, 7], effects: [0.5, null] }] } });
	const page = await open(t, payload, { tab: "noise" });

	assert.deepEqual(await page.$$eval("#noise-threads tr", (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent))),
			 [["Function", "0 main", "1 worker"], ["parse_input", "3", "1,000 (25.0 %)"], ["compare", "", "7"]]);
	await page.selectOption("#noise-thread", { label: "a passage of done, by how much faster the function is" });
	assert.match(await page.getAttribute("#noise-plot", "aria-label"), /parse_input: profile of speed-up, 3 strengths/);
	assert.match(await page.textContent("#noise-plot-note"), /^3 strengths; .* the median of 2, 2, 2 runs\.$/);
	await page.selectOption("#noise-thread", { label: "a passage of half, by how much faster the function is" });
	assert.match(await page.textContent("#noise-plot-note"), /^1 strength;/);
	assert.equal(await (await open(t, smallPayload(), { tab: "overview" })).isVisible("#noise-by-thread"), false);
});
