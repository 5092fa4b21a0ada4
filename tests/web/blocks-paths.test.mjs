/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths and inlined code on the page of counts of blocks: a program that knows both, and rarog show. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { blocksPayload, makePage } from "./fixture.mjs";
import { cannotCount as skip, clickBlock, dataOf, graphOf, launch, openPage, rarog, tableRows } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "rarog-paths-"));
const page = join(folder, "paths.html");
let browser, printed;

/* Which of three decisions are taken together the program counts itself; twice() is inlined into thrice(), that into inner(). */
const source = `#include <stdio.h>
static volatile int sink;
static unsigned long taken[8];
static inline int twice(int n)
{
	if (n % 7 == 0)
		sink = 4;
	return 2 * n;
}
static inline int thrice(int n)
{
	return n + twice(n);
}
__attribute__((noinline)) void decide(unsigned n)
{
	int a = n % 2 == 0, b = n % 3 == 0, c = n % 5 == 0;
	taken[a + 2 * b + 4 * c]++;
	if (a)
		sink = 1;
	if (b)
		sink = 2;
	if (c)
		sink = 3;
}
__attribute__((noinline)) int inner(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += thrice(i);
	return sum;
}
int main(void)
{
	for (unsigned i = 0; i < 1000; i++)
		decide(i);
	sink = inner(50);
	for (int i = 0; i < 8; i++)
		printf("%lu\\n", taken[i]);
	return 0;
}
`;
const lineOf = (text) => source.split("\n").findIndex((line) => line.includes(text)) + 1;
const run = (...words) => execFileSync(rarog, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
const show = (profile, ...words) => JSON.parse(run("show", "--json", "-n", "0", ...words, profile));

before(async () => {
	browser = await launch();
	if (skip)
		return;
	writeFileSync(join(folder, "paths.c"), source);
	run("cc", "--rarog-paths", "-O0", "-g", "-o", "paths", "paths.c");
	printed = run("-q", "collect", "blocks", "-o", "paths.rarog", "--", "./paths").trim().split("\n").map(Number);
	run("report", "paths.rarog", "-o", page);
	run("cc", "-O1", "-g", "-o", "inlined", "paths.c");
	run("-q", "collect", "blocks", "-o", "inlined.rarog", "--", "./inlined");
	run("report", "inlined.rarog", "-o", "inlined.html");
});
after(async () => {
	await browser?.close();
	rmSync(folder, { recursive: true });
});

async function openFunction(t, file, name) {
	const opened = await openPage(t, browser, file);

	await opened.click(`#counted td.c-name >> text=${name}`);
	await graphOf(opened);
	return opened;
}

test("paths on the page are those of rarog show, and as often as the program says", { skip }, async (t) => {
	const { paths, functions } = dataOf(page), said = show("paths.rarog", "--paths").paths, listed = [];
	let at = 0;

	paths.blocks.forEach((n, i) => {
		listed.push([functions.name[paths.function[i]], paths.steps.slice(at, at + n).join(" "),
			     paths.next[i] < 0 ? null : paths.next[i], paths.count[i]].join("|"));
		at += n;
	});
	assert.deepEqual(listed.sort(), said.map((path) => [path.function, path.blocks, path.next, path.count].join("|")).sort());
	const opened = await openFunction(t, page, "decide"), shown = await opened.evaluate(() => window.rarog.paths());

	assert.deepEqual(shown.map(([, count]) => count).sort((a, b) => a - b), printed.sort((a, b) => a - b));
	assert.equal(await opened.textContent("#paths-of"), "through decide");
	assert.equal((await tableRows(opened, "paths")).length, 8);
});

test("a chosen path is shown in the graph, by mouse and by keyboard", { skip }, async (t) => {
	const opened = await openFunction(t, page, "decide");
	const marked = async () => {
		const { blocks, ways } = await graphOf(opened);

		return [blocks.filter(({ isMarked }) => isMarked).map(({ number }) => number).sort((a, b) => a - b),
			ways.filter(({ isMarked }) => isMarked).map(({ from, to }) => [from, to])];
	};
	const isPath = async (steps) => {
		const [blocks, ways] = await marked();

		assert.deepEqual(blocks, [...steps].sort((a, b) => a - b));
		/* the ways are one chain from its first to its last block */
		assert.equal(ways.length, steps.length - 1);
		steps.slice(1).forEach((to, i) => assert.ok(ways.some(([a, b]) => a === steps[i] && b === to), `${steps[i]} to ${to}`));
	};
	const paths = await opened.evaluate(() => window.rarog.paths());

	await opened.click("#paths tbody:not(.spacer) tr >> nth=1");
	await isPath(paths[1][0]);
	assert.match(await opened.textContent("#live"), new RegExp(`^path through blocks ${paths[1][0].join(" ")}.*, taken ${paths[1][1]} times$`));
	await opened.focus("#paths");
	await opened.keyboard.press("ArrowDown");
	await isPath(paths[2][0]);
	await opened.click("#counted-detail section:has(h3:text('Hottest paths')) button.edge >> nth=0");
	await isPath(paths[0][0]);
	await opened.click("#no-path");
	assert.ok((await graphOf(opened)).blocks.every(({ isMarked }) => isMarked));
	assert.equal(await opened.isHidden("#no-path"), true);
});

test("a program without counted paths has no table of them, and the head says why", { skip }, async (t) => {
	const opened = await openPage(t, browser, join(folder, "inlined.html"));

	assert.equal(await opened.isHidden("#paths-section"), true);
	assert.match(await opened.evaluate(() => document.querySelector("#limits").textContent), /rarog cc --rarog-paths counts paths/);
});

test("functions with more paths than a page has room for, and without any", async (t) => {
	const payload = blocksPayload(3, 4);

	payload.paths = { function: [0], count: [7], next: [1], blocks: [2], steps: [0, 1], uncounted: [1],
			  left_out: { function: [0], paths: [1234], instructions: [100] } };
	const file = join(folder, "made.html");

	writeFileSync(file, makePage(payload, "made", "blocks"));
	const opened = await openFunction(t, file, "made_0");

	assert.match(await opened.textContent("#paths-note"), /and 1,234 paths more with .* %/);
	assert.match((await tableRows(opened, "paths"))[0].join(" "), /0 1 → 1/);
	await opened.click("#counted td.c-name >> text=made_1");
	assert.match(await opened.textContent("#no-paths"), /were not counted/);
});

test("inlined code: the chain of calls down to it, as rarog show has it; its places open the source", { skip }, async (t) => {
	const all = show("inlined.rarog", "--blocks", "inner").blocks, said = all.filter((block) => block.inlined?.startsWith("twice"));
	const opened = await openFunction(t, join(folder, "inlined.html"), "inner");

	assert.ok(said.length > 0);
	/* the graph has the line of the code, not that of the call */
	for (const { number, paint } of (await graphOf(opened)).blocks)
		assert.equal(paint.place.startsWith("↳ "), all.find(({ id }) => id === number).inlined !== null);
	for (const { id, inlined } of said) {
		await clickBlock(opened, id);
		const chain = await opened.$$eval("#counted-detail .chain li", (list) => list.map((item) =>
			[item.querySelector("span").textContent, item.querySelector("button").textContent]));

		assert.deepEqual(chain.slice(0, -1).map((words) => words.join(" ")).join(" < "), inlined);
		assert.equal(chain.length, 3);
		/* what calls what is known from the source */
		assert.match(chain[1].join(" "), new RegExp(`^thrice paths\\.c:${lineOf("n + twice")}:13$`));
		assert.match(chain[2].join(" "), new RegExp(`^inner paths\\.c:${lineOf("sum += thrice")}:10$`));
	}
	await opened.click("#counted-detail .chain li:nth-child(2) button");
	assert.equal(await opened.getAttribute("#source li[aria-selected=true]", "id"), `line-${lineOf("n + twice")}`);
});
