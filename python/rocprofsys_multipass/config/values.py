# SPDX-License-Identifier: MIT
"""From the text of a value to the value: what each kind of option allows.

The text is the same on the command line, in a variable and in a file. Each function raises ValueError with a reason
that names what is wrong and what is allowed; where the text came from is added by the caller.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from rocprofsys_multipass.config.text import check_text, readable
from rocprofsys_multipass.metrics import metrics_of, panels, set_names
from rocprofsys_multipass.spelling import nearest

REPLAY_MODES = ("auto", "kernel", "rotate", "off")
SENTINEL_WORDS = ("auto", "none")
DEFAULT_FORMATS = ("perfetto", "rocpd")  # the exporter writes these of each journal
TABLES = ("csv", "csv-wide", "json", "parquet")  # and this package these, of other files too
FILE_FORMATS = (*DEFAULT_FORMATS, *TABLES)
COMPUTE = "compute"  # of all journals of a run together
FORMATS = (*FILE_FORMATS, COMPUTE)
LAYOUTS = ("canonical", "strict")
DEFAULT_LAYOUT = LAYOUTS[0]
TRACE_COUNTERS = ("all", "none")
SETS = set_names()
INSTANCES = ("sum", "keep")
KEEP = INSTANCES[1]
COMPUTE_RELEASES = ("3.3", "3.6", "3.9")
RELEASES_TEXT = "3.3, 3.6 (to 3.8), 3.9 (and later)"
COMPUTE_PANELS = tuple(panel.number for panel in panels())
EVERY_PANEL = "all"
DEFAULT_TABLES = ("csv", "json")
TRUE_WORDS = ("on", "yes", "true", "1")
FALSE_WORDS = ("off", "no", "false", "0")

LITERALLY = "put \\ before what is meant literally, as in axpy\\("
LAST_LAUNCH = 2**32 - 1
_BLANKS = " \t"


@dataclass(frozen=True)
class _Numbers:
    """What the numbers of a list are, and what is said of a wrong one."""

    lowest: int
    item: str
    kind: str
    form: str


_LAUNCHES = _Numbers(
    1,
    "launch",
    "range",
    "launches of a kernel are counted from 1: write 1, 1-3 or 1,4-6, with or without square brackets",
)
_GPUS = _Numbers(0, "GPU", "list of GPUs", "GPUs are counted from 0: write 0 or 0,2-3")
_RANKS = _Numbers(0, "rank", "list of ranks", "ranks are counted from 0: write 0,8 or 0-3")


def text(value: str) -> str:
    """Any text: what it names is checked where it is used."""
    return value


def nonempty(value: str) -> str:
    """Any text but an empty one."""
    if not value.strip():
        reason = "it is empty"
        raise ValueError(reason)
    return value


def flag(value: str) -> bool:
    """``on off yes no true false 1 0``, in any case."""
    lowered = value.strip().lower()
    if lowered in TRUE_WORDS:
        return True
    if lowered in FALSE_WORDS:
        return False
    reason = f"'{readable(value)}' is neither on nor off"
    raise ValueError(reason)


def replay(value: str) -> str:
    """One of the replay modes."""
    return _one_of(value, REPLAY_MODES)


def sentinel(value: str) -> str:
    """``auto``, ``none``, or counters; which of these there are is the planner's question."""
    words = check_text(value).replace(";", " ").replace(",", " ").split()
    if not words:
        reason = f"it is empty: give {', '.join(SENTINEL_WORDS)} or counters"
        raise ValueError(reason)
    for word in words:
        if word.lower() in SENTINEL_WORDS and value.strip() not in SENTINEL_WORDS:
            reason = f"'{readable(word)}' stands alone, in small letters: leave it out beside counters"
            raise ValueError(reason)
    return value.strip()


def formats(value: str) -> tuple[str, ...]:
    """Output formats, each once, in the order given."""
    names = tuple(dict.fromkeys(split_names(value)))
    for name in names:
        _one_of(name, FORMATS)
    if "parquet" in names and find_spec("pyarrow") is None:
        reason = (
            "parquet needs pyarrow, which is not installed: pip install 'rocprofsys-multipass[analysis]', or give csv"
        )
        raise ValueError(reason)
    return names or (_one_of(value, FORMATS),)


def layout(value: str) -> str:
    """One of the layouts of a database."""
    return _one_of(value, LAYOUTS)


def trace_counters(value: str) -> str:
    """One of the words for the counters of a trace."""
    return _one_of(value, TRACE_COUNTERS)


def instances(value: str) -> str:
    """One of the words for the instances of counters."""
    return _one_of(value, INSTANCES)


def compute_release(value: str) -> str:
    """One of the releases of rocprofiler-compute that is written for."""
    if value in COMPUTE_RELEASES:
        return value
    # No nearest one: 3.8 is read as 3.6 is, and has 3.9 for its neighbour.
    reason = f"'{readable(value)}' is not one of {RELEASES_TEXT}"
    raise ValueError(reason)


def compute_panels(value: str) -> tuple[int, ...]:
    """Panels of rocprofiler-compute by number, each once and sorted; ``all`` is every one there is."""
    names = split_names(value)
    if names == (EVERY_PANEL,):
        return COMPUTE_PANELS
    known = {str(number): number for number in COMPUTE_PANELS}
    for name in names:
        if name == EVERY_PANEL:
            reason = f"'{EVERY_PANEL}' stands alone: leave out the others, or it"
            raise ValueError(reason)
        if name not in known:
            panel, dot, _ = name.partition(".")  # rocprofiler-compute takes tables and metrics, too: 7.2, 7.2.1
            there = f"{EVERY_PANEL}, or some of {', '.join(known)}, with commas"
            hint = f"panels are whole, give {panel}" if dot and panel in known else f"give {there}"
            reason = f"'{readable(name)}' is no panel: {hint}"
            raise ValueError(reason)
    if not names:
        reason = f"it is empty: give {EVERY_PANEL}, or panels by number"
        raise ValueError(reason)
    return tuple(sorted({known[name] for name in names}))


def sets(value: str) -> tuple[str, ...]:
    """Sets of metrics, each once, in the order given."""
    names = tuple(dict.fromkeys(split_names(value)))
    for name in names:
        _refuse_metric(name)
        _one_of(name, SETS)
    return names or (_one_of(value, SETS),)


def sets_of_metrics() -> dict[str, str]:
    """The set of each metric, by the metric's name."""
    return {metric.name: metric.set for metric in metrics_of()}


def _refuse_metric(name: str) -> None:
    """A metric's name in place of a set's, with a slip or without."""
    if name in SETS or nearest(name, SETS):
        return
    known = sets_of_metrics()
    if metric := nearest(name, known):
        what = "is" if metric == name else f"is not one of {', '.join(SETS)}; {metric} is"
        reason = f"'{readable(name)}' {what} a metric of the set {known[metric]}: give {known[metric]}"
        raise ValueError(reason)


def groups(value: str) -> tuple[tuple[str, ...], ...]:
    """Groups with semicolons between them, names with commas or blanks."""
    parts = check_text(value).split(";")
    return tuple(names for names in map(split_names, parts) if names)


def check_pattern(value: str) -> str:
    """A regular expression that can be searched for in a kernel's name; the text itself."""
    if not check_text(value):
        reason = "it is empty, and would match every kernel: leave it out"
        raise ValueError(reason)
    try:
        with warnings.catch_warnings():  # about what a later Python may read in another way
            warnings.simplefilter("ignore")
            re.compile(value)
    except (re.error, OverflowError, RecursionError) as error:
        place = getattr(error, "pos", None)
        where = "" if place is None else f" at column {place + 1}"
        fault = getattr(error, "msg", str(error))
        reason = f"'{value}' is not a regular expression: {fault}{where}; {LITERALLY}"
        raise ValueError(reason) from error
    return value


def launch_range(value: str) -> str:
    """Launches of a kernel, counted from 1: ``1``, ``[1-3]``, ``1,4-6``; sorted and merged, without brackets.

    Square brackets, as rocprofv3 has them, may stand around the whole list or around parts of it, not in each other.
    """
    return _merged(value, _LAUNCHES)


def gpus(value: str) -> str:
    """Ordinals of GPUs, from 0: ``0``, ``0,2-3``; sorted and merged."""
    return _merged(value, _GPUS)


def ranks(value: str) -> str:
    """Ranks of a parallel job, from 0: ``0,8``, ``0-3``; sorted and merged."""
    return _merged(value, _RANKS)


def contains(numbers: str, number: int) -> bool:
    """Whether a list that one of these functions has merged holds the number."""
    spans = (part.partition("-") for part in numbers.split(","))
    return any(int(first) <= number <= int(last or first) for first, _, last in spans)


def _merged(value: str, numbers: _Numbers) -> str:
    spans = sorted(_span(item, value, numbers) for item in _items(value, numbers))
    merged = [spans[0]]
    for first, last in spans[1:]:
        if first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in merged)


def split_names(value: str) -> tuple[str, ...]:
    """The names in a list with commas or blanks between them."""
    return tuple(value.replace(",", " ").split())


def near(word: str, known: Sequence[str]) -> str:
    """``; did you mean kernel?``, or nothing."""
    found = nearest(word, known) or nearest(word.lower(), known)
    return f"; did you mean {found}?" if found else ""


def _one_of(value: str, allowed: Sequence[str]) -> str:
    if value in allowed:
        return value
    reason = f"'{readable(value)}' is not one of {', '.join(allowed)}{near(value, allowed)}"
    raise ValueError(reason)


def _items(value: str, numbers: _Numbers) -> list[str]:
    """The parts between commas, their brackets checked and removed."""
    inside = False
    items = [""]
    for column, letter in enumerate(value, start=1):
        before = items[-1].strip(_BLANKS)
        if letter == "[":
            if inside or before:
                raise _not_numbers(value, numbers, f"'[' at column {column} does not begin a part")
            inside = True
        elif letter == "]":
            if not inside:
                raise _not_numbers(value, numbers, f"']' at column {column} has no '[' before it")
            inside = False
            items[-1] += "]"
        elif letter == ",":
            items.append("")
        else:
            items[-1] += letter
    if inside:
        raise _not_numbers(value, numbers, "'[' has no ']'")
    return [_without_end(item, value, numbers) for item in items]


def _without_end(item: str, value: str, numbers: _Numbers) -> str:
    stripped = item.strip(_BLANKS)
    if "]" in stripped[:-1]:
        raise _not_numbers(value, numbers, "a comma is missing behind ']'")
    return stripped.removesuffix("]").strip(_BLANKS)


def _span(item: str, value: str, numbers: _Numbers) -> tuple[int, int]:
    first, dash, last = (part.strip(_BLANKS) for part in item.partition("-"))
    begin = _number(first, item, value, numbers)
    end = _number(last, item, value, numbers) if dash else begin
    if end < begin:
        raise _not_numbers(value, numbers, f"{item} ends before it begins")
    return begin, end


def _number(digits: str, item: str, value: str, numbers: _Numbers) -> int:
    if not (digits.isascii() and digits.isdigit()):
        raise _not_numbers(
            value, numbers, f"'{item}' is neither a number nor two with '-' between them" if item else "a part is empty"
        )
    significant = digits.lstrip("0") or "0"
    if len(significant) > len(str(LAST_LAUNCH)) or int(significant) > LAST_LAUNCH:
        raise _not_numbers(value, numbers, f"{significant} is larger than {LAST_LAUNCH}")
    if int(significant) < numbers.lowest:
        raise _not_numbers(value, numbers, f"there is no {numbers.item} {significant}")
    return int(significant)


def _not_numbers(value: str, numbers: _Numbers, fault: str) -> ValueError:
    return ValueError(f"'{readable(value)}' is not a {numbers.kind}: {fault}; {numbers.form}")
