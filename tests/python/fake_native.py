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
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Cli(Protocol):
    """Runs a command line in this process: exit code, stdout, stderr."""

    def __call__(self, *argv: str | Path) -> tuple[int, str, str]: ...


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
            "partners": [
                {"name": "hits and misses", "counters": ["HIT", "MISS"], "pass": None},
                {"name": "waves and bytes", "counters": ["SQ_WAVES", "WRITE_SIZE"], "pass": 1},
            ],
            "unplaceable": [
                {"counter": "TOO_BIG", "reason": "needs 9 SQ registers of 8", "block": "SQ", "needs": 9, "limit": 8}
            ],
            "bounds": {
                "decided_by": "slots",
                "blocks": [
                    {
                        "block": "SQ",
                        "registers": 1,
                        "distinct": 1,
                        "slots": 8,
                        "passes": 1,
                        "searched": None,
                        "binding": False,
                    },
                    {
                        "block": "TCC",
                        "registers": 5,
                        "distinct": 5,
                        "slots": 4,
                        "passes": 2,
                        "searched": None,
                        "binding": True,
                    },
                ],
                "clique": [],
                "passes_without_groups": 2,
            },
        }
    ],
    "unknown": [
        {"token": "SQ_WAVE", "column": 22, "suggestion": "SQ_WAVES", "reason": "not a counter of gfx942"},
        {"token": "FOO[", "column": 31, "suggestion": None, "reason": "only one '[number]' may follow a name"},
    ],
    "duplicates": ["FETCH_SIZE"],
    "ignored": [{"token": "max_engine_clk", "reason": "a constant of the agent"}],
    "warnings": ["SQ_WAVES:device=3 is collected nowhere: there is only GPU 0"],
    "notes": ["X[99]: no single instance can be chosen"],
}

COUNTERS: dict[str, Any] = {
    "schema": 1,
    "agents": [
        {
            "device": "gfx942",
            "device_index": 0,
            "product_name": "MI300X",
            "slots": {"SQ": 8, "TCC": 4},
            "counters": [
                {
                    "name": "FETCH_SIZE",
                    "kind": "derived",
                    "block": "",
                    "instances": 1,
                    "registers": {"TCC": 3},
                    "keys": ["TCC:TCC_BUBBLE", "TCC:TCC_EA0_RDREQ", "TCC:TCC_EA0_RDREQ_32B"],
                    "unknown": [],
                    "description": "Kilobytes read",
                    "expression": "",
                },
                {
                    "name": "LostSum",
                    "kind": "derived",
                    "block": "",
                    "instances": 1,
                    "registers": None,
                    "keys": ["SQ:SQ_WAVES"],
                    "unknown": ["GONE"],
                    "description": "",
                    "expression": "SQ_WAVES + GONE",
                },
                {
                    "name": "SQ_WAVES",
                    "kind": "base",
                    "block": "SQ",
                    "instances": 32,
                    "registers": {"SQ": 1},
                    "keys": ["SQ:SQ_WAVES"],
                    "unknown": [],
                    "description": "Waves launched",
                    "expression": "",
                },
                {
                    "name": "simd_count",
                    "kind": "constant",
                    "block": "",
                    "instances": 1,
                    "registers": {},
                    "keys": [],
                    "unknown": [],
                    "description": "",
                    "expression": "",
                },
            ],
        }
    ],
}

_CPU = {"index": 0, "type": "cpu", "device": None, "name": "EPYC", "product_name": "", "counters": 0}


def machine(*gpus: str | None) -> dict[str, Any]:
    """The index of a machine with these GPUs: the name of the catalogue of each, or None for one without counters."""
    agents: list[dict[str, Any]] = [{**_CPU, "catalogue": None, "reason": "a CPU"}]
    for device, name in enumerate(gpus):
        agents.append(
            {
                "index": device + 1,
                "type": "gpu",
                "device": device,
                "name": name or "gfx000",
                "product_name": "",
                "counters": 4 if name else 0,
                "catalogue": f"{name}.json" if name else None,
                "reason": "" if name else "gfx000 has no counters that this SDK can read",
            }
        )
    sdk = {"version": "1.4.1", "library": "/opt/x.so", "simulated": False, "kernel_replay": True}
    return {"schema": 1, "sdk": sdk, "agents": agents}


# Writes its arguments beside itself, then answers as the files answer.json, answer.code and answer.err say.
_PLANNER = """
    import json, pathlib, sys
    here = pathlib.Path(__file__).parent
    (here / "arguments.json").write_text(json.dumps(sys.argv[1:]))
    if "--list" in sys.argv:
        listed = json.loads((here / "counters.json").read_text())
        first = listed["agents"][0]
        names = [sys.argv[i + 1] for i, word in enumerate(sys.argv) if word == "--device"] or ["gfx942"]
        listed["agents"] = [
            {**first, "device": pathlib.Path(name).stem, "device_index": i} for i, name in enumerate(names)
        ]
        print(json.dumps(listed))
        sys.exit(0)
    for i, word in enumerate(sys.argv):
        if word == "--device" and "/" in sys.argv[i + 1] and pathlib.Path(sys.argv[i + 1]).exists():
            (here / f"device-{i}.json").write_bytes(pathlib.Path(sys.argv[i + 1]).read_bytes())
    sys.stdout.write((here / "answer.json").read_text())
    sys.stderr.write((here / "answer.err").read_text())
    sys.exit(int((here / "answer.code").read_text()))
"""

# Writes a catalogue for each GPU of machine.json and answers with it, or refuses as machine.code and machine.err say.
_READER = """
    import json, os, pathlib, sys
    here = pathlib.Path(__file__).parent
    (here / "reader.json").write_text(json.dumps({"arguments": sys.argv[1:], "environ": dict(os.environ)}))
    sys.stderr.write((here / "machine.err").read_text())
    if code := int((here / "machine.code").read_text()):
        sys.exit(code)
    text = (here / "machine.json").read_text()
    for agent in json.loads(text)["agents"]:
        if agent["catalogue"]:
            folder = pathlib.Path(sys.argv[sys.argv.index("--output") + 1])
            (folder / agent["catalogue"]).write_text(f'{{"catalogue of": "{agent["name"]}"}}')
    print(text)
"""

# Makes the files of a journal from the summary that the fake application put behind its first frame, if it has one.
_EXPORTER = """
    import json, pathlib, sys
    here = pathlib.Path(__file__).parent
    journal = pathlib.Path(sys.argv[1])
    with (here / "exports.jsonl").open("a") as log:
        log.write(json.dumps(sys.argv[1:]) + "\\n")
    data = journal.read_bytes()
    if data.startswith(b"RSMPJRNL"):
        data = data[32:]
        if data.startswith(b"MPFR"):
            data = data[16 + int.from_bytes(data[4:8], "little"):]
    say = lambda text: print("rocprof-sys-multipass: " + text, file=sys.stderr)
    if data.endswith(b"broken"):
        say("warning: the capture is old")
        say("wrote nothing")
        say("error: no frame can be read")
        sys.exit(7)
    summary = json.loads(data or "{}")
    for text in summary.pop("exporter_warnings", []):
        say(f"warning: {journal}: {text}")
        summary["warnings"].append(text)
    text = json.dumps(summary)
    say(f"wrote {journal.with_suffix('.json')}")
    formats = sys.argv[sys.argv.index("--format") + 1].split(",")
    for name, suffix in (("perfetto", ".pftrace"), ("rocpd", ".db")):
        if name in formats:
            journal.with_suffix(suffix).write_text(text)
    journal.with_suffix(".json").write_text(text)
"""

# Reads the hand-over file as the plugin does, leaves a journal and tells what it saw.
_APPLICATION = """
    import json, os, pathlib, struct, sys, zlib
    config = json.loads(pathlib.Path(os.environ["ROCPROFSYS_MULTIPASS_RESOLVED"]).read_text())
    output = pathlib.Path(config["output"])
    rank = os.environ.get("PMI_RANK")
    name = f"rank{rank}" if rank else str(os.getpid())
    counts = dict.fromkeys(["seen", "replayed", "single_pass", "declined", "filtered", "incomplete"], 0)
    summary = {
        "schema": 1, "pid": os.getpid(),
        "agents": [{"index": 1, "device": 0, "name": "gfx942", "pass_count": PASSES, "lower_bound": PASSES,
                    "proven_minimal": True, "unplaceable": []}],
        "dispatches": {**counts, **COUNTS, "declined_reasons": {}}, "readings": 0, "kernels": 0, "warnings": WARNINGS,
        "exporter_warnings": EXPORTER_WARNINGS,
    }
    for warning in WARNINGS:
        print("rocprof-sys-multipass: warning: " + warning, file=sys.stderr)
    varint = lambda n: bytes([n % 128 + 128]) + varint(n // 128) if n > 127 else bytes([n])
    member = lambda number, content: varint(number * 8 + 2) + varint(len(content)) + content
    # A Frame with a Run that has pid (9), events (21) and run_token (22).
    token = (config["run_token"] if TOKEN is None else TOKEN).encode()
    frame = member(1, varint(9 * 8) + varint(os.getpid()) + member(21, b"SQ_WAVES," * 20) + member(22, token))
    head = b"RSMPJRNL" + struct.pack("<IIQI", 2, 0, 0, 0)
    head += struct.pack("<I", zlib.crc32(head))
    if FRAME:
        frame_head = b"MPFR" + struct.pack("<II", len(frame), zlib.crc32(frame))
        head += frame_head + struct.pack("<I", zlib.crc32(frame_head)) + frame
    (output / f"multipass-{name}.journal").write_bytes(head + (TEXT or json.dumps(summary)).encode())
    if sys.stdout and not os.path.samestat(os.fstat(1), os.stat("/dev/full")):
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
        write_script(root / "bin/rocprofsys-multipass-counters", _READER)
        for name in ("lib/librocprofsys-multipass.so", "sim/librocprofiler-sdk.so.1", "demo/multipass-demo"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).touch()
        (root / "sim/devices").mkdir()
        for device in ("gfx90a", "gfx942"):
            (root / f"sim/devices/{device}.json").write_text("{}", encoding="utf-8")
        fake.answer(PLAN)
        fake.list(COUNTERS)
        fake.be(machine("gfx942"))
        return fake

    def answer(self, plan: dict[str, Any] | str, *, code: int = 0, err: str = "") -> None:
        """What the planner says from now on."""
        text = plan if isinstance(plan, str) else json.dumps(plan)
        (self.root / "bin/answer.json").write_text(text, encoding="utf-8")
        (self.root / "bin/answer.code").write_text(str(code), encoding="utf-8")
        (self.root / "bin/answer.err").write_text(err, encoding="utf-8")

    def list(self, counters: dict[str, Any]) -> None:
        """What the planner lists from now on, for each device that it is asked about."""
        (self.root / "bin/counters.json").write_text(json.dumps(counters), encoding="utf-8")

    def be(self, index: dict[str, Any], *, code: int = 0, err: str = "") -> None:
        """What the reader of counters finds from now on, or how it ends."""
        (self.root / "bin/machine.json").write_text(json.dumps(index), encoding="utf-8")
        (self.root / "bin/machine.code").write_text(str(code), encoding="utf-8")
        (self.root / "bin/machine.err").write_text(err, encoding="utf-8")

    @property
    def reader_environment(self) -> dict[str, str]:
        """Environment of the reader's last call."""
        call: dict[str, dict[str, str]] = json.loads((self.root / "bin/reader.json").read_text(encoding="utf-8"))
        return call["environ"]

    @property
    def planner_catalogues(self) -> list[dict[str, Any]]:
        """What was in the catalogue files that the planner was given, in the order of the devices."""
        files = sorted(self.root.glob("bin/device-*.json"), key=lambda path: int(path.stem.partition("-")[2]))
        return [json.loads(path.read_text(encoding="utf-8")) for path in files]

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

    def profiled(  # noqa: PLR0913 - what may be peculiar about a journal
        self,
        ending: str = "",
        *,
        passes: int = 2,
        text: str = "",
        name: str = "app",
        token: str | None = None,
        frame: bool = True,
        warnings: tuple[str, ...] = ("from the plugin",),
        exporter_warnings: tuple[str, ...] = (),
        counts: Mapping[str, int] | None = None,
    ) -> str:
        """A program that leaves a journal as the plugin would, and then does `ending`.

        `token`: in place of the one that was handed over; without `frame` the journal has a header only. `text`: in
        place of the summary. `exporter_warnings`: what the exporter will find.
        `counts`: dispatches by outcome, and `seen`, where there are any.
        """
        source = textwrap.dedent(_APPLICATION)
        values = {
            "PASSES": passes,
            "TEXT": text,
            "TOKEN": token,
            "FRAME": frame,
            "EXPORTER_WARNINGS": list(exporter_warnings),
            "WARNINGS": list(warnings),
            "COUNTS": dict(counts or {}),
        }
        for word, value in values.items():
            source = source.replace(word, repr(value))
        return self.make(source + textwrap.dedent(ending) + "\n", name)
