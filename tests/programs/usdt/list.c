#include <rarog.h>
struct list {
	long length;
};
__attribute__((noinline)) long list_push(struct list *l)
{
	RAROG_SIZE(list, l->length);
	return ++l->length;
}
__attribute__((noinline)) long list_find(struct list *l)
{
	volatile long sum = 0;
	RAROG_SIZE(list, l->length);
	for (long i = 0; i < l->length; i++) sum += i;
	return sum;
}
int main(void)
{
	struct list l = { 0 };
	long sum = 0;
	for (int i = 0; i < 3000; i++) sum += list_push(&l) + (i % 7 == 0 ? list_find(&l) : 0);
	return sum == 0;
}
