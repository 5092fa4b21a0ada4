#include <memory>
struct part { ~part() noexcept; };
part::~part() noexcept { throw 1; }
int main(int argc, char **) { auto p = argc > 1 ? std::make_unique<part>() : nullptr; return 0; }
