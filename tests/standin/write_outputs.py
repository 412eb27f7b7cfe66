# SPDX-License-Identifier: MIT
"""Stands for: what rocprof-sys writes when a process ends, made of the lines that the stand-in client recorded.

Shapes of the files: tests/python/handmade_foreign.py and handmade_foreign_trace.py, after docs/formats/foreign.md.
Names: output_names.py. Text and metadata: ROCm/rocm-systems projects/rocprofiler-systems @1b1610fc,
docs/how-to/understanding-rocprof-sys-output.rst.

Settings are read from the environment, then from the files (lines of type "setting"): ROCPROFSYS_TRACE (default: on
unless PROFILE is set), PROFILE (default: off if TRACE is on), USE_ROCPD, PERFETTO_ANNOTATIONS, ROCM_GROUP_BY_QUEUE, and
those of output_names. Of the stand-in:

| STANDIN_BY=stream | kernels drawn by stream; the simulated SDK knows none, so the number of the queue is taken |
| STANDIN_COMPRESSED=1 | the trace is one compressed packet |
| STANDIN_PLAIN=1 | names written out, absolute times, one sequence, no packets of a service |
| STANDIN_CLEARED_EVERY=N | sequences begin anew after N packets |
| STANDIN_COUNTER_NAME | form of a counter's name in traces, default ``GPU {} [{}]`` |

Does not: sampling, roctx, copies, the processes' maps in metadata.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]

from handmade_foreign import MD5, Execution, Launch, Region, Run, Samples, write_rocprof_sys  # noqa: E402
from output_names import Names  # noqa: E402
from settings import truth  # noqa: E402

Line = dict[str, Any]


@dataclass
class Outputs:
    """One process's lines and settings."""

    lines: dict[str, list[Line]]
    of_files: dict[str, str]
    written: dict[str, dict[str, list[str]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))

    @staticmethod
    def read(path: Path) -> Outputs:
        lines: dict[str, list[Line]] = defaultdict(list)
        for text in path.read_text(encoding="utf-8").splitlines():
            line = json.loads(text)
            lines[line["type"]].append(line)
        return Outputs(lines, {one["name"]: one["value"] for one in lines["setting"]})

    def text(self, name: str, otherwise: str = "") -> str:
        value = os.environ.get(name)
        if value is None or (not value and os.environ.get("STANDIN_EMPTY") == "loses"):
            return self.of_files.get(name, otherwise)
        return value

    def is_on(self, name: str, *, otherwise: bool) -> bool:
        return truth(self.text(name, "true" if otherwise else "false"))

    @property
    def trace(self) -> bool:
        return self.is_on("ROCPROFSYS_TRACE", otherwise=not self.is_on("ROCPROFSYS_PROFILE", otherwise=False))

    @property
    def pid(self) -> int:
        return int(self.lines["process"][0]["pid"])

    @property
    def gpus(self) -> list[Line]:
        return sorted((one for one in self.lines["agent"] if one["gpu"]), key=lambda one: int(one["node"]))

    def kernel(self, number: int) -> str:
        return next((str(one["name"]) for one in self.lines["kernel"] if one["id"] == number), f"kernel {number}")

    def run(self, counter_name: str) -> Run:
        """What the process did."""
        return Run(
            launches=tuple(self._launches()),
            guid=f"{MD5[:-8]}{int(self.lines['process'][0]['guid_of']):08x}",
            pid=self.pid,
            host=platform.node(),
            gpus=len(self.gpus),
            regions=tuple(
                Region(
                    one["name"],
                    one["start"],
                    one["end"],
                    one["tid"],
                    one["category"],
                    correlation=one.get("correlation") or None,
                )
                for one in self.lines["region"]
            ),
            samples=(*self._counters(counter_name), *self._memory()),
            gpu_names=tuple(one["name"] for one in self.gpus),
            kernel_ids={one["name"]: one["id"] for one in self.lines["kernel"]},
            command=" ".join(command_line()),
        )

    def _launches(self) -> list[Launch]:
        executions: dict[tuple[int, int], list[Line]] = defaultdict(list)
        for one in self.lines["dispatch"]:
            executions[one["gpu"], one["id"]].append(one)
        return [
            Launch(
                id=number,
                executions=tuple(Execution(one["start"], one["end"]) for one in lines),
                kernel=self.kernel(lines[0]["kernel"]),
                gpu=gpu,
                queue=lines[0]["queue"],
                stream=lines[0]["queue"],
                grid=(lines[0]["grid_x"], lines[0]["grid_y"], lines[0]["grid_z"]),
                workgroup=(lines[0]["workgroup_x"], lines[0]["workgroup_y"], lines[0]["workgroup_z"]),
                tid=lines[0]["tid"],
                correlation=lines[0]["correlation"],
            )
            for (gpu, number), lines in executions.items()
        ]

    def _counters(self, form: str) -> list[Samples]:
        points: dict[tuple[str, int], list[tuple[int, float]]] = defaultdict(list)
        for one in self.lines["counter"]:
            # Values pass through a whole number there.
            points[one["name"], one["gpu"]] += [(one["start"], int(one["value"])), (one["end"], 0)]
        return [
            Samples(form.format(name, gpu), tuple(values), "rocm_counter_collection", "Unit Count", gpu)
            for (name, gpu), values in points.items()
        ]

    def _memory(self) -> list[Samples]:
        points = tuple((one["time"], float(10 + n)) for n, one in enumerate(self.lines["memory"]))
        return [Samples("Peak Memory", points)]


def command_line() -> list[str]:
    """That of the application, which waits for this program."""
    words = Path(f"/proc/{os.getppid()}/cmdline").read_bytes().split(b"\0")
    return [word.decode(errors="replace") for word in words if word]


def write_trace(outputs: Outputs, path: Path) -> None:
    from handmade_foreign_trace import rocprof_sys_trace  # its classes take a while to load

    plain = truth(os.environ.get("STANDIN_PLAIN", ""))
    by_stream = os.environ.get("STANDIN_BY") == "stream"
    data = rocprof_sys_trace(
        outputs.run(os.environ.get("STANDIN_COUNTER_NAME", "GPU {} [{}]")),
        compressed=truth(os.environ.get("STANDIN_COMPRESSED", "")),
        by="stream" if by_stream and not outputs.is_on("ROCPROFSYS_ROCM_GROUP_BY_QUEUE", otherwise=False) else "queue",
        annotated=outputs.is_on("ROCPROFSYS_PERFETTO_ANNOTATIONS", otherwise=True),
        interned=not plain,
        differences=not plain,
        by_thread=not plain,
        service=not plain,
        cleared_every=int(os.environ.get("STANDIN_CLEARED_EVERY", "0")),
        first_track=outputs.pid * 0x9E37_79B9_7F4A_7C15 % (1 << 63),
    )
    path.write_bytes(data)


def write_database(outputs: Outputs, path: Path) -> None:
    """In 2025 without counters (they came with PR #1305 and #1439), and with the text of the template as its guid."""
    run = outputs.run(" GPU {} [{}]")
    if os.environ.get("STANDIN_AGE") == "2025":
        run = replace(run, samples=tuple(one for one in run.samples if one.gpu is None))
        write_rocprof_sys(path, run)
    else:
        write_rocprof_sys(path, run, metadata_guid=run.guid)


def wall_clock(outputs: Outputs) -> dict[str, list[float]]:
    """Seconds of each label: regions, and kernels, all executions."""
    found: dict[str, list[float]] = defaultdict(list)
    for one in outputs.lines["region"]:
        found[one["name"]].append((one["end"] - one["start"]) / 1e9)
    for one in outputs.lines["dispatch"]:
        found[outputs.kernel(one["kernel"])].append((one["end"] - one["start"]) / 1e9)
    return found


def table(title: str, metric: str, unit: str, rows: dict[str, list[float]]) -> str:
    """A timemory table: |label|count|depth|metric|units|sum|mean|min|max|."""
    width = max([len(label) + 10 for label in rows] + [20])
    heads = ("COUNT", "DEPTH", "METRIC", "UNITS", "SUM", "MEAN", "MIN", "MAX")
    lines = [f"| {title}", f"| {'LABEL':^{width}} | " + " | ".join(f"{head:^10}" for head in heads) + " |"]
    for label, values in rows.items():
        numbers = (sum(values), sum(values) / len(values), min(values), max(values))
        cells = [
            f"{len(values):>10}",
            f"{0:>10}",
            f"{metric:>10}",
            f"{unit:>10}",
            *(f"{one:>10.6f}" for one in numbers),
        ]
        lines.append(f"| {'|0>>> ' + label:<{width}} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def write_profile(outputs: Outputs, names: Names) -> None:
    rows = wall_clock(outputs)
    if outputs.is_on("ROCPROFSYS_TEXT_OUTPUT", otherwise=True):
        path = names.path("wall_clock", "txt")
        path.write_text(table("REAL-CLOCK TIMER (I.E. WALL-CLOCK TIMER)", "wall_clock", "sec", rows), encoding="utf-8")
        outputs.written["text"]["wall_clock"].append(str(path))
    if outputs.is_on("ROCPROFSYS_JSON_OUTPUT", otherwise=True):
        path = names.path("wall_clock", "json")
        graph = [{"prefix": f"|0>>> {label}", "entry": {"laps": len(v), "value": sum(v)}} for label, v in rows.items()]
        path.write_text(json.dumps({"timemory": {"wall_clock": {"ranks": [{"graph": graph}]}}}), encoding="utf-8")
        outputs.written["json"]["wall_clock"].append(str(path))
    of_counters: dict[tuple[int, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    by_id = {one["id"]: outputs.kernel(one["kernel"]) for one in outputs.lines["dispatch"]}
    for one in outputs.lines["counter"]:
        of_counters[one["gpu"], one["name"]][by_id.get(one["dispatch"], "kernel")].append(one["value"])
    for (gpu, name), values in of_counters.items():
        label = f"rocprof-device-{gpu}-{name}"
        path = names.path(label, "txt")
        path.write_text(table(name.upper(), name, "Count", values), encoding="utf-8")
        outputs.written["text"][label].append(str(path))


def write_metadata(outputs: Outputs, path: Path) -> None:
    settings = {
        name: {"name": name.removeprefix("ROCPROFSYS_").lower(), "environ": name, "value": outputs.text(name)}
        for name in sorted({*outputs.of_files, *(one for one in os.environ if one.startswith("ROCPROFSYS_"))})
    }
    files = {
        kind: [{"key": key, "value": paths} for key, paths in sorted(keys.items())]
        for kind, keys in sorted(outputs.written.items())
    }
    metadata = {
        "info": {"PWD": str(Path.cwd()), "ROCPROFSYS_VERSION": "1.6.0", "ROCPROFSYS_SYSTEM_NAME": platform.system()},
        "settings": {**settings, "command_line": command_line()},
        "environment": [{"key": name, "value": value} for name, value in sorted(os.environ.items())],
        "output": files,
    }
    document = {"rocprofiler-systems": {"metadata": metadata}}
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def main(path: Path) -> None:
    outputs = Outputs.read(path)
    names = Names(outputs.text, outputs.is_on, outputs.pid, outputs.lines["process"][0]["ppid"], command_line())
    if outputs.trace:
        target = names.trace()
        write_trace(outputs, target)
        outputs.written["protobuf"]["perfetto"].append(str(target))
    if outputs.is_on("ROCPROFSYS_USE_ROCPD", otherwise=False):
        target = names.path("rocpd", "db")
        target.unlink(missing_ok=True)
        write_database(outputs, target)
    if outputs.is_on("ROCPROFSYS_PROFILE", otherwise=not outputs.trace):
        write_profile(outputs, names)
    write_metadata(outputs, names.path("metadata", "json"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
