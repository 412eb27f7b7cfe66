# SPDX-License-Identifier: MIT
"""Checks of the summary: its own sums, the journal that it was made of, and the files that it names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from rocprofsys_multipass.trace.agent import Agent
from rocprofsys_multipass.trace.guard import shown
from rocprofsys_multipass.trace.model import OUTCOMES, Process
from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.registry import check
from rocprofsys_multipass.verify.wording import ABSENT, unlike

SCHEMA: Final = 1
_PROOFS: Final = ("bound", "search")  # library/journal/journal.proto
FORMATS: Final = ("journal", "perfetto", "rocpd")
_AGAIN: Final = "write the summary again with `rocprof-sys-multipass export`"
# docs/formats/summary.md: members may be added, none is left out.
_MEMBERS: Final = (
    "tool_version",
    "sdk",
    "command",
    "pid",
    "rank",
    "host",
    "replay_mode",
    "sets",
    "agents",
    "dispatches",
    "readings",
    "kernels",
    "files",
    "warnings",
)


def _error(evidence: Evidence, check_id: str, member: str, message: str) -> Finding:
    name = evidence.summary_path.name if evidence.summary_path else evidence.name
    return Finding("error", check_id, f"{name}: {member}", message, _AGAIN)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


@check("summary", remedy=_AGAIN)
def summary(evidence: Evidence) -> Iterator[Finding]:
    """The summary is complete, its counts add up, and it says what the journal says, or the database without one."""
    content = evidence.summary
    if content is None:
        return
    if content.get("schema") != SCHEMA:
        yield _error(evidence, "summary", "schema", f"it is {shown(content.get('schema'))}, not {SCHEMA}")
        return
    for member in _MEMBERS:
        if member not in content:
            yield _error(evidence, "summary", member, "the member is missing")
    if "dispatches" in content:
        yield from _counts(evidence, content["dispatches"])
    if "capture" in content:  # not in those of earlier versions
        yield from _capture(evidence, content["capture"])
    if evidence.journal is not None:
        expected = _of_journal(evidence.journal)
        yield from _differences(evidence, content, expected, "the journal")
        yield from _warnings(evidence, content, evidence.journal)
    elif len(evidence.from_database) == 1 and any(agent.passes for agent in evidence.from_database[0].agents):
        yield from _differences(evidence, content, _of_database(evidence.from_database[0]), "the database")


def _counts(evidence: Evidence, counts: object) -> Iterator[Finding]:
    if not isinstance(counts, dict):
        yield _error(evidence, "summary", "dispatches", f"it is {shown(counts)}, not an object")
        return
    names = ("seen", *OUTCOMES)
    wrong = [name for name in names if not _is_count(counts.get(name))]
    for name in wrong:
        message = f"{name} is {shown(counts[name])}, not a count" if name in counts else f"{name} is missing"
        yield _error(evidence, "summary", "dispatches", message)
    total = sum(counts[outcome] for outcome in OUTCOMES if outcome not in wrong)
    if not wrong and counts["seen"] != total:
        yield _error(evidence, "summary", "dispatches", f"seen is {counts['seen']}, the outcomes add up to {total}")
    recorded = [d for process in evidence.best for d in process.dispatches]
    by_outcome = Counter(d.outcome for d in recorded)
    for outcome in OUTCOMES:
        if outcome not in wrong and counts[outcome] != by_outcome[outcome]:
            message = f"{counts[outcome]} {outcome}, {by_outcome[outcome]} are recorded"
            yield _error(evidence, "summary", "dispatches", message)
    for outcome in ("declined", "filtered", "replayed"):
        name = f"{outcome}_reasons"
        if name not in counts and outcome != "declined":
            continue  # of an earlier version
        found = [d.reason for d in recorded if d.outcome == outcome]
        reasons = dict(Counter(reason for reason in found if reason or outcome != "replayed"))
        if evidence.journal is not None and counts.get(name) != reasons:
            message = unlike(name, counts.get(name), reasons, "the journal")
            yield _error(evidence, "summary", "dispatches", message)
    yield from _kernels(evidence, counts)


def _capture(evidence: Evidence, told: object) -> Iterator[Finding]:
    """How much of the run is in the journal: what it says of that itself, and no damage, is compared."""
    if not isinstance(told, dict):
        yield _error(evidence, "summary", "capture", f"it is {shown(told)}, not an object")
        return
    fitting = {
        "ended": lambda value: isinstance(value, bool),
        "error": lambda value: isinstance(value, str),
        "in_flight": lambda value: value is None or _is_count(value),
        **dict.fromkeys(("records_lost", "damaged_bytes", "damaged_frames"), _is_count),
    }
    for name, fits in fitting.items():
        if not fits(told.get(name, ABSENT)):
            yield _error(evidence, "summary", "capture", f"{name} is {shown(told.get(name, ABSENT))}")
    if (journal := evidence.journal) is None:
        return
    right = {"ended": journal.closed, "in_flight": journal.in_flight, "records_lost": journal.records_lost}
    for name, value in right.items():
        if fitting[name](there := told.get(name, ABSENT)) and there != value:
            yield _error(evidence, "summary", "capture", unlike(name, there, value, "the journal"))


def _kernels(evidence: Evidence, counts: Mapping[str, Any]) -> Iterator[Finding]:
    """The outcomes of the kernels add up to those of all; an earlier version has none."""
    content = evidence.summary or {}
    each = [*content.get("kernels_agreement", ()), content.get("kernels_agreement_rest")]
    outcomes = [one["outcomes"] for one in each if isinstance(one, dict) and isinstance(one.get("outcomes"), dict)]
    for name in OUTCOMES if outcomes else ():
        total = sum(one[name] for one in outcomes if _is_count(one.get(name)))
        if total != counts.get(name):
            message = f"{total} {name} in the outcomes of all kernels, {counts.get(name)} in dispatches"
            yield _error(evidence, "summary", "kernels_agreement", message)


def _of_journal(journal: Process) -> dict[str, Any]:
    """The members as the journal has them."""
    return {
        "tool_version": journal.tool_version,
        "sdk": {
            "version": journal.sdk_version,
            "library": journal.sdk_library,
            "simulated": journal.simulated,
            "kernel_replay": journal.kernel_replay,
        },
        "command": list(journal.command),
        "pid": journal.pid,
        "rank": journal.rank,
        "host": journal.hostname,
        # A journal that is damaged from its first frame on does not tell it.
        **({"replay_mode": journal.replay_mode} if journal.replay_mode else {}),
        "sets": list(journal.sets),
        "warm_up_pass": journal.warm_up_pass,
        "timing_pass": journal.timing_pass,
        "permute_groups": journal.permute_groups,
        "agents": [_agent(agent) for agent in journal.agents if agent.gpu],
        "readings": journal.values_recorded,
        "kernels": len({d.symbol.id for d in journal.dispatches}),
    }


def _of_database(process: Process) -> dict[str, Any]:
    """The members as the database has them; it has fewer, and an index of its own."""
    told = ("device", "name", "pass_count", "passes", "sentinels")
    agents = [_agent(agent) for agent in process.agents if agent.gpu]
    sdk = {
        "version": process.sdk_version or None,
        "simulated": process.simulated,
        "kernel_replay": process.kernel_replay,
    }
    return {
        "sdk": {name: value for name, value in sdk.items() if value is not None},
        "pid": process.pid,
        "replay_mode": process.replay_mode,
        "sets": list(process.sets),
        "agents": [{name: agent[name] for name in told} for agent in agents],
    }


def _agent(agent: Agent) -> dict[str, Any]:
    return {
        "index": agent.index,
        "device": agent.device,
        "name": agent.name,
        "pass_count": len(agent.passes),
        "lower_bound": agent.lower_bound,
        "proven_minimal": agent.proof in _PROOFS,
        "passes": [list(p.counters) for p in agent.passes],
        "sentinels": [list(p.sentinels) for p in agent.passes],
        "unplaceable": [{"counter": u.counter, "reason": u.reason} for u in agent.unplaceable],
    }


def _differences(
    evidence: Evidence, content: Mapping[str, Any], expected: Mapping[str, Any], source: str
) -> Iterator[Finding]:
    for member, value in expected.items():
        if member == "sdk":
            yield from _sdk(evidence, content.get(member, {}), value, source)
        elif member != "agents" and member in content and content[member] != value:
            yield _error(evidence, "summary", member, unlike("it", content[member], value, source))
    agents = content.get("agents", expected["agents"])
    if not isinstance(agents, list) or not all(isinstance(one, dict) for one in agents):
        yield _error(evidence, "summary", "agents", f"it is {shown(agents)}, not a list of objects")
        return
    if len(agents) != len(expected["agents"]):
        message = f"{len(agents)} GPUs, {source} has {len(expected['agents'])}"
        yield _error(evidence, "summary", "agents", message)
        return
    for position, (one, right) in enumerate(zip(agents, expected["agents"], strict=True)):
        for member, value in right.items():
            if one.get(member) != value:
                message = unlike(member, one.get(member, ABSENT), value, source)
                yield _error(evidence, "summary", f"agents[{position}]", message)


def _sdk(evidence: Evidence, told: object, right: Mapping[str, Any], source: str) -> Iterator[Finding]:
    if not isinstance(told, dict):
        yield _error(evidence, "summary", "sdk", f"it is {shown(told)}, not an object")
        return
    for member, value in right.items():
        if member in told and told[member] != value:
            message = f"it is {shown(told[member])}, {source} has {shown(value)}"
            yield _error(evidence, "summary", f"sdk.{member}", message)


def _warnings(evidence: Evidence, content: Mapping[str, Any], journal: Process) -> Iterator[Finding]:
    """What was said during the run comes first; what is wrong with the outputs follows, and is in no journal."""
    texts = content.get("warnings", [])
    if not isinstance(texts, list):
        yield _error(evidence, "summary", "warnings", f"it is {shown(texts)}, not a list")
    elif texts[: len(journal.warnings)] != list(journal.warnings):
        missing = [text for text in journal.warnings if text not in texts]
        message = f"{len(missing)} of the journal are not in it" if missing else "they do not begin as the journal's do"
        yield _error(evidence, "summary", "warnings", message)


@check("files", remedy="write the file again with `rocprof-sys-multipass export`, or keep the files of a run together")
def files(evidence: Evidence) -> Iterator[Finding]:
    """Every file that the summary names is there."""
    content = evidence.summary
    if content is None or evidence.summary_path is None or "files" not in content:
        return
    named = content["files"]
    if not isinstance(named, dict):
        yield _error(evidence, "files", "files", f"it is {shown(named)}, not an object")
        return
    for kind in FORMATS:
        if kind not in named:
            yield _error(evidence, "files", "files", f"{kind} is missing")
        path = named.get(kind)
        if path is None:
            continue
        if not isinstance(path, str) or "\0" in path or not Path(path).name:
            yield _error(evidence, "files", "files", f"{kind} is {shown(path)}, not a path")
            continue
        if not _is_there(Path(path), evidence.summary_path):
            message = f"{path}, which is named as {kind}, does not exist"
            hint = "write it again with `rocprof-sys-multipass export`"
            yield Finding("error", "files", f"{evidence.summary_path.name}: files", message, hint)


def _is_there(path: Path, summary_path: Path) -> bool:
    """Beside the summary, whose directory may have been moved or copied, or where the summary says."""
    if summary_path.with_name(path.name).is_file():
        return True
    copied = path.with_name(summary_path.name)  # with a summary of its own that is another run, or what was copied
    return path.is_file() and not copied.is_file()
