/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is counted on request: their cells stand after the counters, in the order of the record. */
#include "pass.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace rarog
{

Instruction *startOf(BasicBlock &block)
{
	BasicBlock::iterator at = block.getFirstInsertionPt();

	while (isa<AllocaInst>(*at))
		++at;
	return &*at;
}

/* __builtin_setjmp is an intrinsic, of which LLVM does not say so. */
static bool returns_twice(const CallBase *call)
{
	return call && (call->hasFnAttr(Attribute::ReturnsTwice) ||
			call->getIntrinsicID() == Intrinsic::eh_sjlj_setjmp);
}

SmallVector<Instruction *, 4> secondReturns(Function &function)
{
	SmallVector<Instruction *, 4> found;

	for (BasicBlock &block : function)
		for (Instruction &instruction : block) {
			auto *call = dyn_cast<CallBase>(&instruction);

			if (!returns_twice(call))
				continue;
			if (auto *invoke = dyn_cast<InvokeInst>(call))
				found.push_back(startOf(*invoke->getNormalDest()));
			else if (!call->isTerminator())
				found.push_back(call->getNextNode());
		}
	return found;
}

bool losesValues(const Function &function)
{
	if (function.hasOptNone())
		return true;
	for (const BasicBlock &block : function)
		if (isa<CallBrInst>(block.getTerminator()))
			return true;
	return false;
}

std::string numberBytes(uint64_t value)
{
	std::string bytes;

	for (; value >= 0x80; value >>= 7)
		bytes.push_back((char)(value | 0x80));
	bytes.push_back((char)value);
	return bytes;
}

Probes::Probes(Function &function, const Graph &graph, const Options &options,
	       FunctionAnalysisManager &analyses)
    : options_(options)
{
	if (options.count_trips)
		trips_ = std::make_unique<Trips>(function, graph);
	if (options.count_paths)
		paths_ = std::make_unique<Paths>(function, graph, analyses);
}

unsigned Probes::cells() const
{
	return (trips_ ? trips_->cells() : 0) + (paths_ ? paths_->cells() : 0);
}

std::string Probes::record() const
{
	return (trips_ ? trips_->record() : "") + (paths_ ? paths_->record() : "");
}

void Probes::insert(Function &function, GlobalVariable *counters, unsigned first) const
{
	if (cells() == 0)
		return;
	Cells cells(function, counters, options_);

	if (trips_)
		trips_->insert(function, cells, first);
	if (paths_)
		paths_->insert(function, cells, first + (trips_ ? trips_->cells() : 0));
}

} // namespace rarog
