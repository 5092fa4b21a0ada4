/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a record says of its function, as bytes. */
#include "pass.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <set>

using namespace llvm;

namespace rarog
{

namespace
{

class Bytes
{
	std::string bytes_;

      public:
	void number(uint64_t value)
	{
		for (; value >= 0x80; value >>= 7)
			bytes_.push_back((char)(value | 0x80));
		bytes_.push_back((char)value);
	}
	void difference(int64_t value)
	{
		number(((uint64_t)value << 1) ^ (uint64_t)(value >> 63));
	}
	void text(StringRef text)
	{
		number(text.size());
		bytes_ += text;
	}
	std::string take()
	{
		return std::move(bytes_);
	}
};

/* Where in the function itself: of inlined code, the call. */
const DILocation *own_location(const Instruction &instruction)
{
	const DILocation *location = instruction.getDebugLoc();

	while (location && location->getInlinedAt())
		location = location->getInlinedAt();
	return location;
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

/* The first that has a line. */
const DILocation *block_location(const BasicBlock &block)
{
	for (const Instruction &instruction : block) {
		const DILocation *location = own_location(instruction);

		if (is_code(instruction) && location && location->getLine() != 0)
			return location;
	}
	return nullptr;
}

unsigned state_code(enum rarog_flow_state state)
{
	return state == RAROG_FLOW_COUNTED ? 1 : state == RAROG_FLOW_BLIND ? 2 : 0;
}

/* Of a condition over several lines, the decision is on the first of them: nobody comes back there.
 */
bool is_decision(const Instruction &instruction)
{
	const auto *branch = dyn_cast<BranchInst>(&instruction);

	return (branch && branch->isConditional()) || isa<SwitchInst>(instruction);
}

/* The lines of the block but its @first, in the order of the file. */
void write_lines(const BasicBlock &block, unsigned first, Bytes &bytes)
{
	std::set<unsigned> lines;

	for (const Instruction &instruction : block) {
		const DILocation *location = own_location(instruction);

		if (is_code(instruction) && !is_decision(instruction) && location &&
		    location->getLine() != 0)
			lines.insert(location->getLine());
	}
	lines.erase(first);
	bytes.number(lines.size());
	for (unsigned line : lines) {
		bytes.difference((int64_t)line - first);
		first = line;
	}
}

/* @edge: of the first edge out of the block; moves behind its last. */
void write_block(const Graph &graph, uint32_t number, size_t &edge, unsigned &line, Bytes &bytes)
{
	const BasicBlock &block = *graph.blocks[number];
	const DILocation *location = block_location(block);
	unsigned flags =
		graph.edges[number].state == RAROG_FLOW_COUNTED ? RAROG_RECORD_IS_COUNTED : 0;
	size_t end = edge;

	while (end < graph.edges.size() && graph.edges[end].from == RAROG_FLOW_OUT(number))
		end++;
	size_t n = end - edge;
	if (n > 0 && graph.edges[end - 1].to == RAROG_FLOW_OUTSIDE) {
		flags |= RAROG_RECORD_LEAVES;
		n--;
	}
	if (isa<ReturnInst>(block.getTerminator()))
		flags |= RAROG_RECORD_RETURNS;
	if (block.isEHPad())
		flags |= RAROG_RECORD_IS_PAD;
	bytes.number(flags);
	bytes.number(code_size(block));
	bytes.difference((int64_t)(location ? location->getLine() : 0) - line);
	line = location ? location->getLine() : 0;
	bytes.number(location ? location->getColumn() : 0);
	write_lines(block, line, bytes);
	bytes.number(n);
	for (size_t i = 0; i < n; i++)
		bytes.number(4 * (uint64_t)((graph.edges[edge + i].to - RAROG_FLOW_IN(0)) / 2) +
			     state_code(graph.edges[edge + i].state));
	edge = end;
}

void write_body(const Function &function, const Graph &graph, unsigned n_counters, Bytes &bytes)
{
	const DISubprogram *source = function.getSubprogram();
	unsigned line = source ? source->getLine() : 0;
	size_t edge = graph.blocks.size() + 1; /* behind the blocks and the way in */

	bytes.text(function.getName());
	bytes.text(source ? source->getFilename()
			  : StringRef(function.getParent()->getSourceFileName()));
	bytes.number(line);
	bytes.number(n_counters);
	bytes.number(graph.blocks.size());
	for (uint32_t i = 0; i < graph.blocks.size(); i++)
		write_block(graph, i, edge, line, bytes);
}

} // namespace

std::string recordOf(const Function &function, const Graph &graph, unsigned n_counters)
{
	Bytes bytes;

	write_body(function, graph, n_counters, bytes);
	return bytes.take();
}

} // namespace rarog
