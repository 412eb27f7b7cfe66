# SPDX-License-Identifier: MIT
"""Values as Python gives them - lists, paths, flags - as the texts that the options are read from."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from rocprofsys_multipass.config.option import Option
from rocprofsys_multipass.config.schema import OPTIONS, RUN_OPTIONS
from rocprofsys_multipass.config.text import check_text
from rocprofsys_multipass.config.wording import PYTHON, Wording
from rocprofsys_multipass.errors import UsageError

_NUMBERS = ("range", "gpus", "ranks", "max-replays", "compute-panels")


def given_of(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Options by their names, of the keywords of a call; None stays None, "not given".

    Raises:
        UsageError: a value has a type that the option does not take, or a NUL in it, which no process is passed.
    """
    given = {option.name: _text(option, keywords.get(option.python)) for option in OPTIONS}
    for option in OPTIONS:
        if option.name == "output":  # a folder with such a name is refused with its path
            continue
        if isinstance(given[option.name], str) and "\0" in given[option.name]:
            message = f"{option.python}: {given[option.name]!r} has a NUL in it: leave that out"
            raise UsageError(message)
    return given


def value_of(name: str, given: object, wording: Wording = PYTHON) -> Any:  # noqa: ANN401 - of each option its own
    """The value of the option `name` of a run where something else takes it too; None: it is not given.

    Raises:
        UsageError: it is of the wrong type, or none of the values that the option has; the message says which these
            are.
    """
    option = RUN_OPTIONS[name]
    text = given_of({option.python: given})[name]
    if text is None:
        return None
    try:
        return option.parse(check_text(text))
    except ValueError as error:
        raise UsageError(f"{wording.option(name)}: {error}") from error


def _text(option: Option, value: Any) -> Any:  # noqa: ANN401 - that is the question
    if value is None or isinstance(value, bool if option.kind == "flag" else str):
        return value
    if option.kind == "list" and isinstance(value, Sequence) and not isinstance(value, bytes):
        return ",".join(_word(option, item) for item in value)
    if option.kind == "groups" and isinstance(value, Sequence) and not isinstance(value, bytes):
        return ";".join(_group(option, group) for group in value)
    return _word(option, value)


def _group(option: Option, group: object) -> str:
    if isinstance(group, Sequence) and not isinstance(group, (str, bytes)):
        return ",".join(_word(option, name) for name in group)
    return _word(option, group)


def _word(option: Option, value: object) -> str:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if option.name in _NUMBERS and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return value
    text = "a text or a number" if option.name in _NUMBERS else "a text"
    wanted = {"flag": "True or False", "text": text, "list": "a text or a list", "groups": "a list of lists"}
    message = f"{option.python}: {value!r} is of the wrong type: pass {wanted[option.kind]}"
    raise UsageError(message)
