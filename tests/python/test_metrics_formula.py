# SPDX-License-Identifier: MIT
"""Formulas: what they compute, when they have no value, and what is refused."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocprofsys_multipass.metrics import Formula, FormulaError

VALUES = {"A": 6.0, "B": 4.0, "n": 2.0, "zero": 0.0}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("A", 6),
        ("100 * A / (A + B)", 60),
        ("A - B - n", 0),
        ("A / B / n", 0.75),
        ("-A + -(B)", -10),
        ("max(A, B, 7)", 7),
        ("min(A - 5, B)", 1),
        ("2 * A + 1.5e1", 27),
        ("zero / A", 0),
    ],
)
def test_a_formula_is_computed_as_it_is_written(text: str, value: float) -> None:
    assert Formula(text).value(VALUES) == value


@pytest.mark.parametrize(
    "text", ["A / zero", "A / (B - 2 * n)", "missing", "A + missing", "1e308 * A * 10", "A / 1e-320 / 1e-320"]
)
def test_without_an_operand_or_a_finite_result_there_is_no_value(text: str) -> None:
    assert Formula(text).value(VALUES) is None


def test_an_operand_that_is_no_number_gives_no_value() -> None:
    assert Formula("A + 1").value({"A": math.nan}) is None
    assert Formula("A + 1").value({"A": math.inf}) is None


def test_names_are_told_sorted_and_once_without_functions() -> None:
    assert Formula("max(B, a) / (B + A)").names == ("A", "B", "a")


@pytest.mark.parametrize(
    "text",
    [
        *("", "A +", "A B", "A;B", "A = 1", "(A", "2 ** A", "A // B", "A % B", "A @ B", "A & B", "~A", "not A", "+A"),
        *("A < B", "A if B else A", "A and B", "A.real", "A[0]", "[A]", "(A, B)", "{A}", "lambda: A", "f'{A}'"),
        *("'text'", "None", "True", "1j", "...", "open(A)", "max", "max(A)", "max(A, key=B)", "max(*A)", "A(B)"),
        *(
            "__import__('os')",
            "(A := 1)",
            "[x for x in A]",
            "await A",
            "yield A",
            "1" * 400,
            "(" * 300 + "A" + ")" * 300,
        ),
        *("A\n+B\nC", "A\0", "1 +" * 3000 + "1"),
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    try:
        formula = Formula(text)
    except FormulaError:
        return
    assert text == "max", "a name that is none of the functions' calls is a name like others"
    assert formula.names == ("max",)


@pytest.mark.parametrize("text", ["1" + " + 1" * 900, "-" * 900 + "A", "max(A, " * 90 + "B" + ")" * 90])
def test_a_formula_that_is_nested_too_deeply_is_refused(text: str) -> None:
    with pytest.raises(FormulaError, match="is nested more than 64 deep"):
        Formula(text)


def test_a_formula_of_the_greatest_depth_is_computed() -> None:
    assert Formula("1" + " + 1" * 63).value({}) == 64


def test_a_refusal_names_the_column_and_what_is_known() -> None:
    with pytest.raises(FormulaError, match=r"column 5 of 'A / B\[0\]': only numbers, names, \+ - \* /"):
        Formula("A / B[0]")


# A formula beside its value, None for none: worked out while the text is put together.
Term = tuple[str, float | None]


def joined(left: Term, sign: str, right: Term) -> Term:
    text = f"({left[0]} {sign} {right[0]})"
    if left[1] is None or right[1] is None or (sign == "/" and right[1] == 0):
        return text, None
    results = {"+": left[1] + right[1], "-": left[1] - right[1], "*": left[1] * right[1]}
    return text, results[sign] if sign in results else left[1] / right[1]


def chosen(name: str, left: Term, right: Term) -> Term:
    text = f"{name}({left[0]}, {right[0]})"
    if left[1] is None or right[1] is None:
        return text, None
    larger = left[1] > right[1]
    return text, left[1] if larger == (name == "max") else right[1]


terms = st.recursive(
    st.integers(0, 50).map(lambda number: (str(number), float(number))) | st.sampled_from(sorted(VALUES.items())),
    lambda inner: (
        st.builds(joined, inner, st.sampled_from("+-*/"), inner)
        | st.builds(chosen, st.sampled_from(["max", "min"]), inner, inner)
    ),
    max_leaves=12,
)


@given(term=terms)
def test_a_value_is_that_of_its_parts(term: Term) -> None:
    text, value = term
    assert Formula(text).value(VALUES) == value
