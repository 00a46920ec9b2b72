"""Expressions of robot files, worked out without Python's own evaluation: a file by a stranger is data.

Numbers, texts, lists and mappings come out, and nothing else. Of Python's syntax there is what describes a robot:
arithmetic, comparisons, conditions, indices, formatting with %, and the functions and methods named here. Everything
else is refused, as is what would grow without bound.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, ItemsView, KeysView, Mapping, ValuesView
from typing import Any

LONGEST = 4000  # characters of an expression
MOST = 200_000  # characters and values that one result may hold
MOST_BITS = 1024  # of a whole number
DATA = (bool, int, float, str, type(None))

FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **{name: value for name, value in vars(math).items() if callable(value) and not name.startswith("_")},
    **{call.__name__: call for call in (abs, all, any, bool, dict, divmod, float, int, len, list, max, min)},
    **{call.__name__: call for call in (sorted, str, tuple)},
    "range": lambda *bounds: _short_range(*bounds),
    "round": lambda number, digits=None: _rounded(number, digits),
}
UNBOUNDED = ("comb", "factorial", "lcm", "perm", "prod")  # of the math module: their results grow past all use
METHODS: Mapping[type, tuple[str, ...]] = {
    str: ("endswith", "find", "isdigit", "lower", "lstrip", "rstrip", "split", "startswith", "strip", "upper"),
    dict: ("get", "items", "keys", "values"),
    list: ("count", "index"),
    tuple: ("count", "index"),
}
BINARY: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: lambda a, b: _product(a, b),
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: lambda a, b: _formatted(a, b) if isinstance(a, str) else a % b,
    ast.Pow: lambda a, b: _power(a, b),
}
UNARY: Mapping[type, Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
}
COMPARISONS: Mapping[type, Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}


class RefusedExpression(ValueError):
    """What a file may not say, or what it says in vain; a sentence without its full stop."""


def evaluate(text: str, names: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]]) -> Any:
    """The value of the expression `text`: data.

    `names` are what it may read; `functions`, by their dotted names, what it may call besides those of this module.
    Raises RefusedExpression, or what the operations themselves raise, such as ZeroDivisionError.
    """
    if len(text) > LONGEST:
        raise RefusedExpression(f"an expression is longer than {LONGEST} characters")
    tree = ast.parse(text.strip(), mode="eval")
    value = _Evaluation(names, functions).of(tree.body)
    if not isinstance(value, (*DATA, list, tuple, dict)):
        raise RefusedExpression("an expression gives no data")
    return value


class _Evaluation:
    def __init__(self, names: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]]) -> None:
        self._names = names
        self._functions = functions

    def of(self, node: ast.expr) -> Any:
        made = getattr(self, f"_{type(node).__name__}", None)
        if made is None:
            raise RefusedExpression(
                f"a {type(node).__name__} may not stand in a robot's file: it takes arithmetic, no programs"
            )
        return made(node)

    def _Constant(self, node: ast.Constant) -> Any:
        if not isinstance(node.value, DATA):
            raise RefusedExpression(f"{node.value!r} is no value of a robot's file")
        return _bounded(node.value)

    def _Name(self, node: ast.Name) -> Any:
        try:
            return _readable(self._names[node.id], node.id)
        except KeyError:
            raise RefusedExpression(f"name '{node.id}' is not defined") from None

    def _Attribute(self, node: ast.Attribute) -> Any:
        """Of a mapping or a namespace of xacro's; other values have none."""
        value = self.of(node.value)
        if not isinstance(value, dict):
            raise RefusedExpression(f"a value has no '.{node.attr}'")
        try:
            return _readable(value[node.attr], node.attr)
        except (KeyError, AttributeError):
            raise RefusedExpression(f"there is no '{node.attr}'") from None

    def _Subscript(self, node: ast.Subscript) -> Any:
        value, index = self.of(node.value), node.slice
        if not isinstance(value, (str, list, tuple, dict)):
            raise RefusedExpression("only texts, lists and mappings have indices")
        if isinstance(index, ast.Slice):
            parts = (index.lower, index.upper, index.step)
            return value[slice(*(None if part is None else self.of(part) for part in parts))]
        try:
            return _readable(value[self.of(index)], "an index")
        except (KeyError, AttributeError) as error:
            raise RefusedExpression(f"there is no {error}" if isinstance(error, KeyError) else str(error)) from None

    def _Call(self, node: ast.Call) -> Any:
        arguments = [self.of(argument) for argument in node.args]
        if any(keyword.arg is None for keyword in node.keywords):
            raise RefusedExpression("** may not stand in a robot's file")
        named = {str(keyword.arg): self.of(keyword.value) for keyword in node.keywords}
        name = _dotted(node.func)
        called = self._functions.get(name) or _function(name)
        if called is None and isinstance(node.func, ast.Attribute):
            called = self._method(node.func)
        if called is None:
            raise RefusedExpression(f"there is no function '{name or '...'}' for a robot's file")
        made = called(*arguments, **named)
        return _bounded(list(made) if isinstance(made, (range, KeysView, ItemsView, ValuesView)) else made)

    def _method(self, node: ast.Attribute) -> Callable[..., Any] | None:
        value = self.of(node.value)
        known = next((names for kind, names in METHODS.items() if isinstance(value, kind)), ())
        return getattr(value, node.attr) if node.attr in known else None

    def _BinOp(self, node: ast.BinOp) -> Any:
        operation = BINARY.get(type(node.op))
        if operation is None:
            raise RefusedExpression(f"{type(node.op).__name__} is no arithmetic of a robot's file")
        return _bounded(operation(self.of(node.left), self.of(node.right)))

    def _UnaryOp(self, node: ast.UnaryOp) -> Any:
        operation = UNARY.get(type(node.op))
        if operation is None:
            raise RefusedExpression(f"{type(node.op).__name__} is no arithmetic of a robot's file")
        return operation(self.of(node.operand))

    def _BoolOp(self, node: ast.BoolOp) -> Any:
        ends = isinstance(node.op, ast.Or)
        for part in node.values:
            value = self.of(part)
            if bool(value) is ends:
                break
        return value

    def _Compare(self, node: ast.Compare) -> bool:
        left = self.of(node.left)
        for kind, part in zip(node.ops, node.comparators, strict=True):
            right = self.of(part)
            if not COMPARISONS[type(kind)](left, right):
                return False
            left = right
        return True

    def _IfExp(self, node: ast.IfExp) -> Any:
        return self.of(node.body if self.of(node.test) else node.orelse)

    def _List(self, node: ast.List) -> list[Any]:
        return _bounded([self.of(part) for part in node.elts])

    def _Tuple(self, node: ast.Tuple) -> tuple[Any, ...]:
        return _bounded(tuple(self.of(part) for part in node.elts))


def _dotted(node: ast.expr) -> str:
    """A name such as math.sin; empty for what is none."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (before := _dotted(node.value)):
        return f"{before}.{node.attr}"
    return ""


def _function(name: str) -> Callable[..., Any] | None:
    space, _, last = name.rpartition(".")
    return FUNCTIONS.get(last) if space in ("", "math", "python") and last not in UNBOUNDED else None


def _readable(value: Any, name: str) -> Any:
    if not isinstance(value, (*DATA, list, tuple, dict)):
        raise RefusedExpression(f"'{name}' is no value that can be read")
    return value


def _bounded(value: Any) -> Any:
    """`value`, which was just made, if it is small enough to be made again and again."""
    left = MOST
    todo = [value]
    while todo:
        part = todo.pop()
        _readable(part, "part of a value")
        left -= len(part) + 1 if isinstance(part, (str, list, tuple, dict)) else 1
        if left < 0 or (isinstance(part, int) and part.bit_length() > MOST_BITS):
            raise RefusedExpression("an expression gives more than a robot needs")
        if isinstance(part, dict):
            todo += [*part, *part.values()]
        elif isinstance(part, (list, tuple)):
            todo += part
    return value


def _short_range(*bounds: Any) -> range:
    found = range(*bounds)
    if len(found) > MOST:
        raise RefusedExpression("a range is longer than a robot needs")
    return found


def _product(a: Any, b: Any) -> Any:
    for many, times in ((a, b), (b, a)):
        if isinstance(many, (str, list, tuple)) and isinstance(times, int) and len(many) * times > MOST:
            raise RefusedExpression("a repetition is longer than a robot needs")
    return a * b


def _rounded(number: Any, digits: Any) -> Any:
    if isinstance(digits, int) and abs(digits) > MOST_BITS:
        raise RefusedExpression("a number is rounded further than a robot needs")
    return round(number, digits)


def _power(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int) and a.bit_length() * b > MOST_BITS:
        raise RefusedExpression("a power is larger than a robot needs")
    return a**b


def _formatted(text: str, values: Any) -> str:
    if re.search(r"%.*(\d{3}|\*)", text, re.DOTALL):  # the width of a number
        raise RefusedExpression(f"'{text[:40]}' formats wider than a robot needs")
    return text % values
