/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Post-dominators: where all ways from a block meet again. Ways that end the program (exit(),
 * abort()) are no ways: what comes after `if (bad) exit(1);` runs in any case that matters. Nor are
 * exceptions, else nearly all code with destructors would meet only where the function ends; and a
 * switch's default is none where its cases are all there is.
 * Source: Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm, 2001.
 */
#include "features.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>

using namespace llvm;

namespace rarog
{

enum { NONE = -1 };

/* Is @value always one of the cases of @its? Clang leaves scopes by such a switch. */
static bool isCase(const Value *value, const SwitchInst &its, SmallPtrSetImpl<const Value *> &seen)
{
	if (const auto *number = dyn_cast<ConstantInt>(value))
		return its.findCaseValue(number) != its.case_default();
	if (isa<UndefValue>(value) || !seen.insert(value).second)
		return true;
	if (const auto *select = dyn_cast<SelectInst>(value))
		return isCase(select->getTrueValue(), its, seen) &&
		       isCase(select->getFalseValue(), its, seen);
	const auto *phi = dyn_cast<PHINode>(value);
	return phi && all_of(phi->incoming_values(),
			     [&](const Use &one) { return isCase(one, its, seen); });
}

/* Where @block goes on. */
static SmallVector<BasicBlock *, 4> waysOf(const BasicBlock *block)
{
	const Instruction *last = block->getTerminator();
	SmallVector<BasicBlock *, 4> ways;
	SmallPtrSet<const Value *, 8> seen;

	if (const auto *invoke = dyn_cast<InvokeInst>(last))
		return { invoke->getNormalDest() };
	const auto *its = dyn_cast<SwitchInst>(last);
	bool has_default = !its || !isCase(its->getCondition(), *its, seen);
	for (unsigned i = 0; i < last->getNumSuccessors(); i++)
		if (i > 0 || has_default)
			ways.push_back(last->getSuccessor(i));
	return ways;
}

/* All blocks from which the exit is reached, the exit (number: how many blocks there are) last. */
void Control::order(const std::vector<std::vector<unsigned>> &before, std::vector<unsigned> &ret)
{
	std::vector<std::pair<unsigned, size_t>> open = { { (unsigned)blocks.size(), 0 } };
	BitVector seen((unsigned)blocks.size() + 1);

	seen.set((unsigned)blocks.size());
	while (!open.empty()) {
		auto &[block, i] = open.back();

		if (i == before[block].size()) {
			ret.push_back(block);
			open.pop_back();
			continue;
		}
		unsigned next = before[block][i++];
		if (!seen.test(next)) {
			seen.set(next);
			open.push_back({ next, 0 });
		}
	}
}

Control::Control(Function &function)
{
	for (BasicBlock &block : function) {
		index_[&block] = (unsigned)blocks.size();
		blocks.push_back(&block);
	}
	auto n = (unsigned)blocks.size();
	std::vector<std::vector<unsigned>> before(n + 1), after(n + 1);
	for (unsigned i = 0; i < n; i++) {
		for (BasicBlock *next : waysOf(blocks[i])) {
			before[index_[next]].push_back(i);
			after[i].push_back(index_[next]);
		}
		if (isa<ReturnInst>(blocks[i]->getTerminator())) {
			before[n].push_back(i);
			after[i].push_back(n);
		}
	}
	std::vector<unsigned> sorted;
	order(before, sorted);
	std::vector<int> rank(n + 1, NONE);
	for (unsigned i = 0; i < sorted.size(); i++)
		rank[sorted[i]] = (int)i;
	join_.assign(n + 1, NONE);
	join_[n] = (int)n;
	auto meet = [&](int a, int b) {
		while (a != b) {
			while (rank[a] < rank[b])
				a = join_[a];
			while (rank[b] < rank[a])
				b = join_[b];
		}
		return a;
	};
	for (bool has_changed = true; has_changed;) {
		has_changed = false;
		for (size_t i = sorted.size() - 1; i-- > 0;) {
			unsigned block = sorted[i];
			int found = NONE;

			for (unsigned next : after[block])
				if (join_[next] != NONE)
					found = found == NONE ? (int)next : meet(found, (int)next);
			if (found != join_[block]) {
				join_[block] = found;
				has_changed = true;
			}
		}
	}
}

BasicBlock *Control::join(const BasicBlock *block) const
{
	int at = join_[index(block)];

	return at == NONE || at == (int)blocks.size() ? nullptr : blocks[at];
}

/* What handles exceptions is decided as far as it is reached from nowhere else. */
void Control::addHandlers(const BasicBlock *block, const BasicBlock *end, BitVector &found) const
{
	bool has_changed = found.any();

	while (has_changed) {
		has_changed = false;
		for (unsigned i = 0; i < blocks.size(); i++) {
			const BasicBlock *one = blocks[i];

			if (one == end || one == block || found.test(i) || pred_empty(one) ||
			    !all_of(predecessors(one), [&](const BasicBlock *from) {
				    return found.test(index(from));
			    }))
				continue;
			found.set(i);
			has_changed = true;
		}
	}
}

BitVector Control::decided(const BasicBlock *block) const
{
	BitVector found((unsigned)blocks.size());
	SmallVector<const BasicBlock *, 16> open = { block };
	const BasicBlock *end = join(block);

	while (!open.empty()) {
		for (const BasicBlock *next : waysOf(open.pop_back_val())) {
			if (next == end || next == block || found.test(index(next)))
				continue;
			found.set(index(next));
			open.push_back(next);
		}
	}
	addHandlers(block, end, found);
	return found;
}

} // namespace rarog
