/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "list.h"

#include "features.h"
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <llvm/IR/DebugInfoMetadata.h>

#include "feature/region-file.h"

using namespace llvm;

namespace rarog
{

/* As Units names them. */
static std::string unitOf(const Module &module)
{
	std::string found = module.getSourceFileName() + "\t";

	for (const DICompileUnit *unit : module.debug_compile_units())
		found = unit->getFilename().str() + "\t" + unit->getDirectory().str();
	return found;
}

/* How many pieces there are: another number, and it is another source. */
static unsigned countPieces(Module &module)
{
	unsigned next = 1;

	for (Function &function : module)
		if (!function.isDeclaration() && !function.hasAvailableExternallyLinkage())
			next = visitPieces(function, next, [](Instruction &, unsigned) {});
	return next;
}

bool RegionList::readLine(StringRef line, const Module &module, bool &is_ours)
{
	SmallVector<StringRef, 8> words;
	unsigned number;

	line.split(words, '\t');
	if (words[0] == "list" && words.size() == 2) {
		digest_ = words[1].str();
	} else if ((words[0] == "region" || words[0] == "probed") && words.size() == 5) {
		if (words[1].getAsInteger(10, number))
			return false;
		for (StringRef name : split(words[2].split('@').first, ","))
			features_[number].insert(name.str());
		if (words[0] == "region")
			regions_[number] = (words[2] + "\t" + words[3] + "\t" + words[4]).str();
	} else if (words[0] == "unit" && words.size() == 4) {
		is_ours = (words[2] + "\t" + words[3]).str() == unitOf(module);
		has_unit_ |= is_ours;
		if (unitOf(module).compare(0, words[2].size() + 1, words[2].str() + "\t") == 0)
			elsewhere_ = words[3].str();
		return !is_ours || !words[1].getAsInteger(10, n_pieces_);
	} else if (words[0] == "piece" && words.size() > 2) {
		Stack stack;

		if (!is_ours)
			return true;
		for (size_t i = 2; i < words.size(); i++)
			if (words[i].getAsInteger(10, number) || !features_.count(number))
				return false;
			else
				stack.push_back(number);
		return !words[1].getAsInteger(10, number) &&
		       pieces_.insert({ number, stack }).second;
	} else if (words[0] == "decision" && words.size() == 3) {
		unsigned region;

		if (words[1].getAsInteger(10, number) || words[2].getAsInteger(10, region))
			return false;
		if (is_ours)
			decisions_[number].push_back(region);
	} else {
		return false;
	}
	return true;
}

std::string RegionList::read(StringRef text, const Module &module)
{
	SmallVector<StringRef, 64> lines;
	bool is_ours = false;

	text.split(lines, '\n', -1, false);
	for (StringRef line : lines)
		if (!readLine(line, module, is_ours))
			return "is no list of regions; rarog feature regions --write makes one";
	if (digest_.empty())
		return "is no list of regions; rarog feature regions --write makes one";
	if (has_unit_ && n_pieces_ != countPieces(const_cast<Module &>(module)))
		return "is of another source than " + module.getSourceFileName() +
		       ", or of one that was compiled otherwise; compile with --features alone, "
		       "and write the list anew";
	return "";
}

void RegionList::dropProbed()
{
	for (auto &piece : pieces_)
		llvm::erase_if(piece.second,
			       [this](unsigned region) { return !regions_.count(region); });
}

const RegionList::Stack &RegionList::at(unsigned piece) const
{
	auto found = pieces_.find(piece);

	return found == pieces_.end() ? none_ : found->second;
}

void RegionList::add(unsigned piece, Stack &open) const
{
	std::set<std::string> known;
	bool is_inlined = !open.empty();

	for (unsigned region : open)
		known.insert(features_.at(region).begin(), features_.at(region).end());
	for (unsigned region : at(piece)) {
		const std::set<std::string> &its = features_.at(region);

		if (!is_inlined ||
		    !std::includes(known.begin(), known.end(), its.begin(), its.end()))
			open.push_back(region);
		known.insert(its.begin(), its.end());
	}
}

const RegionList::Stack &RegionList::decidedAt(unsigned piece) const
{
	auto found = decisions_.find(piece);

	return found == decisions_.end() ? none_ : found->second;
}

static std::string quoted(StringRef text)
{
	std::string made;

	for (char c : text) {
		if (c == '"' || c == '\\')
			made += '\\';
		made += c;
	}
	return made;
}

void RegionList::name(Module &module, bool is_used) const
{
	/* linkers keep one of equal texts */
	std::string text = ".pushsection " RAROG_REGION_SECTION ",\"MS\",@progbits,1\n";

	for (const auto &region : regions_) {
		std::string line =
			digest_ + "\t" + std::to_string(region.first) + "\t" + region.second;

		text += ".asciz \"" + quoted(line) + "\"\n";
	}
	if (is_used)
		module.appendModuleInlineAsm(text + ".popsection\n");
}

} // namespace rarog
