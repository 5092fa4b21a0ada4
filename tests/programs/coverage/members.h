#ifndef MEMBERS_H
#define MEMBERS_H

inline int *made(int n)
{
	return new int(n);
}

/* its lines are also lines of members.cc, which are other code */
struct members {
	members();
	members(int n);
	~members();
	int one = 1;
	int *two = made(one);
	int sum = 0;
};

#endif
