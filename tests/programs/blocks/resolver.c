static int one(void) { return 0; }
__attribute__((noinline)) static int deeper(int x) { return x + 1; }
__attribute__((noinline)) static int choose(int x) { return x > 3 ? deeper(x) : 1; }
static int (*resolve(void))(void) { return choose(5) ? one : (int (*)(void))0; }
int chosen(void) __attribute__((ifunc("resolve")));
int main(void) { return chosen(); }
