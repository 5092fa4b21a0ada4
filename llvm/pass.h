/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the pass. LLVM wants C++; what needs no LLVM is C, in src/blocks. */
#ifndef RAROG_LLVM_PASS_H
#define RAROG_LLVM_PASS_H

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include <memory>
#include <string>
#include <vector>

#include "blocks/flow.h"
#include "blocks/path-number.h"
#include "blocks/record-code.h"
#include "blocks/record-texts.h"

namespace llvm
{
class DILocation;
class DominatorTree;
class ScalarEvolution;
} // namespace llvm

namespace rarog
{

/* Of the names that runtime and compiled code share. */
constexpr char SLOT[] = "__rarog_slot", ENTER[] = "__rarog_enter_thread";

struct Options {
	enum rarog_blocks_placement placement;
	enum rarog_blocks_threads threads;
	unsigned promote; /* counters of a loop that are kept in registers */
	bool assume_return;
	bool keep_records; /* strip leaves them */
	bool write_ir;     /* as text, which strip takes */
	bool count_trips;  /* rounds of each entry of a loop */
	bool count_paths;  /* how often each path was taken */
};

/* Which calls may end otherwise than by returning: exit, longjmp, exceptions, setjmp, coroutines.
 */
class Leaving
{
	llvm::DenseSet<const llvm::Function *> functions_;
	bool assume_return_;

	bool callMayLeave(const llvm::CallBase &call) const;
	bool bodyMayLeave(const llvm::Function &function) const;

      public:
	Leaving(const llvm::Module &module, bool assume_return);
	bool mayLeave(const llvm::Instruction &instruction) const;
	bool mayLeave(const llvm::BasicBlock &block) const;
};

/* A variable of the program that is @step more in each round of a loop than in the one before, and
 * never the same twice. */
struct Rounds {
	llvm::PHINode *variable; /* of the loop's header; nullptr: there is none */
	llvm::Instruction
		*next; /* what it will be in the next round; nullptr: on each way another */
	int64_t step;
};

Rounds findRounds(const llvm::Loop &loop, llvm::ScalarEvolution &evolution);

/* Of the blocks after @loop, each is led to either by ways that have @rounds.next or by such that
 * have not. */
void partEnds(const Rounds &rounds, const llvm::Loop &loop, llvm::DominatorTree &dominators,
	      llvm::LoopInfo &loops);

/* How often the loop's header was executed: code for @exit after the loop, after partEnds(). */
llvm::Value *roundsBehind(llvm::IRBuilderBase &builder, const Rounds &rounds,
			  const llvm::Loop &loop, const llvm::BasicBlock &exit,
			  const llvm::DominatorTree &dominators);

/* Is @loop left only where code can be put that adds its counts to memory? */
bool hasSeenEnds(const llvm::Loop &loop, const Leaving &leaving);

/* Divides the blocks of unoptimised code where calls may leave them. Has it changed? */
bool divideBlocks(llvm::Function &function, const Leaving &leaving);

/* Gives each call that ends @function its own return, so that it stays a jump. Has it changed? */
bool copyReturns(llvm::Function &function);

/* The flow of a function, with the blocks that its numbers mean. */
struct Graph {
	std::vector<llvm::BasicBlock *> blocks;
	std::vector<uint64_t> frequencies; /* of the blocks, as LLVM expects */
	std::vector<bool> stops;           /* of the blocks: RAROG_RECORD_STOPS */
	llvm::DenseMap<const llvm::BasicBlock *, uint32_t> numbers;
	std::vector<struct rarog_flow_edge> edges;
	/* headers of loops that are counted after the loop, if at all */
	llvm::DenseMap<const llvm::BasicBlock *, Rounds> rounds;
	struct rarog_flow flow;
	unsigned n_counters;

	Graph(llvm::Function &function, llvm::FunctionAnalysisManager &analyses,
	      const Leaving &leaving, const Options &options);
	Graph(const Graph &) = delete;
	Graph &operator=(const Graph &) = delete;

	llvm::BasicBlock *from(const struct rarog_flow_edge &edge) const
	{
		return blocks[(edge.from - RAROG_FLOW_OUT(0)) / 2];
	}
	llvm::BasicBlock *to(const struct rarog_flow_edge &edge) const
	{
		return blocks[(edge.to - RAROG_FLOW_IN(0)) / 2];
	}

      private:
	void findLoops(llvm::Function &function, llvm::FunctionAnalysisManager &analyses,
		       const Leaving &leaving);
	void addBlock(llvm::BasicBlock &block, llvm::FunctionAnalysisManager &analyses,
		      const Leaving &leaving, const Options &options);
	void addEdge(llvm::BasicBlock &from, llvm::BasicBlock &to, bool is_only, bool leaves,
		     llvm::FunctionAnalysisManager &analyses, const Options &options);
};

/* Names, which records say by their numbers. */
class Texts
{
	llvm::StringMap<uint32_t> numbers_;
	std::vector<llvm::StringRef> texts_;

      public:
	uint32_t number(llvm::StringRef text);
	std::string bytes() const;
	void clear();
};

/* What rarog has to know of a function. To be called before insertCounters(). */
std::string recordOf(const llvm::Function &function, const Graph &graph, Texts &texts);

/* The rest of the line in the source; empty, too, where it cannot be read. */
llvm::StringRef textAt(const llvm::DILocation &location);

/* The assembler's directive for a section that lives and dies with @function, up to its name's end
 * of the line. */
std::string sectionWith(const llvm::Function &function, const char *name, const char *flags,
			const char *type);

/* Its intermediate code (src/blocks/ir.h). To be called before insertCounters(). */
std::string textOf(const llvm::Function &function, const Graph &graph);

/* What a function with counters has beside its code, in sections of the object file. */
class Companions
{
	llvm::Module &module_;
	const Options &options_;
	bool are_variables_;
	unsigned number_ = 0;
	Texts texts_; /* of the module, or of one record that brings its own */
	std::string text_;
	llvm::SmallVector<llvm::GlobalValue *, 16> used_;

	llvm::GlobalVariable *variable(llvm::Function &function, llvm::Constant *value,
				       bool is_constant, const char *section, const char *prefix);
	bool haveOwnTexts() const;
	std::string namesLabel() const;
	void recordVariable(llvm::Function &function, llvm::GlobalVariable *counters,
			    llvm::StringRef bytes);

      public:
	Companions(llvm::Module &module, const Options &options);

	/* Was this done to @module before? */
	static bool has(const llvm::Module &module);

	/* An array of @n counters, where the runtime finds it. */
	llvm::GlobalVariable *counters(llvm::Function &function, unsigned n);

	/* For the body of the next record. */
	Texts &texts();

	/* @body is of recordOf(), @probes of Probes::record(). */
	void record(llvm::Function &function, llvm::GlobalVariable *counters, llvm::StringRef body,
		    llvm::StringRef probes);

	/* @text is of textOf(). Not where LLVM goes on with the module: what is loaded has no room
	 * for it. */
	void ir(llvm::Function &function, llvm::StringRef text);

	/* Once, at the end. */
	void finish();
};

/* A library's function finds out where its thread counts: the block that does so becomes its first.
 * Returns @counters of this thread, less a byte. */
llvm::Value *findCounters(llvm::Function &function, llvm::GlobalVariable *counters);

/* The code that counts. Changes the function's graph: edges are split. */
void insertCounters(llvm::Function &function, const Graph &graph, llvm::GlobalVariable *counters,
		    const Leaving &leaving, const Options &options);

/* Is it a call of libc's, or of C++'s library, that may wait for long? */
bool mayWait(llvm::StringRef name);

/* Has the runtime told of calls that wait or end. To be called last: these calls of ours are no
 * part of what is counted. */
void noteEnds(llvm::Function &function);

/* Calls @name of the runtime, or, where that is not linked, what does nothing. */
void sayToRuntime(llvm::StringRef name, llvm::ArrayRef<llvm::Value *> arguments,
		  llvm::Instruction *before);

/* The first instruction of @block after what has to stand first, and the function's variables. */
llvm::Instruction *startOf(llvm::BasicBlock &block);

/* What runs next after calls that return more often than they are made. */
llvm::SmallVector<llvm::Instruction *, 4> secondReturns(llvm::Function &function);

/* LLVM's fast register allocator (-O0) does not bring values to all blocks that jumps of every kind
 * lead to; what clang itself makes there has none. After asm goto it is the same. */
bool losesValues(const llvm::Function &function);

/* A number as records have it. */
std::string numberBytes(uint64_t value);

/* Words beside a function's counters, of the thread that runs. In a library it makes the function a
 * new first block. */
class Cells
{
	llvm::GlobalVariable *counters_;
	enum rarog_blocks_threads threads_;
	llvm::Type *word_;
	llvm::Value *of_thread_;

	llvm::Value *address(llvm::IRBuilderBase &builder, llvm::Value *cell) const;

      public:
	Cells(llvm::Function &function, llvm::GlobalVariable *counters, const Options &options);
	/* @cell, counted from the function's first counter, becomes @amount more. */
	void add(llvm::IRBuilderBase &builder, llvm::Value *cell, llvm::Value *amount) const;
	/* It becomes @value, if that is more. */
	void raise(llvm::IRBuilderBase &builder, llvm::Value *cell, llvm::Value *value) const;
};

/* The rounds that each entry of a natural loop has (src/blocks/trips-cells.h). */
class Trips
{
	std::vector<llvm::BasicBlock *> headers_;
	std::vector<uint32_t> numbers_;

      public:
	/* Which loops @graph has. */
	Trips(llvm::Function &function, const Graph &graph);
	unsigned cells() const;
	/* What comes after the body of the record. */
	std::string record() const;
	/* @first: their first cell. */
	void insert(llvm::Function &function, const Cells &cells, unsigned first) const;
};

/* How often each path was taken: a word for each, after one that is not read. */
class Paths
{
	const Graph &graph_;
	struct rarog_path_numbers numbers_;
	std::vector<uint64_t> offsets_;

      public:
	Paths(llvm::Function &function, const Graph &graph,
	      llvm::FunctionAnalysisManager &analyses);
	Paths(const Paths &) = delete;
	Paths &operator=(const Paths &) = delete;
	~Paths();
	unsigned cells() const;
	std::string record() const;
	void insert(llvm::Function &function, const Cells &cells, unsigned first) const;
};

/* Everything that is counted on request, beside the blocks. */
class Probes
{
	const Options &options_;
	std::unique_ptr<Trips> trips_;
	std::unique_ptr<Paths> paths_;

      public:
	/* @graph outlives it. */
	Probes(llvm::Function &function, const Graph &graph, const Options &options,
	       llvm::FunctionAnalysisManager &analyses);
	unsigned cells() const;
	std::string record() const;
	/* Changes no edge. To be called before insertCounters(), which splits some. @first: cell of
	 * the function. */
	void insert(llvm::Function &function, llvm::GlobalVariable *counters, unsigned first) const;
};

} // namespace rarog

#endif
