/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What LLVM 14 and 19 call differently. */
#ifndef RAROG_LLVM_WORDS_H
#define RAROG_LLVM_WORDS_H

#include <llvm/ADT/StringRef.h>
#include <llvm/Demangle/Demangle.h>

#include <string>

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

/* As people write it. */
inline std::string readable(llvm::StringRef name)
{
	return llvm::demangle(name.str());
}

} // namespace rarog

#endif
