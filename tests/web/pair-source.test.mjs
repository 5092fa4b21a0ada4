/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sources of two versions as one text with the counts of both. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { makePage, pairGraphsPayload } from "./fixture.mjs";
import { cannotCount as skip, clickBlock, dataOf, graphOf, launch, lowContrast, openPage, rarog, typeSearch } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "rarog-pair-source-"));
const lines = readFileSync(fileURLToPath(new URL("../blocks/lines.c", import.meta.url)), "utf8");
const changed = lines.replace("i % 3 == 0)", "i % 4 == 0)").replace("\ts -= 2;", "\ts -= 3,\n\t\t\ts++;").replace("static int never(void)\n{", "static int never(void)\n{\n\t/* — */");
let browser;

const run = (cwd, command, ...words) => execFileSync(command, words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
const git = (cwd, ...words) => run(cwd, "git", "-c", "user.name=a", "-c", "user.email=a@b", ...words);

function count(cwd, profile) {
	run(cwd, rarog, "cc", "-O0", "-g", "-o", "lines", "lines.c");
	run(cwd, rarog, "-q", "collect", "blocks", "-o", join(folder, profile), "--", "./lines", "50");
}

before(async () => {
	browser = await launch();
	if (skip)
		return;
	const cwd = join(folder, "project");

	mkdirSync(cwd);
	git(cwd, "init", "-q");
	writeFileSync(join(cwd, ".gitignore"), "lines\n");
	for (const [profile, text] of [["before.rarog", lines], ["now.rarog", changed]]) {
		writeFileSync(join(cwd, "lines.c"), text);
		git(cwd, "add", ".");
		git(cwd, "commit", "-qm", profile);
		count(cwd, profile);
	}
	/* the first version, built in a folder that is gone afterwards */
	git(folder, "clone", "-q", "project", "gone");
	git(join(folder, "gone"), "checkout", "-q", "HEAD~1");
	count(join(folder, "gone"), "gone.rarog");
	rmSync(join(folder, "gone"), { recursive: true });
	/* what is there today is neither version */
	writeFileSync(join(cwd, "lines.c"), "int main(void) {}\n");
	run(cwd, rarog, "report", "../before.rarog", "../now.rarog", "-o", "../pair.html");
	run(cwd, rarog, "report", "../gone.rarog", "../now.rarog", "-o", "../gone.html");
	run(cwd, rarog, "report", "../gone.rarog", "-o", "../gone-alone.html");
	run(cwd, rarog, "report", "--no-sources", "../before.rarog", "../now.rarog", "-o", "../without.html");
	run(cwd, rarog, "check", "--fail-on", "never", "--html", "../check.html", "../before.rarog", "../now.rarog");
	run(folder, rarog, "report", "before.rarog", "now.rarog", "-o", "outside.html"); /* nobody knows the project there */
});
after(async () => {
	await browser?.close();
	rmSync(folder, { recursive: true });
});

const open = (t, name, options) => openPage(t, browser, join(folder, `${name}.html`), options);

async function openMade(t, payload, options) {
	const file = join(folder, `${t.name.replace(/\W+/g, "-").slice(0, 60)}.html`);

	writeFileSync(file, makePage(payload, "made", "pair"));
	return openPage(t, browser, file, options);
}

async function choose(page, name) {
	await page.click(`#functions td.c-name >> text="${name}"`);
	await graphOf(page);
}

/** The rows of the source that exist. */
const rowsOf = (page) => page.$$eval("#source li", (list) => list.map((row) => {
	const [before, now] = [...row.querySelectorAll(".number")].map((cell) => Number(cell.textContent));
	const [was, is, difference] = [...row.querySelectorAll(".count")].map((cell) => cell.textContent);

	return { before, now, was, is, difference, sign: row.querySelector(".sign").textContent, text: row.querySelector("code").textContent,
		 colour: row.querySelector(".difference").className.match(/(?:more|fewer)-\d/)?.[0] ?? "", isHit: row.classList.contains("of-block"),
		 isIdle: row.classList.contains("idle"), partly: row.querySelector(".partly").textContent };
}));

async function allRows(page) {
	const rows = new Map();

	for (let top = 0; ; top += 400) {
		const height = await page.$eval("#source-box", (box, at) => { box.scrollTop = at; return box.scrollHeight; }, top);

		await page.waitForTimeout(50);
		for (const row of await rowsOf(page))
			rows.set(`${row.before} ${row.now}`, row);
		if (top > height)
			return [...rows.values()];
	}
}

const number = (text) => text === "" ? null : Number(text.replace(/[,+]/g, "").replace("−", "-"));

/** By lcov, which does not come from here: line to count. */
function lcov(profile) {
	const text = run(folder, rarog, "export", "--format=lcov", "-o", "-", profile), counts = new Map();

	for (const [, line, times] of text.matchAll(/^DA:(\d+),(\d+)/gm))
		counts.set(Number(line), Number(times));
	return counts;
}

test("both sources are those of their commits, as one text with the counts of both", { skip }, async (t) => {
	const page = await open(t, "pair");

	await choose(page, "many");
	const rows = await allRows(page), was = lcov("before.rarog"), is = lcov("now.rarog");
	const text = (side) => rows.filter((row) => row[side] > 0).sort((a, b) => a[side] - b[side]).map((row) => row.text).join("\n") + "\n";

	assert.equal(text("before"), lines);
	assert.equal(text("now"), changed);
	assert.ok(was.size > 20 && is.size > 20);
	for (const row of rows) {
		assert.equal(number(row.was), was.get(row.before) ?? null, JSON.stringify(row));
		assert.equal(number(row.is), is.get(row.now) ?? null, JSON.stringify(row));
		const difference = number(row.difference) ?? 0;

		if (row.sign === "")
			assert.equal(difference, row.is === "" || row.was === "" ? 0 : number(row.is) - number(row.was), JSON.stringify(row));
		assert.match(row.colour, difference > 0 ? /^more-[1-4]$/ : difference < 0 ? /^fewer-[1-4]$/ : /^$/);
		assert.equal(row.sign, row.before === 0 ? "+" : row.now === 0 ? "−" : "");
	}
	/* a line that was rewritten is compared with what it was */
	const sums = rows.filter(({ sign }) => sign !== "").reduce((all, row) => [all[0] + (number(row.difference) ?? 0), all[1] + (number(row.is) ?? 0) - (number(row.was) ?? 0)], [0, 0]);

	assert.equal(sums[0], sums[1]);
	assert.deepEqual(rows.filter(({ text, sign }) => sign !== "" && text.includes("if (i %")).map(({ was, is, difference }) => [was, is, difference]), [["50", "", ""], ["", "50", ""]]);
	assert.deepEqual(rows.filter(({ sign }) => sign === "−").map(({ text }) => text.trim()).sort(), ["if (i % 3 == 0)", "s -= 2;"]);
	assert.deepEqual(rows.filter(({ sign }) => sign === "+").map(({ text }) => text.trim()).sort(), ["/* — */", "if (i % 4 == 0)", "s -= 3,", "s++;"]);
	assert.ok(rows.some(({ sign, difference }) => sign === "" && difference !== ""), "a line of both has another count");
	assert.match(await page.textContent("#source-sum"), /^\+4 −2 · other counts on \d+ lines$/);
	assert.equal(await page.isHidden("#source-note"), true);
});

test("rarog check --html has the same sources", { skip }, () => {
	const [a, b] = ["pair", "check"].map((name) => dataOf(join(folder, `${name}.html`)));

	assert.deepEqual(a.source_texts, b.source_texts);
	assert.deepEqual(a.checks[0].sources, b.checks[0].sources);
	assert.deepEqual([...a.source_texts].sort(), [lines, changed].sort());
});

test("a version that was built in a folder that is gone has the sources of its commit", { skip }, () => {
	const { source_texts: texts, checks: [{ sources: { before, now } }] } = dataOf(join(folder, "gone.html"));

	assert.deepEqual([before, now].map((side) => [texts[side.text[0]], side.state[0]]), [[lines, "whole"], [changed, "whole"]]);
	assert.match(before.path[0], /\/gone\/lines\.c$/);
	const { files, sources } = dataOf(join(folder, "gone-alone.html")), at = files.indexOf(before.path[0]);

	assert.deepEqual([sources.text[at], sources.state[at]], [lines, "whole"]);
});

test("what nobody has is said: the file of today is not what ran, and --no-sources leaves them out", { skip }, async (t) => {
	const outside = await open(t, "outside"), without = await open(t, "without");

	await choose(outside, "many");
	assert.match(await outside.textContent("#source-note"), /was changed after/);
	await choose(without, "many");
	assert.match(await without.textContent("#source-note"), /written without source files.*meet by their numbers/);
	assert.deepEqual(dataOf(join(folder, "without.html")).source_texts, []);
	const rows = await allRows(without), was = lcov("before.rarog"), is = lcov("now.rarog");

	assert.ok(rows.length > 10);
	for (const row of rows) {
		assert.equal(number(row.was), was.get(row.before) ?? null);
		assert.equal(number(row.is), is.get(row.now) ?? null);
	}
});

test("colours begin where blocks begin; graph, source and panel follow each other", { skip }, async (t) => {
	const page = await open(t, "pair");

	await choose(page, "many");
	const { blocks } = await graphOf(page), largest = blocks.reduce((a, b) => Math.abs(b.gain) > Math.abs(a.gain) ? b : a);
	const columns = await page.$$eval("#source .column", (list) => list.map((piece) => [Number(piece.dataset.block), piece.className, piece.title]));

	assert.ok(columns.length > 5);
	for (const [at, style, title] of columns) {
		const { before, now } = blocks.find((block) => block.number === at), more = now.count - before.count;

		assert.match(style, more > 0 ? /more-\d/ : more < 0 ? /fewer-\d/ : /^column( chosen)?$/, title);
	}
	assert.ok(columns.some(([, style]) => style.includes("more-")) && columns.some(([, style]) => style.includes("fewer-")));

	await clickBlock(page, largest.number);
	const hit = (await rowsOf(page)).filter(({ isHit }) => isHit);

	assert.ok(hit.some((row) => row.now === largest.now.line || row.before === largest.before.line), JSON.stringify(hit));
	/* a line that only one version has leads to the block that is on it */
	await page.click("#source li:has-text('s -= 3,') .count >> nth=0");
	assert.match(await page.textContent("#live"), /^line \d+, only now: reached \d+ times/);
	const chosen = await page.getAttribute("#source .chosen", "data-block");

	assert.ok(blocks.some((block) => String(block.number) === chosen));
	/* a line of another function leads there */
	await page.click("#source li:has-text('x *= 3;') .count >> nth=0");
	assert.equal(await page.textContent("#flow-name"), "kind");
	assert.match(await page.textContent("#live"), /reached .* before, .* now/);
});

test("the keyboard goes from line to line and from change to change", { skip }, async (t) => {
	const page = await open(t, "pair"), rows = async () => (await page.$$("#source li[aria-selected=true]")).length;

	await choose(page, "many");
	await page.focus("#source-box");
	await page.keyboard.press("Home");
	assert.match(await page.textContent("#live"), /^line 1, no code/);
	await page.keyboard.press("ArrowDown");
	assert.match(await page.textContent("#live"), /^line 2, /);
	assert.equal(await rows(), 1);
	await page.keyboard.press("n");
	const first = await page.textContent("#live");

	assert.doesNotMatch(first, /^line 2,/);
	await page.keyboard.press("n");
	assert.notEqual(await page.textContent("#live"), first);
	await page.keyboard.press("p");
	assert.equal(await page.textContent("#live"), first);
	await page.click("#source-up");
	assert.equal(await page.textContent("#live"), "no earlier change");
	await page.keyboard.press("End");
});

test("functions that only one version has, and names and texts from outside", async (t) => {
	const payload = pairGraphsPayload(3, 6), [check] = payload.checks;

	payload.source_texts = payload.source_texts.map((text) => text.replace("x0)", "x0) <img src=x onerror=alert(1)>\u202e"));
	check.sources.before.of_row = [-1, 0, 0];
	check.sources.now.path = ["/src/<b>other</b>.c"];
	const page = await openMade(t, payload);

	await choose(page, "made_0");
	assert.equal(await page.textContent("#source-name"), "made0.c → b>.c");
	assert.match(await page.textContent("#source"), /<img src=x onerror=alert\(1\)>\\u\{202e\}/);
	check.sources.before.of_row = [-1, -1, -1]; /* the file is new */
	const other = await openMade(t, payload);

	await choose(other, "made_1");
	assert.ok((await rowsOf(other)).every((row) => row.before === 0 && row.sign === "+"));
});

for (const [name, options] of [["dark", { colorScheme: "dark" }], ["a phone", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 3 }]])
	test(`two sources as one on ${name}`, async (t) => {
		const page = await openMade(t, pairGraphsPayload(20, 12), options);

		await choose(page, "made_0");
		assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth), false, "no sideways scrolling");
		assert.ok((await page.$$("#source [class*=more-], #source [class*=fewer-]")).length > 0);
		assert.deepEqual(await page.evaluate(lowContrast), []);
	});

test("a file of 200,000 lines in two versions: the page answers (times printed)", async (t) => {
	const payload = pairGraphsPayload(8000, 6), { source_texts: texts } = payload, n = texts.length / 2;
	const filler = Array.from({ length: 200000 }, (_, i) => i % 5 === 0 ? "}" : `\tvalue[${i % 4000}] = ${i % 17};`);

	texts[0] += "\n" + filler.join("\n");
	texts[n] += "\n" + filler.map((line, i) => i % 100 === 50 ? "\tchanged();" : line).join("\n");
	const begin = performance.now(), page = await openMade(t, payload);

	t.diagnostic(`opened in ${(performance.now() - begin).toFixed(0)} ms (${await page.getAttribute("html", "data-ready")} ms of script)`);
	const at = performance.now();

	await choose(page, "made_0");
	t.diagnostic(`a function in it is shown after ${(performance.now() - at).toFixed(0)} ms`);
	assert.match(await page.textContent("#source-sum"), /^\+2,002 −2,001/);
	await page.focus("#source-box");
	await page.keyboard.press("End");
	assert.match(await page.textContent("#live"), /^line 20\d,?\d+/);
	assert.ok((await page.$$("#source li")).length < 100);
	t.diagnostic(`a letter typed into the search shows after at most ${await typeSearch(page, "made_4")} ms`);
});
