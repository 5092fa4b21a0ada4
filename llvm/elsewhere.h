/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines that blocks have code of although they are not their function's own. */
#ifndef RAROG_LLVM_ELSEWHERE_H
#define RAROG_LLVM_ELSEWHERE_H

#include <set>
#include <tuple>
#include <vector>

namespace llvm
{
class BasicBlock;
class DILocation;
class DIScope;
} // namespace llvm

namespace rarog
{

struct Graph;

struct LineElsewhere {
	const llvm::DILocation *location; /* some one there */
	unsigned line, flags;             /* RAROG_LINE_… */
};

class Elsewhere
{
	using Place = std::tuple<const llvm::DILocation *, const llvm::DIScope *, unsigned,
				 unsigned>; /* its call, where it is */

	std::set<Place> code_; /* where there is more than a jump */

	static Place placeOf(const llvm::DILocation &location);
	bool isMade(const llvm::BasicBlock &block, const llvm::DILocation &location);

      public:
	explicit Elsewhere(const Graph &graph);

	/* To be asked for each block, in their order. Those of one call and file stand together. */
	std::vector<LineElsewhere> of(const llvm::BasicBlock &block);
};

} // namespace rarog

#endif
