// Destructors at several ends of a function, early returns, nested try, static objects.
#include <cstdio>
#include <memory>

static int log_length;

struct Note {
	explicit Note(int n) : number(n) { log_length += n; }
	~Note()
	{
		log_length -= number;
	}
	int number;
};

static int early(int n)
{
	Note first(1);

	if (n == 0)
		return 0;
	Note second(2);
	if (n == 1) {
		Note third(3);
		return third.number;
	}
	for (int i = 0; i < n; i++) {
		Note inner(i);
		if (i == 2)
			break;
		if (i == 1)
			continue;
		log_length++;
	}
	return n;
}

static int nested(int n)
{
	int result = 0;

	try {
		try {
			if (n > 1)
				throw n;
			result = 1;
		} catch (int value) {
			if (value > 2)
				throw;
			result = value;
		}
		result += 10;
	} catch (int) {
		result = -1;
	}
	return result;
}

static Note kept(100);

int main()
{
	int sum = 0;

	for (int i = 0; i < 5; i++)
		sum += early(i) + nested(i);
	auto owned = std::make_unique<Note>(7);
	sum += owned->number;
	owned.reset();
	std::printf("%d %d\n", sum, log_length);
	return 0;
}
