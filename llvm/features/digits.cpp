/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options that are digits (-1 … -9) and write one variable are values of one feature, which has the
 * name of the variable. */
#include "guess.h"

#include <llvm/ADT/StringExtras.h>

#include <algorithm>

using namespace llvm;

namespace rarog
{

static bool isDigit(const Guess &guess)
{
	return !guess.has_value && guess.letter.size() == 1 && llvm::isDigit(guess.letter[0]);
}

static bool isSamePlace(const Guess &a, const Guess &b)
{
	return a.variable == b.variable && a.function == b.function && a.member == b.member;
}

static std::string nameOf(const Guess &guess)
{
	return guess.member.empty() ? guess.variable
				    : guess.member.substr(guess.member.find('.') + 1);
}

/* A name without a letter that writes the same, as --fast does, says one of the digits. */
static bool isOther(const Guess &guess)
{
	return !guess.has_value && guess.letter.empty() && guess.values.empty();
}

static Guess join(const std::vector<Guess> &guesses, const Guess &first)
{
	Guess joined = first;

	joined.name = nameOf(first);
	joined.letter = "";
	joined.has_value = true;
	for (const Guess &one : guesses) {
		if (!isSamePlace(one, first) || !(isDigit(one) || isOther(one)))
			continue;
		if (isDigit(one))
			joined.values.push_back((unsigned)(one.letter[0] - '0'));
		if (!one.name.empty())
			joined.others.push_back(one.name);
	}
	std::sort(joined.values.begin(), joined.values.end());
	joined.values.erase(std::unique(joined.values.begin(), joined.values.end()),
			    joined.values.end());
	return joined;
}

void joinDigits(std::vector<Guess> &guesses)
{
	std::vector<Guess> rest;

	for (const Guess &guess : guesses) {
		if (!isDigit(guess) && !isOther(guess)) {
			rest.push_back(guess);
			continue;
		}
		Guess joined = join(guesses, guess);
		if (joined.values.size() < 2)
			rest.push_back(guess);
		else if (none_of(rest, [&](const Guess &one) {
				 return isSamePlace(one, guess) && !one.values.empty();
			 }))
			rest.push_back(joined);
	}
	guesses = rest;
}

} // namespace rarog
