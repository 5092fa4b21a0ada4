#include <dlfcn.h>
#include <stdlib.h>
int main(int argc, char **argv) { return argc < 2 || !dlopen(argv[1], RTLD_NOW) || system("echo fine"); }
