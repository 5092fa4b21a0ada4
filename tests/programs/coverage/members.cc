/* Initialisers of members stand in a header, and run in constructors, which are in the source. The
 * numbers of their lines are those of code here. */
#include "members.h"

#include <cstdio>

members::members()
{
	sum = one + *two;
}

members::members(int n) : one(n)
{
	sum = n;
}

members::~members()
{
	delete two;
}

int main()
{
	members a, b(3);

	std::printf("%d\n", a.sum + b.sum);
	return 0;
}
