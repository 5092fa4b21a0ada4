/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The context tree turned round: functions by what they cost themselves, below each what called it.
 * The weight of a node is what the function at its first level cost itself when it was called that
 * way. A way that is lighter than a hundred-thousandth of all, or whatever is beyond the most nodes
 * that a graph can show, is not followed further: one frame stands for its callers.
 */

import { LEFT_OUT, type Tree } from "./tree";

const LIGHTEST = 1e-5;
const MOST = 300000; /* nodes */

const weights = ["time", "calls", "cpu", "waited", "preempted"] as const;
type Own = Record<typeof weights[number], Float64Array>;

/** A function's contexts, all of one way: where the way has come to, and where it began. */
interface Group {
	fn: number;
	depth: number;
	at: number[];
	from: number[];
}

/** What a node has itself: its sum less those of its children. */
function ownOf(tree: Tree, sum: Float64Array): Float64Array {
	const own = Float64Array.from(sum);

	for (let i = 1; i < sum.length; i++)
		own[tree.parent[i]] -= sum[i];
	return own;
}

function groupsOf(tree: Tree, depth: number, at: number[], from: number[]): Group[] {
	const groups = new Map<number, Group>();

	at.forEach((node, i) => {
		const fn = tree.fn[node];
		let group = groups.get(fn);

		if (!group)
			groups.set(fn, group = { fn, depth, at: [], from: [] });
		group.at.push(node);
		group.from.push(from[i]);
	});
	return [...groups.values()];
}

class Builder {
	readonly depth: number[] = [];
	readonly fn: number[] = [];
	readonly sums: Record<typeof weights[number], number[]> = { time: [], calls: [], cpu: [], waited: [], preempted: [] };
	readonly leftOut = new Map<number, number>();
	private readonly own: Own;

	constructor(private readonly tree: Tree) {
		this.own = Object.fromEntries(weights.map((weight) => [weight, ownOf(tree, tree[weight])])) as Own;
	}

	private emit(group: Group): void {
		this.depth.push(group.depth);
		this.fn.push(group.fn);
		for (const weight of weights) {
			const own = this.own[weight];

			this.sums[weight].push(own.length > 0 ? group.from.reduce((sum, node) => sum + own[node], 0) : 0);
		}
	}

	private isLight(): boolean {
		const i = this.fn.length - 1;

		return this.fn.length > MOST || weights.every((weight) => !(this.sums[weight][i] > LIGHTEST * this.tree[weight][0]));
	}

	/** Of what the group did, the part that has callers. */
	private callers({ fn, depth, at, from }: Group): Group {
		const has = at.map((node) => this.tree.parent[node] > 0);

		return { fn, depth: depth + 1, at: at.filter((_, i) => has[i]).map((node) => this.tree.parent[node]), from: from.filter((_, i) => has[i]) };
	}

	private heaviestFirst(groups: Group[]): Group[] {
		const own = this.tree.time[0] > 0 ? this.own.time : this.own.calls;
		const weigh = ({ from }: Group) => from.reduce((sum, node) => sum + own[node], 0);

		return groups.map((group) => ({ group, weight: weigh(group) })).sort((a, b) => a.weight - b.weight).map(({ group }) => group);
	}

	build(): void {
		const { tree } = this, all: number[] = [];

		for (let node = 1; node < tree.n; node++)
			if (weights.some((weight) => this.own[weight][node] > 0))
				all.push(node);
		this.emit({ fn: -1, depth: 0, at: [], from: all });
		const waiting = this.heaviestFirst(groupsOf(tree, 1, all, all));

		for (let group = waiting.pop(); group; group = waiting.pop()) {
			this.emit(group);
			if (group.fn === LEFT_OUT)
				this.leftOut.set(this.fn.length - 1, group.from.reduce((sum, node) => sum + (tree.leftOut.get(node) ?? 0), 0));
			const callers = this.callers(group);

			if (callers.at.length === 0 || group.fn === LEFT_OUT)
				continue;
			if (this.isLight()) {
				this.emit({ ...callers, fn: LEFT_OUT });
				this.leftOut.set(this.fn.length - 1, callers.at.length);
			} else {
				waiting.push(...this.heaviestFirst(groupsOf(tree, callers.depth, callers.at, callers.from)));
			}
		}
	}
}

export function invert(tree: Tree): Tree {
	const builder = new Builder(tree);

	if (tree.n > 0)
		builder.build();
	const { depth, fn, sums, leftOut } = builder, n = depth.length, path: number[] = [];
	const out: Tree = {
		n, levels: depth.reduce((a, b) => Math.max(a, b + 1), 0), depth: Uint32Array.from(depth), fn: Int32Array.from(fn), leftOut,
		parent: new Int32Array(n).fill(-1), end: Int32Array.from(depth.keys(), (i) => i + 1),
		time: Float64Array.from(sums.time), calls: Float64Array.from(sums.calls), count: Float64Array.from(sums.calls),
		self: Float64Array.from(sums.time, (time, i) => depth[i] === 1 ? time : 0),
		cpu: new Float64Array(0), waited: new Float64Array(0), preempted: new Float64Array(0),
	};

	if (tree.cpu.length > 0)
		Object.assign(out, { cpu: Float64Array.from(sums.cpu), waited: Float64Array.from(sums.waited), preempted: Float64Array.from(sums.preempted) });
	for (let i = 0; i < n; i++) {
		out.parent[i] = depth[i] > 0 ? path[depth[i] - 1] : -1;
		path[depth[i]] = i;
	}
	for (let i = n - 1; i > 0; i--)
		out.end[out.parent[i]] = Math.max(out.end[out.parent[i]], out.end[i]);
	return out;
}
