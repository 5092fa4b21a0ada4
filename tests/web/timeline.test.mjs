/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The timeline of many threads, and of calls of which only some were recorded; all arguments of a function together. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { linearModel, makePage, smallPayload } from "./fixture.mjs";
import { launch, openPage } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "rarog-timeline-"));
let browser, n = 0;

before(async () => {
	browser = await launch();
});
after(async () => {
	await browser?.close();
	rmSync(folder, { recursive: true });
});

function open(t, payload, options) {
	const file = join(folder, `${n++}.html`);

	writeFileSync(file, makePage(payload));
	return openPage(t, browser, file, options);
}

/** A call of function 1 in each of @threads threads, each a tick later and longer. */
function threadsPayload(threads) {
	const payload = smallPayload(), each = Array.from({ length: threads }, (_, i) => i), zero = each.map(() => 0);

	payload.timeline = { from: 0, to: 2 * threads, slice: 10, all: threads, strands: { process: zero, tid: each.map((i) => 1000 + i) },
			     calls: { strand: each, depth: zero, function: zero.map(() => 1), begin: each, extent: each.map((i) => i + 1), waited: zero },
			     sums: { strand: [], depth: [], slice: [], function: [], calls: [], ticks: [] }, losses: { strand: [], at: [], count: [] } };
	return payload;
}

test("timeline: begins with the first call and ends with the last, which is everything", async (t) => {
	const payload = threadsPayload(3);

	Object.assign(payload.timeline, { from: 0, to: 100000 });
	payload.timeline.calls.begin = [50000, 50200, 50100];
	payload.timeline.calls.extent = [100, 300, 400];
	const page = await open(t, payload, { tab: "timeline" });
	const look = () => page.evaluate(() => window.rarog.look()), ns = 1e9 / payload.clock.hz;

	assert.deepEqual(await look(), [50000 * ns, 50500 * ns]);
	await page.click("#timeline-in");
	assert.notDeepEqual(await look(), [50000 * ns, 50500 * ns]);
	await page.click("#timeline-all");
	assert.deepEqual(await look(), [50000 * ns, 50500 * ns]);
	await page.waitForFunction(() => !location.hash.includes("from="));
});

test("timeline: of three thousand threads each can be looked at", async (t) => {
	const page = await open(t, threadsPayload(3000), { tab: "timeline" });
	const spans = () => page.evaluate(() => window.rarog.spans().map(({ item }) => item));

	assert.equal((await spans())[0], 0);
	assert.ok(!(await spans()).includes(2999), "it is far below");
	await page.evaluate(() => {
		document.getElementById("timeline-box").scrollTop = 1e6;
	});
	assert.equal((await spans()).at(-1), 2999);
	await page.keyboard.press("0");
	await page.evaluate(() => {
		document.getElementById("timeline-box").scrollTop = 0;
	});
	await page.keyboard.press("l"); /* the longest is that of the last thread */
	assert.equal(await page.evaluate(() => window.rarog.call()), 2999);
	assert.match(await page.textContent("#timeline-facts"), /in thread 3999/);
	const { x, y } = await page.evaluate(() => window.rarog.spans().find(({ item }) => item === 2998));

	await page.mouse.click(x, y);
	assert.equal(await page.evaluate(() => window.rarog.call()), 2998, "a click hits what is drawn there");
});

test("timeline: dragging moves in time, and up and down between threads", async (t) => {
	const page = await open(t, threadsPayload(3000), { tab: "timeline" }), box = await page.locator("#timeline").boundingBox();
	const x = box.x + box.width / 2, y = box.y + box.height / 2;

	await page.keyboard.press("+");
	const [from] = await page.evaluate(() => window.rarog.look());

	await page.mouse.move(x, y);
	await page.mouse.down();
	await page.mouse.move(x - 100, y - 60, { steps: 4 });
	await page.mouse.up();
	assert.ok((await page.evaluate(() => window.rarog.look()))[0] > from);
	assert.equal(await page.evaluate(() => document.getElementById("timeline-box").scrollTop), 60);
});

test("timeline: of sampled calls it has those that were recorded, and says so", async (t) => {
	const page = await open(t, { ...threadsPayload(3), calls_sampled: true }, { tab: "timeline" });

	assert.equal((await page.evaluate(() => window.rarog.spans())).length, 3);
	assert.match(await page.textContent("#timeline-note"), /Only some calls were recorded/);
});

test("arguments: those of a function beside each other, with one axis of time, a name leads to one", async (t) => {
	const payload = smallPayload(), x = [1, 2, 3, 4], y = [100, 400, 200, 300];

	payload.arguments = [{ function: 1, within: -1, name: "n", type: "int", seen: 4, x, y },
			     { function: 1, within: -1, name: "level", type: "int", seen: 4, x: [9, 9, 1, 1], y },
			     { function: 3, within: -1, name: "other", type: "int", seen: 4, x, y }];
	payload.models = { level: 0.95, models: [linearModel(1, "parse_input", 4)] };
	const page = await open(t, payload, { tab: "arguments" }), shown = () => page.locator("#scatter-all li:not([hidden])").count();

	assert.ok(await page.isHidden("#scatter-all"));
	await page.click("label[for=scatter-of-all]");
	assert.equal(await shown(), 2, "not the one of another function");
	assert.ok(await page.isHidden("#scatter-box"));
	const [a, b] = await page.evaluate(() => window.rarog.multiples());

	assert.deepEqual(a.map(([, py]) => py), b.map(([, py]) => py), "equal times are equally high");
	assert.ok(a[0][0] < a[1][0] && b[0][0] > b[2][0], "across its own value");
	const other = await open(t, payload, { hash: await page.evaluate(() => location.hash) });

	assert.equal(await other.locator("#scatter-all li:not([hidden])").count(), 2, "the address leads to it");
	await page.click("#scatter-all button >> text=level");
	assert.ok(await page.isVisible("#scatter-box") && await page.isHidden("#scatter-all"));
	assert.equal(await page.textContent("#scatter-name"), "parse_input: level");
	await page.goBack();
	assert.equal(await shown(), 2);
	await page.click("#arguments tbody tr >> text=other");
	assert.ok(await page.isHidden("#scatter-all") && await page.isHidden("#scatter-which"), "the only one of its function");
});

test("a narrow window: the chosen tab is in sight, whichever it is", async (t) => {
	const page = await open(t, threadsPayload(3), { tab: "overview", viewport: { width: 360, height: 700 } });
	const isSeen = () => page.evaluate(() => {
		const tab = document.querySelector("#tabs [aria-selected=true]").getBoundingClientRect();

		return tab.left >= 0 && tab.right <= innerWidth;
	});

	for (const id of (await page.$$eval("#tabs button", (list) => list.map((button) => button.dataset.tab))).reverse()) {
		await page.evaluate((tab) => {
			location.hash = `#tab=${tab}`;
		}, id);
		await page.waitForFunction((tab) => document.querySelector("#tabs [aria-selected=true]").dataset.tab === tab, id);
		assert.ok(await isSeen(), id);
	}
});
