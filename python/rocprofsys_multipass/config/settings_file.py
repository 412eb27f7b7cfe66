# SPDX-License-Identifier: MIT
"""What a YAML file sets: each key is an option of `config.schema`, each value has a place.

All that is wrong is found in one go, and each fault names the file, line, column, key, value and what is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import yaml

from rocprofsys_multipass.config import yaml_text
from rocprofsys_multipass.config.events import check_events
from rocprofsys_multipass.config.option import Option
from rocprofsys_multipass.config.schema import FILE_OPTIONS, RUN_OPTIONS
from rocprofsys_multipass.config.text import check_text, readable
from rocprofsys_multipass.config.yaml_text import Place
from rocprofsys_multipass.errors import ConfigFileError
from rocprofsys_multipass.spelling import did_you_mean

_SEPARATORS = {"list": ",", "groups": ";"}


@dataclass(frozen=True)
class Setting:
    """The value of one option, and the place of its key in the file. `texts`: those it is made of, each where it is."""

    value: Any
    place: Place
    texts: tuple[yaml.ScalarNode, ...] = ()

    def place_of(self, name: str) -> Place:
        """Where a name stands in a list of names; the place of the key where it cannot be found."""
        whole = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        for node in self.texts:
            if found := whole.search(node.value):
                place = yaml_text.place_of(self.place.file, node)
                if node.start_mark.line != node.end_mark.line:
                    return place
                quote = 0 if node.style is None else 1
                return replace(place, column=place.column + quote + found.start())
        return self.place


@dataclass(frozen=True)
class SettingsFile:
    """What a file sets, by names of options. `warnings`: tokens of a list that cannot be used.

    In a run it is the plugin that names these: not every list is from a file.
    """

    path: str
    settings: dict[str, Setting]
    warnings: tuple[str, ...] = ()


class _Fault(Exception):  # noqa: N818 - never leaves this module
    def __init__(self, node: yaml.Node, reason: str) -> None:
        super().__init__(reason)
        self.node = node
        self.reason = reason


def read_settings_file(path: str) -> SettingsFile:
    """What the YAML file sets. An empty file sets nothing.

    Raises:
        ConfigFileError: it cannot be read, or holds a wrong key or value. It names all of them.
    """
    root = yaml_text.read_mapping(path)
    if root is None:
        return SettingsFile(path, {})
    settings: dict[str, Setting] = {}
    problems: list[str] = []
    warnings: list[str] = []
    for key_node, value_node in root.value:
        place = yaml_text.place_of(path, key_node)
        try:
            option = _option(key_node, settings)
            try:
                settings[option.name] = Setting(_value(option, value_node), place, tuple(_scalars(value_node)))
            except _Fault as fault:
                settings[option.name] = Setting(None, place)
                raise _Fault(fault.node, f"{key_node.value}: {fault.reason}") from fault
        except _Fault as fault:
            reason = fault.reason.replace("\n", "\\n")
            problems.append(f"{yaml_text.place_of(path, fault.node)}: {reason}")
            continue
        if option.name == "events":
            warnings += _event_warnings(path, value_node)
    if problems:
        raise ConfigFileError(problems)
    return SettingsFile(path, settings, tuple(warnings))


def _scalars(node: yaml.Node) -> Iterator[yaml.ScalarNode]:
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _scalars(item)
    elif isinstance(node, yaml.ScalarNode):
        yield node


def _option(node: yaml.Node, before: dict[str, Setting]) -> Option:
    if not isinstance(node, yaml.ScalarNode):
        raise _Fault(node, "a key is a word: write lines such as 'events: SQ_WAVES'")
    key = node.value
    option = FILE_OPTIONS.get(key)
    if option is None:
        raise _Fault(node, _unknown(key))
    if option.name in before:
        raise _Fault(node, f"{key}: it is set twice, first in line {before[option.name].place.line}: keep one of them")
    return option


def _unknown(key: str) -> str:
    if key in RUN_OPTIONS and not RUN_OPTIONS[key].in_file:
        return f"{key}: a file cannot name another one: remove it"
    hint = did_you_mean(key.lower().replace("-", "_"), FILE_OPTIONS)
    allowed = ", ".join(option.key for option in RUN_OPTIONS.values() if option.in_file)
    return f"{readable(key)}: no such option: {hint}known are {allowed}"


def _value(option: Option, node: yaml.Node) -> Any:  # noqa: ANN401 - the table decides the type
    """The value that a node gives: as text first, which is then read as on the command line."""
    text = _text(option, node)
    try:
        value = option.parse(text)
    except ValueError as error:
        raise _Fault(node, str(error)) from error
    if option.name == "events" and not check_events(text)[0]:
        raise _Fault(node, f"'{text}' holds no counter that can be used: write names such as SQ_WAVES")
    return value


def _text(option: Option, node: yaml.Node) -> str:
    if isinstance(node, yaml.ScalarNode):
        return _scalar(option, node)
    if isinstance(node, yaml.MappingNode):
        raise _Fault(node, f"'{{...}}' is a mapping, but {_wanted(option)} is needed")
    if option.kind not in _SEPARATORS:
        raise _Fault(node, f"it is a list, but {_wanted(option)} is needed")
    if not node.value:
        raise _Fault(node, f"the list is empty: give {_wanted(option)}, or remove the line")
    item_text = _group if option.kind == "groups" else _item
    return _SEPARATORS[option.kind].join(item_text(option, item) for item in node.value)


def _scalar(option: Option, node: yaml.ScalarNode) -> str:
    """The text as it is written: 'off' stays the word where a word is wanted, and is none in a list of names."""
    if node.tag == "tag:yaml.org,2002:null" or not node.value.strip():
        raise _Fault(node, f"it has no value: give {_wanted(option)}, or remove the line")
    if node.tag == "tag:yaml.org,2002:bool" and option.kind in _SEPARATORS:
        wanted = _wanted(option)
        raise _Fault(node, f"'{node.value}' is true or false in YAML, but {wanted} is needed: put a name in quotes")
    try:
        text: str = check_text(node.value)
    except ValueError as error:
        raise _Fault(node, str(error)) from error
    if "\0" in text:
        raise _Fault(node, f"'{readable(text)}' holds a zero byte: remove it")
    return text


def _item(option: Option, node: yaml.Node) -> str:
    """One item of a list; it is judged alone, so that the fault has its place."""
    if not isinstance(node, yaml.ScalarNode):
        raise _Fault(node, f"an item of the list is itself a {_kind(node)}, but {_wanted(option)} is needed")
    text = _scalar(option, node)
    try:
        option.parse(text)
    except ValueError as error:
        raise _Fault(node, str(error)) from error
    return text


def _group(option: Option, node: yaml.Node) -> str:
    """One group: a list of names, or a text with commas."""
    if isinstance(node, yaml.SequenceNode) and node.value:
        return ",".join(_item(option, name) for name in node.value)
    if not isinstance(node, yaml.ScalarNode):
        raise _Fault(node, f"a group is a list of names, not a {_kind(node)}: write {option.example}")
    text = _scalar(option, node)
    if len(text.replace(",", " ").split()) == 1:
        raise _Fault(node, f"'{text}' is a group of one counter: write {option.example} for counters in one pass")
    return text


def _kind(node: yaml.Node) -> str:
    if isinstance(node, yaml.MappingNode):
        return "mapping"
    return "list" if node.value else "list without items"


def _wanted(option: Option) -> str:
    """What a value of this option is, to people."""
    words = {"flag": "on or off", "text": "one text", "list": "a text or a list of texts", "groups": "a list of lists"}
    return f"{words[option.kind]} ({option.allowed})" if option.kind != "flag" else words["flag"]


def _event_warnings(path: str, node: yaml.Node) -> Sequence[str]:
    """A warning for each token that will be left out; names are judged where the GPU is known."""
    items = node.value if isinstance(node, yaml.SequenceNode) else [node]
    return [
        f"{yaml_text.place_of(path, item)}: events: '{token.token}' is left out: {token.reason}"
        for item in items
        for token in check_events(item.value)[1]
    ]
