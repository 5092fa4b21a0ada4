// SPDX-License-Identifier: GPL-3.0-or-later
// Case study 1 of the paper on blocks and arguments by binary instrumentation: several sorts of arrays of
// 20 to 200 numbers in the wrong order, each 300 times (or as often as is said).
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

__attribute__((noinline)) int Partition(int *a, int low, int high)
{
	int pivot = a[low + (high - low) / 2], i = low - 1, k = high + 1;

	for (;;) {
		do
			i++;
		while (a[i] < pivot);
		do
			k--;
		while (a[k] > pivot);
		if (i >= k)
			return k;
		std::swap(a[i], a[k]);
	}
}

__attribute__((noinline)) void QuickSort(int *a, int n)
{
	if (n < 2)
		return;
	int middle = Partition(a, 0, n - 1);

	QuickSort(a, middle + 1);
	QuickSort(a + middle + 1, n - middle - 1);
}

__attribute__((noinline)) int BadPartition(int *a, int low, int high)
{
	int pivot = a[high], i = low;

	for (int k = low; k < high; k++)
		if (a[k] < pivot) /* the hot line */
			std::swap(a[i++], a[k]);
	std::swap(a[i], a[high]);
	return i;
}

__attribute__((noinline)) void QuickSortBad(int *a, int n)
{
	if (n < 2)
		return;
	int middle = BadPartition(a, 0, n - 1);

	QuickSortBad(a, middle);
	QuickSortBad(a + middle + 1, n - middle - 1);
}

__attribute__((noinline)) void SiftDown(int *a, int start, int end)
{
	for (int child; (child = 2 * start + 1) <= end; start = child) {
		if (child < end && a[child] < a[child + 1])
			child++;
		if (a[start] >= a[child])
			return;
		std::swap(a[start], a[child]);
	}
}

__attribute__((noinline)) void HeapSort(int *a, int n)
{
	for (int start = n / 2 - 1; start >= 0; start--)
		SiftDown(a, start, n - 1);
	for (int end = n - 1; end > 0; end--) {
		std::swap(a[0], a[end]);
		SiftDown(a, 0, end - 1);
	}
}

__attribute__((noinline)) void Merge(int *a, int *to, int low, int middle, int high)
{
	for (int i = low, k = middle, at = low; at < high; at++)
		to[at] = i < middle && (k >= high || a[i] <= a[k]) ? a[i++] : a[k++];
	for (int at = low; at < high; at++)
		a[at] = to[at];
}

__attribute__((noinline)) void MergeSort(int *a, int *to, int low, int high)
{
	if (high - low < 2)
		return;
	int middle = low + (high - low) / 2;

	MergeSort(a, to, low, middle);
	MergeSort(a, to, middle, high);
	Merge(a, to, low, middle, high);
}

__attribute__((noinline)) void Reverse(int *a, int n)
{
	for (int i = 0; i < n; i++)
		a[i] = n - i;
}

static bool check(const int *a, int n)
{
	for (int i = 0; i < n; i++)
		if (a[i] != i + 1)
			return false;
	return true;
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 300, wrong = 0;
	int a[200], to[200];

	for (int i = 0; i < times; i++)
		for (int n = 20; n <= 200; n += 20) {
			Reverse(a, n);
			QuickSort(a, n);
			Reverse(a, n);
			QuickSortBad(a, n);
			Reverse(a, n);
			HeapSort(a, n);
			Reverse(a, n);
			MergeSort(a, to, 0, n);
			wrong += !check(a, n);
		}
	printf("%d wrong\n", wrong);
	return wrong > 0;
}
