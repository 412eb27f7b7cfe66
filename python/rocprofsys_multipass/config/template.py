# SPDX-License-Identifier: MIT
"""``config init``: a YAML file with every option, explained, ready to be changed."""

from __future__ import annotations

import textwrap

from rocprofsys_multipass.config.option import Option
from rocprofsys_multipass.config.schema import OPTIONS

_WIDTH = 100
_ACTIVE = "events"  # the one option without which there is no run

_HEAD = """\
# Options of rocprof-sys-multipass. Use: rocprof-sys-multipass run --config FILE -- COMMAND...
# The command line and variables (ROCPROFSYS_MULTIPASS_...) beat what is set here.
# Each line with a key is commented out but the first: remove '#' to set it.
"""


def template() -> str:
    """The text of the file; it sets `events` to an example, and nothing else."""
    return _HEAD + "".join(_entry(option) for option in OPTIONS if option.in_file)


def _entry(option: Option) -> str:
    words = (
        f"{option.summary[0].upper()}{option.summary[1:]}. Allowed: {option.allowed}. Default: {option.default_text}."
    )
    comment = textwrap.fill(
        words, _WIDTH, initial_indent="# ", subsequent_indent="# ", break_long_words=False, break_on_hyphens=False
    )
    mark = "" if option.name == _ACTIVE else "#"
    return f"\n{comment}\n{mark}{option.key}: {option.example}\n"
