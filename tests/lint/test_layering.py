# SPDX-License-Identifier: MIT
"""Who may include whom in library/: the table of docs/architecture.md, section 2.

A module is a folder of library/, or one of the folders below it that have rules of their own. Everything points to
model and base; leaf modules do not know each other; the SDK's declarations, SQLite, protozero and the simulator each
have one place.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

LIBRARY = Path(__file__).parents[2] / "library"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
SUFFIXES = {".c", ".cpp", ".h", ".hpp"}

# Modules within modules; a path belongs to the longest that matches.
NESTED = ("apps/counters", "output/perfetto", "output/rocpd", "sdk/abi")

FOUNDATION = {"model", "base"}
LEAVES = ("events", "catalogue", "planner", "replay", "assemble", "journal")
WRITERS = {"output", "output/perfetto", "output/rocpd"}

# Module -> modules that it may include, besides itself.
ALLOWED: dict[str, set[str]] = {
    "base": set(),
    "model": {"base"},
    **dict.fromkeys(LEAVES, FOUNDATION),
    "metrics": {*FOUNDATION, "catalogue"},
    "output": FOUNDATION,
    "output/perfetto": {*FOUNDATION, "output"},
    "output/rocpd": {*FOUNDATION, "output"},
    "sdk/abi": set(),
    "sdk": {*FOUNDATION, "catalogue", "sdk/abi"},
    "tool": {*FOUNDATION, *LEAVES, "metrics", "sdk"},
    "apps": {*FOUNDATION, *LEAVES, *WRITERS, "metrics"},
    "apps/counters": {*FOUNDATION, *LEAVES, "sdk"},
    "sim": {"sdk/abi"},
}

# File -> further modules, each with its reason.
EXCEPTIONS: dict[str, set[str]] = {
    "tool/entry.cpp": {"sdk/abi"},  # the types of the function that it exports
}

# Headers from outside -> files (or folders, with a / at the end) that may include them.
EXTERNAL: dict[str, tuple[str, ...]] = {
    "sqlite3.h": ("output/rocpd/sqlite.cpp",),
    "pcre2": ("replay/pattern.cpp",),
    "protozero/": ("output/perfetto/", "journal/"),
    "rocprofiler-sdk/": (),  # our own declarations in sdk/abi are the only ones
    "rocprofiler-register/": (),
    "hsa/": (),
    "perfetto": (),
    "google/protobuf/": (),
    "hip/": ("sim/",),
    "multipass/sim": ("sim/",),
}


def module_of(path: str) -> str:
    """The module that a path below library/ belongs to."""
    for nested in NESTED:
        if path.startswith(nested + "/"):
            return nested
    return path.partition("/")[0]


def violations(file: str, text: str, modules: set[str]) -> list[str]:
    """What is wrong with the includes of one file."""
    own = module_of(file)
    allowed = {own, *ALLOWED.get(own, set()), *EXCEPTIONS.get(file, set())}
    found = []
    for _, header in INCLUDE.findall(text):
        for prefix, places in EXTERNAL.items():
            if header.startswith(prefix) and not file.startswith(tuple(places) or ("\0",)):
                found.append(f"{file} includes {header}, which only {places or 'nobody'} may")
        target = module_of(header)
        if target in modules and "/" in header and target not in allowed:
            found.append(f"{file} ({own}) includes {header} ({target})")
    return found


def sources() -> list[Path]:
    return sorted(path for path in LIBRARY.rglob("*") if path.suffix in SUFFIXES)


def test_every_include_is_allowed() -> None:
    found = [
        violation
        for path in sources()
        for violation in violations(
            path.relative_to(LIBRARY).as_posix(), path.read_text(encoding="utf-8"), set(ALLOWED)
        )
    ]
    assert found == []


def test_every_folder_with_sources_is_in_the_table() -> None:
    assert {module_of(path.relative_to(LIBRARY).as_posix()) for path in sources()} <= set(ALLOWED)


def test_every_include_of_ours_names_a_file() -> None:
    missing = [
        f"{path.relative_to(LIBRARY)}: {header}"
        for path in sources()
        for quote, header in INCLUDE.findall(path.read_text(encoding="utf-8"))
        if quote == '"' and module_of(header) in ALLOWED and not (LIBRARY / header).is_file()
    ]
    assert missing == []


@pytest.mark.parametrize(
    ("file", "line", "wrong"),
    [
        ("planner/a.cpp", '#include "events/parse.hpp"', True),
        ("planner/a.cpp", '#include "model/plan.hpp"', False),
        ("planner/a.cpp", "#include <vector>", False),
        ("model/a.hpp", '#include "planner/bounds.hpp"', True),
        ("base/a.hpp", '#include "model/plan.hpp"', True),
        ("tool/tool.cpp", '#include "sdk/abi/types.h"', True),
        ("tool/entry.cpp", '#include "sdk/abi/types.h"', False),
        ("tool/tool.cpp", '#include "sdk/inventory.hpp"', False),
        ("tool/tool.cpp", '#include "output/rocpd/rocpd_sink.hpp"', True),
        ("tool/tool.cpp", '#include "sim/interface/activity.h"', True),
        ("apps/export/main.cpp", '#include "output/rocpd/rocpd_sink.hpp"', False),
        ("apps/export/main.cpp", '#include "sdk/inventory.hpp"', True),
        ("apps/counters/entry.cpp", '#include "sdk/inventory.hpp"', False),
        ("apps/counters/entry.cpp", '#include "sdk/abi/types.h"', True),
        ("sim/sdk/a.cpp", '#include "sdk/abi/types.h"', False),
        ("sim/sdk/a.cpp", '#include "sdk/inventory.hpp"', True),
        ("sim/sdk/a.cpp", '  #  include "model/plan.hpp"', True),
        ("output/rocpd/sqlite.cpp", "#include <sqlite3.h>", False),
        ("output/rocpd/sqlite.hpp", "#include <sqlite3.h>", True),
        ("replay/pattern.cpp", "#include <pcre2.h>", False),
        ("replay/kernel_filter.cpp", "#include <pcre2.h>", True),
        ("output/perfetto/a.cpp", "#include <protozero/pbf_writer.hpp>", False),
        ("output/rocpd/a.cpp", "#include <protozero/pbf_writer.hpp>", True),
        ("output/rocpd/a.cpp", '#include "output/perfetto/fields.hpp"', True),
        ("sdk/services.cpp", "#include <rocprofiler-sdk/fwd.h>", True),
        ("tool/tool.cpp", "#include <hip/hip_runtime.h>", True),
    ],
)
def test_the_check_finds_what_it_must(file: str, line: str, wrong: bool) -> None:  # noqa: FBT001
    assert bool(violations(file, f"// text\n{line}\n", set(ALLOWED))) is wrong
