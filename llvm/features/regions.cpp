/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Regions: all code that a decision decides about which depends on features, whichever way is
 * taken; a loop's decision has a region each time that it goes on. Of regions one in another that
 * depend on no other features only the outermost stays, also if it is in the caller.
 */
#include "features.h"
#include "words.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/JSON.h>

using namespace llvm;

namespace rarog
{

Regions::Regions(Flow &flow, Module &module, unsigned least, bool merges)
    : flow_(flow), module_(module), endings_(module), least(least), merges(merges)
{
	for (Function &function : module)
		if (!function.isDeclaration())
			findIn(function);
	for (Function &function : module)
		foldConditions(function);
	if (merges)
		findAround();
	for (Region &region : all)
		region.is_hidden |= region.size < least && !region.has_call;
	for (Function &function : module)
		for (BasicBlock &block : function) {
			open(block, nullptr);
			for (Instruction &instruction : block)
				if (auto *call = dyn_cast<CallBase>(&instruction))
					if (call->isIndirectCall())
						open(block, call);
		}
	findJumps();
}

static void spread(Region &region, const Instruction &instruction)
{
	const DebugLoc &at = instruction.getDebugLoc();

	if (!at || !at.getLine() || at->getFilename() != region.file)
		return;
	region.line = region.line ? std::min(region.line, (unsigned)at.getLine()) : at.getLine();
	region.last_line = std::max(region.last_line, (unsigned)at.getLine());
}

void Regions::measure(Region &region)
{
	const DebugLoc &at = region.decision->getDebugLoc();
	const DISubprogram *host = region.function->getSubprogram();

	region.file = at ? at->getFilename().str() : host ? host->getFilename().str() : "";
	spread(region, *region.decision);
	for (unsigned i : region.blocks.set_bits())
		for (Instruction &instruction : *flow_.control(*region.function).blocks[i]) {
			if (isa<DbgInfoIntrinsic>(instruction))
				continue;
			region.size++;
			region.has_call |=
				isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction);
			spread(region, instruction);
		}
	if (isa<CallBase>(region.decision))
		region.has_call = true;
}

/* Is @block outside of @region, or one of those that lead out of it? */
bool Regions::isOut(const Region &region, const BitVector &leads, const BasicBlock *block)
{
	unsigned i = flow_.control(*region.function).index(block);

	return !region.blocks.test(i) || leads.test(i);
}

/* May what comes after @block be out of @region? A function that never ends by itself is no way,
 * though an exception may lead out of it. */
bool Regions::isWayOut(const Region &region, const BitVector &leads, const BasicBlock *block)
{
	Ending how;

	if (endings_.stopOf(*block, how) && how == Ending::Never)
		return false;
	SmallVector<const BasicBlock *, 4> after = endings_.after(*block, how);
	return how != Ending::Never ||
	       any_of(after, [&](const BasicBlock *next) { return isOut(region, leads, next); });
}

/* The blocks of a region from which a way leads out of it. */
BitVector Regions::leadsOut(const Region &region)
{
	const Control &control = flow_.control(*region.function);
	BitVector leads(region.blocks.size());

	for (bool has_changed = true; has_changed;) {
		has_changed = false;
		for (unsigned i : region.blocks.set_bits())
			if (!leads.test(i) && isWayOut(region, leads, control.blocks[i])) {
				leads.set(i);
				has_changed = true;
			}
	}
	return leads;
}

/* Ways that end the program, and loops without end, do not leave a region. Where a coroutine waits
 * are ways that nobody takes. */
void Regions::findTrap(Region &region)
{
	BitVector trapped = region.blocks, leads = leadsOut(region);
	std::string first;

	trapped.reset(leads);
	if (region.is_in_coroutine)
		return;
	for (unsigned i : trapped.set_bits()) {
		const BasicBlock *block = flow_.control(*region.function).blocks[i];
		Ending how;
		const Instruction *stop = endings_.stopOf(*block, how);

		if (isTermination(stop) ||
		    (stop && stop == &block->front() && isa<UnreachableInst>(stop)))
			continue; /* nobody gets there */
		region.may_be_left |= endings_.mayBeLeft(*block, [&](const BasicBlock *handler) {
			return isOut(region, leads, handler);
		});
		if (region.trap.empty())
			region.trap = placeOf(stop);
		for (const Instruction &instruction : *block)
			if (first.empty())
				first = placeOf(&instruction);
	}
	if (region.trap.empty())
		region.trap = first;
}

void Regions::findIn(Function &function)
{
	bool is_in_coroutine = isCoroutine(function);

	for (Instruction &instruction : instructions(function)) {
		auto *call = dyn_cast<CallBase>(&instruction);
		Value *condition = instruction.isTerminator() ? conditionOf(&instruction) : nullptr;
		Region region;

		region.function = &function;
		region.decision = &instruction;
		region.condition = condition;
		region.is_in_coroutine = is_in_coroutine;

		if (!condition && call && call->isIndirectCall())
			region.condition = call->getCalledOperand();
		if (!region.condition || !flow_.mask(region.condition))
			continue;
		region.features = flow_.mask(region.condition);
		region.blocks = BitVector((unsigned)flow_.control(function).blocks.size());
		if (condition)
			region.blocks = flow_.control(function).decided(instruction.getParent());
		if (condition && region.blocks.none())
			continue;
		measure(region);
		findTrap(region);
		of_[&function].push_back((unsigned)all.size());
		all.push_back(std::move(region));
	}
}

/* Does @block do anything but find out what its own decision needs? */
static bool isCondition(const BasicBlock &block)
{
	for (const Instruction &instruction : block)
		if (instruction.mayHaveSideEffects() ||
		    (isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction)))
			return false;
	return true;
}

/* `if (a && b)`: one region of both, not one in the other. */
void Regions::foldConditions(Function &function)
{
	bool has_changed = true;

	while (has_changed) {
		has_changed = false;
		for (unsigned i : of_[&function])
			for (unsigned k : of_[&function]) {
				Region &outer = all[i], &inner = all[k];

				if (i == k || outer.is_hidden || inner.is_hidden ||
				    outer.blocks.none() || inner.blocks.none())
					continue;
				BasicBlock *block = inner.decision->getParent();
				BitVector rest = inner.blocks;
				rest.set(flow_.control(function).index(block));
				if (rest != outer.blocks || !isCondition(*block))
					continue;
				inner.features |= outer.features;
				inner.line = std::min(inner.line, outer.line);
				outer.is_hidden = true;
				has_changed = true;
			}
	}
}

Mask Regions::at(const BasicBlock &block)
{
	Mask found = 0;

	for (unsigned i : of_[const_cast<Function *>(block.getParent())])
		if (all[i].blocks.any() &&
		    all[i].blocks.test(flow_.control(*all[i].function).index(&block)))
			found |= all[i].features;
	return found;
}

/* What each function is always called within. */
void Regions::findAround()
{
	std::map<const Function *, std::vector<CallBase *>> calls;

	for (Function &function : module_)
		for (Instruction &instruction : instructions(function))
			if (auto *call = dyn_cast<CallBase>(&instruction))
				if (Function *callee = call->getCalledFunction())
					calls[callee].push_back(call);
	for (Function &function : module_)
		around_[&function] = calls[&function].empty() || flow_.isTaken(function) ||
						     function.getName() == "main"
					     ? 0
					     : ~(Mask)0;
	for (bool has_changed = true; has_changed;) {
		has_changed = false;
		for (Function &function : module_) {
			Mask found = around_[&function];

			for (CallBase *call : calls[&function])
				found &= at(*call->getParent()) | around_[call->getFunction()];
			has_changed |= found != around_[&function];
			around_[&function] = found;
		}
	}
	for (auto &one : around_) /* never called: in a circle of its own */
		if (one.second == ~(Mask)0)
			one.second = 0;
}

std::vector<unsigned> Regions::open(BasicBlock &block, CallBase *call)
{
	Function &function = *block.getParent();
	std::vector<unsigned> found, kept;
	Mask with = around_[&function];

	for (unsigned i : of_[&function])
		if (!all[i].is_hidden && all[i].blocks.any() &&
		    all[i].blocks.test(flow_.control(function).index(&block)))
			found.push_back(i);
	std::stable_sort(found.begin(), found.end(), [this](unsigned a, unsigned b) {
		return all[a].blocks.count() > all[b].blocks.count();
	});
	for (unsigned i : of_[&function])
		if (call && all[i].decision == call)
			found.push_back(i);
	for (unsigned i : found) {
		bool is_part = merges && !(all[i].features & ~with);

		with |= all[i].features;
		if (is_part)
			continue;
		all[i].is_kept = true;
		all[i].with |= with;
		kept.push_back(i);
	}
	return kept;
}

/* Compiled in, its end would come after the call. */
void Regions::findJumps()
{
	Jumps(flow_, module_)
		.visitCircles([this](CallInst &call, ArrayRef<const BasicBlock *> blocks) {
			std::vector<unsigned> found =
				open(*call.getParent(), call.isIndirectCall() ? &call : nullptr);

			for (const BasicBlock *block : blocks) {
				std::vector<unsigned> more =
					open(const_cast<BasicBlock &>(*block), nullptr);
				found.insert(found.end(), more.begin(), more.end());
			}
			for (unsigned i : found)
				all[i].jump = placeOf(&call).empty() ? "a place that is not known"
								     : placeOf(&call);
		});
}

/* --- what is told --- */

static json::Array namesOf(Mask mask, const std::vector<Feature> &features)
{
	json::Array names;

	for (unsigned i = 0; i < features.size(); i++)
		if (mask >> i & 1)
			names.push_back(features[i].name);
	return names;
}

static StringRef kindOf(const Region &region)
{
	if (isa<CallBase>(region.decision))
		return "call";
	if (isa<SwitchInst>(region.decision))
		return "switch";
	return "branch";
}

static json::Value textOf(StringRef text)
{
	return json::isUTF8(text) ? json::Value(text.str()) : json::Value(json::fixUTF8(text));
}

void Regions::write(raw_ostream &stream, const Units &units)
{
	json::OStream out(stream);

	out.objectBegin();
	out.attributeArray("units", [&] {
		for (const Units::Unit &unit : units.all)
			out.object([&] {
				out.attribute("name", textOf(unit.name));
				out.attribute("directory", textOf(unit.directory));
				out.attribute("pieces", unit.pieces);
			});
	});
	out.attributeArray("features", [&] {
		for (const Feature &feature : flow_.features)
			out.object([&] {
				out.attribute("name", textOf(feature.name));
				out.attribute("where", textOf(feature.where));
				out.attribute("reads", feature.reads);
				out.attribute("writes", feature.writes);
				out.attribute("note", textOf(feature.note));
			});
	});
	out.attributeArray("guesses", [&] {
		for (const Guess &guess : guessOptions(module_))
			out.object([&] {
				out.attribute("name", textOf(guess.name));
				out.attribute("letter", textOf(guess.letter));
				out.attribute("has_value", guess.has_value);
				out.attribute("variable", textOf(guess.variable));
				out.attribute("function", textOf(guess.function));
				out.attribute("member", textOf(guess.member));
				out.attribute("file", textOf(guess.file));
				out.attribute("line", guess.line);
				out.attribute("values", json::Array(guess.values));
				out.attribute("others", json::Array(guess.others));
			});
	});
	out.attributeArray("warnings", [&] {
		for (const std::string &text : units.warnings)
			out.value(textOf(text));
		for (const std::string &text : flow_.warnings)
			out.value(textOf(text));
	});
	out.attributeArray("regions", [&] {
		for (unsigned i = 0; i < all.size(); i++) {
			const Region &region = all[i];

			out.object([&] {
				out.attribute("id", i);
				out.attribute("kind", kindOf(region));
				out.attribute("function",
					      textOf(readable(units.name(*region.function))));
				out.attribute("file", textOf(region.file));
				out.attribute("line", region.line);
				out.attribute("last_line", region.last_line);
				out.attribute("features", namesOf(region.features, flow_.features));
				out.attribute("with", namesOf(region.with, flow_.features));
				out.attribute("instructions", region.size);
				out.attribute("state", region.is_kept     ? "kept"
						       : region.is_hidden ? "hidden"
									  : "merged");
				if (!region.jump.empty())
					out.attribute("jump", textOf(region.jump));
				if (region.is_in_coroutine)
					out.attribute("coroutine", true);
				if (!region.trap.empty())
					out.attribute("trap", textOf(region.trap));
				if (region.may_be_left)
					out.attribute("may_be_left", true);
				out.attributeArray("reason", [&] {
					Mask mask = flow_.mask(region.condition);
					for (unsigned k = 0; k < flow_.features.size(); k++)
						if (mask >> k & 1)
							for (const std::string &step :
							     flow_.chain(region.condition, k))
								out.value(textOf(step));
				});
			});
		}
	});
	out.attributeArray("decisions", [&] {
		for (Function &function : module_) {
			if (function.isDeclaration() || of_[&function].empty())
				continue;
			visitPieces(function, 0, [&](Instruction &instruction, unsigned number) {
				for (unsigned region : of_[&function])
					if (all[region].decision == &instruction &&
					    all[region].is_kept)
						for (const Copy &copy : units.copies(function))
							out.array([&] {
								out.value(copy.unit);
								out.value(copy.first + number);
								out.value(region);
							});
			});
		}
	});
	out.attributeArray("pieces", [&] {
		for (Function &function : module_) {
			ArrayRef<Copy> copies = units.copies(function);
			unsigned last = ~0u;

			if (function.isDeclaration() || of_[&function].empty())
				continue;
			visitPieces(function, 0, [&](Instruction &instruction, unsigned number) {
				auto *call = dyn_cast<CallBase>(&instruction);
				bool is_alone = call && call->isIndirectCall();

				if (number == last)
					return;
				last = number;
				std::vector<unsigned> regions =
					open(*instruction.getParent(), is_alone ? call : nullptr);
				if (regions.empty())
					return;
				for (const Copy &copy : copies)
					out.array([&] {
						out.value(copy.unit);
						out.value(copy.first + number);
						for (unsigned region : regions)
							out.value(region);
					});
			});
		}
	});
	out.objectEnd();
}

} // namespace rarog
