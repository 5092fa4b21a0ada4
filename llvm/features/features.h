/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which code runs because of which option. While a program is compiled, pieces of code get numbers
 * that stay in the line table, and the module is kept beside the code (tag.cpp). Later all modules
 * are put together (units.cpp), what depends on the feature variables is found (flow.cpp), then
 * what it controls (control.cpp), and from that the regions (regions.cpp).
 */
#ifndef RAROG_LLVM_FEATURES_H
#define RAROG_LLVM_FEATURES_H

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#define RAROG_FEATURE_SECTION ".rarog.features"
#define RAROG_FEATURE_MAGIC   "RAROGBC1"
#define RAROG_FEATURE_PREFIX  "rarog_feature:"
#define RAROG_MAX_FEATURES    64

namespace rarog
{

using Mask = uint64_t; /* of features */

/* Calls @visit with each instruction of @function and the number of its piece; the first is @first.
 * Pieces are basic blocks, and calls through pointers. Returns the number after the last. */
unsigned visitPieces(llvm::Function &function, unsigned first,
		     llvm::function_ref<void(llvm::Instruction &, unsigned)> visit);

/* Numbers all pieces of @module, and keeps it in a section of the object file. */
void tagModule(llvm::Module &module);

/* The text of an annotation that names a feature; "": it does not. */
llvm::StringRef featureOf(const llvm::Value *text);

/* --- the whole program --- */

struct Copy {
	unsigned unit, first; /* the number of its first piece */
};

class Units
{
      public:
	struct Unit {
		std::string name, directory;
		unsigned pieces = 0; /* the number after the last */
	};

      private:
	llvm::StringMap<llvm::SmallVector<Copy, 1>> copies_;
	llvm::StringMap<std::string> names_;

	void note(llvm::Module &module);

      public:
	std::vector<Unit> all;
	std::vector<std::string> warnings;

	/* All modules of @bytes, as they stand one after the other in the section, as one. */
	std::unique_ptr<llvm::Module> link(llvm::StringRef bytes, llvm::LLVMContext &context);
	/* Where the code of @function may be. */
	llvm::ArrayRef<Copy> copies(const llvm::Function &function) const;
	/* As it is called in its source. */
	llvm::StringRef name(const llvm::Function &function) const;
};

/* --- control --- */

/* What each branch of a function decides. */
class Control
{
	llvm::DenseMap<const llvm::BasicBlock *, unsigned> index_;
	std::vector<int> join_;

	void order(const std::vector<std::vector<unsigned>> &before, std::vector<unsigned> &ret);
	void addHandlers(const llvm::BasicBlock *block, const llvm::BasicBlock *end,
			 llvm::BitVector &found) const;

      public:
	std::vector<llvm::BasicBlock *> blocks;

	explicit Control(llvm::Function &function);
	unsigned index(const llvm::BasicBlock *block) const
	{
		return index_.lookup(block);
	}
	/* Where all ways from @block meet again; NULL: at the end of the function, if at all. */
	llvm::BasicBlock *join(const llvm::BasicBlock *block) const;
	/* What runs, or not, because of how @block ends, up to there; itself is no part of it. */
	llvm::BitVector decided(const llvm::BasicBlock *block) const;
};

/* --- flow --- */

/* What the user calls a feature, and where its value is. */
struct Wanted {
	std::string name, variable, function, member, file;
	unsigned line = 0;
};

struct Feature {
	std::string name, where, note;
	unsigned reads = 0, writes = 0;
};

/* A node is a value of the intermediate code or a place in memory. */
class Flow
{
      public:
	struct Why {
		unsigned from;
		const llvm::Instruction *via; /* NULL: it is the feature's variable */
	};

      private:
	using Key = std::pair<const void *, int64_t>;

	llvm::Module &module_;
	const llvm::DataLayout &layout_;
	llvm::StringMap<char> types_;
	std::map<Key, unsigned> keys_;
	llvm::DenseMap<const llvm::Value *, unsigned> values_;
	std::vector<Mask> masks_;
	std::vector<std::string> names_; /* of places in memory; "": a value */
	std::vector<std::set<unsigned>> targets_;
	std::set<unsigned> lost_; /* targets of pointers that have too many */
	std::vector<bool> is_written_, is_varied_, is_full_, is_array_;
	std::map<std::pair<unsigned, unsigned>, Why> why_;
	std::map<std::string, std::set<std::string>> owners_; /* variables that a feature names */
	std::map<llvm::FunctionType *, std::vector<llvm::Function *>> taken_;
	llvm::DenseMap<const llvm::Function *, std::vector<llvm::ReturnInst *>> returns_;
	std::map<llvm::Function *, std::unique_ptr<Control>> controls_;

	unsigned newNode(std::string name);
	unsigned keyOfType(llvm::StructType *type, int64_t offset);
	unsigned keyOfObject(const llvm::Value *object, llvm::Type *type);
	bool isMember(llvm::Type *type, uint64_t offset, unsigned place);
	bool isAddress(const llvm::Constant *pointer, unsigned place);
	void initialTargets(const llvm::Value *pointer, std::set<unsigned> &ret);
	bool pointTo(unsigned node, const std::set<unsigned> &targets);
	bool pointValue(unsigned node, const llvm::Value *value);
	bool pointCall(llvm::CallBase &call);
	bool pointAt(llvm::Instruction &instruction);
	void note(llvm::Instruction &instruction);
	void points();

	bool flow(unsigned to, unsigned from, const llvm::Instruction *via);
	bool flowCall(llvm::CallBase &call);
	bool flowLoad(llvm::LoadInst &load);
	bool flowAt(llvm::Instruction &instruction);
	bool flowDecisions(llvm::Function &function);
	bool flowStores(const Control &control, const llvm::BitVector &blocks, unsigned condition,
			llvm::Instruction &branch);
	bool flowJoin(llvm::BasicBlock &join, const Control &control, const llvm::BitVector &blocks,
		      unsigned condition, llvm::Instruction &branch);

	void sayTwice(llvm::StringRef feature, const std::string &where, const std::string &owner);
	void seed(unsigned node, llvm::StringRef feature, const std::string &where);
	void seedGlobalAnnotations();
	void seedAnnotation(const llvm::CallBase &call, bool is_member);
	void seedAnnotations();
	void seedWanted(const Wanted &wanted);
	bool seedMember(const Wanted &wanted, llvm::StringRef type, llvm::StringRef member);
	bool seedMemberAt(const Wanted &wanted);
	bool seedGlobal(const Wanted &wanted);
	bool seedLocal(const Wanted &wanted);
	void count(llvm::Instruction &instruction);
	std::string givenAway(llvm::Instruction &instruction, unsigned place);
	bool hasAddress(const llvm::Constant *value, unsigned place, unsigned depth);
	std::string tableOf(unsigned place);
	void sayGivenAway(unsigned place, const Feature &feature);
	void sayAllGivenAway();
	std::string describe(unsigned node, const Why &why) const;

      public:
	std::vector<Feature> features;
	std::vector<std::string> warnings;
	unsigned max_rounds = 200;
	bool is_explicit = false; /* constants that a feature chooses are not its */

	explicit Flow(llvm::Module &module);
	~Flow();
	void run(const std::vector<Wanted> &wanted);
	unsigned node(const llvm::Value *value);
	Mask mask(const llvm::Value *value);
	Control &control(llvm::Function &function);
	/* What the memory at @pointer may be. */
	std::set<unsigned> places(const llvm::Value *pointer);
	/* The functions that @call may call, as far as is known. */
	llvm::SmallVector<llvm::Function *, 2> callees(llvm::CallBase &call);
	bool isTaken(const llvm::Function &function) const;
	/* From the variable of @feature to @value: a line a step. */
	std::vector<std::string> chain(const llvm::Value *value, unsigned feature);
};

/* What decides about where a block goes on; NULL: nothing does. */
llvm::Value *conditionOf(llvm::Instruction *terminator);

/* "FILE:LINE" of an instruction, "": unknown. */
std::string placeOf(const llvm::Instruction *instruction);

/* --- jumps --- */

/* Calls that the optimizer may make jumps of. */
class Jumps
{
	using Blocks = std::vector<const llvm::BasicBlock *>;

	std::vector<std::pair<llvm::CallInst *, Blocks>> all_;
	llvm::DenseMap<const llvm::CallInst *, llvm::SmallVector<const llvm::Function *, 2>>
		targets_;
	std::map<const llvm::Function *, std::set<const llvm::Function *>> next_;

	bool comesBack(const llvm::CallInst *call) const;

      public:
	Jumps(Flow &flow, llvm::Module &module);
	/* Those that may come back to their function by jumps alone, and the blocks from there to
	 * the return. */
	void visitCircles(
		llvm::function_ref<void(llvm::CallInst &, llvm::ArrayRef<const llvm::BasicBlock *>)>
			visit) const;
};

/* --- coroutines --- */

using FunctionSet = std::set<const llvm::Function *>;

bool isCoroutine(const llvm::Function &function);

/* What coroutines call and leads to one of @leading is not made a part of them: there the frame
 * would be kept over a suspension. */
void keepApart(llvm::Module &module, FunctionSet leading);

/* --- endings --- */

/* Leaves: only by an exception, longjmp() or the end of the thread. */
enum class Ending { Never, Leaves, Returns };

class Endings
{
	std::map<const llvm::Function *, Ending> of_;
	std::set<const llvm::Function *> throws_, jumps_; /* are left so, whatever else they do */

	Ending ofCall(const llvm::CallBase &call) const;
	llvm::SmallVector<const llvm::BasicBlock *, 16> reached(
		const llvm::Function &function) const;
	bool mayThrow(const llvm::CallBase &call) const;
	bool mayJump(const llvm::CallBase &call) const;
	void findLeaving(const llvm::Function &function,
			 llvm::ArrayRef<const llvm::BasicBlock *> blocks);
	bool learn(const llvm::Function &function);

      public:
	explicit Endings(const llvm::Module &module);
	/* What in @block control does not go on after; NULL: nothing. */
	const llvm::Instruction *stopOf(const llvm::BasicBlock &block, Ending &ret) const;
	/* Where control goes on after @block, which is where an exception is caught, too. @ret: how
	 * the function ends there else; Never: it does not. */
	llvm::SmallVector<const llvm::BasicBlock *, 4> after(const llvm::BasicBlock &block,
							     Ending &ret) const;
	/* May what @block calls leave by longjmp() or an exception that no handler in the function
	 * catches, or one that leads out, as far as is known? */
	bool mayBeLeft(const llvm::BasicBlock &block,
		       llvm::function_ref<bool(const llvm::BasicBlock *)> leadsOut) const;
};

/* Does @stop (of Endings) end the program only as an exception may not go on there? No line of the
 * source says so. */
bool isTermination(const llvm::Instruction *stop);

/* --- guesses --- */

/* An option of the command line, and what seems to keep it. */
struct Guess {
	std::string name, letter; /* "": it has none */
	bool has_value;
	std::string variable, function, member, file;
	unsigned line;
	std::vector<unsigned> values;    /* digits that say so, ascending: -1 … -9 */
	std::vector<std::string> others; /* names of some of them */
};

std::vector<Guess> guessOptions(llvm::Module &module);

/* --- regions --- */

struct Region {
	llvm::Function *function;
	llvm::Instruction *decision;
	llvm::Value *condition;
	Mask features = 0;      /* that the decision depends on */
	llvm::BitVector blocks; /* of the function; none: the decision is a call */
	unsigned size = 0;      /* instructions */
	bool has_call = false;
	bool is_hidden = false, is_kept = false, is_in_coroutine = false;
	bool is_interaction = false;
	Mask with = 0; /* and what encloses it */
	unsigned line = 0, last_line = 0;
	std::string file;
	std::string jump;         /* where a call leaves it that has to stay a jump */
	std::string trap;         /* from where no way leads out of it */
	bool may_be_left = false; /* there, by an exception or longjmp() out of what it calls */
};

class Regions
{
	Flow &flow_;
	llvm::Module &module_;
	Endings endings_;
	std::map<llvm::Function *, std::vector<unsigned>> of_;
	std::map<const llvm::Function *, Mask> around_;

	void findIn(llvm::Function &function);
	void measure(Region &region);
	bool isOut(const Region &region, const llvm::BitVector &leads,
		   const llvm::BasicBlock *block);
	bool isWayOut(const Region &region, const llvm::BitVector &leads,
		      const llvm::BasicBlock *block);
	llvm::BitVector leadsOut(const Region &region);
	void findTrap(Region &region);
	void foldConditions(llvm::Function &function);
	void findAround();
	Mask at(const llvm::BasicBlock &block);
	void findJumps();

      public:
	std::vector<Region> all;
	unsigned least;
	bool merges;

	Regions(Flow &flow, llvm::Module &module, unsigned least, bool merges);
	/* Which are open in a piece, from outside to inside; @call: the call that is the piece. */
	std::vector<unsigned> open(llvm::BasicBlock &block, llvm::CallBase *call);
	/* Everything as JSON. */
	void write(llvm::raw_ostream &stream, const Units &units);
};

} // namespace rarog

#endif
