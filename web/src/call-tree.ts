/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rows of the call tree: contexts from the start down, or from the functions up to those that
 * called them. Children are found when a row is opened, so that a tree of any size costs what is
 * open. A row stands for a set of nodes of the context tree; going up, these are the callers of the
 * same function by the same way, weighed by what that function did itself.
 */

import { LEFT_OUT, type Tree } from "./tree";

export type Direction = "down" | "up";

export interface TreeRow {
	id: number;
	fn: number; /* LEFT_OUT: contexts that are not in the page */
	depth: number;
	time: number; /* ticks: inclusive; upwards: own time of the function at the root of this way */
	self: number;
	calls: number;
	contexts: number;
	isOpen: boolean;
	hasChildren: boolean;
	path: string;
	at: { node: number; of: number }[]; /* upwards `of` is the node whose weight counts */
}

type Part = { node: number; of: number };

function row(tree: Tree, direction: Direction, fn: number, depth: number, path: string, at: Part[]): TreeRow {
	let time = 0, self = 0, calls = 0, hasChildren = false, contexts = 0;

	for (const { node, of } of at) {
		time += direction === "down" ? tree.time[node] : tree.self[of];
		self += direction === "down" ? tree.self[node] : depth === 0 ? tree.self[node] : 0;
		calls += tree.count[direction === "down" ? node : of];
		contexts += tree.leftOut.get(node) ?? 0;
		hasChildren ||= direction === "down" ? tree.end[node] > node + 1 : tree.parent[node] > 0;
	}
	return { id: 0, fn, depth, time, self, calls, contexts, isOpen: false, hasChildren, path, at };
}

function grouped(tree: Tree, direction: Direction, parts: Part[], depth: number, path: string, weigh: (row: TreeRow) => number): TreeRow[] {
	const byFunction = new Map<number, Part[]>();

	for (const part of parts) {
		const fn = tree.fn[part.node], list = byFunction.get(fn);

		if (list)
			list.push(part);
		else
			byFunction.set(fn, [part]);
	}
	return [...byFunction].map(([fn, at]) => row(tree, direction, fn, depth, `${path}/${fn}`, at))
		.sort((a, b) => weigh(b) - weigh(a) || b.calls - a.calls);
}

function childParts(tree: Tree, node: number): Part[] {
	const list: Part[] = [];

	for (let child = node + 1; child < tree.end[node]; child = tree.end[child])
		list.push({ node: child, of: child });
	return list;
}

export class CallTree {
	private opened = new Set<string>();
	rows: TreeRow[] = [];

	constructor(private readonly tree: Tree, public direction: Direction, private readonly hasTimes: boolean) {
		this.build();
	}

	private weigh = (each: TreeRow) => this.hasTimes ? each.time : each.calls;

	private roots(): TreeRow[] {
		const { tree, direction } = this, parts: Part[] = [];

		if (direction === "down")
			return tree.n > 0 ? grouped(tree, direction, childParts(tree, 0), 0, "", this.weigh) : [];
		for (let node = 1; node < tree.n; node++)
			if (tree.self[node] > 0 || tree.count[node] > 0)
				parts.push({ node, of: node });
		return grouped(tree, direction, parts, 0, "", this.weigh);
	}

	private children(of: TreeRow): TreeRow[] {
		const { tree, direction } = this;
		const parts = direction === "down" ? of.at.flatMap(({ node }) => childParts(tree, node))
			: of.at.filter(({ node }) => tree.parent[node] > 0).map((part) => ({ node: tree.parent[part.node], of: part.of }));

		return grouped(tree, direction, parts, of.depth + 1, of.path, this.weigh);
	}

	/** All rows that are open, in their order. */
	build(): void {
		const out: TreeRow[] = [], waiting = this.roots().reverse();

		for (let next = waiting.pop(); next; next = waiting.pop()) {
			next.id = out.length;
			next.isOpen = next.hasChildren && this.opened.has(next.path);
			out.push(next);
			if (next.isOpen)
				waiting.push(...this.children(next).reverse());
		}
		this.rows = out;
	}

	setDirection(direction: Direction): void {
		this.direction = direction;
		this.opened = new Set();
		this.build();
	}

	toggle(row: TreeRow, open = !row.isOpen): void {
		if (open)
			this.opened.add(row.path);
		else
			this.opened.delete(row.path);
		this.build();
	}

	/** Opens from @row on along the heaviest child, until the time parts. */
	openHottest(row: TreeRow): void {
		for (let at: TreeRow | undefined = row, n = 0; at && at.hasChildren && n < 64; n++) {
			this.opened.add(at.path);
			const heaviest: TreeRow = this.children(at)[0];

			at = heaviest && heaviest.fn !== LEFT_OUT && this.weigh(heaviest) >= 0.5 * this.weigh(at) ? heaviest : undefined;
		}
		this.build();
	}

	/** Opens the way to the heaviest context of a function (down), or its row (up). Its path. */
	reveal(fn: number): string {
		const { tree } = this;
		let best = -1;

		if (this.direction === "up")
			return `/${fn}`;
		for (let node = 1; node < tree.n; node++)
			if (tree.fn[node] === fn && (best < 0 || tree.time[node] > tree.time[best]))
				best = node;
		const path: number[] = [];

		for (let node = best; node > 0; node = tree.parent[node])
			path.unshift(tree.fn[node]);
		for (let i = 1; i < path.length; i++)
			this.opened.add(`/${path.slice(0, i).join("/")}`);
		this.build();
		return `/${path.join("/")}`;
	}
}
