"""Calls, containers, classes, exceptions, generators, json, regular expressions: the same work on
every run (a fixed random sequence; run with PYTHONHASHSEED=0)."""
import json
import re
import sys


class Node:
    __slots__ = ("left", "right", "value")

    def __init__(self, value):
        self.left = self.right = None
        self.value = value

    def insert(self, value):
        side = "left" if value < self.value else "right"
        child = getattr(self, side)
        if child is None:
            setattr(self, side, Node(value))
        else:
            child.insert(value)

    def __iter__(self):
        if self.left:
            yield from self.left
        yield self.value
        if self.right:
            yield from self.right


def sequence(n, state=12345):
    for _ in range(n):
        state = (state * 1103515245 + 12345) % 2147483648
        yield state >> 16


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def check(value):
    if value % 7 == 0:
        raise ValueError(value)
    return value


def main(size):
    numbers = list(sequence(size))
    tree = Node(numbers[0])
    for number in numbers[1:]:
        tree.insert(number)
    assert list(tree) == sorted(numbers)
    refused = 0
    for number in numbers:
        try:
            check(number)
        except ValueError:
            refused += 1
    document = {f"key{n}": {"value": n, "text": "x" * (n % 17)} for n in numbers}
    text = json.dumps(document, sort_keys=True)
    assert json.loads(text) == document
    found = len(re.findall(r'"key(\d+)": \{"text": "x{3,9}"', text))
    print(size, refused, len(text), found, fib(18))


main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
