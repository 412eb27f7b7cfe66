# SPDX-License-Identifier: MIT
"""The words of a command line, as a caller in Python gives them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rocprofsys_multipass.errors import UsageError

if TYPE_CHECKING:
    from rocprofsys_multipass.config import Wording


def command_words(command: Sequence[str | os.PathLike[str]], wording: Wording) -> list[str]:
    """The words of a command line.

    Raises:
        UsageError: there are none, or one is neither text nor a path.
    """
    words = []
    for word in command:
        if not isinstance(word, (str, os.PathLike)):
            message = f"command: {word!r} is neither text nor a path: give {str(word)!r} where that is meant"
            raise UsageError(message)
        if "\0" in str(word):
            message = f"command: {word!r} has a character that ends every word (\\0): leave it out"
            raise UsageError(message)
        words.append(os.fspath(word))
    if not words:
        message = f"no application was given: {wording.give_application}"
        raise UsageError(message)
    return words
