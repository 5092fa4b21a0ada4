/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The page in a real browser. Numbers are compared with the data it was made from, not with what
 * the page itself computed.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { emptyPayload, largePayload, makePage, payloadOf, smallPayload } from "./fixture.mjs";
import { launch, lowContrast, openPage, showTab, timeScale } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "rarog-web-"));
let browser;

before(async () => {
	browser = await launch();
});
after(async () => {
	await browser?.close();
	rmSync(folder, { recursive: true });
});

async function open(t, html, options = {}) {
	const file = join(folder, `${t.name.replace(/\W+/g, "-").slice(0, 60)}.html`);

	writeFileSync(file, html);
	return openPage(t, browser, file, options);
}

const rows = (page) => page.$$eval("#functions tbody:not(.spacer) tr", (list) =>
	list.map((row) => [...row.cells].map((cell) => cell.textContent)));
const names = async (page) => (await rows(page)).map((cells) => cells[0]);
const frames = (page) => page.evaluate(() => window.rarog.frames());
const frame = async (page, label) => (await frames(page)).find((f) => f.label === label);
const settle = (page) => page.waitForTimeout(260 * timeScale); /* the zoom's animation */

async function clickFrame(page, label) {
	const target = await frame(page, label);

	assert.ok(target, `no frame ${label}`);
	await page.mouse.click(target.x, target.y);
	await settle(page);
}

test("summary says what was run and measured", async (t) => {
	const page = await open(t, makePage(smallPayload()));
	const text = await page.textContent("body > header") + await page.textContent("#page-overview");

	for (const part of ["./prog input.dat", "Ryzen 9 5950X", "commit 0123456789ab with local changes", "1,541",
			    "of 6 functions", "100 µs", "inline", "detail calls", "25 ns a call", "included in the times", "ended by SIGSEGV"])
		assert.ok(text.includes(part), `${part} in ${text}`);
	assert.equal(await page.$$eval(".banner", (list) => list.filter((e) => e.offsetParent).length), 0);
	await showTab(page, "environment");
	assert.match(await page.textContent("#all-facts"), /machine\.host\s*forge/);
	assert.match(await page.textContent(".processes"), /4711.*exit 0.*\.\/prog input\.dat/);
});

test("table shows exactly the functions of the data", async (t) => {
	const payload = smallPayload(), page = await open(t, makePage(payload));
	const shown = await rows(page);

	assert.equal(shown.length, 6);
	const solve = shown.find((cells) => cells[0] === "core::solve(int)");

	assert.equal(solve[1], "54.0 %54.0 µs");
	assert.equal(solve[2], "76.0 %76.0 µs"); /* recursion counts once */
	assert.equal(solve[3], "15");
	assert.equal(solve[10], "prog");
	assert.equal(solve[11], "solve.cc:7");
});

const numeric = ["exclusive", "total", "calls", "min", "mean", "p50", "p99", "max"];

test("each header sorts, both ways", async (t) => {
	const payload = largePayload(3000, 300), page = await open(t, makePage(payload));
	const f = payload.functions;
	const value = {
		exclusive: (i) => f.exclusive[i], total: (i) => f.total[i], calls: (i) => f.count[i], min: (i) => f.min[i],
		mean: (i) => f.sum[i] / f.timed[i], p50: (i) => f.p50[i], p99: (i) => f.p99[i], max: (i) => f.max[i],
		name: (i) => f.demangled[i], binary: (i) => payload.binaries.path[f.binary[i]].split("/").pop(),
		source: (i) => `${payload.files[f.file[i]].split("/").pop()}:${f.line[i]}`,
	};
	const called = f.name.map((_, i) => i).filter((i) => f.count[i] > 0);

	for (const key of [...numeric, "name", "binary", "source"]) {
		for (const again of [false, true]) {
			if (key !== "exclusive" || again)
				await page.click(`button[data-sort=${key}]`);
			else
				await page.evaluate(() => 0);
			const down = numeric.includes(key) !== again;
			const order = called.slice().sort((a, b) => {
				const x = value[key](a), y = value[key](b);

				return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1) || a - b;
			});

			assert.deepEqual(await page.evaluate(() => window.rarog.rows()), order.map((i) => f.demangled[i]),
					 `${key} ${down ? "descending" : "ascending"}`);
			assert.deepEqual((await names(page)).slice(0, 10), order.slice(0, 10).map((i) => f.demangled[i]));
			assert.equal(await page.getAttribute(`th.c-${key}`, "aria-sort"), down ? "descending" : "ascending");
			assert.equal(await page.$$eval("th[aria-sort]", (list) => list.length), 1);
		}
	}
});

test("search filters the table, marks the graph and says how much matched", async (t) => {
	const page = await open(t, makePage(smallPayload()));

	await page.fill("#search", "SOLVE");
	assert.deepEqual(await names(page), ["core::solve(int)"]);
	assert.match(await page.textContent("#matches"), /1 of 8 functions · 76\.0 % matched/);
	await page.fill("#search", "/^mem|^write/");
	assert.deepEqual((await names(page)).sort(), ["memcpy", "write_output"]);
	/* write_output 4 µs (with a memcpy inside) + memcpy below parse_input 6 µs */
	assert.match(await page.textContent("#matches"), /2 of 8 functions · 10\.0 % matched/);
	await page.fill("#search", "/(/");
	assert.match(await page.textContent("#matches"), /not a regular expression/);
	assert.equal(await page.getAttribute("#search", "aria-invalid"), "true");
	await page.fill("#search", "nowhere");
	assert.deepEqual(await names(page), []);
	assert.equal(await page.isVisible("#no-functions"), true);
	await page.press("#search", "Escape");
	assert.equal(await page.inputValue("#search"), "");
	assert.equal((await names(page)).length, 6);
});

test("search by mangled name finds the function too", async (t) => {
	const page = await open(t, makePage(smallPayload()));

	await page.fill("#search", "_ZN4core5solve");
	assert.deepEqual(await names(page), ["core::solve(int)"]);
});

test("searching changes the pixels of what does not match", async (t) => {
	const page = await open(t, makePage(smallPayload()));
	const pixel = async ({ x, y }) =>
		(await page.screenshot({ clip: { x, y: y - 9, width: 1, height: 1 } })).toString("base64");
	const memcpy = await frame(page, "memcpy"), parse = await frame(page, "parse_input");
	const [memcpyBefore, parseBefore] = [await pixel(memcpy), await pixel(parse)];

	await page.fill("#search", "memcpy");
	assert.equal(await pixel(memcpy), memcpyBefore);
	assert.notEqual(await pixel(parse), parseBefore);
});

test("ctrl-F and / go to the search field", async (t) => {
	const page = await open(t, makePage(smallPayload()));

	for (const keys of ["Control+f", "/"]) {
		await page.evaluate(() => document.activeElement.blur());
		await page.keyboard.press(keys);
		assert.equal(await page.evaluate(() => document.activeElement.id), "search");
		assert.equal(await page.inputValue("#search"), "");
	}
});

test("clicking a frame zooms, selects, and reset shows everything", async (t) => {
	const page = await open(t, makePage(smallPayload()));
	const whole = await frame(page, "main");

	assert.equal(await page.isDisabled("#reset"), true);
	await clickFrame(page, "parse_input");
	const zoomed = await frame(page, "parse_input");

	assert.ok(Math.abs(zoomed.width - whole.width) < 1, "fills the width");
	assert.ok(Math.abs((await frame(page, "main")).width - whole.width) < 1, "ancestors stay");
	assert.equal(await frame(page, "write_output"), undefined);
	assert.equal(await page.textContent("#detail h2"), "parse_input");
	assert.equal(await page.$eval("tr[aria-selected=true]", (row) => row.cells[0].textContent), "parse_input");
	assert.deepEqual(await page.$$eval("#crumbs li", (list) => list.map((li) => li.textContent)), ["all", "main", "parse_input"]);
	await page.click("#reset");
	await settle(page);
	assert.ok(await frame(page, "write_output"));
	assert.equal(await page.isDisabled("#reset"), true);
});

test("breadcrumbs and Escape zoom out", async (t) => {
	const page = await open(t, makePage(smallPayload()));

	await clickFrame(page, "compare");
	await page.click("#crumbs button >> text=main");
	await settle(page);
	assert.ok(await frame(page, "write_output"));
	await clickFrame(page, "compare");
	await page.keyboard.press("Escape");
	await settle(page);
	assert.equal(await page.evaluate(() => window.rarog.zoom()), 0);
});

test("matched share follows the zoom", async (t) => {
	const page = await open(t, makePage(smallPayload()));

	await page.fill("#search", "memcpy");
	assert.match(await page.textContent("#matches"), /7\.0 % matched/);
	await clickFrame(page, "parse_input");
	/* 6 of 19 µs */
	assert.match(await page.textContent("#matches"), /31\.6 % matched/);
});

test("width by calls instead of time, flame instead of icicle", async (t) => {
	const page = await open(t, makePage(smallPayload()));
	const byTime = await frame(page, "memcpy");

	await page.click("label[for=weight-calls]");
	const byCalls = await frame(page, "memcpy"), main = await frame(page, "main");

	/* 400 memcpy below parse_input of 1541 calls in all */
	assert.ok(Math.abs(byCalls.width / main.width - 400 / 1541) < 0.002);
	assert.notEqual(byTime.width, byCalls.width);
	assert.ok((await frame(page, "main")).y < byCalls.y);
	await page.click("label[for=shape-flame]");
	assert.ok((await frame(page, "main")).y > (await frame(page, "memcpy")).y);
	await clickFrame(page, "parse_input");
	assert.equal(await page.textContent("#detail h2"), "parse_input");
});

test("tooltip has exact numbers", async (t) => {
	const page = await open(t, makePage(smallPayload()));
	const target = await frame(page, "parse_input");

	await page.mouse.move(target.x, target.y);
	const text = await page.textContent("#tip");

	for (const part of ["parse_input", "19,000 ns", "13,000 ns", "19.0 % of all time", "calls4", "prog · parse.c:42"])
		assert.ok(text.includes(part), `${part} in ${text}`);
	await page.mouse.move(10, 10);
	assert.equal(await page.isVisible("#tip"), false);
});

test("panel lists callers and callees with sums over all contexts", async (t) => {
	const page = await open(t, makePage(smallPayload()));

	await page.click("#functions td.c-name >> text=memcpy");
	assert.match(await page.textContent("#detail"), /Called byparse_input6\.00 µs400 ×write_output1\.00 µs20 ×/);
	assert.match(await page.textContent("#detail"), /CallsNo traced function/);
	await page.click("#detail button.edge >> text=parse_input");
	assert.equal(await page.textContent("#detail h2"), "parse_input");
	await page.click(".zoom-to");
	await settle(page);
	assert.ok(await page.evaluate(() => window.rarog.zoom()) > 0);
});

test("what was only inlined is found and explained", async (t) => {
	const page = await open(t, makePage(smallPayload()));

	assert.ok(!(await names(page)).includes("swap_items"));
	await page.fill("#search", "swap");
	assert.deepEqual(await names(page), ["swap_itemsno calls of its own, inlined"]);
	await page.press("#search", "Enter");
	assert.match(await page.textContent("#detail"), /no calls of its own.*into compare at \/src\/app\/solve\.cc:101/s);
	await page.fill("#search", "clamp(int)");
	await page.press("#search", "Enter");
	assert.match(await page.textContent("#detail .inlined"), /into core::solve$/);
});

test("a function that was never called is found and says so", async (t) => {
	const functions = [{ name: "main" }, { name: "idle" }];
	const page = await open(t, makePage(payloadOf(functions, [{ f: 0, count: 1, self: 10, children: [] }])));

	assert.deepEqual(await names(page), ["main"]);
	await page.fill("#search", "idle");
	assert.deepEqual(await names(page), ["idlenot called"]);
	await page.press("#search", "Enter");
	assert.match(await page.textContent("#detail"), /not called during this run/);
});

test("the whole page works by keyboard", async (t) => {
	const page = await open(t, makePage(smallPayload()));
	const order = ["a"];

	await page.focus("a.skip");
	for (let i = 0; i < 25; i++) {
		await page.keyboard.press("Tab");
		order.push(await page.evaluate(() => document.activeElement.id || document.activeElement.dataset.sort || document.activeElement.dataset.tab ||
			document.activeElement.tagName.toLowerCase()));
	}
	const wanted = ["a", "flame", "search", "help", "weight-time", "shape-icicle", "flame-box", "functions", "name", "exclusive", "detail"];

	assert.deepEqual(order.filter((id) => wanted.includes(id)).slice(0, wanted.length), wanted);

	await page.focus("#functions");
	await page.keyboard.press("ArrowDown");
	assert.equal(await page.textContent("#detail h2"), "compare");
	await page.keyboard.press("End");
	assert.equal(await page.textContent("#detail h2"), "main");
	assert.equal(await page.getAttribute("#functions", "aria-activedescendant"),
		     await page.getAttribute("tr[aria-selected=true]", "id"));
	await page.keyboard.press("Home");
	assert.equal(await page.textContent("#detail h2"), "core::solve(int)");

	await page.focus("#flame-box");
	for (const key of ["ArrowDown", "ArrowDown", "ArrowRight", "Enter"])
		await page.keyboard.press(key);
	await settle(page);
	assert.equal(await page.textContent("#crumbs li[aria-current]"), "parse_input");
	assert.match(await page.textContent("#live"), /parse_input, level 2, inclusive 19\.0 µs/);
	await page.keyboard.press("Backspace");
	await settle(page);
	assert.equal(await page.textContent("#crumbs li[aria-current]"), "main");
	await page.keyboard.press("Escape");
	await settle(page);
	assert.equal(await page.evaluate(() => window.rarog.zoom()), 0);
});

const hostile = [
	"</script><img src=x onerror=alert(1)>", "<!--<script>", "]]>", "\u2028\u2029", "{{data}}", "$& $' $`",
	"\u202egnp.exe", "__proto__", "constructor", "a\"b'c`d", "&lt;b&gt;", "\ud800",
];

test("hostile names stay text", async (t) => {
	const functions = hostile.map((name) => ({ name, demangled: name, binary: name, file: name, line: 1 }));
	const payload = payloadOf(functions, hostile.map((_, f) => ({ f, count: f + 1, self: 100 + f, children: [] })));

	payload.header = JSON.stringify({ command: hostile, machine: { [hostile[0]]: hostile[0] }, __proto__: { engine: 1 } });
	payload.processes.command = [hostile[0]];
	payload.losses = { what: [hostile[0]], count: [1] };
	payload.inlined = { name: hostile, demangled: hostile.map(() => null), host: hostile.map((_, i) => i), file: hostile.map(() => 0), line: hostile.map(() => 1) };
	const page = await open(t, makePage(payload, hostile.join(" ")));

	for (const tab of ["environment", "overview", "functions", "flame"])
		await showTab(page, tab);
	const shown = await names(page);

	assert.equal(shown.length, hostile.length);
	assert.ok(shown.includes(hostile[0]));
	assert.ok(shown.includes("\\u{202e}gnp.exe"));
	assert.ok(shown.includes("\\u{2028}\\u{2029}"));
	for (let i = 0; i < hostile.length; i++) {
		await page.focus("#functions");
		await page.keyboard.press(i === 0 ? "Home" : "ArrowDown");
	}
	for (const f of (await frames(page)).slice(0, 14))
		await page.mouse.move(f.x, f.y);
	assert.equal(await page.$$eval("img, script:not(#data):not(:last-of-type), iframe, b b", (list) => list.length), 0);
	assert.equal(await page.$$eval("script", (list) => list.length), 2);
	assert.ok((await page.title()).includes("</script><img"));
});

test("a broken header costs the summary, not the page", async (t) => {
	const payload = smallPayload();

	payload.header = "{\"command\": ";
	const page = await open(t, makePage(payload));

	assert.equal((await names(page)).length, 6);
	assert.equal(await page.textContent("#title"), "./prog input.dat");
});

test("all processes of a file are headed by it and their number, not by what the first one was started with", async (t) => {
	const payload = smallPayload();

	payload.header = JSON.stringify({ command: ["/usr/bin/redis-server"], engine: "ebpf",
		every_process: { file: "/usr/bin/redis-server", duration_ns: 0, processes: 2 } });
	payload.processes = { pid: [7, 9], parent: [-1, -1], start: [0, 1], end: [5, 6], wait_status: [-1, -1],
		command: ["redis-check-rdb x", "redis-server y"], threads: [1, 1] };
	const page = await open(t, makePage(payload));

	assert.equal(await page.textContent("#title"), "/usr/bin/redis-server, 2 processes");
});

test("a run without calls says so", async (t) => {
	const page = await open(t, makePage(emptyPayload()));

	assert.deepEqual(await names(page), []);
	assert.match(await page.textContent("#flame-empty"), /No traced function was called/);
	assert.equal(await page.isVisible("#no-functions"), true);
	await page.fill("#search", "x");
	await page.click("label[for=weight-calls]");
	await page.click("label[for=shape-flame]");
	await page.focus("#flame-box");
	await page.keyboard.press("ArrowDown");
	await page.focus("#functions");
	await page.keyboard.press("ArrowDown");
	await page.mouse.click(400, 420);
});

test("counted calls without times: no time is invented", async (t) => {
	const payload = smallPayload();

	payload.functions.timed.fill(0);
	payload.tree.self.fill(0);
	const page = await open(t, makePage(payload));

	assert.equal(await page.isDisabled("#weight-time"), true);
	assert.equal((await rows(page))[0][0], "compare");
	assert.equal((await rows(page))[0][1], "1,100");
	assert.deepEqual(await page.$$eval("#functions thead th", (list) => list.map((e) => e.textContent.trim()
		.replace(/[^A-Za-z]/g, ""))), ["Function", "Calls", "Binary", "Source"]);
	assert.doesNotMatch(await page.textContent("#detail"), /Exclusive|Mean|p50/);
	assert.equal(await page.textContent("#flame-heading"), "Where the calls go");
	assert.ok(await frame(page, "compare"));
	assert.match(await page.textContent("#figures"), /calls counted only/);
});

test("losses, a cut-off file and an unsteady clock are loud", async (t) => {
	const payload = smallPayload();

	payload.partial = true;
	payload.losses = { what: ["events", "calls below a full shadow stack"], count: [1234, 5] };
	payload.clock.suspect = true;
	const page = await open(t, makePage(payload));
	const text = await page.$$eval(".banner", (list) => list.map((e) => e.textContent).join("\n"));

	assert.match(text, /incomplete/);
	assert.match(text, /1,234 events/);
	assert.match(text, /5 calls below a full shadow stack/);
	assert.match(text, /clock was unsteady/);
	assert.equal(await page.$$eval(".banner[role=alert]", (list) => list.length), 3);
});

test("one function", async (t) => {
	const page = await open(t, makePage(payloadOf([{ name: "only" }], [{ f: 0, count: 1, self: 1, children: [] }])));

	assert.deepEqual(await names(page), ["only"]);
	await clickFrame(page, "only");
	assert.match(await page.textContent("#detail"), /100 %/);
});

test("contexts left out are drawn, counted and explained", async (t) => {
	const payload = smallPayload();

	/* the last child of main: 40 contexts, 50 µs, 7 calls */
	payload.tree.depth.push(2);
	payload.tree.function.push(-2);
	payload.tree.count.push(7);
	payload.tree.self.push(50000);
	payload.tree.left_out = [payload.tree.depth.length - 1, 40];
	payload.left_out = { contexts: 40, time: 50000, calls: 7 };
	const page = await open(t, makePage(payload));
	const rest = await frame(page, "40 smaller contexts");

	assert.ok(Math.abs(rest.width / (await frame(page, "main")).width - 1 / 3) < 0.002);
	await page.mouse.move(rest.x, rest.y);
	assert.match(await page.textContent("#tip"), /40 smaller contexts.*50\.0 µs/);
	await page.mouse.click(rest.x, rest.y);
	assert.equal(await page.evaluate(() => window.rarog.zoom()), 0);
	await page.fill("#search", "memcpy");
	assert.match(await page.textContent("#matches"), /perhaps of 33\.3 % in smaller contexts/);
	await showTab(page, "environment");
	assert.match(await page.textContent("#all-facts"), /left out of the flame graph\s*40 contexts, 50\.0 µs/);
});

test("recursion 100,000 levels deep scrolls", async (t) => {
	const payload = emptyPayload(), n = 100000, f = payload.functions;

	for (const key of Object.keys(f))
		f[key] = [key === "name" ? "deep" : key === "demangled" ? null : key === "binary" || key === "file" ? -1 : 5];
	f.count = f.timed = [n];
	f.away = null;
	payload.histograms.n = [0];
	for (let i = 1; i <= n; i++) {
		payload.tree.depth.push(i);
		payload.tree.function.push(0);
		payload.tree.count.push(1);
		payload.tree.self.push(1);
	}
	const page = await open(t, makePage(payload));

	await page.$eval("#flame-box", (box) => { box.scrollTop = 100000; });
	await settle(page);
	assert.ok((await frames(page)).length > 10);
	await page.click("label[for=shape-flame]");
	await settle(page);
	assert.ok((await frames(page)).some((f) => f.label === "all"));
	await clickFrame(page, "all");
});

test("a name of 2,000 letters widens no page, also where it has a colour of its own", async (t) => {
	const functions = ["x".repeat(2000), "main"].map((name) => ({ name, binary: "bin" }));
	const page = await open(t, makePage(payloadOf(functions, [{ f: 1, count: 1, self: 10, children: [{ f: 0, count: 1, self: 90, children: [] }] }])));

	for (const tab of await page.$$eval("#tabs [data-tab]", (list) => list.map((button) => button.dataset.tab))) {
		await showTab(page, tab);
		assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), tab);
	}
	await showTab(page, "flame");
	assert.match(await page.textContent("#legend"), /xxxx/);
});

test("8,000 functions: only rows in sight exist", async (t) => {
	const page = await open(t, makePage(largePayload(20000, 8000)));

	assert.ok((await names(page)).length < 60);
	const total = Number(await page.getAttribute("#functions", "aria-rowcount")) - 1;
	const rowHeight = await page.$eval("#functions tbody:not(.spacer) tr", (row) => row.offsetHeight);
	const height = await page.$eval("#functions-box", (box) => box.scrollHeight);

	assert.ok(total > 5000);
	assert.ok(Math.abs(height - total * rowHeight) < 60, `${height} for ${total} rows of ${rowHeight}`);
	await page.$eval("#functions-box", (box) => { box.scrollTop = box.scrollHeight / 2; });
	await settle(page);
	const all = await page.evaluate(() => window.rarog.rows()), shown = await names(page);
	const at = all.indexOf(shown[0]);

	assert.ok(Math.abs(at - total / 2) < 60);
	assert.deepEqual(shown, all.slice(at, at + shown.length));
});

for (const [name, options] of [["dark", { colorScheme: "dark" }], ["a phone", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 3 }]]) {
	test(`works on ${name}`, async (t) => {
		const page = await open(t, makePage(smallPayload()), options);

		assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth), false, "no sideways scrolling");
		await clickFrame(page, "parse_input");
		assert.equal(await page.textContent("#detail h2"), "parse_input");
	});
}

test("printing shows the graph and the rows, without controls", async (t) => {
	const page = await open(t, makePage(largePayload(2000, 200)), { colorScheme: "dark" });
	const pdf = await page.pdf({ format: "A4" });

	assert.ok(pdf.length > 10000);
});

test("text contrast of the page itself is at least 4.5 in both themes", async (t) => {
	for (const colorScheme of ["light", "dark"]) {
		const page = await open(t, makePage(smallPayload()), { colorScheme });
		assert.deepEqual(await page.evaluate(lowContrast), [], colorScheme);
	}
});

test("time to open 100,000 contexts (printed, not asserted)", async (t) => {
	const html = makePage(largePayload(100000, 8000));
	const begin = performance.now(), page = await open(t, html);
	const opened = performance.now() - begin;
	const script = await page.getAttribute("html", "data-ready");
	const zoom = await page.evaluate(async () => {
		const begin = performance.now();

		for (let i = 0; i < 20; i++) {
			document.querySelector(i % 2 ? "label[for=weight-time]" : "label[for=weight-calls]").click();
			await new Promise(requestAnimationFrame);
		}
		return (performance.now() - begin) / 20;
	});

	t.diagnostic(`${(html.length / 1e6).toFixed(2)} MB, opened in ${opened.toFixed(0)} ms (${script} ms of script), ` +
		`layout and drawing ${zoom.toFixed(0)} ms`);
});
