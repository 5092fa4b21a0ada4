/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From profiles of two versions through `rarog report BASE TARGET` to the numbers in the browser.
 * The runs are described as events; what must be shown is worked out here from the same events, not
 * from the profiles. What the verdict says is compared with `rarog check --json`.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { largePairPayload, makePage } from "./fixture.mjs";
import { dataOf, launch, lowContrast, openPage, showTab, random, timeScale } from "./support.mjs";

const rarog = process.env.RAROG ?? "build/rarog";
const maker = process.env.MAKE_PROFILE ?? join(dirname(rarog), "tests", "make-profile");
const skip = [rarog, maker].filter((path) => !existsSync(path)).map((path) => `needs ${path}`).join(", ") || false;
const folder = mkdtempSync(join(tmpdir(), "rarog-pair-"));
let browser;

before(async () => {
	browser = skip ? undefined : await launch();
});
after(async () => {
	await browser?.close();
	rmSync(folder, { recursive: true });
});

const open = (t, file, options = {}) => openPage(t, browser, file, { viewport: { width: 1280, height: 800 }, ...options });

const median = (list) => {
	const v = list.slice().sort((a, b) => a - b), n = v.length;

	return n % 2 ? v[(n - 1) / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
};
const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;
const near = (a, b, about) => assert.ok(Math.abs(a - b) <= 0.051, `${about}: ${a}, by the events ${b}`);

/* A call tree: { f, n: calls of it in a row, ns: own time of each, kids }. */
const call = (f, n, ns, kids = []) => ({ f, n, ns, kids });

/* Its events, and what it took by function and by path, summed while they are written. */
function eventsOf(root, wobble) {
	const lines = [], sums = new Map(), paths = new Map();
	const of = (map, key) => map.get(key) ?? map.set(key, { calls: 0, own: 0, all: 0 }).get(key);
	const walk = (node, path) => {
		const here = [...path, node.f], key = here.join(" "), own = Math.max(1, node.ns + wobble(node));
		let all = 0;

		for (let i = 0; i < node.n; i++) {
			lines.push(`> ${node.f} 0`);
			const inner = node.kids.reduce((sum, kid) => sum + walk(kid, here), 0);

			lines.push(`< ${own}`);
			all += own + inner;
			for (const sum of [of(sums, node.f), of(paths, key)]) {
				sum.calls++;
				sum.own += own;
			}
			of(paths, key).all += own + inner;
			if (!path.includes(node.f))
				of(sums, node.f).all += own + inner;
		}
		return all;
	};

	walk(root, []);
	return { lines, sums, paths };
}

const functions = ["main", "parse", "work", "helper", "idle", "deep", "fresh", "old", "renamed_now", "renamed_before"];

/* Runs of one version as files in a folder; returns their sums. */
function makeVersion(name, tree, count, seed, { detail = "", header = {}, lacks = [] } = {}) {
	const rand = random(seed), to = join(folder, name), runs = [];

	mkdirSync(to, { recursive: true });
	for (let i = 0; i < count; i++) {
		const run = eventsOf(tree, (node) => Math.floor(rand() * (1 + node.ns / 50)));
		const all = { command: ["./prog", "x"], collector: "trace", engine: "inline", parameters: {}, detail: "calls", started_ns: 1700000000000000000 + i * 1000000000,
			      machine: { architecture: "x86_64", cpu: "Test", cpus: 2, kernel: "6.1" }, ...header };
		const text = [`header ${JSON.stringify(all)}`, ...(detail ? [`detail ${detail}`] : []), "binary /bin/prog abc",
			      ...functions.filter((f) => !lacks.includes(f)).map((f, k) => `location ${f} file=/src/${f}.c line=${k + 1} address=${k * 64} size=64`),
			      "process 7 - 0 900000000 0 \"./prog x\"", "strand 0 7 0 900000000", ...run.lines];

		execFileSync(maker, [join(to, `${String(i).padStart(2, "0")}.rarog`)], { input: text.join("\n") + "\n" });
		runs.push(run);
	}
	return { path: `${to}/`, runs };
}

const common = () => [call("parse", 5, 4000, [call("helper", 3, 900)]), call("idle", 1, 400000)];
const beforeTree = () => call("main", 1, 20000, [...common(), call("work", 100, 9000, [call("deep", 2, 100, [call("deep", 1, 50)])]),
	call("old", 2, 30000)]);
const nowTree = () => call("main", 1, 20000, [...common(), call("work", 100, 11000, [call("deep", 4, 100, [call("deep", 1, 50)])]),
	call("fresh", 3, 25000)]);

function report(a, b, name, ...options) {
	const out = join(folder, `${name}.html`);

	execFileSync(rarog, ["report", a.path, b.path, "-o", out, ...options]);
	return out;
}

let pair; /* two versions, nine runs each, and their page */

function standard() {
	if (!pair) {
		const a = makeVersion("before", beforeTree(), 9, 11), b = makeVersion("now", nowTree(), 9, 22);

		pair = { a, b, page: report(a, b, "standard") };
	}
	return pair;
}

test("medians of every function equal those of the events", { skip }, () => {
	const { a, b, page } = standard(), [check] = dataOf(page).checks, f = check.functions;
	const nothing = { calls: 0, own: 0, all: 0 };

	for (const [side, version] of [["before", a], ["now", b]])
		for (const name of functions) {
			const row = f.name.indexOf(name), sums = version.runs.map((run) => run.sums.get(name) ?? nothing);

			const said = check.changes.find((c) => c.row === row && c.metric === "exclusive-time" && c.before !== null && c.now !== null);

			/* where there is a verdict, its numbers, which are near the medians */
			near(f.exclusive[side][row], said ? said[side] : median(sums.map((s) => s.own)), `${name} exclusive ${side}`);
			assert.ok(Math.abs(f.exclusive[side][row] - median(sums.map((s) => s.own))) <= 0.02 * f.exclusive[side][row], name);
			near(f.inclusive[side][row], median(sums.map((s) => s.all)), `${name} inclusive ${side}`);
			near(f.calls[side][row], median(sums.map((s) => s.calls)), `${name} calls ${side}`);
		}
	near(check.traced_ns[0], median(a.runs.map((run) => [...run.sums.values()].reduce((x, s) => x + s.own, 0))), "traced before");
	assert.equal(check.without_tree, 0);
});

/* Path of every frame of the page's tree, from the root. */
function pathsOf(check) {
	const { depth, "function": fn } = check.tree, at = [];

	return depth.map((d, i) => {
		at[d] = check.functions.name[fn[i]];
		return at.slice(1, d + 1).join(" ");
	});
}

/* 97.5 % quantiles of Student's t by degrees of freedom, from tables. */
const T = { 8: 2.3061, 16: 2.1199 };

test("contexts equal those of the events, with the margin of chance", { skip }, () => {
	const { a, b, page } = standard(), [check] = dataOf(page).checks, paths = pathsOf(check), tree = check.tree;
	const expected = new Set([...a.runs, ...b.runs].flatMap((run) => [...run.paths.keys()]));
	const nothing = { calls: 0, own: 0, all: 0 };

	assert.deepEqual(paths.slice(1).sort(), [...expected].sort());
	paths.forEach((path, i) => {
		if (i === 0)
			return;
		const lists = [a, b].map((version) => version.runs.map((run) => run.paths.get(path) ?? nothing));

		for (const [k, key] of [[0, "before"], [1, "now"]]) {
			near(tree[key][i] / 10, mean(lists[k].map((s) => s.own)), `${path} own ${key}`);
			near(tree[`calls_${key}`][i], mean(lists[k].map((s) => s.calls)), `${path} calls ${key}`);
		}
		const errors = lists.map((list) => {
			const m = mean(list.map((s) => s.all));

			return list.reduce((sum, s) => sum + (s.all - m) ** 2, 0) / (list.length - 1) / list.length;
		});
		const error = Math.sqrt(errors[0] + errors[1]);

		/* Welch's degrees of freedom lie between 8 and 16, so t does between its values there */
		assert.ok(tree.margin[i] >= T[16] * error - 0.51 && tree.margin[i] <= T[8] * error + 0.51, `${path}: ${tree.margin[i]}`);
	});
});

test("the verdict is that of rarog check, in numbers and in words", { skip }, async (t) => {
	const { a, b, page } = standard(), [check] = dataOf(page).checks;
	const { status, stdout } = spawnSync(rarog, ["check", "--json", a.path, b.path], { encoding: "utf8" });
	const said = JSON.parse(stdout), text = spawnSync(rarog, ["check", "--limit=0", a.path, b.path], { encoding: "utf8" }).stdout;

	assert.equal(status, 1);
	assert.equal(check.verdict, said.verdict);
	assert.equal(check.changes.length, said.changes.length);
	said.changes.forEach((change, i) => {
		const mine = check.changes[i];

		assert.deepEqual([mine.location, mine.class, mine.metric, mine.before, mine.now, mine.relative, mine.low, mine.high, mine.p, mine.q, mine.reason, mine.path],
				 [change.location, change.class, change.metric, change.baseline, change.target, change.relative,
				  change.interval?.[0] ?? null, change.interval?.[1] ?? null, change.p, change.q, change.reason, change.path]);
		if (mine.row >= 0)
			assert.equal(check.functions.name[mine.row], change.location);
	});
	const work = check.changes.find(({ location }) => location === "work");

	for (const words of [check.sentence, work.words.class, work.words.before, work.words.now, work.words.change, work.words.interval])
		assert.ok(text.includes(words), `'${words}' in ${text}`);
	const shown = await open(t, page);

	assert.match(await shown.textContent("#title"), new RegExp(check.sentence));
	assert.ok((await shown.textContent("#headline")).includes("work"));
	assert.ok((await shown.textContent("#headline")).includes(`${work.words.before} → ${work.words.now}`));
});

test("rows are in the order of the verdict; columns sort; search filters", { skip }, async (t) => {
	const { page } = standard(), shown = await open(t, page), [check] = dataOf(page).checks;
	const wanted = check.changes.filter(({ row }) => row >= 0).map(({ location }) => location);
	const rows = () => shown.evaluate(() => window.rarog.rows());

	assert.deepEqual((await rows()).slice(0, wanted.length), wanted);
	const { name: names, exclusive } = check.functions;
	const diff = (name) => exclusive.now[names.indexOf(name)] - exclusive.before[names.indexOf(name)];

	await shown.click("button[data-sort=difference]");
	const order = await rows();

	assert.deepEqual(order, order.slice().sort((x, y) => diff(y) - diff(x) || order.indexOf(x) - order.indexOf(y)));
	assert.equal(order[0], "work");
	assert.equal(order[order.length - 1], "old");
	await shown.fill("#search", "/^(fresh|old)$/");
	assert.deepEqual((await rows()).sort(), ["fresh", "old"]);
	const cells = await shown.$$eval("#functions tbody:not(.spacer) tr", (list) => list.map((row) => [...row.cells].map((c) => c.textContent)));

	assert.deepEqual(cells.map(([name, verdict]) => [name, verdict]).sort(), [["fresh", "+new"], ["old", "−gone"]]);
	await shown.fill("#search", "/(/");
	assert.match(await shown.textContent("#matches"), /not a regular expression/);
});

const frame = async (page, label) => (await page.evaluate(() => window.rarog.frames())).find((f) => f.label === label);
const settle = (page) => page.waitForTimeout(260 * timeScale); /* the zoom's animation */

test("widths are of before, now or the difference; new and gone are where they are", { skip }, async (t) => {
	const { a, b, page } = standard(), shown = await open(t, page);
	const all = (version) => mean(version.runs.map((run) => run.paths.get("main").all));
	const of = (version, path) => mean(version.runs.map((run) => run.paths.get(path)?.all ?? 0));
	const width = async (name) => (await frame(shown, name))?.width / (await frame(shown, "main")).width;

	assert.ok(Math.abs(await width("fresh") - of(b, "main fresh") / all(b)) < 0.002);
	assert.equal(await frame(shown, "old"), undefined);
	await shown.click("label[for=width-before]");
	assert.ok(Math.abs(await width("old") - of(a, "main old") / all(a)) < 0.002);
	assert.ok(Math.abs(await width("work") - of(a, "main work") / all(a)) < 0.002);
	assert.equal(await frame(shown, "fresh"), undefined);
	await shown.click("label[for=width-difference]");
	const keys = [...new Set([...a.runs[0].paths.keys(), ...b.runs[0].paths.keys()])];
	const own = (version, path) => mean(version.runs.map((run) => run.paths.get(path)?.own ?? 0));
	const shift = (path) => Math.abs(own(b, path) - own(a, path));
	const total = keys.reduce((sum, path) => sum + shift(path), 0);

	assert.ok(Math.abs(await width("old") - shift("main old") / total) < 0.002);
	assert.ok(Math.abs(await width("fresh") - shift("main fresh") / total) < 0.002);
});

test("names and changes stay in their frames, however wide these are", { skip }, async (t) => {
	const shown = await open(t, standard().page);

	await shown.evaluate(() => {
		const draw = CanvasRenderingContext2D.prototype, { fillRect, fillText } = draw;
		let box = [0, 0];

		window.outside = [];
		window.written = 0;
		draw.fillRect = function(x, y, w, h) {
			box = [x, w];
			return fillRect.call(this, x, y, w, h);
		};
		draw.fillText = function(text, x, y) {
			window.written++;
			if (this.canvas.id === "flame" && x + this.measureText(text).width > box[0] + box[1] + 1)
				window.outside.push(text);
			return fillText.call(this, text, x, y);
		};
	});
	await shown.click("label[for=width-difference]");
	await settle(shown);
	for (let width = 1100; width >= 300; width -= 23) {
		await shown.setViewportSize({ width, height: 800 });
		await shown.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
	}
	assert.ok(await shown.evaluate(() => window.written) > 30);
	assert.deepEqual(await shown.evaluate(() => window.outside), []);
});

test("a frame's tooltip has both times, the difference and the calls", { skip }, async (t) => {
	const { page } = standard(), shown = await open(t, page), target = await frame(shown, "work");

	await shown.mouse.move(target.x, target.y);
	const text = await shown.textContent("#tip");

	assert.match(text, /before9\d\d µs|before1\.\d\d ms/);
	assert.match(text, /difference\+\d+ µs \(\+\d+\.\d %\)/);
	assert.match(text, /calls100 → 100/);
	const fresh = await frame(shown, "fresh");

	await shown.mouse.move(fresh.x, fresh.y);
	assert.match(await shown.textContent("#tip"), /before0 ns.*\(new\)/);
});

test("the panel says what changed, run by run, and which function calls it more often", { skip }, async (t) => {
	const { page } = standard(), shown = await open(t, page);

	await shown.click("#functions td.c-name >> text=work");
	assert.equal(await shown.textContent("#detail h2"), "work");
	assert.match(await shown.textContent("#detail"), /much slower|slower/);
	assert.match(await shown.textContent("#detail"), /called as often \(100 times\)/);
	assert.equal(await shown.$$eval(".strip path", (list) => list.map((p) => p.getAttribute("d").split("M").length - 1).join()), "9,9");
	await shown.click("#functions td.c-name >> text=deep");
	assert.match(await shown.textContent("#detail"), /Calls400800/);
	assert.match(await shown.textContent("#detail"), /Called by.*work200 → 400 ×/);
	await shown.click("#detail button.edge >> text=work");
	assert.equal(await shown.textContent("#detail h2"), "work");
	await shown.click(".zoom-to");
	await settle(shown);
	assert.equal(await shown.textContent("#crumbs li[aria-current]"), "work");
});

test("a gone function is shown in the widths in which it is there", { skip }, async (t) => {
	const shown = await open(t, standard().page);

	await shown.fill("#search", "old");
	await shown.press("#search", "Enter");
	await shown.click(".zoom-to");
	await settle(shown);
	assert.equal(await shown.isChecked("#width-before"), true);
	assert.equal(await shown.textContent("#crumbs li[aria-current]"), "old");
});

test("the page of two works by keyboard", { skip }, async (t) => {
	const shown = await open(t, standard().page), order = ["a"];

	await shown.focus("a.skip");
	for (let i = 0; i < 20; i++) {
		await shown.keyboard.press("Tab");
		order.push(await shown.evaluate(() => document.activeElement.id || document.activeElement.dataset.sort || document.activeElement.dataset.tab ||
			document.activeElement.tagName.toLowerCase()));
	}
	const wanted = ["a", "differences", "search", "width-now", "flame-box", "functions", "name", "verdict"];

	assert.deepEqual(order.filter((id, i) => wanted.includes(id) && order.indexOf(id) === i), wanted);
	await shown.focus("#functions");
	await shown.keyboard.press("End");
	const last = await shown.textContent("#detail h2");

	await shown.keyboard.press("Home");
	assert.notEqual(await shown.textContent("#detail h2"), last);
	await shown.focus("#flame-box");
	for (const key of ["ArrowDown", "ArrowDown", "Enter"])
		await shown.keyboard.press(key);
	await settle(shown);
	assert.match(await shown.textContent("#live"), /work, level 2, before .*, now .*, difference \+/);
	await shown.keyboard.press("Escape");
	await settle(shown);
	assert.equal(await shown.evaluate(() => window.rarog.zoom()), 0);
});

test("few frames: the rest is one frame, both versions keep their sums", { skip }, () => {
	const { a, b, page } = standard(), full = dataOf(page).checks[0].tree;
	const add = (list) => list.reduce((x, y) => x + y, 0);

	for (const max of [1, 3, 6]) {
		const tree = dataOf(report(a, b, `few-${max}`, `--max-frames=${max}`)).checks[0].tree;

		assert.ok(tree.function.filter((fn) => fn !== -2).length <= max);
		for (const key of ["before", "now", "calls_before", "calls_now"])
			assert.ok(Math.abs(add(tree[key]) - add(full[key])) <= full.depth.length, `${key} of ${max}: ${add(tree[key])}, all ${add(full[key])}`);
	}
});

test("counted calls without times: one clear sentence, and the table", { skip }, async (t) => {
	const a = makeVersion("count-a", beforeTree(), 3, 1, { detail: "count" }), b = makeVersion("count-b", nowTree(), 3, 2, { detail: "count" });
	const page = report(a, b, "count"), shown = await open(t, page), f = dataOf(page).checks[0].functions;

	assert.match(await shown.textContent("#flame-empty"), /^These profiles have no call contexts, so there is no flame graph; the table has everything/);
	assert.equal(f.calls.before[f.name.indexOf("deep")], 400);
	assert.equal(f.calls.now[f.name.indexOf("deep")], 800);
	assert.doesNotMatch(await shown.textContent("#functions thead"), /Before|Now|Difference/);
	await shown.fill("#search", "deep");
	assert.match(await shown.textContent("#functions tbody:not(.spacer)"), /400 → 800/);
});

test("sums only: the flame graph is there, from the contexts", { skip }, () => {
	const a = makeVersion("sum-a", beforeTree(), 2, 1, { detail: "summary" }), b = makeVersion("sum-b", nowTree(), 2, 2, { detail: "summary" });
	const [check] = dataOf(report(a, b, "sum")).checks;

	assert.equal(check.tree.depth.length, 10);
});

test("one run a side: colours may be chance, and nothing is called sure", { skip }, async (t) => {
	const a = makeVersion("one-a", beforeTree(), 1, 1), b = makeVersion("one-b", nowTree(), 1, 2);
	const page = report(a, b, "one"), shown = await open(t, page);

	assert.deepEqual([...new Set(dataOf(page).checks[0].tree.margin)], [null]);
	assert.match(await shown.textContent("#flame-note"), /nobody knows what chance does/);
	assert.match(await shown.textContent("#title"), /the runs do not tell/);
	assert.match(await shown.textContent("#notes"), /too few runs/);
});

test("what was forced is marked; without --force it is refused", { skip }, async (t) => {
	const a = makeVersion("force-a", beforeTree(), 2, 1), b = makeVersion("force-b", nowTree(), 2, 2, { header: { command: ["./other"] } });
	const refused = spawnSync(rarog, ["report", a.path, b.path, "-o", join(folder, "refused.html")], { encoding: "utf8" });

	assert.equal(refused.status, 3);
	assert.match(refused.stderr, /cannot be compared: .*--force/);
	assert.equal(refused.stderr.trim().split("\n").length, 1);
	assert.equal(existsSync(join(folder, "refused.html")), false);
	const shown = await open(t, report(a, b, "forced", "--force"));

	assert.match(await shown.textContent("#banners"), /not comparable/);
});

test("a renamed function is one row and one frame, with its old name", { skip }, async (t) => {
	const rename = (tree, name) => JSON.parse(JSON.stringify(tree).replaceAll("\"helper\"", `"${name}"`));
	const a = makeVersion("name-a", rename(beforeTree(), "renamed_before"), 4, 1, { lacks: ["renamed_now", "helper"] });
	const b = makeVersion("name-b", rename(nowTree(), "renamed_now"), 4, 2, { lacks: ["renamed_before", "helper"] });
	const page = report(a, b, "renamed"), f = dataOf(page).checks[0].functions, row = f.name.indexOf("renamed_now");

	if (f.was[row] === null) /* found to be another function by its source: then both have a row */
		return assert.ok(f.name.includes("renamed_before"));
	assert.equal(f.was[row], "renamed_before");
	const shown = await open(t, page);

	await shown.fill("#search", "renamed_before");
	assert.match(await shown.textContent("#functions tbody:not(.spacer)"), /renamed_nowwas renamed_before/);
});

for (const [name, options] of [["light", {}], ["dark", { colorScheme: "dark" }],
			       ["a phone", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }]]) {
	test(`two versions: nothing overlaps or runs off the page on ${name}`, { skip }, async (t) => {
		const shown = await open(t, standard().page, options);

		assert.equal(await shown.evaluate(() => document.documentElement.scrollWidth > window.innerWidth), false);
		/* texts of the head, the legend and the panel: no two boxes of siblings share area */
		const overlaps = await shown.evaluate(() => {
			const bad = [];

			for (const parent of document.querySelectorAll("header, #figures, #headline, #headline p, #legend, #detail, .head, .strip, .sides tr")) {
				const boxes = [...parent.children].filter((e) => e.offsetParent || e.tagName === "svg").map((e) => [e, e.getBoundingClientRect()]);

				for (const [i, [e, a]] of boxes.entries())
					for (const [f, b] of boxes.slice(i + 1))
						if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
							bad.push(`${e.tagName} ${e.textContent.slice(0, 20)} | ${f.tagName} ${f.textContent.slice(0, 20)}`);
			}
			return bad;
		});

		assert.deepEqual(overlaps, []);
	});
}

test("what has no width says so", { skip }, async (t) => {
	const { a } = standard(), shown = await open(t, report(a, a, "same"));

	assert.equal(await shown.isVisible("#flame-empty"), false);
	await shown.click("label[for=width-difference]");
	assert.match(await shown.textContent("#flame-empty"), /No context took more or less time/);
	assert.equal(await shown.isVisible("#flame-empty"), true);
	await shown.click("label[for=width-before]");
	assert.equal(await shown.isVisible("#flame-empty"), false);
});

const made = (name, payload, title) => {
	const file = join(folder, `${name}.html`);

	writeFileSync(file, makePage(payload, title));
	return file;
};

const hostile = ["</script><img src=x onerror=alert(1)>", "<!--<script>", "{{data}}", "$& $' $`", "\u202egnp.exe", "__proto__",
		 "constructor", "a\"b'c`d", "&lt;b&gt;", "\ud800"];

test("two versions: hostile names, notes and headers stay text", { skip }, async (t) => {
	const payload = dataOf(standard().page), [check] = payload.checks, f = check.functions;

	f.name = f.name.map((_, i) => hostile[i % hostile.length]);
	f.was = f.name.slice().reverse();
	f.symbol = f.folded = f.name;
	f.matched_by = f.name.map(() => "renamed");
	check.texts = check.texts.map(() => hostile[0]);
	check.notes = payload.notes = hostile;
	check.job = hostile[0];
	check.before.name = check.now.profile = hostile[1];
	check.before.header = JSON.stringify({ [hostile[0]]: hostile, __proto__: { engine: 1 } });
	check.now.header = "{\"command\": ";
	for (const change of check.changes)
		change.reason = change.path = change.lines = hostile[0] + hostile[4];
	payload.checks = [check, { ...check, job: hostile[2] }];
	const shown = await open(t, made("hostile", payload, hostile.join(" ")));

	await showTab(shown, "environment");
	await showTab(shown, "differences");
	for (let i = 0; i < f.name.length; i++) {
		await shown.focus("#functions");
		await shown.keyboard.press(i === 0 ? "Home" : "ArrowDown");
	}
	for (const { x, y } of (await shown.evaluate(() => window.rarog.frames())).slice(0, 12))
		await shown.mouse.move(x, y);
	assert.equal(await shown.$$eval("img, iframe, b b", (list) => list.length), 0);
	assert.equal(await shown.$$eval("script", (list) => list.length), 2);
	assert.ok((await shown.evaluate(() => window.rarog.rows())).includes("\\u{202e}gnp.exe"));
	for (const part of ["#headline", "#functions", "#detail"])
		assert.doesNotMatch(await shown.textContent(part), /\u202e/, part);
	assert.equal(await shown.$$eval("#jobs a", (list) => list.length), 2);
	await showTab(shown, "overview");
	await shown.click("#jobs li:nth-child(2) a");
	await shown.waitForFunction((job) => document.querySelector("html[data-ready]") &&
		document.querySelector("#command").textContent === job, hostile[2]);
	await shown.focus("a.skip");
	await shown.keyboard.press("Enter");
	assert.equal(await shown.evaluate(() => document.activeElement.id), "page-overview");
	await shown.waitForTimeout(200);
	assert.equal(await shown.textContent("#command"), hostile[2], "the link within the page loads nothing again");
});

test("two versions: 8,000 functions and 100,000 contexts (time printed, not asserted)", { skip }, async (t) => {
	const file = made("large", largePairPayload(100000, 8000)), begin = performance.now(), shown = await open(t, file);
	const opened = performance.now() - begin, script = await shown.getAttribute("html", "data-ready");
	const total = Number(await shown.getAttribute("#functions", "aria-rowcount")) - 1;

	assert.ok(total > 5000, `${total} rows`);
	assert.ok((await shown.$$("#functions tbody:not(.spacer) tr")).length < 60, "only rows in sight exist");
	await shown.fill("#search", "parse");
	const hits = await shown.evaluate(() => window.rarog.rows());

	assert.ok(hits.length > 100 && hits.every((name) => name.includes("parse")));
	t.diagnostic(`${(readFileSync(file).length / 1e6).toFixed(2)} MB, opened in ${opened.toFixed(0)} ms (${script} ms of script)`);
});

test("two versions: text contrast is at least 4.5 in both themes", { skip }, async (t) => {
	for (const colorScheme of ["light", "dark"]) {
		const shown = await open(t, standard().page, { colorScheme });
		assert.deepEqual(await shown.evaluate(lowContrast), [], colorScheme);
	}
});
