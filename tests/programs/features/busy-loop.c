/* A region that is entered again and again: Listing 4.1 of the thesis on feature performance. */
#include <stdlib.h>

#include <rarog.h>

long iterations RAROG_FEATURE_VARIABLE(Iterations);
long count_to;

int main(int argc, char *argv[])
{
	if (argc < 3) return 1;
	iterations = atol(argv[1]);
	count_to = atol(argv[2]);
	for (long i = 0; i < iterations; ++i) {
		for (long counter = 0; counter < count_to; ++counter) {
			__asm__ volatile("" : "+g"(i), "+g"(counter) : :);
		}
	}
	return 0;
}
