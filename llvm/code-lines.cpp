/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which instructions are code of which lines. */
#include "code-lines.h"

#include <cstring>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "pass.h"
#include "words.h"

using namespace llvm;

namespace rarog
{

/* What takes an exception in is of no line: clang gives it that of the function's end. Clean-ups,
 * which are calls, may come after it in its block. */
static bool is_arrival(const Instruction &instruction)
{
	const Instruction *pad = instruction.getParent()->getLandingPadInst();

	if (!pad || instruction.getDebugLoc() != pad->getDebugLoc())
		return false;
	for (const Instruction *at = pad; at != &instruction; at = at->getNextNode())
		if (!at || (isa<CallBase>(at) && at->getDebugLoc()))
			return false;
	return !isa<CallBase>(instruction);
}

const DILocation *written_location(const Instruction &instruction)
{
	return is_arrival(instruction) ? nullptr : instruction.getDebugLoc().get();
}

const DILocation *own_location(const Instruction &instruction)
{
	const DILocation *location = written_location(instruction);

	while (location && location->getInlinedAt())
		location = location->getInlinedAt();
	return location;
}

bool is_at_home(const DILocation &own)
{
	const DISubprogram *function = own.getScope()->getSubprogram();

	return !function || own.getFile() == function->getFile() ||
	       own.getFilename() == function->getFilename();
}

bool is_code(const Instruction &instruction)
{
	return !isa<DbgInfoIntrinsic>(instruction) && !isa<PHINode>(instruction);
}

unsigned code_size(const BasicBlock &block)
{
	unsigned n = 0;

	for (const Instruction &instruction : block)
		n += is_code(instruction);
	return n;
}

bool is_decision(const Instruction &instruction)
{
	const auto *branch = dyn_cast<BranchInst>(&instruction);

	return (branch && branch->isConditional()) || isa<SwitchInst>(instruction);
}

bool is_end(const Instruction &instruction, const DILocation &location)
{
	const auto *branch = dyn_cast<BranchInst>(&instruction);

	return branch && branch->isUnconditional() && beginsWith(textAt(location), "}");
}

bool is_written(const DILocation &location)
{
	StringRef text = textAt(location);

	for (const char *word : { "break", "continue", "goto", "return", "throw" })
		if (beginsWith(text, word))
			return true;
	return false;
}

} // namespace rarog
