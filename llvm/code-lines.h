/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which instructions are code of which lines. */
#ifndef RAROG_LLVM_CODE_LINES_H
#define RAROG_LLVM_CODE_LINES_H

namespace llvm
{
class BasicBlock;
class DILocation;
class Instruction;
} // namespace llvm

namespace rarog
{

/* Where it stands in the source; nullptr: nowhere, though the compiler may name a line. */
const llvm::DILocation *written_location(const llvm::Instruction &instruction);

/* Where in the function itself: of inlined code, the call. */
const llvm::DILocation *own_location(const llvm::Instruction &instruction);

/* Is it in the file that the function is in? A constructor has the initialisers of members, which
 * stand in a header. */
bool is_at_home(const llvm::DILocation &own);

bool is_code(const llvm::Instruction &instruction);
unsigned code_size(const llvm::BasicBlock &block);

/* Of a condition over several lines, the decision is on the first: control does not come back
 * there. */
bool is_decision(const llvm::Instruction &instruction);

/* Where statements end clang has a jump of its own, at their brace: nobody wrote it, and the line
 * may go on with an else or a catch that control does not come to. */
bool is_end(const llvm::Instruction &instruction, const llvm::DILocation &location);

/* Is it a jump that somebody wrote? Also false where a macro has it. */
bool is_written(const llvm::DILocation &location);

} // namespace rarog

#endif
