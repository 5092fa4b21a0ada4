/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options that are digits (-1 … -9) and write one variable are values of one feature, which has the
 * name of the variable. -f and --force are one where both write the same, and so are --quiet and
 * --silent, which getopt() gives the same letter. */
#include "guess.h"

#include <llvm/ADT/STLExtras.h>
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

/* Are they -f and --force? */
static bool isShortOf(const Guess &letter, const Guess &name)
{
	return !letter.letter.empty() && letter.name.empty() && name.letter.empty() &&
	       name.values.empty() && !name.name.empty() && name.name[0] == letter.letter[0] &&
	       isSamePlace(letter, name);
}

static void joinNames(std::vector<Guess> &guesses)
{
	for (Guess &letter : guesses) {
		auto name = std::find_if(guesses.begin(), guesses.end(),
					 [&](const Guess &one) { return isShortOf(letter, one); });

		if (name == guesses.end())
			continue;
		letter.name = name->name;
		name->name.clear();
	}
	llvm::erase_if(guesses,
		       [](const Guess &one) { return one.name.empty() && one.letter.empty(); });
}

static bool isSynonymOf(const Guess &one, const Guess &first)
{
	return !one.letter.empty() && one.letter == first.letter && one.name != first.name &&
	       isSamePlace(one, first);
}

static void joinSynonyms(std::vector<Guess> &guesses)
{
	std::vector<Guess> rest;

	for (const Guess &guess : guesses) {
		auto first = std::find_if(rest.begin(), rest.end(), [&](const Guess &one) {
			return isSynonymOf(guess, one);
		});

		if (first == rest.end())
			rest.push_back(guess);
		else if (!guess.name.empty())
			first->others.push_back(guess.name);
	}
	guesses = rest;
}

void joinGuesses(std::vector<Guess> &guesses)
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
	joinNames(rest);
	joinSynonyms(rest);
	guesses = rest;
}

} // namespace rarog
