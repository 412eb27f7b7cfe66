# SPDX-License-Identifier: MIT
"""A machine made by hand for the checks of ``doctor``, and what an SDK may answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from rocprofsys_multipass.doctor.check import Check, Status
from rocprofsys_multipass.doctor.machine import Machine
from rocprofsys_multipass.doctor.probe import Probe, ProbedAgent, ProbedSdk, ProbedServices

GIB = 2**30
FINE = ProbedServices("", "", "")


def make_machine(
    root: Path, files: Mapping[str, str | bytes] | None = None, *, closed: Iterable[str] = (), **environ: str
) -> Machine:
    """A machine with these files and variables. `closed`: absolute names that this user may not open."""
    for name, content in (files or {}).items():
        path = root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    shut = {root / name.lstrip("/") for name in closed}
    return Machine(
        environ,
        root=root,
        home=root / "home/me",
        packages=(root / "venv/site-packages",),
        may=lambda path, _: path not in shut,
    )


def gpu(device: int = 0, *, counters: int = 100, reason: str = "", refused: str = "", memory: int = 0) -> ProbedAgent:
    """A GPU as the SDK lists it; node = ordinal + 1."""
    return ProbedAgent(
        index=device + 1,
        type="gpu",
        device=device,
        name="gfx942",
        product_name="",
        node_id=device + 1,
        uuid=f"{device:032x}",
        memory_bytes=memory,
        counters=counters,
        reason=reason,
        refused=refused,
    )


def probed(  # noqa: PLR0913 - what an SDK answers
    *gpus: ProbedAgent,
    replay: bool = True,
    version: str = "1.4.1",
    tool_version: str = "0.1.0",
    services: ProbedServices | None = FINE,
    copies: tuple[tuple[str, tuple[str, ...]], ...] = (),
    ended: str = "",
    said: tuple[str, ...] = (),
) -> Probe:
    """An answer of the SDK at /opt/rocm/lib."""
    kinds = ("KERNEL_DISPATCH", "MARKER_CORE_RANGE_API", *(["KERNEL_REPLAY"] if replay else []))
    sdk = ProbedSdk(
        tool_version=tool_version,
        version=version,
        library="/opt/rocm/lib/librocprofiler-sdk.so.1",
        simulated=False,
        kernel_replay=replay,
        before_replay=not replay,
        set_agents=replay,
        kinds=kinds,
        copies=copies,
    )
    return Probe(sdk, gpus, services, ended, said)


def one(checks: Iterable[Check], name: str) -> Check:
    """The only check of that name."""
    (found,) = [check for check in checks if check.id == name]
    return found


def statuses(checks: Iterable[Check], name: str) -> list[Status]:
    """Of all checks of that name."""
    return [check.status for check in checks if check.id == name]
