# SPDX-License-Identifier: MIT
"""A stand-in for the compiled parts: small scripts with the interfaces of planner and exporter, and applications that
leave a journal as the plugin would. They are for tests of the Python side only; tests/e2e uses the real programs.
"""

from __future__ import annotations

import json
import stat
import sys
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

PLAN: dict[str, Any] = {
    "schema": 1,
    "agents": [
        {
            "device": "gfx942",
            "device_index": 0,
            "pass_count": 2,
            "lower_bound": 2,
            "proven_minimal": True,
            "proof": "bound",
            "passes": [
                {
                    "index": 0,
                    "counters": ["FETCH_SIZE", "SQ_WAVES"],
                    "sentinel": ["SQ_WAVES"],
                    "registers": {"SQ": 1, "TCC": 3},
                    "capacity": {"SQ": 8, "TCC": 4},
                },
                {
                    "index": 1,
                    "counters": ["SQ_WAVES", "WRITE_SIZE"],
                    "sentinel": ["SQ_WAVES"],
                    "registers": {"SQ": 1, "TCC": 2},
                    "capacity": {"SQ": 8, "TCC": 4},
                },
            ],
            "groups": [{"counters": ["SQ_WAVES", "WRITE_SIZE"], "pass": 1}],
            "unplaceable": [
                {"counter": "TOO_BIG", "reason": "needs 9 SQ registers of 8", "block": "SQ", "needs": 9, "limit": 8}
            ],
        }
    ],
    "unknown": [{"token": "SQ_WAVE", "column": 22, "suggestion": "SQ_WAVES"}],
    "duplicates": ["FETCH_SIZE"],
    "ignored": [{"token": "max_engine_clk", "reason": "a constant of the agent"}],
}

# Writes its arguments beside itself, then answers as the files answer.json, answer.code and answer.err say.
_PLANNER = """
    import json, pathlib, sys
    here = pathlib.Path(__file__).parent
    (here / "arguments.json").write_text(json.dumps(sys.argv[1:]))
    sys.stdout.write((here / "answer.json").read_text())
    sys.stderr.write((here / "answer.err").read_text())
    sys.exit(int((here / "answer.code").read_text()))
"""

# Makes the files of a journal from the summary that the fake application put into it.
_EXPORTER = """
    import json, pathlib, sys
    here = pathlib.Path(__file__).parent
    journal = pathlib.Path(sys.argv[1])
    with (here / "exports.jsonl").open("a") as log:
        log.write(json.dumps(sys.argv[1:]) + "\\n")
    text = journal.read_text()
    if text == "broken":
        sys.exit("no frame can be read")
    formats = sys.argv[sys.argv.index("--format") + 1].split(",")
    for name, suffix in (("perfetto", ".pftrace"), ("rocpd", ".db")):
        if name in formats:
            journal.with_suffix(suffix).write_text(text)
    journal.with_suffix(".json").write_text(text)
"""

# Reads the hand-over file as the plugin does, leaves a journal and tells what it saw.
_APPLICATION = """
    import json, os, pathlib, sys
    config = json.loads(pathlib.Path(os.environ["ROCPROFSYS_MULTIPASS_RESOLVED"]).read_text())
    output = pathlib.Path(config["output"])
    rank = os.environ.get("PMI_RANK")
    name = f"rank{rank}" if rank else str(os.getpid())
    counts = dict.fromkeys(["seen", "replayed", "single_pass", "declined", "filtered", "incomplete"], 0)
    summary = {
        "schema": 1, "pid": os.getpid(),
        "agents": [{"index": 1, "device": 0, "name": "gfx942", "pass_count": PASSES, "lower_bound": PASSES,
                    "proven_minimal": True, "unplaceable": []}],
        "dispatches": {**counts, "declined_reasons": {}}, "readings": 0, "kernels": 0, "warnings": ["from the plugin"],
    }
    (output / f"multipass-{name}.journal").write_text(TEXT or json.dumps(summary))
    print(json.dumps({"config": config, "environ": dict(os.environ), "arguments": sys.argv[1:]}))
    sys.stdout.flush()
"""


def write_script(path: Path, source: str) -> Path:
    """An executable Python script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable}\n{textwrap.dedent(source)}", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@dataclass(frozen=True)
class FakeNative:
    """A folder with the layout of the compiled parts."""

    root: Path

    @classmethod
    def make(cls, root: Path) -> FakeNative:
        """The folder with everything in it; the planner answers with PLAN."""
        fake = cls(root)
        write_script(root / "bin/rocprofsys-multipass-plan", _PLANNER)
        write_script(root / "bin/rocprofsys-multipass-export", _EXPORTER)
        for name in ("lib/librocprofsys-multipass.so", "sim/librocprofiler-sdk.so.1", "demo/multipass-demo"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).touch()
        (root / "sim/devices").mkdir()
        for device in ("gfx90a", "gfx942"):
            (root / f"sim/devices/{device}.json").write_text("{}", encoding="utf-8")
        fake.answer(PLAN)
        return fake

    def answer(self, plan: dict[str, Any] | str, *, code: int = 0, err: str = "") -> None:
        """What the planner says from now on."""
        text = plan if isinstance(plan, str) else json.dumps(plan)
        (self.root / "bin/answer.json").write_text(text, encoding="utf-8")
        (self.root / "bin/answer.code").write_text(str(code), encoding="utf-8")
        (self.root / "bin/answer.err").write_text(err, encoding="utf-8")

    @property
    def planner_arguments(self) -> list[str]:
        """Arguments of the planner's last call."""
        arguments: list[str] = json.loads((self.root / "bin/arguments.json").read_text(encoding="utf-8"))
        return arguments

    @property
    def exports(self) -> list[list[str]]:
        """Arguments of each call of the exporter."""
        log = self.root / "bin/exports.jsonl"
        return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []


@dataclass(frozen=True)
class Applications:
    """Makes applications in a folder."""

    folder: Path

    def make(self, source: str, name: str = "app") -> str:
        """Any Python source as a program; its path."""
        return str(write_script(self.folder / name, source))

    def profiled(self, ending: str = "", *, passes: int = 2, text: str = "", name: str = "app") -> str:
        """A program that leaves a journal as the plugin would, and then does `ending`."""
        source = textwrap.dedent(_APPLICATION).replace("PASSES", str(passes)).replace("TEXT", repr(text))
        return self.make(source + textwrap.dedent(ending) + "\n", name)
