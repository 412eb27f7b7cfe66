# SPDX-License-Identifier: MIT
"""The YAML file of options: what it sets, and what is said of one that is wrong."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from rocprofsys_multipass.config import resolve_run
from rocprofsys_multipass.config.settings_file import SettingsFile, read_settings_file
from rocprofsys_multipass.config.values import FORMATS
from rocprofsys_multipass.config.yaml_text import MAX_BYTES
from rocprofsys_multipass.errors import ConfigFileError

KEYS = (
    "events, set, compute_panels, group, sentinel, instances, kernel_include, kernel_exclude, range, gpus, ranks, "
    "roctx, roctx_include, roctx_exclude, selected_regions, replay, no_replay, replay_everything, max_replays, "
    "replay_budget, unsafe, host_memory, warm_up_pass, timing_pass, permute_groups, simulate, output, "
    "overwrite, force, strict, no_merge, format, compute_release, layout, trace_counters, quiet, verbose"
)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """``m.yaml`` in the current folder: messages name it so."""
    monkeypatch.chdir(tmp_path)
    return Path("m.yaml")


def read(file: Path, text: str | bytes) -> SettingsFile:
    file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return read_settings_file(str(file))


def values(file: Path, text: str | bytes) -> dict[str, Any]:
    return {name: setting.value for name, setting in read(file, text).settings.items()}


def faults(file: Path, text: str | bytes) -> list[str]:
    with pytest.raises(ConfigFileError) as raised:
        read(file, text)
    return list(raised.value.messages)


def test_every_key_sets_its_option(file: Path) -> None:
    text = """
events: [SQ_WAVES, "TCC_HIT[1]:device=0"]
group:
  - [SQ_WAVES, TCC_HIT]
  - A,B
kernel_include: 'axpy|transpose'
kernel_exclude: ^init
range: [1-3]
replay: off
simulate:
  - gfx942
  - devices/tiny.json
output: out/%hostname%
overwrite: yes
format: [rocpd]
quiet: false
verbose: 1
"""
    assert values(file, text) == {
        "events": "SQ_WAVES,TCC_HIT[1]:device=0",
        "group": (("SQ_WAVES", "TCC_HIT"), ("A", "B")),
        "kernel-include": "axpy|transpose",
        "kernel-exclude": "^init",
        "range": "1-3",
        "replay": "off",
        "simulate": "gfx942,devices/tiny.json",
        "output": "out/%hostname%",
        "overwrite": True,
        "format": ("rocpd",),
        "quiet": False,
        "verbose": True,
    }


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("events: A, B", "events", "A, B"),
        ("events: |\n  A\n  B\n", "events", "A\nB\n"),
        ("group: A,B;C,D", "group", (("A", "B"), ("C", "D"))),
        ("groups: [[A, B]]", "group", (("A", "B"),)),
        ("range: 1", "range", "1"),
        ("range: 1,4-6", "range", "1,4-6"),
        ("range: [5-6, 1, 4]", "range", "1,4-6"),
        ("replay: 'kernel'", "replay", "kernel"),
        ("format: rocpd,perfetto", "format", ("rocpd", "perfetto")),
        ("overwrite: On", "overwrite", True),
        ("overwrite: 'no'", "overwrite", False),
        ("output: 2026", "output", "2026"),
        ("\ufeffquiet: on", "quiet", True),
        ("quiet: on\r\nverbose: off\r\n", "verbose", False),
        ("{events: A}", "events", "A"),
        ("---\nevents: A\n...\n", "events", "A"),
    ],
)
def test_a_value_may_be_written_in_several_ways(file: Path, text: str, name: str, value: object) -> None:
    assert values(file, text)[name] == value


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "---\n", "null\n", "\ufeff", "{}"])
def test_an_empty_file_sets_nothing(file: Path, text: str) -> None:
    assert read(file, text).settings == {}


def test_all_faults_are_told_at_once_each_with_its_place(file: Path) -> None:
    text = """\
evnts: [SQ_WAVES]
replay: always
format: [rocpd, perfeto]
group: [A, B]
overwrite: [on]
range: 0-3
kernel-include: a
quiet:
output: {a: b}
quiet: on
"""
    assert faults(file, text) == [
        f"m.yaml:1:1: evnts: no such option: did you mean events? known are {KEYS}",
        "m.yaml:2:9: replay: 'always' is not one of auto, kernel, rotate, off",
        "m.yaml:3:17: format: 'perfeto' is not one of " + ", ".join(FORMATS) + "; did you mean perfetto?",
        "m.yaml:4:9: group: 'A' is a group of one counter: write [[SQ_WAVES, SQ_BUSY_CYCLES]] for counters in one pass",
        "m.yaml:5:12: overwrite: it is a list, but on or off is needed",
        (
            "m.yaml:6:8: range: '0-3' is not a range: there is no launch 0; launches of a kernel are counted from 1: "
            "write 1, 1-3 or 1,4-6, with or without square brackets"
        ),
        f"m.yaml:7:1: kernel-include: no such option: did you mean kernel_include? known are {KEYS}",
        "m.yaml:8:7: quiet: it has no value: give on or off, or remove the line",
        (
            "m.yaml:9:9: output: '{...}' is a mapping, but one text (a path; %pid% %ppid% %rank% %hostname% "
            "%env{NAME}% are expanded) is needed"
        ),
        "m.yaml:10:1: quiet: it is set twice, first in line 8: keep one of them",
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("events: A\nevents: B", "m.yaml:2:1: events: it is set twice, first in line 1: keep one of them"),
        ("group: A,B\ngroups: C,D", "m.yaml:2:1: groups: it is set twice, first in line 1: keep one of them"),
        ("config: n.yaml", "m.yaml:1:1: config: a file cannot name another one: remove it"),
        ("events: []", "m.yaml:1:9: events: the list is empty: give a text or a list of texts (NAME, or"),
        ("events: [[A]]", "m.yaml:1:10: events: an item of the list is itself a list, but a text or a list of"),
        ("events: [{a: b}]", "m.yaml:1:10: events: an item of the list is itself a mapping"),
        ("events: [A, ~]", "m.yaml:1:13: events: it has no value"),
        ("events: ','", "m.yaml:1:9: events: ',' holds no counter that can be used: write names such as SQ_WAVES"),
        ("events: X:device=", "m.yaml:1:9: events: 'X:device=' holds no counter that can be used"),
        ('events: "A\\0"', "m.yaml:1:9: events: 'A\\x00' holds a zero byte: remove it"),
        ('output: "\\ud800"', "m.yaml:1:9: output: '\\ud800' is not UTF-8 from column 1"),
        ("group: [[A, [B]]]", "m.yaml:1:13: group: an item of the list is itself a list"),
        ("group: [{A: B}]", "m.yaml:1:9: group: a group is a list of names, not a mapping: write [[SQ_WAVES,"),
        ("group: [[]]", "m.yaml:1:9: group: a group is a list of names, not a list without items"),
        ("kernel_include: '('", "m.yaml:1:17: kernel_include: '(' is not a regular expression: missing )"),
        ("overwrite: 2", "m.yaml:1:12: overwrite: '2' is neither on nor off"),
        ('replay: "a\\nb"', "m.yaml:1:9: replay: 'a\\nb' is not one of auto, kernel, rotate, off"),
        ("[a]: b", "m.yaml:1:1: a key is a word: write lines such as 'events: SQ_WAVES'"),
        ("? {a: b}\n: c", "m.yaml:1:3: a key is a word"),
        ("<<: {events: A}", "m.yaml:1:1: <<: no such option: known are"),
        ("nothing: 1", "m.yaml:1:1: nothing: no such option: known are"),
        ("sentinel: [A, auto]", "m.yaml:1:11: sentinel: 'auto' stands alone, in small letters"),
        (
            "sentinel: true",
            "m.yaml:1:11: sentinel: 'true' is true or false in YAML, but a text or a list of texts (auto, ",
        ),
        ("sentinel: [A, off]", "m.yaml:1:15: sentinel: 'off' is true or false in YAML, but a text or a list of texts"),
        ("events:\n  - A\n  - yes", "m.yaml:3:5: events: 'yes' is true or false in YAML, but a text or a list of"),
        ("group: [[A, No]]", "m.yaml:1:13: group: 'No' is true or false in YAML, but a list of lists"),
        ("sentinel: []", "m.yaml:1:11: sentinel: the list is empty: give a text or a list of texts"),
        ("- events", "m.yaml:1:1: a list is not a mapping: write lines such as 'events: SQ_WAVES'"),
        ("SQ_WAVES", "m.yaml:1:1: the text 'SQ_WAVES' is not a mapping: write lines such as 'events: SQ_WAVES'"),
        ("events: A\n---\nevents: B", "m.yaml:2:1: a second document begins here: one file holds one set of options"),
        ("events:\n\t- A", "m.yaml:2:1: a tab, which YAML does not allow here: put blanks in its place"),
        ("events:\tA", "m.yaml:1:8: a tab, which YAML does not allow here"),
        ("events: [A", "m.yaml:1:11: it is not YAML: while parsing a flow sequence, expected ',' or ']'"),
        ("events: A: B", "m.yaml:1:10: it is not YAML: mapping values are not allowed here"),
        ("kernel_include: *a", "m.yaml:1:17: anchors and aliases (& and *) are not read here: write the value out"),
        ("events: &a [A]", "m.yaml:1:9: anchors and aliases (& and *) are not read here: write the value out"),
        ("events: !!python/name:os.system A", "m.yaml:1:9: the tag tag:yaml.org,2002:python/name:os.system is not re"),
        ("events: !x A", "m.yaml:1:9: the tag !x is not read here: remove it"),
        ("events: A\n%", "m.yaml:2:2: it is not YAML: while scanning a directive, expected alphabetic"),
        (
            "events: [A,\n  B",
            "m.yaml:2:4: it is not YAML: while parsing a flow sequence, expected ',' or ']', but the file",
        ),
        ("events: A\x07", "m.yaml:1:10: the character U+0007 may not stand in YAML: remove it"),
        (b"events: A\noutput: \xe9", "m.yaml:2:9: the byte 0xe9 is not UTF-8: save the file as UTF-8"),
        ("events: A".encode("utf-16"), "m.yaml:1:1: the byte 0xff is not UTF-8: save the file as UTF-8"),
    ],
)
def test_a_fault_is_told_with_line_and_column(file: Path, text: str | bytes, fault: str) -> None:
    found = faults(file, text)
    assert len(found) == 1
    assert found[0].startswith(fault), found[0]


def test_a_token_that_cannot_be_read_is_a_warning_with_its_place(file: Path) -> None:
    found = read(file, "events:\n  - A\n  - B:device=x\n")
    assert found.warnings == ("m.yaml:3:5: events: 'B:device=x' is left out: 'x' after ':device=' is not a number",)


BOMB = "a: &a [x]\n" + "".join(
    f"{name}: &{name} [{','.join(f'*{before}' for _ in range(9))}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    "text",
    [
        BOMB,
        "events: " + "[" * 100_000,
        "events: " + "[" * 1000 + "]" * 1000,
        "events: " + "{a: " * 50_000,
        "- " * 100_000,
        "? " * 100_000,
    ],
    ids=["aliases", "open lists", "lists", "mappings", "block lists", "keys"],
)
def test_a_file_that_would_become_large_is_refused_at_once(file: Path, text: str) -> None:
    begin = time.process_time()
    assert len(faults(file, text)) == 1
    assert time.process_time() - begin < 20


def test_a_large_file_is_refused_unread(file: Path) -> None:
    assert faults(file, b"#" * (MAX_BYTES + 1)) == ["m.yaml: it has more than 256 KiB: name a YAML file with options"]
    with pytest.raises(ConfigFileError, match=r"^/dev/zero: it has more than 256 KiB"):
        read_settings_file("/dev/zero")


def test_a_file_that_is_not_there_is_told_with_the_way_to_make_it(file: Path) -> None:
    with pytest.raises(ConfigFileError, match=r"^m\.yaml: there is no such file: name one, or make it with 'config in"):
        read_settings_file("m.yaml")


def test_a_folder_is_no_file(file: Path) -> None:
    file.mkdir()
    with pytest.raises(ConfigFileError, match=r"^m\.yaml: it is a folder: name a YAML file in it$"):
        read_settings_file("m.yaml")


@pytest.mark.parametrize(
    ("path", "reason"),
    [("m.yaml/x", "Not a directory"), ("a\0b", "embedded null byte"), ("x" * 300, "File name too long")],
)
def test_a_file_that_cannot_be_read_is_told_with_the_reason(file: Path, path: str, reason: str) -> None:
    file.touch()
    with pytest.raises(ConfigFileError, match=re.escape(f"it cannot be read ({reason}): name a YAML file that you")):
        read_settings_file(path)


def test_a_file_without_permission_is_told(file: Path) -> None:
    """As root every file can be read; there the system's own memory is one that cannot."""
    file.write_text("events: A")
    file.chmod(0)
    path = "/proc/self/mem" if os.geteuid() == 0 else str(file)
    with pytest.raises(ConfigFileError, match="it cannot be read"):
        read_settings_file(path)


def test_the_file_that_the_variable_names_is_read_and_named_with_it(file: Path) -> None:
    file.write_text("events: A\nreplay: off\n")
    assert resolve_run(["app"], {}, {"ROCPROFSYS_MULTIPASS_CONFIG": "m.yaml"}).replay == "off"
    with pytest.raises(ConfigFileError) as raised:
        resolve_run(["app"], {}, {"ROCPROFSYS_MULTIPASS_CONFIG": "n.yaml"})
    assert str(raised.value).endswith("(the file that ROCPROFSYS_MULTIPASS_CONFIG names)")
    assert resolve_run(["app"], {"config": "m.yaml"}, {"ROCPROFSYS_MULTIPASS_CONFIG": "n.yaml"}).events == "A"


@settings(deadline=None)  # other work on the machine is no fault
@given(st.text(alphabet="ab:- \n\t[]{},&*!|>'\"%#?0\ud7ff", max_size=60))
def test_any_text_is_read_or_refused_with_a_place(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = tmp_path_factory.getbasetemp() / "any.yaml"
    file.write_text(text, encoding="utf-8")
    faults: tuple[str, ...] = ()
    try:
        read_settings_file(str(file))
    except ConfigFileError as error:
        faults = tuple(error.messages)
        assert faults
    assert [fault for fault in faults if not re.match(re.escape(str(file)) + r":\d+:\d+: .", fault)] == []


NAMES = st.from_regex(r"[A-Z][A-Z0-9_]{0,8}", fullmatch=True)


@settings(deadline=None)  # other work on the machine is no fault
@given(st.lists(NAMES, min_size=1), st.lists(st.lists(NAMES, min_size=2), min_size=1))
def test_what_another_program_writes_is_read_as_it_was_meant(
    tmp_path_factory: pytest.TempPathFactory, events: list[str], groups: list[list[str]]
) -> None:
    file = tmp_path_factory.getbasetemp() / "dumped.yaml"
    data = {"events": events, "group": groups, "quiet": True}
    plain = yaml.SafeDumper
    plain.ignore_aliases = lambda *_: True  # type: ignore[method-assign]
    file.write_text(yaml.dump(data, Dumper=plain), encoding="utf-8")
    found = {name: one.value for name, one in read_settings_file(str(file)).settings.items()}
    assert found == {"events": ",".join(events), "group": tuple(map(tuple, groups)), "quiet": True}
