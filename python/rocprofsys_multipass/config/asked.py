# SPDX-License-Identifier: MIT
"""Whether counters are asked for, and what to say when they are not."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from rocprofsys_multipass.config.events import check_events, has_token
from rocprofsys_multipass.config.option import PREFIX
from rocprofsys_multipass.config.schema import EVENTS_FALLBACK, OTHER_VARIABLES, RUN_OPTIONS
from rocprofsys_multipass.config.text import check_text
from rocprofsys_multipass.config.wording import Wording
from rocprofsys_multipass.errors import ConfigError, MultipassError, UsageError
from rocprofsys_multipass.spelling import nearest

_LISTS = (RUN_OPTIONS["events"].variable, EVENTS_FALLBACK)
_NEAR = 0.9  # of EVENTS_FALLBACK: other variables of rocprof-sys are alike in their prefix


@dataclass(frozen=True)
class Source:
    """Where a value comes from. `text` names the place, as messages do."""

    kind: Literal["call", "variable", "file", "fallback", "default"]
    text: str

    def error(self, reason: str) -> MultipassError:
        """The exception for a wrong value from here."""
        kind: type[MultipassError] = UsageError if self.kind == "call" else ConfigError
        return kind(f"{self.text}: {reason}")


@dataclass(frozen=True)
class Elsewhere:
    """A list of counters that was given to rocprof-sys, and the place; empty where it was given none.

    `hint`: what to say where nobody names a counter. `needed`: whether a run needs any.
    """

    events: str
    place: str
    hint: str = ""
    needed: bool = True


def events_from_environment(environ: Mapping[str, str]) -> tuple[str, str]:
    """The list that the environment asks for and the variable that it is from; two empty texts when there is none."""
    for name in _LISTS:
        if is_set(name, environ):
            return environ[name], name
    return "", ""


def unknown_variables(environ: Mapping[str, str]) -> list[str]:
    """A warning for each variable of our prefix that nothing reads, with the nearest that is read."""
    return [
        f"{name} is not a known variable" + (f"; did you mean {near}?" if near else "")
        for name, near in _mistyped(environ)
    ]


def is_set(name: str, environ: Mapping[str, str]) -> bool:
    """An empty variable counts as not set; so does a list without a token."""
    value = environ.get(name, "")
    return has_token(value) if name in _LISTS else bool(value)


def check_list(
    events: str,
    source: Source,
    environ: Mapping[str, str],
    wording: Wording,
    elsewhere: Elsewhere | None = None,
) -> None:
    """See that at least one token of the list can be used. The plugin names the ones that cannot."""
    if elsewhere is not None and not elsewhere.needed:
        return
    try:
        usable, malformed = check_events(check_text(events))
    except ValueError as error:
        raise source.error(str(error)) from error
    if usable:
        return
    if malformed:
        faults = "; ".join(f"'{token.token}' (column {token.column}): {token.reason}" for token in malformed)
        kind: type[MultipassError] = type(source.error(""))
        message = f"{source.text} holds no counter that can be used: {faults}; write NAME or NAME:device=N"
        raise kind(message)
    variables = [RUN_OPTIONS[name].variable for name in ("events", "set", "compute-panels")]
    message = (
        f"no counters were asked for: {wording.give_events}, or set {', '.join(variables[:-1])} or {variables[-1]}"
    )
    ours = [(name, near) for name, near in _mistyped(environ) if near in variables]
    theirs = [
        name for name in difflib.get_close_matches(EVENTS_FALLBACK, environ, n=2, cutoff=_NEAR) if name not in _LISTS
    ]
    if ours or theirs:
        name, meant = ours[0] if ours else (theirs[0], EVENTS_FALLBACK)
        message += f" (the environment has {name}: did you mean {meant}?)"
    if elsewhere is not None and elsewhere.hint:
        message += f"; {elsewhere.hint}"
    raise UsageError(message)


def _mistyped(environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """Variables of our prefix that nothing reads, each with the nearest that is read, or an empty text."""
    known = [option.variable.removeprefix(PREFIX) for option in RUN_OPTIONS.values()] + list(OTHER_VARIABLES)
    found = []
    for name in sorted(environ):
        own = name.removeprefix(PREFIX)
        if name.startswith(PREFIX) and own not in known:
            near = nearest(own, known)  # the prefix is no likeness
            found.append((name, PREFIX + near if near else ""))
    return found
