# SPDX-License-Identifier: MIT
"""A run under rocprof-sys: what is asked for, whether its counters are taken, and what is started then."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rocprofsys_multipass.config import SECTIONS, Elsewhere, has_token, readable, resolve_run, tokens
from rocprofsys_multipass.errors import LaunchError, PlanError, UsageError
from rocprofsys_multipass.plan import request_plan
from rocprofsys_multipass.rocprof_sys.command import CommandLine, parse_command
from rocprofsys_multipass.rocprof_sys.found import Found, find_settings
from rocprofsys_multipass.rocprof_sys.instrumented import is_instrumented
from rocprofsys_multipass.rocprof_sys.launch import output_path, polled_counters
from rocprofsys_multipass.rocprof_sys.options import EVENTS, POLLED
from rocprofsys_multipass.rocprof_sys.takeover import refuse_streamed, refuse_unreadable, take_over
from rocprofsys_multipass.run.polled import check_polled
from rocprofsys_multipass.spelling import plural

if TYPE_CHECKING:
    from rocprofsys_multipass.config import RunConfig, Wording
    from rocprofsys_multipass.run.directory import RunDirectory
    from rocprofsys_multipass.run.handover import Handover

_TOOL: Final = re.compile(r"rocprof-sys-(?:run|sample|causal|python|instrument)\b")

_PLUGINS: Final = (
    "group",
    "sentinel",
    "instances",
    "format",
    "compute-release",
    "layout",
    "trace-counters",
    *SECTIONS["which launches are counted"],
    *SECTIONS["how launches are replayed"],
)
"""Options that the plugin heeds and rocprof-sys does not."""


class Hosted:
    """A command line that starts rocprof-sys, and what becomes of its counters.

    `notes` and `warnings`: what to tell. `left_alone`: it is started as the user wrote it, without the plugin.
    """

    def __init__(self, found: Found, environ: Mapping[str, str], folder: Path) -> None:
        self.found = found
        self._environ = environ
        self._folder = folder
        self.notes: list[str] = []
        self.warnings: list[str] = []
        self.left_alone = found.tells
        if found.tells:
            self.notes.append("rocprof-sys starts no application with this command line: nothing is collected")

    @property
    def elsewhere(self) -> Elsewhere:
        """Its list of counters, for `resolve_run`."""
        giving = self.found.effective(EVENTS)
        hints = ["or give rocprof-sys a list (-G, ROCPROFSYS_ROCM_EVENTS, a configuration file), which is then taken"]
        hints += [
            f"{giving.name} is empty, which hides the list of {one.place}: unset it"
            for one in self.found.givings
            if giving is not None and not has_token(giving.value) and one.name == EVENTS and has_token(one.value)
        ]
        hints += [f"{file.path} is not used here: {file.fault}" for file in self.found.files.values() if file.fault]
        hints += [f"a preset ({name}) is not read here" for name in self.found.presets]
        hints += [
            f"that of --preset {name} is taken where its file is named, --preset={path}"
            for name, path in self.found.counting_presets
        ]
        hints += [
            f"{file.path} is not read here, since it is XML" for file in self.found.files.values() if file.kind == "xml"
        ]
        return Elsewhere(
            events=giving.value if giving else "",
            place=giving.place if giving else EVENTS,
            hint="; ".join(hints),
            needed=not self.found.tells,
        )

    @property
    def output_path(self) -> Path:
        """Where rocprof-sys writes; it may hold keys."""
        return output_path(self.found, self._folder)

    def handed_over(self) -> dict[str, Any]:
        """Members of the hand-over file."""
        polled = readable(polled_counters(self.found))  # JSON has text only
        members: dict[str, Any] = {"rocprof_sys": {"output_path": readable(str(self.output_path))}}
        return members | ({"polled": polled} if polled else {})

    def decide(self, config: RunConfig, wording: Wording) -> None:
        """Whether the plugin collects: not where rocprof-sys itself can, of a list that was given to it.

        Raises:
            ConfigError: rocprof-sys has counters that cannot be taken from it.
        """
        if self.left_alone:
            return
        refuse_unreadable(self.found)
        refuse_streamed(self.found)
        self._warn_of_unread()
        source = config.source("events")
        if source.kind != "fallback" or not has_token(config.events):
            self._warn_of_two_lists(config, source.text)
            return
        said = f"{source.text}: the list ({plural(len(tokens(config.events)), 'counter')})"
        wants_more = config.sets or config.compute_panels or config.warm_up_pass or config.timing_pass or config.force
        self.left_alone = not wants_more and self._fits_one_pass(config, wording)
        if not self.left_alone:
            self.notes.append(f"{said} is taken from rocprof-sys and collected by the plugin")
            return
        force = wording.option("force")
        self.notes.append(
            f"{said} fits one pass on each GPU, so rocprof-sys is left alone to collect it: give {force} to have the "
            "plugin collect it"
        )
        self.warnings += [
            f"{config.source(name).text}: it has no effect, since rocprof-sys is left alone: give {force}"
            for name in _PLUGINS
            if config.source(name).kind != "default"
        ]
        self._check_polled(config, wording)

    def _check_polled(self, config: RunConfig, wording: Wording) -> None:
        giving = self.found.effective(POLLED)
        if giving is not None:
            self.warnings += check_polled(giving.value, giving.place, config.simulate, wording, self._environ)

    def _warn_of_unread(self) -> None:
        self.warnings += [
            f"{file.path}: {file.fault}, so it is not read here: see that rocprof-sys is asked for no counters in it"
            for file in self.found.files.values()
            if file.fault
        ]
        self.warnings += [
            f"--preset {name}: what it sets is not known here: see that it has no counters (rocprof-sys-run --explain "
            f"{name}), or name a file with it (--export-config=FILE), which is read"
            for name in self.found.presets
        ]

    def _warn_of_two_lists(self, config: RunConfig, ours: str) -> None:
        giving = self.found.effective(EVENTS)
        if giving is not None and tokens(giving.value) - tokens(config.events):
            self.warnings.append(
                f"{giving.place}: it is not collected, since {ours} names the counters, and taken from rocprof-sys, so "
                "that one tool counts: add there what is wanted of it"
            )

    def _fits_one_pass(self, config: RunConfig, wording: Wording) -> bool:
        """Whether rocprof-sys can collect the list. Of what it cannot, it ends the application, or used to."""
        try:
            plan, _ = request_plan(
                events=config.events,
                groups=config.groups,
                live=True,
                simulate=config.simulate,
                wording=wording,
                environ=self._environ,
            )
        except (PlanError, LaunchError) as error:
            self.notes.append(f"no GPU can be seen here, so whether one pass would do is not known ({error})")
            return False
        if ends := [*(one.token for one in plan.unknown), *(one.token for one in plan.ignored)]:
            shown = ", ".join(f"'{token}'" for token in ends)
            self.notes.append(f"{shown}: no counter for rocprof-sys, which may end the application")
            return False
        counts = {agent.pass_count for agent in plan.agents}
        return max(counts) == 1 and not any(agent.unplaceable for agent in plan.agents)

    def take(
        self, environ: Mapping[str, str], directory: RunDirectory, handover: Handover
    ) -> tuple[list[str], dict[str, str]]:
        """The command line and environment to start in place of the user's; copies of files are written.

        Raises:
            ConfigError: rocprof-sys cannot be given a copy from this folder.
            OutputError: one cannot be written.
        """

        def name_copy(number: int, suffix: str) -> Path:
            return directory.path / f"{handover.stem}-rocprof-sys-{number}{suffix}"

        taken = take_over(self.found, environ, name_copy)
        for copy in taken.copies:
            directory.write_copy(copy.path, copy.content)
            self.notes.append(f"{copy.source}: rocprof-sys is given a copy without what is taken, {copy.path}")
        return list(taken.command), dict(taken.environ)

    def spare(self, environ: Mapping[str, str], folder: Path) -> tuple[list[str], dict[str, str]]:
        """As `take`, for a process that is not collected: nothing is replayed there, and rocprof-sys traces kernels.

        Raises:
            ConfigError, OSError: no copy can be made in this folder.
        """

        def name_copy(number: int, suffix: str) -> Path:
            return folder / f"rocprof-sys-{number}{suffix}"

        taken = take_over(self.found, environ, name_copy, kernels=False)
        for copy in taken.copies:
            copy.path.write_bytes(copy.content)
        return list(taken.command), dict(taken.environ)


def configure(
    words: Sequence[str], given: Mapping[str, Any], environ: Mapping[str, str], wording: Wording, cwd: str | None = None
) -> tuple[RunConfig, Hosted | None]:
    """The configuration of a run of this command line, and rocprof-sys in it, if it is there.

    Raises:
        UsageError, ConfigError: as `resolve_run`.
    """
    line = parse_command(words)
    folder = Path(cwd or ".")
    host = None
    if line.launchers or _starts_instrumented(line, environ, folder):
        folder = _absolute(folder)
        host = Hosted(find_settings(line, environ, folder), environ, folder)
    elsewhere = host.elsewhere if host else _unseen(words, environ)
    return resolve_run([line.application_name], given, environ, wording, elsewhere=elsewhere), host


def _unseen(words: Sequence[str], environ: Mapping[str, str]) -> Elsewhere | None:
    """With a hint, where a word tells of rocprof-sys, as those of a shell do, and no launcher of it is seen."""
    if not (told := next(filter(None, map(_TOOL.search, words)), None)):
        return None
    hint = (
        f"what {told[0]} is given in '{told.string}' is not read here: put rocprof-sys-run or rocprof-sys-sample "
        "first, with its options as words of the command line"
    )
    return Elsewhere(environ.get(EVENTS, ""), EVENTS, hint)


def _absolute(folder: Path) -> Path:
    try:
        return folder.absolute()
    except FileNotFoundError:
        message = "the working directory does not exist any more: change to another one"
        raise UsageError(message) from None


def _starts_instrumented(line: CommandLine, environ: Mapping[str, str], folder: Path) -> bool:
    """Whether the application is one that rocprof-sys-instrument wrote."""
    if line.application is None:
        return False
    word = line.words[line.application]
    path = word if "/" in word else shutil.which(word, path=environ.get("PATH"))
    return path is not None and is_instrumented(folder / path)
