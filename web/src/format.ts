/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers and names for people. Times come in nanoseconds; NaN means "not known" and is shown as
 * a dash, never as zero.
 */

export const UNKNOWN = "–";

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** Three significant digits, no exponent. */
function three(x: number): string {
	if (x >= 99.95)
		return x.toFixed(0);
	return x >= 9.995 ? x.toFixed(1) : x.toFixed(2);
}

/** 950 ns, 1.23 µs, 45.6 ms, 7.89 s, 2 min 03 s, 5 h 07 min */
export function formatTime(ns: number): string {
	if (!Number.isFinite(ns))
		return UNKNOWN;
	if (ns < 0)
		return "−" + formatTime(-ns);
	if (ns < 999.5)
		return ns < 10 && ns % 1 !== 0 ? `${ns.toFixed(1)} ns` : `${Math.round(ns)} ns`;
	if (ns < 999.5e3)
		return `${three(ns / 1e3)} µs`;
	if (ns < 999.5e6)
		return `${three(ns / 1e6)} ms`;
	if (ns < 119.5e9)
		return `${three(ns / 1e9)} s`;
	return formatLong(Math.round(ns / 1e9));
}

/** A moment of a line with a mark each @step: with as many digits as tell one from the next. */
export function formatMoment(ns: number, step: number): string {
	const [unit, name] = ns < 999.5 ? [1, "ns"] : ns < 999.5e3 ? [1e3, "µs"] : ns < 999.5e6 ? [1e6, "ms"] : [1e9, "s"];
	const digits = Math.max(0, -Math.floor(Math.log10(step / unit) + 1e-9));

	return ns >= 119.5e9 && digits === 0 ? formatTime(ns) : `${(ns / unit).toFixed(digits)} ${name}`;
}

function formatLong(seconds: number): string {
	const two = (x: number) => String(x).padStart(2, "0");

	if (seconds < 3600)
		return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
	return `${grouped.format(Math.floor(seconds / 3600))} h ${two(Math.floor(seconds / 60) % 60)} min`;
}

/** +1.23 ms, −950 ns, 0 ns */
export function formatDifference(ns: number): string {
	return ns > 0 ? "+" + formatTime(ns) : formatTime(ns);
}

/** A ratio of now to before: +5.3 %, +114 %, ×12 from ten times on; unknown where before was 0. */
export function formatFactor(ratio: number): string {
	const percent = (ratio - 1) * 100;

	if (!Number.isFinite(ratio))
		return UNKNOWN;
	if (ratio >= 10)
		return `×${ratio >= 99.95 ? grouped.format(ratio) : three(ratio)}`;
	return `${percent < 0 ? "−" : "+"}${Math.abs(percent).toFixed(Math.abs(percent) >= 99.95 ? 0 : 1)} %`;
}

/** 1,234,567 ns: every digit, for tooltips. */
export function formatExact(ns: number): string {
	return Number.isFinite(ns) ? `${grouped.format(Math.round(ns))} ns` : UNKNOWN;
}

/** Medians of counts may end in .5. */
const halves = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });

export function formatCount(n: number): string {
	if (Math.abs(n) < 1e6 && n % 1 !== 0 && Number.isFinite(n))
		return halves.format(n);
	return Number.isFinite(n) ? grouped.format(n) : UNKNOWN;
}

/** A difference of counts, with its sign. */
export function formatMore(n: number): string {
	return n > 0 ? `+${formatCount(n)}` : n < 0 ? `−${formatCount(-n)}` : formatCount(n);
}

/** 1,234 but 12.3 million: for headlines. */
export function formatBig(n: number): string {
	if (!Number.isFinite(n))
		return UNKNOWN;
	if (n < 1e6)
		return grouped.format(n);
	if (n < 999.5e6)
		return `${three(n / 1e6)} million`;
	return `${three(n / 1e9)} billion`;
}

/** A value of an axis: 0.25, 1,234, 12.3 million. */
export function formatValue(value: number): string {
	return Math.abs(value) < 1e3 && value % 1 !== 0 ? String(Number(value.toPrecision(3))) : value < 0 ? `−${formatBig(-value)}` : formatBig(value);
}

/** An amount in its unit. */
export function formatAmount(unit: string): (value: number) => string {
	return unit === "ns" ? formatTime : unit === "bytes" ? (value) => value < 0 ? `−${formatBytes(-value)}` : formatBytes(value) : formatValue;
}

/** 12.3 %, 0.04 %, <0.01 %; shares of nothing are unknown. */
export function formatShare(share: number): string {
	const percent = share * 100;

	if (!Number.isFinite(percent))
		return UNKNOWN;
	if (percent === 0)
		return "0 %";
	if (percent < 0.01)
		return "<0.01 %";
	if (percent < 1)
		return `${percent.toFixed(2)} %`;
	return percent >= 99.95 ? `${percent.toFixed(0)} %` : `${percent.toFixed(1)} %`;
}

export function formatBytes(n: number): string {
	const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
	let unit = 0;

	while (n >= 1024 && unit < units.length - 1) {
		n /= 1024;
		unit++;
	}
	return unit === 0 ? `${n} bytes` : `${three(n)} ${units[unit]}`;
}

export function plural(n: number, one: string, many = one + "s"): string {
	return `${formatBig(n)} ${n === 1 ? one : many}`;
}

/** 2026-11-20 14:05:12, in the reader's time zone. */
export function formatWhen(ms: number): string {
	const date = new Date(ms);
	const two = (x: number) => String(x).padStart(2, "0");

	if (!Number.isFinite(date.getTime()))
		return UNKNOWN;
	return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ` +
		`${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/* Controls, zero-width and direction-changing characters would let a name lie about itself. */
const invisible =
	/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** Names come from the measured program: make what cannot be seen visible. */
export function visibleText(text: string): string {
	return text.replace(invisible, (c) => `\\u{${c.charCodeAt(0).toString(16)}}`);
}

/** The part of a path after the last slash. */
export function baseName(path: string): string {
	const slash = path.lastIndexOf("/");

	return slash >= 0 && slash < path.length - 1 ? path.slice(slash + 1) : path;
}

/*
 * "operator<", "operator()" and "(anonymous namespace)" contain brackets that belong to the name:
 * length of such a token at @at, 0 if there is none.
 */
function wholeToken(name: string, at: number): number {
	const match = /^(?:operator(?:\(\)|<=>|<<=|>>=|->\*?|<<|>>|<=|>=|<|>)|\(anonymous namespace\)|\{lambda\([^)]*\)#\d+\})/
		.exec(name.slice(at, at + 400));

	return match ? match[0].length : 0;
}

/** Drops a return type: what stands before the last blank, conversion operators excepted. */
function withoutReturnType(name: string): string {
	const operator = name.search(/\boperator\b/);
	const head = operator >= 0 ? name.slice(0, operator) : name;

	return name.slice(head.lastIndexOf(" ") + 1);
}

/**
 * A C++ or Rust name without template arguments, parameters and return type:
 * "void ns::f<int, std::less<int> >(int const&)" becomes "ns::f<…>".
 */
export function shortName(name: string): string {
	let out = "", depth = 0, afterParameters = false;
	const caller = name.indexOf("@") + 1; /* FUNC@CALLER */

	if (!/[<(]/.test(name))
		return name;
	if (caller > 0)
		return `${shortName(name.slice(0, caller - 1))}@${shortName(name.slice(caller))}`;
	for (let i = 0; i < name.length; i++) {
		const whole = depth === 0 ? wholeToken(name, i) : 0;
		const c = name[i];

		if (whole > 0) {
			out += name.slice(i, i + whole).replace(/ /g, "\u00a0");
			i += whole - 1;
		} else if (c === "<" || c === "(") {
			afterParameters ||= depth === 0 && c === "(";
			if (depth++ === 0 && c === "<")
				out += "<…>";
		} else if (c === ">" || c === ")") {
			if (depth-- === 0)
				return name; /* not a name we understand */
		} else if (depth === 0) {
			if (afterParameters && !name.startsWith("::", i))
				break; /* " const", " [clone …]" */
			afterParameters = false;
			out += c;
		}
	}
	if (depth > 0)
		return name;
	const short = withoutReturnType(out).replace(/\u00a0/g, " ");

	return /[\p{L}_$]/u.test(short) ? short : name;
}

/**
 * A name in three parts for narrow places: what qualifies it, what it is, its arguments. Joined
 * they are the name: "void ns::f", not "<int>", is what tells functions apart; of regions, it is
 * the place: "A,B", "@prog.c:30".
 */
export function nameParts(name: string): [string, string, string] {
	const place = /@[^@]+:\d+$/.exec(name);
	const at = name.indexOf("@"); /* FUNC@CALLER: FUNC is what it is */
	let depth = 0, begin = 0, end = name.length;

	if (place)
		return [name.slice(0, place.index), place[0], ""];
	if (at >= 0) {
		const [before, what, after] = nameParts(name.slice(0, at));

		return [before, what, after + name.slice(at)];
	}
	for (let i = 0; i < name.length; i++) {
		const whole = depth === 0 ? wholeToken(name, i) : 0;
		const c = name[i];

		if (whole > 0) {
			i += whole - 1;
			end = name.length;
		} else if (c === "<" || c === "(") {
			if (depth++ === 0 && end === name.length)
				end = i;
		} else if (c === ">" || c === ")") {
			if (depth-- === 0)
				return ["", name, ""];
		} else if (depth === 0 && name.startsWith("::", i)) {
			begin = i + 2;
			end = name.length;
			i++;
		}
	}
	return depth > 0 || end <= begin ? ["", name, ""]
		: [name.slice(0, begin), name.slice(begin, end), name.slice(end)];
}
