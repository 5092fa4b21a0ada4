"""Quicksort of a fixed random sequence: what the documents ran."""
import sys


def partition(a, low, high):
    pivot, i = a[low], low
    for k in range(low + 1, high + 1):
        if a[k] <= pivot:
            i += 1
            a[i], a[k] = a[k], a[i]
    a[low], a[i] = a[i], a[low]
    return i


def quicksort(a, low, high):
    if low < high:
        at = partition(a, low, high)
        quicksort(a, low, at - 1)
        quicksort(a, at + 1, high)


def main():
    n, seed, values = int(sys.argv[1]) if len(sys.argv) > 1 else 2000, 7, []
    for _ in range(n):
        seed = (seed * 1103515245 + 12345) % 2147483648
        values.append(seed)
    quicksort(values, 0, n - 1)
    print(len(",".join(sorted("%d" % v for v in values))))


main()
