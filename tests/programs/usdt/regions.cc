#include <rarog.h>
template <class T> T twice(T n)
{
	RAROG_REGION(twice);
	if (n > 5)
		throw n;
	return 2 * n;
}
int main()
{
	RAROG_REGION(all);
	try {
		return twice(2) + int(twice(3L)) + twice(6);
	} catch (int) {
		RAROG_REGION(caught);
		return 0;
	}
}
