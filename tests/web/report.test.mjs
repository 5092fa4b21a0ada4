/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From a profile file through `rarog report` to the numbers in the browser. The profile is described
 * as events; what must be shown is worked out here from the same events, not from the profile.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { dataOf, launch, openPage, random } from "./support.mjs";

const rarog = process.env.RAROG ?? "build/rarog";
const maker = process.env.MAKE_PROFILE ?? join(dirname(rarog), "tests", "make-profile");
const skip = [rarog, maker].filter((path) => !existsSync(path)).map((path) => `needs ${path}`).join(", ") || false;
const folder = mkdtempSync(join(tmpdir(), "rarog-report-"));
let browser;

before(async () => {
	browser = skip ? undefined : await launch();
});
after(async () => {
	await browser?.close();
	rmSync(folder, { recursive: true });
});

/* Description of a profile to the path of its page. */
function makeReport(name, description, ...options) {
	const profile = join(folder, `${name}.rarog`), page = join(folder, `${name}.html`);

	execFileSync(maker, [profile], { input: description });
	execFileSync(rarog, ["report", profile, "-o", page, ...options]);
	return page;
}

const open = (t, file) => openPage(t, browser, file);

/* A random run of @calls calls over @functions functions, and sums made while it is written. */
function randomRun(calls, functions, seed) {
	const rand = random(seed);
	const lines = ["clock 1000000000 1763640000000000000", "binary /bin/a", "binary /lib/b.so"];
	const sums = Array.from({ length: functions }, () => ({ count: 0, exclusive: 0, total: 0, min: Infinity, max: 0, durations: [] }));
	const edges = new Map(), stack = [], list = [];
	let now = 0, made = 0;

	for (let i = 0; i < functions; i++)
		lines.push(`location f${i} binary=${i % 2} file=/src/f${i % 9}.c line=${i + 1} address=${i * 64}`);
	lines.push("process 7 - 0 100000000 0 \"./a b c\"", "strand 0 7 0 100000000");
	const pop = () => {
		const delta = Math.floor(rand() * 50) + 1, call = stack.pop();

		now += delta;
		lines.push(`< ${delta}`);
		const duration = now - call.start, sum = sums[call.f];

		list.push([stack.length, call.start, duration, call.f]);

		sum.count++;
		sum.exclusive += duration - call.inner;
		sum.min = Math.min(sum.min, duration);
		sum.max = Math.max(sum.max, duration);
		sum.durations.push(duration);
		if (!stack.some(({ f }) => f === call.f))
			sum.total += duration;
		if (stack.length > 0)
			stack[stack.length - 1].inner += duration;
		const from = stack.length > 0 ? stack[stack.length - 1].f : -1;
		const key = `${from} ${call.f}`, edge = edges.get(key) ?? { count: 0, time: 0 };
		const nested = stack.some(({ f }, i) => f === call.f && (i > 0 ? stack[i - 1].f : -1) === from);

		edge.count++;
		edge.time += nested ? 0 : duration;
		edges.set(key, edge);
	};

	while (made < calls || stack.length > 0) {
		if (made < calls && (stack.length === 0 || (stack.length < 12 && rand() < 0.55))) {
			const delta = Math.floor(rand() ** 5 * 3000) + 1, f = Math.floor(rand() ** 2 * functions);

			now += delta;
			lines.push(`> f${f} ${delta}`);
			stack.push({ f, start: now, inner: 0 });
			made++;
		} else {
			pop();
		}
	}
	return { description: lines.join("\n") + "\n", sums, edges, calls: list };
}

/* Numbers that begin anew with each thread and depth, as they were before they became differences. */
function absolute({ strand, depth }, steps) {
	const out = [];

	steps.forEach((step, i) => out.push(step + (i > 0 && strand[i] === strand[i - 1] && depth[i] === depth[i - 1] ? out[i - 1] : 0)));
	return out;
}

test("sums, extremes, edges and tree equal those of the events", { skip }, () => {
	const { description, sums, edges } = randomRun(4000, 40, 5);
	const data = dataOf(makeReport("random", description)), f = data.functions;

	assert.equal(f.name.length, 40);
	sums.forEach((sum, i) => {
		assert.equal(f.name[i], `f${i}`);
		assert.deepEqual([f.count[i], f.exclusive[i], f.total[i]], [sum.count, sum.exclusive, sum.total]);
		if (sum.count === 0)
			return;
		assert.deepEqual([f.min[i], f.max[i]], [sum.min, sum.max]);
		const sorted = sum.durations.sort((a, b) => a - b);

		for (const [key, q] of [["p50", 0.5], ["p99", 0.99]]) {
			const exact = sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)];

			assert.ok(Math.abs(f[key][i] - exact) <= exact * 0.032 + 1, `${key} of f${i}: ${f[key][i]}, exactly ${exact}`);
		}
	});
	assert.equal(data.edges.count.length, edges.size);
	data.edges.caller.forEach((from, i) => {
		const edge = edges.get(`${from} ${data.edges.callee[i]}`);

		assert.deepEqual([data.edges.count[i], data.edges.time[i]], [edge.count, edge.time]);
	});
	const add = (list) => list.reduce((a, b) => a + b, 0);

	assert.equal(add(data.tree.self), add(f.exclusive));
	assert.equal(add(data.tree.count), add(f.count));
	assert.equal(add(data.histograms.count), add(f.count));
	assert.equal(data.left_out.contexts, 0);
});

/* Sleeping, working and preempted on two threads; a tick is a nanosecond. */
const parted = `binary /bin/a
location main file=/s/a.c line=1
location nap file=/s/b.c line=2
location spin file=/s/c.c line=3
location again file=/s/d.c line=4
location quick file=/s/e.c line=5
process 7 - 0 5000000 0 "./a"
strand 0 7 0 5000000
> main 0
> nap 1000
away 60000 5000
< 80000
> again 10
away 5
> again 10
away 100 50
> spin 300
away 0 400
< 100000
< 10
< 10
> quick 20
< 40
away 7 3
< 1000
strand 0 8 0 5000000
> nap 100
away 900000
< 1000000
`;

const show = (name) => JSON.parse(execFileSync(rarog, ["show", "--json", join(folder, `${name}.rarog`)], { encoding: "utf8" }));

test("CPU time and waiting: sums, contexts and left-out contexts equal those of show", { skip }, () => {
	const add = (list) => list.reduce((a, b) => a + b, 0);

	for (const [name, ...options] of [["parted"], ["parted-few", "--max-frames=3"]]) {
		const { functions: f, tree } = dataOf(makeReport(name, parted, ...options)), said = show(name).functions;

		for (const { name: fn, exclusive_ns: all, total_ns: total, cpu_ns, waited_ns, preempted_ns, cpu_total_ns } of said) {
			const row = f.name.indexOf(fn), away = Object.entries(f.away).map(([, column]) => column[row]);

			assert.deepEqual(away.slice(0, 2), [waited_ns, preempted_ns], fn);
			assert.deepEqual([all - away[0] - away[1], total - away[2] - away[3]], [cpu_ns, cpu_total_ns], fn);
		}
		assert.equal(said.length, 5);
		assert.equal(add(tree.waited), add(said.map((fn) => fn.waited_ns)));
		assert.equal(add(tree.preempted), add(said.map((fn) => fn.preempted_ns)));
		assert.equal(add(tree.self), add(said.map((fn) => fn.exclusive_ns)));
		assert.equal(tree.waited.length, tree.depth.length);
	}
	const { functions, tree } = dataOf(makeReport("unparted", parted.replace(/^away.*\n/gm, "")));

	assert.equal(functions.away, null);
	assert.deepEqual([tree.waited, tree.preempted], [[], []]);
});

test("CPU time and waiting have columns, a part of the panel, and widths", { skip }, async (t) => {
	const page = await open(t, makeReport("parted", parted));
	const frame = async (label) => (await page.evaluate(() => window.rarog.frames())).find((f) => f.label === label);
	const share = async (label) => (await frame(label))?.width / (await frame("all")).width;
	const heads = await page.$$eval("#functions thead th", (list) => list.map((cell) => cell.textContent));

	assert.deepEqual(heads.slice(0, 5), ["Function", "Exclusive", "CPU", "Waited", "Preempted"]);
	await page.click("button[data-sort=cpu]");
	assert.deepEqual(await page.evaluate(() => window.rarog.rows()), ["nap", "spin", "main", "again", "quick"]);
	await page.click("#functions td.c-name >> text=spin");
	assert.match(await page.textContent("#detail"), /of it CPU time99\.6 µs \(99\.6 %\)of it preempted400 ns \(0\.40 %\)Total/);
	assert.match(await page.textContent("#figures"), /CPU time217 µs960 µs waited, 5\.45 µs preempted/);
	await page.click("label[for=weight-cpu]");
	/* by the events: 115,000 + 99,600 + 2,000 + 175 + 40 in all */
	assert.ok(Math.abs(await share("main") - 116815 / 216815) < 0.002, await share("main"));
	assert.ok(Math.abs(await share("spin") - 99600 / 216815) < 0.002);
	await page.click("label[for=weight-waited]");
	assert.ok(Math.abs(await share("main") - 60112 / 960112) < 0.002);
	assert.equal(await frame("spin"), undefined);
	const nap = await frame("nap");

	await page.mouse.move(nap.x, nap.y);
	assert.match(await page.textContent("#tip"), /CPU time100 µs \(10\.0 % of inclusive\)waited900 µs \(90\.0 % of inclusive\)share93\.7 % of all waiting/);
	await page.click("#functions td.c-name >> text=quick");
	await page.click(".zoom-to");
	assert.equal(await page.textContent("#live"), "not in the flame graph: it has no waiting");
	const plain = await open(t, makeReport("unparted", parted.replace(/^away.*\n/gm, "")));

	assert.equal(await plain.isVisible("label[for=weight-cpu]"), false);
	assert.doesNotMatch(await plain.textContent("#functions thead"), /CPU|Waited/);
	assert.doesNotMatch(await plain.textContent("#figures"), /CPU/);
});

test("few frames: the rest is left out with its sums, heaviest kept", { skip }, () => {
	const { description } = randomRun(4000, 40, 5);
	const full = dataOf(makeReport("full", description)), all = full.tree.depth.length;
	const add = (list) => list.reduce((a, b) => a + b, 0);

	for (const max of [1, 2, 10, 100, all - 1, all]) {
		const data = dataOf(makeReport(`few-${max}`, description, `--max-frames=${max}`));
		const kept = data.tree.function.filter((fn) => fn !== -2).length;

		assert.ok(kept <= max, `${kept} of ${max}`);
		assert.ok(kept >= max * 0.9, `${kept} of ${max}`);
		assert.equal(add(data.tree.self), add(full.tree.self));
		assert.equal(add(data.tree.count), add(full.tree.count));
		assert.equal(kept + data.left_out.contexts, all);
		assert.equal(add(data.tree.left_out.filter((_, i) => i % 2 === 1)), data.left_out.contexts);
		assert.deepEqual(data.edges, full.edges, "edges are of the whole tree");
	}
});

test("the page shows them", { skip }, async (t) => {
	const { description, sums } = randomRun(1000, 12, 8);
	const page = await open(t, makeReport("shown", description));
	const order = sums.map((_, i) => i).sort((a, b) => sums[b].exclusive - sums[a].exclusive || a - b);

	assert.deepEqual(await page.evaluate(() => window.rarog.rows()), order.map((i) => `f${i}`));
	assert.equal(await page.textContent("#title"), "./a b c");
	assert.equal(await page.title(), "./a b c – rarog");
	const calls = await page.$$eval("#functions tbody:not(.spacer) tr", (list) => list.map((row) => row.cells[3].textContent));

	assert.deepEqual(calls, order.map((i) => sums[i].count.toLocaleString("en-US")));
});

test("hostile names and titles come through the writer as text", { skip }, async (t) => {
	const names = ["</script><img src=x onerror=alert(1)>", "<!--<script>", "{{data}}", "a&b<c>", "x\\xff\\xfey"];
	const lines = [`header ${JSON.stringify({ command: "</script><script>alert(1)</script>" })}`, "binary \"</script>\"",
		       ...names.map((name, i) => `location "${name}" binary=0 address=${i} file="${name}" line=1`),
		       "process 1 - 0 1000 0 \"</title><script>alert(2)</script>\"", "strand 0 1 0 1000",
		       ...names.map((name) => `> "${name}" 5\n< 5`), "loss \"</script><b>\" 3"];
	const file = makeReport("hostile", lines.join("\n") + "\n", "--title", "</title><script>alert(3)</script>");
	const page = await open(t, file);

	assert.equal((readFileSync(file, "utf8").match(/<script/g) ?? []).length, 2);
	assert.equal(await page.title(), "</title><script>alert(3)</script>");
	const shown = await page.evaluate(() => window.rarog.rows());

	assert.deepEqual(shown.slice().sort(), [...names.slice(0, 4), "x\ufffd\ufffdy"].sort());
	assert.match(await page.textContent("#banners"), /Something was lost\.3 <\/script><b>/);
	assert.equal(await page.$$eval("img", (list) => list.length), 0);
});

test("a run without calls", { skip }, async (t) => {
	const page = await open(t, makeReport("empty", "process 1 - 0 1000 0 \"./idle\"\nstrand 0 1 0 1000\n"));

	assert.match(await page.textContent("#flame-empty"), /No traced function was called/);
});

test("a cut-off profile says so", { skip }, async (t) => {
	const { description } = randomRun(30000, 40, 3);
	const profile = join(folder, "whole.rarog"), cut = join(folder, "cut.rarog"), out = join(folder, "cut.html");

	execFileSync(maker, [profile], { input: description });
	const bytes = readFileSync(profile);

	writeFileSync(cut, bytes.subarray(0, bytes.length - 64));
	execFileSync(rarog, ["report", cut, "-o", out], { stdio: ["ignore", "ignore", "ignore"] });
	const page = await open(t, out);

	assert.match(await page.textContent("#banners"), /This profile is incomplete/);
});

const byPlace = (a, b) => a[0] - b[0] || a[1] - b[1];

test("timeline: few calls are there one by one, as the events say", { skip }, () => {
	const { description, calls } = randomRun(3000, 30, 9), { timeline } = dataOf(makeReport("in-time", description));
	const begin = absolute(timeline.calls, timeline.calls.begin);

	assert.deepEqual(begin.map((at, i) => [timeline.calls.depth[i], at, timeline.calls.extent[i], timeline.calls.function[i]]),
			 calls.sort(byPlace));
	assert.equal(timeline.all, calls.length);
	assert.equal(timeline.sums.calls.length, 0);
});

test("timeline: of many calls the longest are there, the others in sums, none is missing", { skip }, () => {
	const { description, calls } = randomRun(70000, 30, 11), { timeline } = dataOf(makeReport("in-sums", description));
	const add = (list) => list.reduce((a, b) => a + b, 0), single = timeline.calls.begin.length;
	const least = Math.min(...timeline.calls.extent);

	assert.ok(single > 1000 && single < 45000, `${single}`);
	assert.equal(timeline.all, calls.length);
	assert.equal(single + add(timeline.sums.calls), calls.length);
	assert.equal(add(timeline.calls.extent) + add(timeline.sums.ticks), add(calls.map(([, , duration]) => duration)));
	/* the longest thousand are single ones */
	const longest = calls.map(([, , duration]) => duration).sort((a, b) => b - a).slice(0, 1000);

	assert.deepEqual([...timeline.calls.extent].sort((a, b) => b - a).slice(0, 1000), longest);
	assert.ok(least > 0);
	/* each sum is of calls that began in its slice: counted again from the events */
	const wanted = new Map(), shown = new Map(), slices = absolute(timeline.sums, timeline.sums.slice);
	const isSingle = new Set(absolute(timeline.calls, timeline.calls.begin).map((at, i) => `${timeline.calls.depth[i]} ${at}`));

	for (const [depth, at] of calls)
		if (!isSingle.has(`${depth} ${at}`)) {
			const key = `${depth} ${Math.floor(at / timeline.slice)}`;

			wanted.set(key, (wanted.get(key) ?? 0) + 1);
		}
	slices.forEach((slice, i) => shown.set(`${timeline.sums.depth[i]} ${slice}`, timeline.sums.calls[i]));
	assert.deepEqual(new Map([...shown].sort()), new Map([...wanted].sort()));
});

test("timeline: --from --to shows a part, a call outside of it is not counted", { skip }, () => {
	const { description, calls } = randomRun(3000, 30, 9), from = 200000, to = 400000;
	const { timeline } = dataOf(makeReport("part", description, `--from=${from}ns`, `--to=${to}ns`));
	const inside = calls.filter(([, at, duration]) => at <= to && at + duration >= from);

	assert.deepEqual([timeline.from, timeline.to, timeline.all], [from, to, inside.length]);
	assert.ok(inside.length > 50 && inside.length < calls.length);
});

test("timeline in the page: zoom, longest call, next, search, address", { skip }, async (t) => {
	const { description, calls } = randomRun(3000, 30, 9), file = makeReport("page-in-time", description);
	const page = await openPage(t, browser, file, { tab: "timeline" });
	const spans = () => page.evaluate(() => window.rarog.spans()), look = () => page.evaluate(() => window.rarog.look());
	const whole = await look();

	assert.ok((await spans()).length > 50);
	await page.keyboard.press("l");
	const longest = Math.max(...calls.map(([, , duration]) => duration));

	assert.match(await page.textContent("#timeline-facts"), new RegExp(`took .*${longest.toLocaleString("en-US")} ns`));
	await page.click("#timeline-all");
	await page.keyboard.press("+");
	assert.ok((await look())[1] - (await look())[0] < whole[1] - whole[0]);
	await page.waitForFunction(() => /* it follows a moment later */
		Math.abs(Number(new URLSearchParams(location.hash.slice(1)).get("from")) - window.rarog.look()[0]) <= 1);
	const hash = await page.evaluate(() => location.hash), seen = await look();
	const other = await openPage(t, browser, file, { hash });

	assert.ok((await other.evaluate(() => window.rarog.look())).every((at, i) => Math.abs(at - seen[i]) <= 1));
	/* the first and the next call of one function */
	await page.keyboard.press("0");
	const call = (await spans()).filter(({ item, width }) => item >= 0 && width > 3).pop();

	await page.mouse.click(call.x, call.y);
	const begins = calls.filter(([, , , f]) => `f${f}` === call.fn).length;

	assert.equal((await page.textContent("#timeline-facts b")), call.fn);
	for (let i = 0; i < begins; i++)
		await page.keyboard.press("p");
	const first = calls.filter(([, , , f]) => `f${f}` === call.fn).sort((a, b) => a[1] - b[1])[0];

	assert.ok((await page.textContent("#timeline-facts")).includes(`${first[2].toLocaleString("en-US")} ns`));
});

test("call tree: top-down as the events say, bottom-up has each function's own time", { skip }, async (t) => {
	const { description, sums } = randomRun(2000, 20, 13), file = makeReport("tree", description), data = dataOf(file);
	const page = await openPage(t, browser, file, { tab: "calltree" });
	const tree = () => page.evaluate(() => window.rarog.tree());
	const tops = data.tree.depth.map((depth, i) => [depth, i]).filter(([depth]) => depth === 1).map(([, i]) => i);
	const inclusive = (i) => {
		let sum = data.tree.self[i];

		for (let k = i + 1; k < data.tree.depth.length && data.tree.depth[k] > data.tree.depth[i]; k++)
			sum += data.tree.self[k];
		return sum;
	};

	assert.deepEqual((await tree()).filter(({ depth }) => depth === 0).map(({ fn, time }) => [fn, time]).sort((a, b) => a[0] - b[0]),
			 tops.map((i) => [data.tree.function[i], inclusive(i)]).sort((a, b) => a[0] - b[0]));
	assert.ok((await tree()).some(({ depth }) => depth > 0), "the heaviest way is open");
	/* what is open adds up */
	await page.click("label[for=direction-up]");
	const up = await tree();

	assert.deepEqual(up.map(({ fn, time }) => [fn, time]).sort((a, b) => a[0] - b[0]),
			 sums.map(({ exclusive }, fn) => [fn, exclusive]).filter(([fn]) => sums[fn].count > 0));
	await page.focus("#contexts");
	await page.keyboard.press("Home");
	await page.keyboard.press("ArrowRight");
	const [first, ...rest] = await tree(), callers = rest.slice(0, rest.findIndex(({ depth }) => depth === 0));
	const root = data.tree.function.reduce((all, fn, i) => all + (fn === first.fn && data.tree.depth[i] === 1 ? data.tree.self[i] : 0), 0);

	assert.ok(callers.length > 0);
	assert.equal(callers.reduce((all, { time }) => all + time, root), first.time, "its callers account for all of its time");
});

test("arguments: the calls of a program with their values, where the timeline has them", { skip }, () => {
	const program = join(folder, "sorts"), profile = `${program}.rarog`, file = `${program}.html`;

	execFileSync("gcc", ["-g", "-O1", "-o", program, new URL("../programs/model/sorts.c", import.meta.url).pathname]);
	execFileSync(rarog, ["collect", "-q", "--args", "quick_sort", "--func", "quick_sort", "-o", profile, "--", program]);
	execFileSync(rarog, ["report", profile, "-o", file]);
	const { arguments: [list], timeline, functions } = dataOf(file), fn = functions.name.indexOf("quick_sort");
	const sizes = [100, 200, 400, 800, 1600, 3200, 6400, 12800]; /* the program's, five times each */

	assert.deepEqual(list.x, Array.from({ length: 5 }, () => sizes).flat());
	const begins = absolute(timeline.calls, timeline.calls.begin).filter((_, i) => timeline.calls.function[i] === fn).sort((a, b) => a - b);

	assert.deepEqual(list.begin, begins);
});

test("the tree of each thread has its calls and times, together they are the whole tree", { skip }, () => {
	const data = dataOf(makeReport("threads", ["clock 1000000000 1763640000000000000", "location a", "location b", "process 7 - 0 100000 0 ./x",
		"strand 0 7 0 1000", "> a 0", "> b 10", "< 20", "> b 5", "< 30", "< 1", "strand 0 8 0 1000", "> a 0", "< 7", "> b 3", "< 4"].join("\n") + "\n"));
	const { depth, function: fn, count, self } = data.threads, n = data.functions.name.length;

	/* thread 7: a 66 ticks, of them b 50 in two calls; thread 8: a 7, b 4 */
	assert.deepEqual(depth.map((each, i) => [each, fn[i], count[i], self[i]]),
			 [[0, -1, 0, 0], [1, n, 0, 0], [2, 0, 1, 16], [3, 1, 2, 50], [1, n + 1, 0, 0], [2, 0, 1, 7], [2, 1, 1, 4]]);
});

test("timeline: what the author marked is a region with its calls, a point is a moment", { skip }, async (t) => {
	const file = makeReport("marks", ["clock 1000000000 1763640000000000000", "location work", "location phase kind=1", "location here kind=2", "process 7 - 0 300 0 ./x",
		"strand 0 7 0 300", "> phase 0", "> work 10", "> here 100", "< 0", "< 100", "> here 50", "< 0", "< 40"].join("\n") + "\n");
	const { marks, timeline } = dataOf(file);

	assert.deepEqual(marks, { regions: [1], points: [2] });
	assert.deepEqual(timeline.calls.function.map((fn, i) => [fn, timeline.calls.extent[i]]).sort(), [[0, 200], [1, 300], [2, 0], [2, 0]].sort());
	const page = await openPage(t, browser, file, { tab: "timeline" }), spans = await page.evaluate(() => window.rarog.spans());
	const at = (fn) => spans.filter((span) => span.fn === fn).map(({ x }) => x), box = await page.locator("#timeline").boundingBox();

	/* at 110 and 260 of the 300 ticks that the run has */
	assert.deepEqual(at("here").map((x) => Math.round((x - box.x) / box.width * 300)).sort(), [110, 260]);
	await page.mouse.click(spans.find(({ fn }) => fn === "here").x, spans.find(({ fn }) => fn === "here").y);
	assert.match(await page.textContent("#timeline-facts"), /here/);
});
