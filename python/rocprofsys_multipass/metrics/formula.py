# SPDX-License-Identifier: MIT
"""Formulas of metrics: numbers, names, ``+ - * /``, parentheses, ``max(...)`` and ``min(...)``, and nothing else.

The text is parsed by Python's own parser; every node that is not one of these is refused, and what remains is turned
into functions. Nothing of a formula is ever run as code.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Final

_Compute = Callable[[Mapping[str, float]], float]

_BINARY: Final[dict[type[ast.operator], Callable[[float, float], float]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_FUNCTIONS: Final[dict[str, Callable[..., float]]] = {"max": max, "min": min}
_LONGEST: Final = 4096  # characters; bounds the depth of the parser
_DEEPEST: Final = 64  # operations within operations, as in a sum of so many and one; a stack frame or two for each


class FormulaError(ValueError):
    """A text is no formula; the message says what is wrong with it."""


class Formula:
    """A formula that can be computed again and again."""

    def __init__(self, text: str) -> None:
        """FormulaError: the text is none."""
        self.text = text
        self._names: set[str] = set()
        if len(text) > _LONGEST:
            message = f"a formula of {len(text)} characters: at most {_LONGEST} are read"
            raise FormulaError(message)
        try:
            tree = ast.parse(text.strip(), mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            message = f"'{text}' is no formula: {getattr(error, 'msg', error)}"
            raise FormulaError(message) from error
        self._compute = self._build(tree.body, _DEEPEST)

    @property
    def names(self) -> tuple[str, ...]:
        """The names whose values it needs, sorted."""
        return tuple(sorted(self._names))

    def value(self, values: Mapping[str, float]) -> float | None:
        """The value; None where a name has none, something is divided by zero, or the result is no finite number."""
        try:
            result = self._compute(values)
        except (KeyError, ZeroDivisionError, OverflowError):
            return None
        return result if math.isfinite(result) else None

    def _build(self, node: ast.expr, deepest: int) -> _Compute:
        """The function of a node that has `deepest` levels below it at most."""
        if isinstance(node, ast.Constant):
            return self._number(node)
        if isinstance(node, ast.Name):
            name = node.id
            self._names.add(name)
            return lambda values: values[name]
        if deepest == 0:
            message = f"'{self.text}' is nested more than {_DEEPEST} deep"
            raise FormulaError(message)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            operand = self._build(node.operand, deepest - 1)
            return lambda values: -operand(values)
        if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
            join = _BINARY[type(node.op)]
            left, right = self._build(node.left, deepest - 1), self._build(node.right, deepest - 1)
            return lambda values: join(left(values), right(values))
        if isinstance(node, ast.Call):
            return self._call(node, deepest)
        raise self._refusal(node)

    def _number(self, node: ast.Constant) -> _Compute:
        if isinstance(node.value, bool) or not isinstance(node.value, (int, float)):
            raise self._refusal(node)
        try:
            number = float(node.value)
        except OverflowError as error:
            raise self._refusal(node) from error
        return lambda _values: number

    def _call(self, node: ast.Call, deepest: int) -> _Compute:
        function = _FUNCTIONS.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if function is None or node.keywords or len(node.args) < len("ab"):
            raise self._refusal(node)
        arguments = [self._build(argument, deepest - 1) for argument in node.args]
        return lambda values: function(*(argument(values) for argument in arguments))

    def _refusal(self, node: ast.expr) -> FormulaError:
        place = f"column {node.col_offset + 1} of '{self.text}'"
        return FormulaError(f"{place}: only numbers, names, + - * /, parentheses, max(a, b) and min(a, b) are known")
