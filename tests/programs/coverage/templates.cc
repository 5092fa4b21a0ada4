// Templates of which only some are used, lambdas, operators, range-for, virtual calls.
#include <algorithm>
#include <cstdio>
#include <vector>

template <typename T>
T clamp(T value, T low, T high)
{
	if (value < low)
		return low;
	if (value > high)
		return high;
	return value;
}

struct Shape {
	virtual ~Shape() = default;
	virtual int area() const = 0;
};

struct Square : Shape {
	explicit Square(int n) : side(n) {}
	int area() const override { return side * side; }
	int side;
};

struct Line : Shape {
	int area() const override
	{
		return 0;
	}
};

struct Point {
	int x, y;
	Point operator+(const Point &other) const { return { x + other.x, y + other.y }; }
	bool operator<(const Point &other) const
	{
		return x < other.x || (x == other.x && y < other.y);
	}
};

static int total(const std::vector<const Shape *> &shapes)
{
	int sum = 0;

	for (const Shape *shape : shapes)
		sum += shape->area();
	return sum;
}

int main()
{
	std::vector<Point> points = { { 3, 1 }, { 1, 2 }, { 1, 1 }, { 2, 0 } };
	int calls = 0;
	Square square(4);
	Line line;

	std::sort(points.begin(), points.end());
	auto count = [&calls](int n) {
		calls++;
		return n > 2 ? clamp(n, 0, 5) : 0;
	};
	for (int i = 0; i < 9; i++)
		calls += count(i);
	Point sum = points[0] + points[1];
	std::printf("%d %d %d %.1f\n", calls, total({ &square, &line, &square }), sum.x, clamp(1.5, 0.0, 1.0));
	return 0;
}
