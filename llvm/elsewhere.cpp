/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code that was inlined is of lines of its function, code of an included body is of that file:
 * gcov and llvm-cov, which count before anything is inlined, have it there. Each call that was
 * inlined is looked at for itself, as a function's own lines are (record.cpp).
 */
#include "elsewhere.h"

#include <algorithm>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>

#include "code-lines.h"
#include "pass.h"

using namespace llvm;

namespace rarog
{

namespace
{

/* Its place, if that is elsewhere. */
const DILocation *location_of(const Instruction &instruction)
{
	const DILocation *location = written_location(instruction);

	if (!location || !is_code(instruction) || location->getLine() == 0)
		return nullptr;
	return location->getInlinedAt() || !is_at_home(*location) ? location : nullptr;
}

/* What is one function's, as it was inlined at one call, and of one file. */
struct Instance {
	const DILocation *call;
	StringRef file;

	bool operator==(const Instance &other) const
	{
		return call == other.call && file == other.file;
	}
};

Instance instance_of(const DILocation &location)
{
	return { location.getInlinedAt(), location.getFilename() };
}

bool is_same(const DILocation &a, const DILocation &b)
{
	return instance_of(a) == instance_of(b);
}

/* Of the first that is of the same instance. */
const DILocation *first_of(const BasicBlock &block, const DILocation &like)
{
	for (const Instruction &instruction : block) {
		const DILocation *location = location_of(instruction);

		if (location && is_same(*location, like))
			return location;
	}
	return nullptr;
}

/* Of a for over several lines the way back is on the first: control does not come there again. */
bool goes_back(const Instruction &instruction, const DILocation &location, unsigned last)
{
	const auto *branch = dyn_cast<BranchInst>(&instruction);
	const DILocation *next;

	if (location.getLine() >= last || !branch || branch->isConditional())
		return false;
	next = first_of(*branch->getSuccessor(0), location);
	return is_decision(*branch->getSuccessor(0)->getTerminator()) && next &&
	       next->getLine() > location.getLine();
}

struct Lines {
	Instance instance;
	const DILocation *first;
	std::set<unsigned> lines;
	unsigned last;
};

/* In the order in which they are met, which is that of every build. */
Lines &lines_of(std::vector<Lines> &found, const DILocation &location)
{
	Instance instance = instance_of(location);

	for (Lines &lines : found)
		if (lines.instance == instance)
			return lines;
	found.push_back({ instance, nullptr, {}, 0 });
	return found.back();
}

void add_line(Lines &lines, const Instruction &instruction, const DILocation &location)
{
	bool is_first = !lines.first;

	if (is_first)
		lines.first = &location;
	if (!is_first && (is_decision(instruction) || is_end(instruction, location) ||
			  goes_back(instruction, location, lines.last)))
		return;
	lines.lines.insert(location.getLine());
	lines.last = std::max(lines.last, location.getLine());
}

} // namespace

Elsewhere::Place Elsewhere::placeOf(const DILocation &location)
{
	return { location.getInlinedAt(), location.getScope(), location.getLine(),
		 location.getColumn() };
}

Elsewhere::Elsewhere(const Graph &graph)
{
	for (const BasicBlock *block : graph.blocks)
		for (const Instruction &instruction : *block) {
			const DILocation *location = location_of(instruction);

			if (location && code_size(*block) > 1)
				code_.insert(placeOf(*location));
		}
}

/* A jump that is a block by itself and that nobody wrote, as in record.cpp. */
bool Elsewhere::isMade(const BasicBlock &block, const DILocation &location)
{
	const auto *branch = dyn_cast<BranchInst>(block.getTerminator());

	if (!branch || code_size(block) > 1)
		return false;
	return branch->isConditional() || !is_written(location) ||
	       !code_.insert(placeOf(location)).second;
}

std::vector<LineElsewhere> Elsewhere::of(const BasicBlock &block)
{
	const DILocation *end = location_of(*block.getTerminator());
	std::vector<Lines> found;
	std::vector<LineElsewhere> lines;

	for (const Instruction &instruction : block) {
		const DILocation *location = location_of(instruction);

		if (location)
			add_line(lines_of(found, *location), instruction, *location);
	}
	for (const Lines &one : found) {
		bool ends = end && is_decision(*block.getTerminator()) && is_same(*end, *one.first);
		unsigned flags = isMade(block, *one.first) ? RAROG_LINE_IS_MADE : 0;

		for (unsigned line : one.lines)
			lines.push_back({ one.first, line, flags });
		if (ends)
			lines.back().flags |= RAROG_LINE_ENDS;
	}
	return lines;
}

} // namespace rarog
