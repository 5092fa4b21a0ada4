/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The context tree as typed arrays in preorder: a subtree is the range [i, end[i]), so walking,
 * skipping and summing need no objects. Node 0 is the root; a function of -2 marks a frame that
 * stands for contexts which were left out when the page was written.
 *
 * Invariant: parent[i] < i < end[i]; time[i] = self[i] + sum of the children's time; calls[i] =
 * count[i] + sum of the children's calls.
 */

export const ROOT = -1;
export const LEFT_OUT = -2;
export const FIRST_THREAD = -3; /* frames that stand for threads: -3, -4 … by strand */

export interface TreeColumns {
	depth: number[];
	function: number[];
	count: number[];
	self: number[]; /* ticks */
	waited: number[]; /* of self; empty where CPU time is not known of everything */
	preempted: number[];
	left_out: number[]; /* pairs: node, number of contexts it stands for */
}

export interface Shape {
	n: number;
	levels: number; /* depth of the deepest node + 1 */
	depth: Uint32Array;
	fn: Int32Array;
	parent: Int32Array;
	end: Int32Array;
	leftOut: Map<number, number>;
}

/** With columns that frames can take their widths from. */
export type Weighted<W extends string> = Shape & Record<W, Float64Array>;

export interface Tree extends Shape {
	count: Float64Array;
	self: Float64Array;
	time: Float64Array;
	calls: Float64Array;
	/* parts of time; empty: not known */
	cpu: Float64Array;
	waited: Float64Array;
	preempted: Float64Array;
}

export type ShapeColumns = Pick<TreeColumns, "depth" | "function" | "left_out">;

export function buildShape(columns: ShapeColumns): Shape {
	const n = columns.depth.length;
	const tree: Shape = {
		n,
		levels: 0,
		depth: Uint32Array.from(columns.depth),
		fn: Int32Array.from(columns.function),
		parent: new Int32Array(n).fill(-1),
		end: new Int32Array(n),
		leftOut: new Map(),
	};
	const path: number[] = []; /* the open node of each depth */

	for (let i = 0; i < n; i++) {
		const depth = tree.depth[i];

		tree.parent[i] = depth > 0 ? path[depth - 1] : -1;
		path[depth] = i;
		tree.levels = Math.max(tree.levels, depth + 1);
		tree.end[i] = i + 1;
	}
	for (let i = n - 1; i > 0; i--) {
		const parent = tree.parent[i];

		tree.end[parent] = Math.max(tree.end[parent], tree.end[i]);
	}
	for (let i = 0; i < columns.left_out.length; i += 2)
		tree.leftOut.set(columns.left_out[i], columns.left_out[i + 1]);
	return tree;
}

/** What is in a node itself, summed over all below it. */
export function sumUp(tree: Shape, own: ArrayLike<number>): Float64Array {
	const sum = Float64Array.from(own);

	for (let i = tree.n - 1; i > 0; i--)
		sum[tree.parent[i]] += sum[i];
	return sum;
}

export function buildTree(columns: TreeColumns): Tree {
	const shape = buildShape(columns);
	const known = columns.waited.length > 0, none = new Float64Array(0);
	const part = (own: () => number[]) => known ? sumUp(shape, own()) : none;

	return {
		...shape, count: Float64Array.from(columns.count), self: Float64Array.from(columns.self),
		time: sumUp(shape, columns.self), calls: sumUp(shape, columns.count),
		/* what the cost of probes was taken from may be less than what it was away */
		cpu: part(() => columns.self.map((all, i) => Math.max(0, all - columns.waited[i] - columns.preempted[i]))),
		waited: part(() => columns.waited), preempted: part(() => columns.preempted),
	};
}

export type Weight = "time" | "cpu" | "waited" | "calls";

/** What the widths are, in the middle of a sentence. */
export const weightWords: Record<Weight, string> = { time: "time", cpu: "CPU time", waited: "waiting", calls: "calls" };

/** Where every frame begins on the axis of the weights; children from the parent's left edge. */
export function frameStarts<W extends string>(tree: Weighted<W>, weight: W): Float64Array {
	const w: Float64Array = tree[weight];
	const start = new Float64Array(tree.n);
	const next = new Float64Array(tree.n);

	for (let i = 1; i < tree.n; i++) {
		const parent = tree.parent[i];

		start[i] = next[i] = next[parent];
		next[parent] += w[i];
	}
	return start;
}

export interface Frame {
	node: number;
	x: number; /* px */
	width: number;
	more: number; /* 0, or: this many siblings too narrow to draw stand here together */
}

export interface View {
	from: number; /* the visible part of the axis */
	to: number;
	width: number; /* px it is drawn on */
	firstLevel: number;
	lastLevel: number;
}

/** Narrower frames are drawn together as one. */
export const MIN_WIDTH = 0.7;

/**
 * Calls @emit for every frame that is to be drawn, parents first. Neighbours narrower than
 * MIN_WIDTH become one frame, so nothing that has a width disappears and the number of frames is
 * bounded by pixels, whatever the size of the tree.
 */
export function visibleFrames<W extends string>(tree: Weighted<W>, weight: W, starts: Float64Array, view: View,
			      emit: (frame: Frame) => void): void {
	const w: Float64Array = tree[weight];
	const scale = view.width / (view.to - view.from);
	const crumbs: (Frame | undefined)[] = [];
	const flush = (depth: number) => {
		const crumb = crumbs[depth];

		if (crumb && crumb.width >= 0.2)
			emit(crumb);
		crumbs[depth] = undefined;
	};

	for (let i = 0; i < tree.n;) {
		const x = (starts[i] - view.from) * scale, width = w[i] * scale, depth = tree.depth[i];

		if (depth > view.lastLevel || x >= view.width || x + width <= 0 || width <= 0) {
			i = tree.end[i];
		} else if (width < MIN_WIDTH) {
			const crumb = crumbs[depth];

			if (crumb && x - (crumb.x + crumb.width) < 0.01 && crumb.width < 6) {
				crumb.width += width;
				crumb.more++;
			} else {
				flush(depth);
				crumbs[depth] = { node: i, x, width, more: 1 };
			}
			i = tree.end[i];
		} else {
			const left = Math.max(0, x);

			flush(depth);
			if (depth >= view.firstLevel)
				emit({ node: i, x: left, width: Math.min(view.width, x + width) - left, more: 0 });
			i++;
		}
	}
	for (let depth = 0; depth < crumbs.length; depth++)
		flush(depth);
}

/** The frame at position @at of the axis on level @level, -1 if there is none. */
export function frameAt<W extends string>(tree: Weighted<W>, weight: W, starts: Float64Array, at: number,
			level: number): number {
	const w: Float64Array = tree[weight];

	for (let i = 0; i < tree.n;) {
		if (at < starts[i] || at >= starts[i] + w[i])
			i = tree.end[i];
		else if (tree.depth[i] === level)
			return i;
		else
			i++;
		if (i < tree.n && tree.depth[i] > level)
			return -1;
	}
	return -1;
}

/** Weight of the outermost frames below @root whose function is marked. */
export function markedWeight<W extends string>(tree: Weighted<W>, weight: W, marked: Uint8Array, root: number): number {
	const w: Float64Array = tree[weight];
	let sum = 0;

	for (let i = root; i < tree.end[root];) {
		if (tree.fn[i] >= 0 && marked[tree.fn[i]]) {
			sum += w[i];
			i = tree.end[i];
		} else {
			i++;
		}
	}
	return sum;
}

/** Weight of the frames below @root that stand for contexts left out. */
export function leftOutWeight<W extends string>(tree: Weighted<W>, weight: W, root: number): number {
	let sum = 0;

	for (const node of tree.leftOut.keys())
		if (node >= root && node < tree.end[root])
			sum += tree[weight][node];
	return sum;
}

/** The heaviest node of a function, -1 if it has none. */
export function heaviestNode<W extends string>(tree: Weighted<W>, weight: W, fn: number): number {
	let best = -1;

	for (let i = 0; i < tree.n; i++)
		if (tree.fn[i] === fn && (best < 0 || tree[weight][i] > tree[weight][best]))
			best = i;
	return best;
}

/** The nodes from the root to @node. */
export function pathTo(tree: Shape, node: number): number[] {
	const path: number[] = [];

	for (let i = node; i >= 0; i = tree.parent[i])
		path.unshift(i);
	return path;
}
