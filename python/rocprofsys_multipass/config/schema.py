# SPDX-License-Identifier: MIT
"""The options of a run: one table, from which everything that names an option is made.

From it come the options of ``run``, the variables, the keys of a YAML file, the keywords of `rocprofsys_multipass.run`,
``config init``, ``config check``, ``config explain``, and the table in docs/formats/config.md. An option ``--name`` is
the variable ``ROCPROFSYS_MULTIPASS_NAME`` and the key ``name``, with ``_`` for ``-``.
"""

from __future__ import annotations

from rocprofsys_multipass.config.option import PREFIX, Option
from rocprofsys_multipass.config.table.counted import COUNTED, EVENTS_FALLBACK
from rocprofsys_multipass.config.table.files import FILES
from rocprofsys_multipass.config.table.launches import LAUNCHES
from rocprofsys_multipass.config.table.replay import REPLAY
from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.spelling import nearest

__all__ = [
    "EVENTS_FALLBACK",
    "FILE_OPTIONS",
    "OPTIONS",
    "OTHER_VARIABLES",
    "RUN_OPTIONS",
    "SECTIONS",
    "find_option",
]

_SECTIONS: dict[str, tuple[Option, ...]] = {
    "what is counted": COUNTED,
    "which launches are counted": LAUNCHES,
    "how launches are replayed": REPLAY,
    "the run and its files": FILES,
}

SECTIONS: dict[str, tuple[str, ...]] = {
    title: tuple(option.name for option in options) for title, options in _SECTIONS.items()
}
"""The names of options by section, as people look for them."""

OPTIONS: tuple[Option, ...] = tuple(option for options in _SECTIONS.values() for option in options)
RUN_OPTIONS: dict[str, Option] = {option.name: option for option in OPTIONS}
FILE_OPTIONS: dict[str, Option] = {
    key: option for option in OPTIONS if option.in_file for key in (option.key, option.alias) if key
}
"""The keys of a YAML file, aliases too."""

OTHER_VARIABLES: dict[str, str] = {
    "RESOLVED": "the hand-over file for a plugin that runs without 'run', as config check --resolved writes it",
    "NATIVE": "the folder of the compiled parts, in place of those of the package",
    "STALL_SECONDS": "after how many seconds a replay that stands still is named: 0 to 86400, 0 for never; default: 10",
    "TRACE_PROCESSOR": "Perfetto's trace_processor_shell, which verify then has look at the trace, too",
    "RECORD": "the new file to which the plugin writes what the SDK calls in it, for reports and tests",
    "SIM_COST": "what work takes at least on the clock of the simulated machine: copies of memory, kernels",
    "SIM_FAULTS": "faults of the simulated SDK, in which it departs from what is documented",
    "SIM_TRUTH": "the CSV file to which the simulator adds what each execution counted",
}
"""The variables of the prefix that are no options of a run, without it."""


def find_option(word: str) -> Option:
    """The option that `word` names in any of its forms: option, variable, key, keyword.

    Raises:
        UsageError: there is none; the message has the nearest.
    """
    names = {
        form: option
        for option in OPTIONS
        for form in (option.alias, option.python, option.key, option.name, option.variable)
        if form
    }
    bare = word.lstrip("-")
    if bare in names:
        return names[bare]
    close = nearest(bare.lower().removeprefix(PREFIX.lower()), names)
    hint = f"did you mean {names[close].name}? " if close else ""
    message = f"'{word}' is no option of a run: {hint}known are {', '.join(RUN_OPTIONS)}"
    raise UsageError(message)
