/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which regions are open in which piece of a module, as rarog feature regions --write says. */
#ifndef RAROG_LLVM_FEATURES_LIST_H
#define RAROG_LLVM_FEATURES_LIST_H

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Module.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace rarog
{

class RegionList
{
      public:
	using Stack = std::vector<unsigned>;

      private:
	std::string digest_;
	std::map<unsigned, std::string> regions_; /* name, file, line; tabs between them */
	std::map<unsigned, std::set<std::string>> features_; /* also of what is only probed */
	llvm::DenseMap<unsigned, Stack> pieces_, decisions_;
	unsigned n_pieces_ = 0;
	bool has_unit_ = false;
	std::string elsewhere_; /* the folder that a source of this name has in the list */
	Stack none_;

	bool readLine(llvm::StringRef line, const llvm::Module &module, bool &is_ours);

      public:
	/* The part about @module of the list @text; "": it is well, else what is wrong. */
	std::string read(llvm::StringRef text, const llvm::Module &module);
	/* Of which folder the source of @module is there, and of no other; "": of its own, or of
	 * none. */
	llvm::StringRef elsewhere() const
	{
		return has_unit_ ? llvm::StringRef() : llvm::StringRef(elsewhere_);
	}
	/* Only what may be compiled in stays. */
	void dropProbed();
	const Stack &at(unsigned piece) const;
	/* Adds what is open in @piece, which was inlined where @open is: what depends on nothing
	 * new is a part of that. */
	void add(unsigned piece, Stack &open) const;
	/* Which are decided about where @piece ends. */
	const Stack &decidedAt(unsigned piece) const;
	/* What the numbers mean goes into the object file, if it has any. */
	void name(llvm::Module &module, bool is_used) const;
};

/* Begins and ends of regions become calls. */
void compileRegions(llvm::Module &module, const RegionList &list);

/* Nops are there instead; the optimizer is done. */
void leaveRoom(llvm::Module &module, const RegionList &list);

} // namespace rarog

#endif
