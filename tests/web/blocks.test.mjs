/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The page of counts of blocks: a compiled program, whose numbers must be those of rarog show, and
 * made-up ones for what is large.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { blocksPayload, makePage } from "./fixture.mjs";
import {
	cannotCount as skip, clickBlock, dataOf, graphOf as graph, launch, lowContrast, openPage, rarog, tableRows as rows, typeSearch,
} from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "rarog-blocks-"));
const source = fileURLToPath(new URL("../blocks/lines.c", import.meta.url));
let browser;

const run = (...words) => execFileSync(rarog, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
const show = (...words) => JSON.parse(run("show", "--json", ...words, "lines.rarog"));

before(async () => {
	browser = await launch();
	if (skip)
		return;
	copyFileSync(source, join(folder, "lines.c"));
	run("cc", "--rarog-ir", "-O0", "-g", "-o", "lines", "lines.c");
	run("-q", "collect", "blocks", "--", "./lines", "50");
	run("report", "lines.rarog", "-o", "lines.html");
});
after(async () => {
	await browser?.close();
	rmSync(folder, { recursive: true });
});

const open = (t, options) => openPage(t, browser, join(folder, "lines.html"), options);

async function openMade(t, payload, options) {
	const file = join(folder, `${t.name.replace(/\W+/g, "-").slice(0, 60)}.html`);

	writeFileSync(file, makePage(payload, "made", "blocks"));
	return openPage(t, browser, file, options);
}

const grouped = (n) => n.toLocaleString("en-US");

test("the data is what rarog show says", { skip }, () => {
	const data = dataOf(join(folder, "lines.html")), said = show(), f = data.functions;
	let block = 0;

	assert.deepEqual([...f.name].sort(), said.functions.map(({ name }) => name).sort());
	f.name.forEach((name, i) => {
		const blocks = said.blocks.filter((b) => b.function === name).sort((a, b) => a.id - b.id);

		assert.equal(blocks.length, f.blocks[i]);
		for (const { count, instructions, line, column } of blocks) {
			const b = data.blocks;

			assert.deepEqual([b.count[block], b.instructions[block], b.line[block] || null, b.column[block] || null], [count, instructions, line, column]);
			block++;
		}
	});
	const known = ["header", "depth", "blocks", "entries", "iterations", "instructions"];
	const listed = (list, name) => list.map((loop) => [name(loop), ...known.map((key) => loop[key])].join(" ")).sort();

	assert.deepEqual(listed(data.loops, (loop) => f.name[loop.function]), listed(show("--loops").loops, (loop) => loop.function));
});

test("tables: functions, source files and loops with the numbers of rarog show", { skip }, async (t) => {
	const page = await open(t), said = show(), share = (x) => `${(x * 100).toFixed(1)} %`;
	const ran = said.functions.filter((fn) => fn.blocks_executed > 0);

	assert.deepEqual((await rows(page, "counted")).map((cells) => cells.slice(0, 5)), ran.map((fn) => [fn.name,
		`${share(fn.share)}${grouped(fn.instructions)}`, grouped(fn.count), grouped(Number(fn.instructions_per_call.toFixed(1))),
		`${fn.blocks_executed} of ${fn.blocks}`]));
	const [module] = await rows(page, "modules"), { coverage_of_all: [sums] } = show("--coverage");

	assert.deepEqual(module.slice(0, 3), ["lines.c", `100 %${grouped(said.header.totals.instructions)}`, "3 of 4"]);
	assert.deepEqual(module.slice(3), ["blocks", "lines", "branches"].map((what) =>
		`${grouped(sums[what === "branches" ? "branches_taken" : `${what}_executed`])} of ${grouped(sums[what])}`));
	const loops = show("--loops").loops.filter((loop) => loop.iterations > 0);

	(await rows(page, "counted")).forEach((cells, i) => {
		const found = cells.find((cell) => / × .*, line \d+$/.test(cell));

		assert.equal(found !== undefined, ran[i].hottest_loop_line !== null, `${cells}: ${ran[i].hottest_loop_line}`);
		if (!found)
			return;
		const each = ran[i].hottest_loop_iterations / ran[i].hottest_loop_entries;

		assert.ok(Math.abs(Number(found.split(" × ")[1].split(", ")[0]) - each) < 0.01, `${found}, not ${each}`);
		assert.ok(found.endsWith(`, line ${ran[i].hottest_loop_line}`), found);
	});

	assert.deepEqual((await rows(page, "loops")).map((cells) => [cells[2], cells[3], cells[cells.length - 3]]),
			 loops.map((loop) => [loop.entries, loop.iterations, loop.own_instructions].map(grouped)));
	for (const words of ["Instructions", "Functions that ran75.0 %3 of 4", "Branches taken", "Lines that ran"])
		assert.ok((await page.textContent("#figures")).includes(words), words);
	assert.match(await page.textContent("#limits"), /do not know callers.*Nothing here is a time.*intermediate code/);
	await page.fill("#search", "never");
	assert.deepEqual(await page.evaluate(() => window.rarog.rows()), ["never"]);
	assert.match(await page.textContent("#counted"), /never ran/);
});

test("lines and branches of a header are of the header, as rarog show --coverage has them", { skip }, async (t) => {
	writeFileSync(join(folder, "odd.h"), "static inline int odd(int x)\n{\n\tif (x & 1)\n\t\treturn 3 * x + 1;\n\treturn x / 2;\n}\n");
	writeFileSync(join(folder, "user.c"), '#include "odd.h"\nint main(int n, char **v)\n{\n\tfor (int i = 0; i < 50; i++)\n\t\tn = odd(n + i);\n\treturn n == 1 && v;\n}\n');
	run("cc", "-O2", "-g", "-o", "user", "user.c");
	run("-q", "collect", "blocks", "-o", "user.rarog", "--", "./user");
	run("report", "user.rarog", "-o", "user.html");
	const page = await openPage(t, browser, join(folder, "user.html"));
	const said = JSON.parse(run("show", "--json", "--coverage", "user.rarog")).coverage;
	const shown = (await rows(page, "modules")).map((cells) => [cells[0], ...cells.slice(-2)]);

	assert.deepEqual(said.map(({ file }) => file.replace(/.*\//, "")).sort(), ["odd.h", "user.c"]);
	assert.deepEqual(shown.sort(), said.map((sums) => [sums.file.replace(/.*\//, ""), `${sums.lines_executed} of ${sums.lines}`,
		sums.branches > 0 ? `${sums.branches_taken} of ${sums.branches}` : "–"]).sort());
});

test("graph, panel and source are linked", { skip }, async (t) => {
	const page = await open(t), said = show().blocks.filter((b) => b.function === "many").sort((a, b) => a.id - b.id);

	await page.click("#counted td.c-name >> text=many");
	const drawn = await graph(page);

	assert.deepEqual(drawn.blocks.map(({ number, count }) => [number, count]), said.map((b) => [b.id, b.count]));
	/* what enters a block leaves it */
	for (const { number, count } of drawn.blocks)
		if (number > 0)
			assert.equal(drawn.ways.filter(({ to }) => to === number).reduce((sum, way) => sum + way.count, 0), count);
	assert.ok(drawn.ways.filter(({ isBack }) => isBack).length === 3);
	const hottest = said.reduce((a, b) => b.instructions_executed > a.instructions_executed ? b : a);

	await clickBlock(page, hottest.id);
	assert.match(await page.textContent("#counted-detail"), new RegExp(`Block ${hottest.id}.*Executed${grouped(hottest.count)} ×.*Begins at${hottest.line}:${hottest.column}`));
	assert.ok((await page.$$eval("#source li.of-block", (list) => list.map((row) => row.id))).includes(`line-${hottest.line}`));
	/* and back: the line of s -= 2, which ran 6 times */
	const line = await page.$("#source li:has-text('s -= 2;')");

	assert.equal(await line.$eval(".count", (cell) => cell.textContent), "6");
	await line.click();
	assert.match(await page.textContent("#counted-detail"), /Executed6 ×/);
	assert.match(await page.textContent("#live"), /reached 6 times/);
	/* a loop marks its blocks, in the graph too */
	await page.click("#loops tbody tr >> nth=0");
	const marked = (await graph(page)).blocks.filter(({ isMarked }) => isMarked).length;

	assert.equal(marked, show("--loops").loops[0].blocks);
	await page.click("#flow-name");
	await page.keyboard.press("Escape");
	assert.ok((await graph(page)).blocks.every(({ isMarked }) => isMarked));
});

test("columns: a condition and its steps have heat of their own", { skip }, async (t) => {
	const page = await open(t);

	await page.click("#counted td.c-name >> text=many");
	const pieces = await page.$$eval("#source li:has-text('for (int i') .column", (list) => list.map((piece) => [piece.textContent, piece.title]));

	assert.ok(pieces.some(([text, title]) => text.startsWith("i < n") || title.includes("executed 51 times")), JSON.stringify(pieces));
	assert.ok(pieces.some(([text, title]) => text.startsWith("i++") || title.includes("executed 50 times")), JSON.stringify(pieces));
});

test("code of blocks: as many instructions as were counted; else why not", { skip }, async (t) => {
	const { functions, blocks, ir } = dataOf(join(folder, "lines.html")), page = await open(t);
	let block = 0;

	assert.deepEqual(ir.state, ["written"]);
	functions.name.forEach((name, i) => {
		for (const end = block + functions.blocks[i]; block < end; block++) {
			const lines = ir.text[block]?.trimEnd().split("\n").slice(1).filter((line) => !line.includes(" = phi ") && !/^ {4,}|^ *\]/.test(line));

			assert.equal(lines === undefined, name === "never");
			if (lines && !lines.some((line) => line.startsWith("switch"))) /* which takes several lines */
				assert.equal(lines.length, blocks.instructions[block], ir.text[block]);
		}
	});
	await page.click("#counted td.c-name >> text=main");
	await clickBlock(page, 0);
	assert.match(await page.textContent("#counted-detail .ir"), /^0:|^%?\w+:/);
	assert.match(await page.textContent("#counted-detail .ir"), /alloca i32/);
	const made = await openMade(t, blocksPayload(2, 5));

	await clickBlock(made, 0);
	assert.match(await made.textContent("#counted-detail"), /compile with rarog cc --rarog-ir/);
});

test("sources: left out, changed, missing", { skip }, async (t) => {
	const state = (...words) => {
		run("report", "lines.rarog", "-o", "other.html", ...words);
		return dataOf(join(folder, "other.html")).sources;
	};

	assert.deepEqual(state("--no-sources"), { text: [null], state: ["unwanted"] });
	rmSync(join(folder, "lines.c"));
	assert.deepEqual(state(), { text: [null], state: ["missing"] });
	const page = await openPage(t, browser, join(folder, "other.html"));

	assert.match(await page.textContent("#source-note"), /was not there/);
	assert.ok((await page.$$("#source li")).length > 10);
	writeFileSync(join(folder, "lines.c"), "another\n");
	assert.deepEqual(state(), { text: ["another\n"], state: ["changed"] });
});

test("the keyboard reaches everything", async (t) => {
	const page = await openMade(t, blocksPayload(6, 12));

	await page.focus("#graph-box");
	await page.keyboard.press("Home");
	assert.match(await page.textContent("#live"), /^block 0, executed/);
	await page.keyboard.press("ArrowDown");
	const most = (await graph(page)).ways.filter(({ from, to }) => from === 0 && to !== 0).reduce((a, b) => b.count > a.count ? b : a);

	assert.match(await page.textContent("#counted-detail"), new RegExp(`Block ${most.to}Executed`));
	await page.keyboard.press("ArrowUp");
	assert.match(await page.textContent("#counted-detail"), /Block 0, where calls enter/);
	const before = (await graph(page)).scale;

	await page.keyboard.press("+");
	assert.ok((await graph(page)).scale > before);
	await page.focus("#source-box");
	await page.keyboard.press("ArrowDown");
	assert.match(await page.textContent("#live"), /^line \d+, /);
	await page.focus("#modules");
	await page.keyboard.press("ArrowDown");
	assert.match(await page.textContent("#of-module"), /made0\.c/);
	await page.click("#all-modules");
	assert.equal(await page.textContent("#of-module"), "");
});

test("a chosen source file narrows functions and loops, and shares are of it", async (t) => {
	const payload = blocksPayload(120, 10), page = await openMade(t, payload);

	await page.click("#modules tbody tr >> nth=1");
	const name = await page.textContent("#modules tr[aria-selected=true] td");
	const file = payload.files.findIndex((path) => path.endsWith(`/${name}`));
	const own = payload.functions.name.filter((_, i) => payload.functions.file[i] === file);

	assert.deepEqual((await page.evaluate(() => window.rarog.rows())).sort(), own.sort());
	assert.ok((await page.evaluate(() => window.rarog.loops())).every(([fn]) => own.includes(fn)));
	const sum = (await rows(page, "counted")).reduce((all, cells) => all + Number(/^([\d.]+) %/.exec(cells[1])?.[1] ?? 0), 0);

	assert.ok((await page.textContent("#counted")).length > 0 && sum > 40);
});

for (const [name, options] of [["dark", { colorScheme: "dark" }], ["a phone", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 3 }]])
	test(`counts of blocks on ${name}`, async (t) => {
		const page = await openMade(t, blocksPayload(6, 12), options);

		assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth), false, "no sideways scrolling");
		await clickBlock(page, 0);
		assert.match(await page.textContent("#counted-detail"), /Block 0/);
		assert.deepEqual(await page.evaluate(lowContrast), []);
	});

test("hostile names and sources are text", async (t) => {
	const payload = blocksPayload(1, 3);

	payload.functions.name = ["</script><img src=x onerror=alert(1)>"];
	payload.sources.text = ["<script>alert(2)</script>\u202e\r\n\tx"];
	payload.files = ["/</title><b>"];
	const page = await openMade(t, payload);

	assert.equal(await page.$$eval("img, b > script", (list) => list.length), 0);
	assert.match(await page.textContent("#source"), /<script>alert\(2\)<\/script>\\u\{202e\}/);
});

test("8,000 functions, and one of 3,000 blocks: only what is in sight exists, the page answers (times printed)", async (t) => {
	const payload = blocksPayload(8000, 6), large = blocksPayload(1, 3000, 2);
	const begin = performance.now(), page = await openMade(t, payload), opened = performance.now() - begin;

	assert.equal(await page.getAttribute("#counted", "aria-rowcount"), String(payload.functions.calls.filter((n) => n > 0).length + 1));
	assert.ok((await rows(page, "counted")).length < 60);
	assert.ok((await page.$$("#source li")).length < 100);
	t.diagnostic(`8,000 functions opened in ${opened.toFixed(0)} ms (${await page.getAttribute("html", "data-ready")} ms of script)`);
	const slowest = await typeSearch(page, "made_77");

	assert.deepEqual((await page.evaluate(() => window.rarog.rows())).sort(), payload.functions.name.filter((name) => name.includes("made_77")).sort());
	t.diagnostic(`a letter typed into the search shows after at most ${slowest} ms`);
	const other = await openPage(t, browser, (writeFileSync(join(folder, "large.html"), makePage(large, "large", "blocks")), join(folder, "large.html")));
	/* while it is laid out, other work of the page goes on */
	const [turns, longest, all] = await other.evaluate(async () => {
		const start = performance.now();
		let last = start, longest = 0, turns = 0;

		document.querySelector("#counted tbody:not(.spacer) tr").click();
		while (!window.rarog.graph().isReady) {
			await new Promise((resolve) => setTimeout(resolve));
			longest = Math.max(longest, performance.now() - last);
			last = performance.now();
			turns++;
		}
		return [turns, longest, performance.now() - start];
	});

	assert.ok(turns > 1, `${turns}`);
	t.diagnostic(`3,000 blocks laid out in ${all.toFixed(0)} ms, in ${turns} pieces of at most ${longest.toFixed(0)} ms`);
	assert.equal((await graph(other)).blocks.length + (await graph(other)).hidden, 3000);
});

test("of the engine vex it says nothing of what did not run", async (t) => {
	const payload = blocksPayload(6, 12);

	payload.header = JSON.stringify({ command: "./made up", collector: "trace", engine: "vex" });
	payload.loops = [];
	const page = await openMade(t, payload);
	const figures = await page.textContent("#figures"), limits = await page.evaluate(() => document.querySelector("#limits").textContent);

	assert.match(figures, /Functions that ran5of how many is not known/);
	assert.doesNotMatch(figures, /%|Loops|Branches|Lines|intermediate/);
	assert.match(limits, /this is no coverage.*neither loops nor paths/);
	assert.doesNotMatch(limits, /do not know callers|rarog cc/);
	assert.equal(await page.isVisible("#loops-section"), false);
	assert.doesNotMatch(await page.textContent("#modules"), /Lines|Branches| of /);
});
