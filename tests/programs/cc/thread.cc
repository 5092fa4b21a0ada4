#include <thread>
void work() { for (int i = 0; i < 1000; i++) __asm__ volatile(""); }
int main() { std::thread(work).join(); }
