/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A source file with how often each line was reached, and, in the function that is looked at, each
 * column where a block begins. Only rows in sight exist.
 */

import { countHeat, shortCount, type Block, type BlocksModel, type Fn, type Line } from "./blocks-data";
import { byId, el } from "./dom";
import { baseName, formatCount, plural, visibleText } from "./format";
import { LineList, splitLines } from "./line-list";

export interface SourceEvents {
	/** A line of the file was chosen. */
	choose(file: number, line: number): void;
	announce(text: string): void;
}

export const missing: Record<string, string> = {
	missing: "The file was not there when this page was written; shown are the lines that have code.",
	large: "The file had no room in this page; shown are the lines that have code.",
	unwanted: "This page was written without source files; shown are the lines that have code.",
	changed: "The file was changed after the program was built: lines may not be those that ran.",
};

/** Where in @text the byte column @column (from 1) is: compilers count bytes of UTF-8. */
export function unitOfColumn(text: string, column: number): number {
	let bytes = 1, unit = 0;

	for (const c of text) {
		if (bytes >= column)
			break;
		const code = c.codePointAt(0)!;

		bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
		unit += c.length;
	}
	return unit;
}

/** A piece of a line from where a block begins. */
export interface Piece<B> {
	text: string;
	block: B | null; /* the one of them that ran most; null: before the first */
}

export function piecesOf<B extends { column: number; count: number }>(text: string, blocks: B[]): Piece<B>[] {
	const begins = new Map<number, B>();

	for (const block of blocks) {
		const unit = unitOfColumn(text, block.column), other = begins.get(unit);

		if (!other || other.count < block.count)
			begins.set(unit, block);
	}
	const units = [...begins.keys()].sort((a, b) => a - b), pieces: Piece<B>[] = [];

	if (units.length === 0 || units[0] > 0)
		pieces.push({ text: text.slice(0, units[0] ?? text.length), block: null });
	units.forEach((unit, i) => pieces.push({ text: text.slice(unit, units[i + 1] ?? text.length), block: begins.get(unit)! }));
	return pieces.filter((piece) => piece.text !== "" || pieces.length === 1);
}

export class SourceView {
	private readonly list = new LineList({ row: (at) => this.row(this.numbers[at]), choose: (at) => this.choose(this.numbers[at]) });
	private file = -1;
	private fn: Fn | null = null;
	private begins = new Map<number, Block[]>(); /* by line */
	private numbers: number[] = []; /* of the rows */
	private texts: string[] | null = null; /* by line, less one */
	private most = 0;
	private block: Block | null = null;
	private readonly cache = new Map<number, string[]>();

	constructor(private readonly model: BlocksModel, private readonly events: SourceEvents) {}

	private linesOf(file: number): string[] | null {
		const text = this.model.payload.sources.text[file] ?? null;
		let lines = this.cache.get(file);

		if (text === null)
			return null;
		if (!lines) {
			lines = splitLines(text);
			this.cache.set(file, lines);
		}
		return lines;
	}

	show(fn: Fn | null, blocks: Block[]): void {
		this.fn = fn;
		this.block = null;
		this.begins = new Map();
		for (const block of blocks)
			if (block.line > 0 && block.column > 0)
				this.begins.set(block.line, [...this.begins.get(block.line) ?? [], block]);
		this.setFile(fn ? fn.fileId : -1);
		this.list.current = this.rowOf(fn?.line ?? 0);
		this.list.reveal(fn && fn.line > 0 ? this.list.current : 0, true);
		this.list.render();
	}

	private setFile(file: number): void {
		const { payload, lines } = this.model, state = file >= 0 ? payload.sources.state[file] : "";

		byId("source-name").textContent = file >= 0 ? baseName(visibleText(payload.files[file])) : "no source";
		byId("source-name").title = file >= 0 ? visibleText(payload.files[file]) : "";
		byId("source-note").textContent = file < 0 ? "This function was compiled without lines (-g)." : missing[state] ?? "";
		byId("source-note").hidden = byId("source-note").textContent === "";
		if (file === this.file)
			return;
		this.file = file;
		this.texts = file >= 0 ? this.linesOf(file) : null;
		this.numbers = this.texts ? this.texts.map((_, i) => i + 1)
			: file >= 0 ? [...lines[file].keys()].sort((a, b) => a - b) : [];
		this.most = 0;
		if (file >= 0)
			for (const { count } of lines[file].values())
				this.most = Math.max(this.most, count);
		this.list.count = this.numbers.length;
	}

	private line(number: number): Line | undefined {
		return this.file >= 0 ? this.model.lines[this.file].get(number) : undefined;
	}

	/** Shows a line of any file: where inlined code is. A block, or another function, leads back. */
	showPlace(file: number, line: number): void {
		this.setFile(file);
		this.block = null;
		this.goTo(line);
	}

	/** Shows the lines of @block without telling anybody. */
	select(block: Block | null): void {
		this.block = block;
		if (this.fn)
			this.setFile(this.fn.fileId);
		if (block && block.line > 0)
			this.goTo(block.line);
		else
			this.list.render();
	}

	private goTo(line: number): void {
		this.list.current = this.rowOf(line);
		this.list.reveal(this.list.current, false);
		this.list.render();
	}

	private rowOf(number: number): number {
		return this.texts ? Math.max(0, number - 1) : Math.max(0, this.numbers.indexOf(number));
	}

	private row(number: number): HTMLElement {
		const line = this.line(number), text = this.texts ? visibleLine(this.texts[number - 1]) : "";
		const heat = line ? countHeat(line.count, this.most) : -1;
		const isOfBlock = this.block !== null && this.block.lines.includes(number);
		const count = el("span", { class: `count${heat >= 0 ? ` heat-${heat}` : ""}` }, line ? shortCount(line.count) : "");

		if (line)
			count.title = line.count === 0 ? "never reached"
				: `reached ${formatCount(line.count)} times${line.partly ? "; a part of it never ran" : ""}`;
		return el("li", {
			id: `line-${number}`, role: "option",
			class: [isOfBlock && this.fn?.fileId === this.file ? "of-block" : "", heat === 0 ? "idle" : ""].join(" ").trim(),
		}, el("span", { class: "number" }, String(number)), count,
		   el("span", { class: "partly", "aria-hidden": "true" }, line?.partly && line.count > 0 ? "◐" : ""),
		   el("code", {}, ...this.pieces(number, text)));
	}

	/** Heat of columns is on one scale with that of lines. */
	private pieces(number: number, text: string): (HTMLElement | string)[] {
		const blocks = this.fn?.fileId === this.file ? this.begins.get(number) ?? [] : [];

		if (!this.texts)
			return [];
		return piecesOf(text, blocks).map((piece) => {
			if (!piece.block)
				return piece.text;
			const { block } = piece, isChosen = this.block?.number === block.number;

			return el("span", {
				class: `column heat-${countHeat(block.count, this.most)}${isChosen ? " chosen" : ""}`, "data-block": String(block.number),
				title: `from column ${block.column}: block ${block.number}, executed ${formatCount(block.count)} times`,
			}, piece.text);
		});
	}

	private choose(number: number): void {
		const line = this.line(number);

		this.list.current = this.rowOf(number);
		this.events.announce(`line ${number}, ` + (!line ? "no code" : line.count === 0 ? "never reached"
			: `reached ${plural(line.count, "time")}`));
		this.events.choose(this.file, number);
		this.list.render();
	}
}

/** Tabs stay, everything else that cannot be seen is shown. */
export function visibleLine(text: string): string {
	return text.split("\t").map(visibleText).join("\t");
}
