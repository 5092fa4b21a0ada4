/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How costs grow: models of calls and of runs, as doc/design/json.md describes them. */

import { visibleText } from "./format";

type Column = (number | null)[];

export interface Curve {
	x: number[];
	value: Column;
	low: Column; /* of the curve itself */
	high: Column;
	low_one: Column; /* of one measurement */
	high_one: Column;
}

export interface Candidate {
	family: string;
	class: string;
	behind: number;
	weight: number;
	r2: number;
	formula: string;
	value: Column; /* at the x of the curve */
}

export interface Piece {
	from: number;
	to: number;
	class?: string;
	is_told?: boolean;
	certainty?: number;
	reason?: string | null;
	family: string;
	formula: string;
	coefficients: { value: number; error: number | null; low: number | null; high: number | null }[];
	r2: number;
	rmse: number;
	aicc: number | null;
	left_out: number;
	curve: Curve | null;
	candidates?: Candidate[];
}

export interface CostModel {
	function: number; /* -1: the whole program */
	name: string;
	x: string;
	y: string;
	unit: string;
	over_runs: boolean;
	per_call?: boolean; /* y is the mean of a call, where runs are points */
	count: number;
	not_finite: number;
	are_typical: boolean;
	missing: string | null;
	fitted: number;
	points: { x: number[]; y: number[]; n: number[]; value: Column };
	pieces: Piece[];
}

export interface ModelsPayload {
	level: number;
	models: CostModel[];
}

/** Of two versions; functions are rows of the comparison. */
export interface PairModels {
	level: number;
	before: CostModel[];
	now: CostModel[];
}

/** "linear"; "cannot tell"; of curves without a formula what they are; "" there is no model. */
export function classOf({ pieces }: CostModel): string {
	const [piece] = pieces;

	if (!piece)
		return "";
	if (pieces.length > 1)
		return `${pieces.length} pieces`;
	return piece.is_told === undefined ? piece.family : piece.is_told ? piece.class! : "cannot tell";
}

/** What one point stands for. */
export function whatPointsAre({ over_runs, are_typical, points }: CostModel): string {
	return over_runs ? "run" : are_typical ? "median of like calls" : points.n.length > 0 ? "group of calls" : "call";
}

export function nameOfModel(model: CostModel): string {
	const y = `${visibleText(model.y)}${model.per_call ? " per call" : ""}`;

	return `${visibleText(model.name)} by ${visibleText(model.x)}${y === "wall" ? "" : `: ${y}`}`;
}
