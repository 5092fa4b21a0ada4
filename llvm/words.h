/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What LLVM 14 and 19 call differently. */
#ifndef RAROG_LLVM_WORDS_H
#define RAROG_LLVM_WORDS_H

#include <llvm/ADT/StringRef.h>

namespace rarog
{

inline bool beginsWith(llvm::StringRef text, llvm::StringRef with)
{
	return text.consume_front(with);
}

inline bool endsWith(llvm::StringRef text, llvm::StringRef with)
{
	return text.consume_back(with);
}

} // namespace rarog

#endif
