/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a record says of its function, as bytes. */
#include "code-lines.h"
#include "elsewhere.h"
#include "pass.h"

#include <algorithm>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <map>
#include <set>
#include <tuple>

using namespace llvm;

namespace rarog
{

namespace
{

/* Of the first that has a line. */
const DILocation *block_location(const BasicBlock &block)
{
	for (const Instruction &instruction : block) {
		const DILocation *own = own_location(instruction);

		if (is_code(instruction) && own && own->getLine() != 0 && is_at_home(*own))
			return instruction.getDebugLoc();
	}
	return nullptr;
}

/* Where a jump leads to, past what only counts. */
const BasicBlock &target_of(const BranchInst &jump)
{
	const BasicBlock *to = jump.getSuccessor(0), *next = to->getSingleSuccessor();

	return !block_location(*to) && next ? *next : *to;
}

/* Of a for over several lines the way back is on the first: control does not come there again. */
bool goes_back(const Instruction &instruction, unsigned last)
{
	const auto *branch = dyn_cast<BranchInst>(&instruction);
	const DILocation *next;

	if (own_location(instruction)->getLine() >= last || !branch || branch->isConditional())
		return false;
	next = block_location(target_of(*branch));
	return is_decision(*target_of(*branch).getTerminator()) && next &&
	       next->getLine() > own_location(instruction)->getLine();
}

/* A body that is included, or that bison or flex names the grammar's lines for. */
bool is_elsewhere(const Instruction &instruction)
{
	const DILocation *own = own_location(instruction);

	return is_code(instruction) && own && own->getLine() != 0 && !is_at_home(*own);
}

/* The lines of the block but its @first, in the order of the file; 0 if it also has code of another
 * file. */
std::set<unsigned> further_lines(const BasicBlock &block, unsigned first)
{
	std::set<unsigned> lines;
	unsigned last = first;

	for (const Instruction &instruction : block) {
		const DILocation *location = own_location(instruction);

		if (!is_code(instruction) || !location || location->getLine() == 0 ||
		    !is_at_home(*location) || is_decision(instruction) ||
		    goes_back(instruction, last) || is_end(instruction, *location))
			continue;
		lines.insert(location->getLine());
		last = std::max(last, location->getLine());
	}
	lines.erase(first);
	if (any_of(block, is_elsewhere))
		lines.insert(0);
	return lines;
}

StringRef name_of(const DISubprogram &function)
{
	return function.getLinkageName().empty() ? function.getName() : function.getLinkageName();
}

using Place = std::tuple<const DIScope *, unsigned, unsigned>;

Place place_of(const DILocation &location)
{
	return { location.getScope(), location.getLine(), location.getColumn() };
}

/* Where there is code other than blocks that only jump. */
std::set<Place> places_of_code(const Graph &graph)
{
	std::set<Place> places;

	for (const BasicBlock *block : graph.blocks)
		for (const Instruction &instruction : *block) {
			const DILocation *own = own_location(instruction);

			if (is_code(instruction) && own && code_size(*block) > 1)
				places.insert(place_of(*own));
		}
	return places;
}

class Writer
{
	const Graph &graph_;
	std::set<Place> code_; /* and where jumps are, up to the block that is looked at */
	Texts &texts_;
	std::vector<struct rarog_flow_edge> edges_;
	std::vector<struct rarog_record_block> blocks_;
	std::vector<struct rarog_record_frame> frames_;
	std::vector<struct rarog_record_part> parts_;
	std::vector<uint32_t> lines_;
	/* frames by parent, name, line and column: what a loop's unrolling made several is one */
	std::map<std::tuple<uint32_t, uint32_t, unsigned, unsigned>, uint32_t> known_;

	/* The call that @location's code was inlined at; those around it come first. */
	uint32_t frame(const DILocation &location)
	{
		const DILocation *call = location.getInlinedAt();
		const DISubprogram *callee = location.getScope()->getSubprogram();

		if (!call || !callee)
			return RAROG_RECORD_NONE;
		uint32_t parent = frame(*call), name = texts_.number(name_of(*callee));
		auto found = known_.try_emplace(
			{ parent, name, call->getLine(), call->getColumn() }, frames_.size());
		if (found.second)
			frames_.push_back({ parent, name, texts_.number(callee->getFilename()),
					    call->getLine(), call->getColumn(), 0, 0 });
		uint32_t number = found.first->second;
		frames_[number].outermost =
			parent == RAROG_RECORD_NONE ? number : frames_[parent].outermost;
		frames_[number].begins = callee->getLine();
		return number;
	}

	/* A jump that is a block by itself and that nobody wrote: it ends a statement, stands where
	 * the one before it does, or decides by what other blocks have found. */
	bool isMade(const BasicBlock &block, const DILocation &location)
	{
		const auto *branch = dyn_cast<BranchInst>(block.getTerminator());

		if (!branch || code_size(block) > 1)
			return false;
		return branch->isConditional() || !is_written(location) ||
		       !code_.insert(place_of(location)).second;
	}

	/* Coverage looks at the column: 0 where the block's end is on none of its lines. */
	bool hasColumn(const BasicBlock &block, const DILocation &own)
	{
		const Instruction &end = *block.getTerminator();

		return !isMade(block, own) && !(is_decision(end) && is_elsewhere(end));
	}

	void addPlace(const BasicBlock &block, struct rarog_record_block &row)
	{
		const DILocation *location = block_location(block), *own = location;

		row.frame = RAROG_RECORD_NONE;
		while (own && own->getInlinedAt())
			own = own->getInlinedAt();
		row.line = own ? own->getLine() : 0;
		row.column = own && hasColumn(block, *own) ? own->getColumn() : 0;
		if (location)
			row.frame = frame(*location);
		if (row.frame != RAROG_RECORD_NONE) {
			row.inner_line = location->getLine();
			row.inner_column = location->getColumn();
		}
		row.first_line = (uint32_t)lines_.size();
		for (unsigned line : further_lines(block, row.line))
			lines_.push_back(line);
		row.n_lines = (uint32_t)lines_.size() - row.first_line;
	}

	/* @edge: of the first edge out of the block; moves after its last. */
	void addBlock(uint32_t number, size_t &edge)
	{
		const BasicBlock &block = *graph_.blocks[number];
		struct rarog_record_block row = {};

		row.first_edge = (uint32_t)edge;
		while (edge < edges_.size() && edges_[edge].from == RAROG_FLOW_OUT(number))
			edge++;
		row.n_edges = (uint32_t)edge - row.first_edge;
		if (row.n_edges > 0 && edges_[edge - 1].to == RAROG_FLOW_OUTSIDE) {
			row.flags |= RAROG_RECORD_LEAVES;
			row.n_edges--;
		}
		if (edges_[number].state == RAROG_FLOW_COUNTED)
			row.flags |= RAROG_RECORD_IS_COUNTED;
		if (isa<ReturnInst>(block.getTerminator()))
			row.flags |= RAROG_RECORD_RETURNS;
		if (graph_.stops[number])
			row.flags |= RAROG_RECORD_STOPS;
		if (block.isEHPad())
			row.flags |= RAROG_RECORD_IS_PAD;
		row.instructions = code_size(block);
		addPlace(block, row);
		blocks_.push_back(row);
	}

	void addParts(const BasicBlock &block, Elsewhere &elsewhere, struct rarog_record_block &row)
	{
		row.first_part = (uint32_t)parts_.size();
		for (const LineElsewhere &at : elsewhere.of(block))
			parts_.push_back({ frame(*at.location),
					   texts_.number(at.location->getFilename()), at.line,
					   at.flags });
		row.n_parts = (uint32_t)parts_.size() - row.first_part;
	}

	std::string code(struct rarog_block_record &record)
	{
		struct rarog_coder s;

		rarog_coder_write(&s);
		rarog_record_code(&s, &record);
		if (rarog_coder_finish(&s) < 0)
			report_fatal_error("rarog: out of memory");
		std::string bytes((const char *)s.bytes, s.n);
		free(s.bytes);
		return bytes;
	}

      public:
	Writer(const Graph &graph, Texts &texts)
	    : graph_(graph), code_(places_of_code(graph)), texts_(texts), edges_(graph.edges)
	{
		size_t edge = graph.blocks.size() + 1; /* after the blocks and the way in */

		for (uint32_t i = 0; i < graph.blocks.size(); i++)
			addBlock(i, edge);
		/* frames that blocks begin in come first */
		Elsewhere elsewhere(graph);
		for (uint32_t i = 0; i < graph.blocks.size(); i++)
			addParts(*graph.blocks[i], elsewhere, blocks_[i]);
	}

	std::string bytes(const Function &function)
	{
		const DISubprogram *source = function.getSubprogram();
		struct rarog_block_record record = {};

		record.name_text = texts_.number(function.getName());
		record.file_text = texts_.number(
			source ? source->getFilename()
			       : StringRef(function.getParent()->getSourceFileName()));
		record.line = source ? source->getLine() : 0;
		record.flow = { blocks_.size(), edges_.size(), edges_.data() };
		record.blocks = blocks_.data();
		record.lines = lines_.data();
		record.frames = frames_.data();
		record.n_frames = (uint32_t)frames_.size();
		record.parts = parts_.data();
		record.n_parts = (uint32_t)parts_.size();
		return code(record);
	}
};

} // namespace

std::string recordOf(const Function &function, const Graph &graph, Texts &texts)
{
	return Writer(graph, texts).bytes(function);
}

} // namespace rarog
