#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#include <sys/wait.h>
#include <unistd.h>
namespace shop {
struct basket {
	std::vector<std::string> items;
	void add(const char *what);
	bool has(const std::string &what) const;
};
void basket::add(const char *what)
{
	if (items.size() >= 50)
		throw std::length_error("full");
	items.push_back(what);
}
bool basket::has(const std::string &what) const
{
	for (const auto &item : items)
		if (item == what)
			return true;
	return false;
}
}
static int fill()
{
	shop::basket b;
	int thrown = 0;
	for (int i = 0; i < 60; i++) {
		try {
			b.add("thing");
		} catch (const std::length_error &) {
			thrown++;
		}
		thrown += b.has("none");
	}
	return thrown;
}
int main()
{
	int thrown = fill();
	std::thread(fill).join();
	if (fork() == 0)
		_exit(fill());
	while (wait(nullptr) > 0)
		;
	return thrown;
}
