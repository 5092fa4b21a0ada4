/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function's intermediate code as text, block by block, to be seen in the report. */
#include "pass.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/ModuleSlotTracker.h>
#include <llvm/Support/raw_ostream.h>

using namespace llvm;

namespace rarog
{

/* Metadata after an instruction says what lines and columns say elsewhere. */
static void write_instruction(const Instruction &instruction, ModuleSlotTracker &names,
			      std::string &text)
{
	std::string line;
	raw_string_ostream stream(line);

	instruction.print(stream, names);
	StringRef rest(stream.str());
	rest = rest.substr(0, rest.find(", !")).ltrim();
	text += rest;
	text += '\n';
}

std::string textOf(const Function &function, const Graph &graph)
{
	ModuleSlotTracker names(function.getParent(), false);
	std::string text = '\1' + function.getName().str() + '\n';

	names.incorporateFunction(function);
	for (const BasicBlock *block : graph.blocks) {
		std::string code, label;
		raw_string_ostream stream(label);
		unsigned n = 0;

		block->printAsOperand(stream, false, names);
		for (const Instruction &instruction : *block) {
			if (isa<DbgInfoIntrinsic>(instruction))
				continue;
			n += !isa<PHINode>(instruction);
			write_instruction(instruction, names, code);
		}
		text += '\2' + utostr(n) + '\n' + stream.str() + ":\n" + code;
	}
	return text;
}

} // namespace rarog
