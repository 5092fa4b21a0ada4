/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The source of two versions as one text: how often each line was reached before and now, what is
 * new and what is gone, and in the function that is looked at what became of each block.
 */

import { shortCount } from "./blocks-data";
import { byId, el } from "./dom";
import { baseName, formatCount, formatMore, plural, visibleText } from "./format";
import { pairBlockName, type PairBlock } from "./graph-pair";
import { LineList } from "./line-list";
import type { PairFn } from "./pair-data";
import { differenceOf, differenceStep, SIDES, type FilePair, type Joined, type LineCount, type Side, type SourceFiles } from "./pair-sources";
import { missing, piecesOf, visibleLine } from "./source-view";

export interface PairSourceEvents {
	/** A line of a block was chosen. */
	chooseBlock(block: PairBlock): void;
	/** A line of another function, by its row, was chosen. */
	chooseFunction(row: number): void;
	announce(text: string): void;
}

/** A block where it begins in a line of the joined text. */
interface Begin {
	block: PairBlock;
	column: number;
	count: number; /* which of several at one place is shown: the one that changed most */
}

const words: Record<Side, string> = { before: "before", now: "now" };

function changeClass(step: number): string {
	return step > 0 ? `more-${step}` : step < 0 ? `fewer-${-step}` : "";
}

const timesWords = (line: LineCount | undefined) => line ? formatCount(line.count) : "no code";

/** "reached 5 times before, 9 now", "only now: reached 9 times". */
function reachedWords(joined: Joined, row: number): string {
	const before = joined.rows.before[row], now = joined.rows.now[row];
	const a = joined.counts.before.get(before), b = joined.counts.now.get(now);

	if (before === 0 || now === 0) {
		const line = before === 0 ? b : a;

		return `only ${before === 0 ? "now" : "before"}: ${line ? `reached ${plural(line.count, "time")}` : "no code"}`;
	}
	if (!a && !b)
		return "no code";
	return `reached ${timesWords(a)}${a ? ` ${a.count === 1 ? "time" : "times"}` : ""} before, ${timesWords(b)} now`;
}

export class PairSourceView {
	private readonly list = new LineList({ row: (at) => this.row(at), choose: (at) => this.choose(at) });
	private files: FilePair = { before: -1, now: -1 };
	private joined: Joined | null = null;
	private rowOf: Record<Side, Map<number, number>> = { before: new Map(), now: new Map() }; /* by line */
	private fn: PairFn | null = null;
	private blocks: PairBlock[] = [];
	private begins = new Map<number, Begin[]>(); /* by row */
	private block: PairBlock | null = null;

	constructor(private readonly sources: SourceFiles, private readonly events: PairSourceEvents) {
		byId("source-up").addEventListener("click", () => this.step(-1));
		byId("source-down").addEventListener("click", () => this.step(1));
		byId("source-box").addEventListener("keydown", (event) => {
			if ((event.key === "n" || event.key === "p") && !event.ctrlKey && !event.metaKey && !event.altKey)
				this.step(event.key === "n" ? 1 : -1);
		});
	}

	show(fn: PairFn | null, blocks: PairBlock[]): void {
		this.fn = fn;
		this.blocks = blocks;
		this.block = null;
		this.setFiles(fn ? this.sources.filesOf(fn.id) : { before: -1, now: -1 });
		this.findBegins();
		this.goToFunction();
		this.list.render();
	}

	/** Its beginning; if what changed most is out of sight then, that. */
	private goToFunction(): void {
		const begin = this.fn ? this.sources.beginOf(this.fn.id) : { before: 0, now: 0 };
		const changed = this.blocks.filter(({ gain }) => gain !== 0);

		this.list.current = this.rowOfLines(begin.before, begin.now);
		this.list.reveal(this.list.current, true);
		if (changed.length === 0)
			return;
		const most = changed.reduce((a, b) => Math.abs(b.gain) > Math.abs(a.gain) ? b : a);

		if (most.before.line > 0 || most.now.line > 0)
			this.list.reveal(this.rowOfLines(most.before.line, most.now.line), false);
	}

	private rowOfLines(before: number, now: number): number {
		return this.rowOf.now.get(now) ?? this.rowOf.before.get(before) ?? 0;
	}

	private setFiles(files: FilePair): void {
		const isSame = files.before === this.files.before && files.now === this.files.now;

		if (!isSame) {
			this.files = files;
			this.joined = files.before >= 0 || files.now >= 0 ? this.sources.joined(files) : null;
			this.indexRows();
			this.list.count = this.joined?.rows.now.length ?? 0;
		}
		this.head();
	}

	private indexRows(): void {
		for (const side of SIDES) {
			this.rowOf[side] = new Map();
			this.joined?.rows[side].forEach((line, row) => line > 0 && this.rowOf[side].set(line, row));
		}
		for (const id of ["source-up", "source-down"])
			byId<HTMLButtonElement>(id).disabled = (this.joined?.changes.length ?? 0) === 0;
	}

	private head(): void {
		const { joined, files } = this, path = (side: Side) => files[side] >= 0 ? visibleText(this.sources.side(side).path[files[side]]) : "";
		const before = path("before"), now = path("now"), [old, name] = [baseName(before), baseName(now)];
		const note = !this.fn ? "" : joined ? this.notes().join(" ") : "This function was compiled without lines (-g).";

		byId("source-name").textContent = !joined ? "no source" : old === "" || old === name ? name || old : name === "" ? old : `${old} → ${name}`;
		byId("source-name").title = before === now || before === "" ? now : now === "" ? before : `before ${before}\nnow ${now}`;
		byId("source-sum").textContent = joined ? this.sum(joined) : "";
		byId("source-note").textContent = note;
		byId("source-note").hidden = note === "";
	}

	private sum({ added, gone, moved, texts }: Joined): string {
		const text = texts.before && texts.now ? [added > 0 && `+${formatCount(added)}`, gone > 0 && `−${formatCount(gone)}`] : [];
		const parts = [text.filter(Boolean).join(" "), moved > 0 && `other counts on ${plural(moved, "line")}`].filter(Boolean);

		return parts.length > 0 ? parts.join(" · ") : "nothing changed";
	}

	/** What is not the text that was compiled. */
	private notes(): string[] {
		const { joined, files } = this, notes = new Map<string, Side[]>();

		for (const side of SIDES) {
			const why = files[side] >= 0 ? missing[this.sources.side(side).state[files[side]]] : undefined;

			if (why)
				notes.set(why, [...notes.get(why) ?? [], side]);
		}
		const list = [...notes].map(([why, sides]) => sides.length === 2 ? why : `${sides[0] === "now" ? "Now" : "Before"}: ${why[0].toLowerCase()}${why.slice(1)}`);

		if (files.before >= 0 && files.now >= 0 && (!joined?.texts.before || !joined.texts.now))
			list.push("Lines of both versions meet by their numbers.");
		return list;
	}

	/** Where blocks begin: of what both versions have, where it is now. */
	private findBegins(): void {
		this.begins = new Map();
		for (const block of this.blocks) {
			const side: Side = block.now.number >= 0 ? "now" : "before", { line, column } = block[side];
			const row = line > 0 && column > 0 ? this.rowOf[side].get(line) : undefined;

			this.addBegin(row, block, column);
			/* what stands in another line now is in that line's former text, too */
			const former = block.before, at = side === "now" && former.number >= 0 && former.column > 0 ? this.rowOf.before.get(former.line) : undefined;

			if (at !== undefined && at !== row && this.joined?.rows.now[at] === 0)
				this.addBegin(at, block, former.column);
		}
	}

	private addBegin(row: number | undefined, block: PairBlock, column: number): void {
		const begin = { block, column, count: Math.abs(block.now.count - block.before.count) };

		if (row !== undefined)
			this.begins.set(row, [...this.begins.get(row) ?? [], begin]);
	}

	/** Shows the lines of @block without telling anybody. */
	select(block: PairBlock): void {
		this.block = block;
		if (block.before.line > 0 || block.now.line > 0) {
			this.list.current = this.rowOfLines(block.now.number < 0 ? block.before.line : 0, block.now.line);
			this.list.reveal(this.list.current, false);
		}
		this.list.render();
	}

	/* --- rows --- */

	private hasBlock(block: PairBlock, row: number): boolean {
		const { rows } = this.joined!;

		return (rows.now[row] > 0 && block.now.lines.includes(rows.now[row])) ||
			(rows.before[row] > 0 && block.before.lines.includes(rows.before[row]));
	}

	private row(at: number): HTMLElement {
		const joined = this.joined!, { rows, counts, most } = joined, before = rows.before[at], now = rows.now[at];
		const difference = differenceOf(joined, at), presence = before === 0 ? "new" : now === 0 ? "gone" : "";
		const a = counts.before.get(before), b = counts.now.get(now), isIdle = (a ?? b) !== undefined && !a?.count && !b?.count;
		const number = (line: number) => el("span", { class: "number" }, line > 0 ? String(line) : "");
		const count = (line: LineCount | undefined) => el("span", { class: "count" }, line ? shortCount(line.count) : "");
		const shown = !difference ? "" : `${difference > 0 ? "+" : "−"}${shortCount(Math.abs(difference))}`;
		const isPartly = (b ?? a)?.partly === true && (b ?? a)!.count > 0;

		return el("li", {
			id: `row-${at}`, role: "option", title: a || b ? reachedWords(joined, at) : "",
			class: [presence, this.block && this.hasBlock(this.block, at) ? "of-block" : "", isIdle ? "idle" : ""].filter(Boolean).join(" "),
		}, number(before), number(now), count(a), count(b),
		   el("span", { class: `count difference ${changeClass(differenceStep(difference, most))}` }, shown),
		   el("span", { class: "partly", "aria-hidden": "true" }, isPartly ? "◐" : ""),
		   el("span", { class: "sign" }, presence === "new" ? "+" : presence === "gone" ? "−" : ""),
		   el("code", {}, ...this.pieces(at)));
	}

	private textOf(at: number): string | null {
		const { rows, texts } = this.joined!, text = (side: Side) => texts[side]?.[rows[side][at] - 1];

		return text("now") ?? text("before") ?? null;
	}

	/** Differences of columns are on one scale with those of lines. */
	private pieces(at: number): (HTMLElement | string)[] {
		const text = this.textOf(at);

		if (text === null)
			return [];
		return piecesOf(visibleLine(text), this.begins.get(at) ?? []).map((piece) => {
			if (!piece.block)
				return piece.text;
			const { block } = piece.block, { before, now } = block, step = differenceStep(now.count - before.count, this.joined!.most);
			const times = ({ number, count }: PairBlock["now"]) => number < 0 ? "none" : formatCount(count);

			return el("span", {
				class: ["column", changeClass(step), this.block?.number === block.number ? "chosen" : ""].filter(Boolean).join(" "), "data-block": String(block.number),
				title: `from column ${piece.block.column}: ${pairBlockName(block)}, executed ${times(before)} → ${times(now)} times` +
					(now.count !== before.count ? ` (${formatMore(now.count - before.count)})` : ""),
			}, piece.text);
		});
	}

	/* --- by hand --- */

	/** "line 12", "line 12, which was 10", "line 10 before". */
	private lineWords(at: number): string {
		const { rows } = this.joined!, before = rows.before[at], now = rows.now[at];

		return now === 0 ? `line ${before} ${words.before}` : before === 0 || before === now ? `line ${now}` : `line ${now}, which was ${before}`;
	}

	private choose(at: number): void {
		if (!this.joined)
			return;
		this.list.current = at;
		this.events.announce(`${this.lineWords(at)}, ${reachedWords(this.joined, at)}`);
		this.lookAt(at);
		this.list.render();
	}

	/** The block there that changed most, else the hottest; of another function, that is looked at then. */
	private lookAt(at: number): void {
		const blocks = this.blocks.filter((block) => this.hasBlock(block, at));

		if (blocks.length > 0) {
			const weight = ({ gain }: PairBlock) => Math.abs(gain), heat = ({ before, now }: PairBlock) => Math.max(before.count * before.size, now.count * now.size);

			this.block = blocks.reduce((a, b) => weight(b) > weight(a) || (weight(b) === weight(a) && heat(b) > heat(a)) ? b : a);
			return this.events.chooseBlock(this.block);
		}
		const { rows, counts } = this.joined!, side: Side = rows.now[at] > 0 ? "now" : "before", line = rows[side][at];
		const row = counts[side].has(line) ? this.sources.rowAt(side, this.files[side], line) : -1;

		if (row < 0 || !this.fn || row === this.fn.id || this.sources.beginOf(row)[side] === this.sources.beginOf(this.fn.id)[side])
			return;
		this.events.chooseFunction(row);
		this.list.current = at;
		this.list.reveal(at, false);
		this.lookAtBlock(at);
	}

	/** After another function was chosen by one of its lines. */
	private lookAtBlock(at: number): void {
		if (this.blocks.some((block) => this.hasBlock(block, at)))
			this.lookAt(at);
	}

	/** To the next stretch of changed lines, or the one before. */
	private step(by: 1 | -1): void {
		const changes = this.joined?.changes ?? [], { current } = this.list;
		const to = by > 0 ? changes.find((row) => row > current) : [...changes].reverse().find((row) => row < current);

		if (to === undefined)
			return this.events.announce(`no ${by > 0 ? "further" : "earlier"} change`);
		this.list.reveal(to, false);
		this.choose(to);
	}
}
