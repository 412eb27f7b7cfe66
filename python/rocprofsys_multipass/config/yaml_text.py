# SPDX-License-Identifier: MIT
"""From a YAML file to nodes with places, and what is wrong with it as YAML.

Read are plain documents: one mapping of scalars and lists. Nothing is constructed from tags. Anchors and aliases are
refused, so that a small file never stands for a large one; so are deep nesting and files that no person wrote.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from rocprofsys_multipass.config.text import readable
from rocprofsys_multipass.errors import ConfigFileError

MAX_BYTES = 256 * 1024  # the parser needs about a second for them
_MAX_DEPTH = 8  # of which three have a meaning
_ANCHORS = "anchors and aliases (& and *) are not read here: write the value out"


@dataclass(frozen=True)
class Place:
    """Where in a file; line and column are counted from 1."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        file = readable(self.file)
        return f"{file}:{self.line}:{self.column}" if self.line else file


def read_mapping(file: str) -> yaml.MappingNode | None:
    """The one mapping of the file; None where it holds nothing.

    Raises:
        ConfigFileError: it cannot be read, is no UTF-8 or no YAML, or holds something else than one mapping.
    """
    text = _text_of(file)
    try:
        _check_events(file, text)
        nodes = list(yaml.compose_all(text, yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(file, text, error) from error
    except yaml.reader.ReaderError as error:
        place = _place_at(file, text, error.position)
        message = f"{place}: the character U+{ord(text[error.position]):04X} may not stand in YAML: remove it"
        raise ConfigFileError([message]) from error
    root = nodes[0] if nodes else None
    if root is None or _is_null(root):
        return None
    if not isinstance(root, yaml.MappingNode):
        found = "a list" if isinstance(root, yaml.SequenceNode) else f"the text '{root.value}'"
        message = f"{place_of(file, root)}: {found} is not a mapping: write lines such as 'events: SQ_WAVES'"
        raise ConfigFileError([message])
    return root


def place_of(file: str, node: yaml.Node) -> Place:
    """Where a node begins."""
    return _place(file, node.start_mark)


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def _text_of(file: str) -> str:
    data = _bytes_of(file)
    if len(data) > MAX_BYTES:
        message = f"{Place(file)}: it has more than {MAX_BYTES // 1024} KiB: name a YAML file with options"
        raise ConfigFileError([message])
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        valid = data[: error.start].decode("utf-8-sig")
        place = _place_at(file, valid, len(valid))
        message = f"{place}: the byte 0x{data[error.start]:02x} is not UTF-8: save the file as UTF-8"
        raise ConfigFileError([message]) from error


def _bytes_of(file: str) -> bytes:
    try:
        with open(file, "rb") as stream:  # noqa: PTH123 - Path refuses names that open explains
            return stream.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        message = f"{Place(file)}: there is no such file: name one, or make it with 'config init -o {Place(file)}'"
        raise ConfigFileError([message]) from error
    except IsADirectoryError as error:
        message = f"{Place(file)}: it is a folder: name a YAML file in it"
        raise ConfigFileError([message]) from error
    except (OSError, ValueError) as error:
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
        message = f"{Place(file)}: it cannot be read ({reason}): name a YAML file that you may read"
        raise ConfigFileError([message]) from error


def _check_events(file: str, text: str) -> None:
    """Refuse, before anything is built of it, what would make much of little, and more than one document."""
    depth = 0
    documents = 0
    for event in _events(text):
        fault = ""
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                fault = "a second document begins here: one file holds one set of options, remove '---' and the rest"
        elif isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _MAX_DEPTH:
                fault = "lists are nested deeper than any option has them"
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if isinstance(event, yaml.NodeEvent) and event.anchor is not None:
            fault = _ANCHORS
        if getattr(event, "tag", None) not in (None, "!"):
            fault = f"the tag {event.tag} is not read here: remove it"
        if fault:
            message = f"{_place(file, event.start_mark)}: {fault}"
            raise ConfigFileError([message])


def _events(text: str) -> Iterator[Any]:
    yield from yaml.parse(io.StringIO(text), yaml.SafeLoader)


def _syntax_error(file: str, text: str, error: yaml.MarkedYAMLError) -> ConfigFileError:
    mark = error.problem_mark or error.context_mark
    place = _place(file, mark) if mark is not None else Place(file)
    if mark is not None and text[mark.index : mark.index + 1] == "\t":
        fault = "a tab, which YAML does not allow here: put blanks in its place"
    else:
        context = f"{error.context}, " if error.context else ""
        problem = str(error.problem).replace("but got '<stream end>'", "but the file ends")
        fault = f"it is not YAML: {context}{problem}"
        if mark is not None and error.context_mark is not None and error.context_mark.line != mark.line:
            fault += f" (it began in line {error.context_mark.line + 1})"
    return ConfigFileError([f"{place}: {fault}"])


def _place(file: str, mark: yaml.Mark) -> Place:
    return Place(file, mark.line + 1, mark.column + 1)


def _place_at(file: str, text: str, index: int) -> Place:
    before = text[:index]
    return Place(file, before.count("\n") + 1, index - before.rfind("\n"))
