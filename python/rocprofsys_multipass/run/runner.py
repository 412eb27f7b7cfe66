# SPDX-License-Identifier: MIT
"""One run from end to end: check, prepare, start the application, export what was captured.

Everything that can be found wrong is found before the application starts. After that nothing is raised: what went
wrong is in the result, beside what was saved.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rocprofsys_multipass.config import (
    application_name,
    expand_output,
    launcher_rank,
    resolve_run,
    unknown_variables,
)
from rocprofsys_multipass.errors import ExitCode, OutputError, UsageError
from rocprofsys_multipass.native import Native, find_native
from rocprofsys_multipass.run.directory import RunDirectory, prepare
from rocprofsys_multipass.run.environment import TOOL_VARIABLE, child_environment
from rocprofsys_multipass.run.export import export_journal, output_files, read_summary
from rocprofsys_multipass.run.process import find_program, run_child
from rocprofsys_multipass.run.simulate import check_devices

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocprofsys_multipass.config import RunConfig

HANDOVER_SCHEMA = 1


@dataclass(frozen=True)
class Run:
    """What a run left behind.

    `exit_code` is what the command ends with: the application's own when it failed, else one of `ExitCode`.
    `summaries` has one summary (schema 1) per process that used a GPU, `files` all files of the run. `stdout` and
    `stderr` are empty unless they were captured.
    """

    exit_code: int
    child_exit_code: int
    output_dir: Path
    files: tuple[Path, ...]
    summaries: tuple[dict[str, Any], ...]
    warnings: tuple[str, ...]
    errors: tuple[str, ...]
    stdout: str = ""
    stderr: str = ""

    @property
    def summary(self) -> dict[str, Any] | None:
        """The summary of the first process; None when no process used a GPU."""
        return self.summaries[0] if self.summaries else None


def run(  # noqa: PLR0913 - the options of a run, by keyword only
    command: Sequence[str | os.PathLike[str]],
    *,
    events: str | Sequence[str] | None = None,
    simulate: str | Sequence[str] | None = None,
    output: str | os.PathLike[str] | None = None,
    overwrite: bool | None = None,
    replay: str | None = None,
    formats: str | Sequence[str] | None = None,
    groups: Sequence[str | Sequence[str]] | None = None,
    quiet: bool | None = None,
    verbose: bool | None = None,
    env: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    capture: bool = False,
) -> Run:
    """Run an application and collect `events` for every kernel it launches.

    Args:
        command: the application and its arguments.
        events: counters, as a list or in the grammar of ``ROCPROFSYS_ROCM_EVENTS``.
        simulate: simulated devices in place of the GPUs: "gfx942", or several.
        output: folder for the files; ``%pid% %ppid% %rank% %hostname% %env{NAME}%`` are expanded.
        overwrite: remove the files of an earlier run in that folder.
        replay: "auto", "kernel" or "off".
        formats: of "perfetto" and "rocpd".
        groups: counters that must be read in one pass, each a list or a text "A,B".
        quiet: let the plugin print only warnings and errors.
        verbose: let it say more.
        env: environment of the application and of the options that are not given; default: this process's.
        cwd: folder that the application starts in; it does not change what `output` is relative to.
        capture: keep the application's output in `Run.stdout` and `Run.stderr`.

    Raises:
        UsageError, ConfigError: something asked for is wrong.
        LaunchError: the application or a part of this package is missing.
        OutputError: the folder cannot be written or holds an earlier run.
        After the application has started nothing is raised: see `Run.errors`.
    """
    words = [os.fspath(word) for word in command]
    if not words:
        message = "no application was given: put its command line after '--'"
        raise UsageError(message)
    environ = dict(os.environ if env is None else env)
    given = {
        "events": events if events is None or isinstance(events, str) else ",".join(events),
        "simulate": simulate if simulate is None or isinstance(simulate, str) else ",".join(simulate),
        "output": None if output is None else os.fspath(output),
        "overwrite": overwrite,
        "replay": replay,
        "format": formats if formats is None or isinstance(formats, str) else ",".join(formats),
        "group": None if groups is None else ";".join(g if isinstance(g, str) else ",".join(g) for g in groups),
        "quiet": quiet,
        "verbose": verbose,
    }
    config = resolve_run(words, given, environ)
    return _Runner(words, config, environ, None if cwd is None else os.fspath(cwd)).run(capture=capture)


class _Runner:
    def __init__(self, command: list[str], config: RunConfig, environ: dict[str, str], cwd: str | None) -> None:
        self._command = command
        self._config = config
        self._environ = environ
        self._cwd = cwd
        self._warnings = unknown_variables(environ)
        self._errors: list[str] = []

    def run(self, *, capture: bool) -> Run:
        native = find_native(self._environ)
        exporter = native.exporter
        simulator = check_devices(self._config.simulate, native)
        find_program(self._command[0], self._environ, self._cwd)
        path, warnings = expand_output(self._config.output, self._environ)
        self._warnings += warnings + self._launch_warnings()
        directory = prepare(path, overwrite=self._config.overwrite, rank=launcher_rank(self._environ))
        child, out, err = self._launch(native, directory, simulator, capture=capture)
        summaries, files = self._export(exporter, directory)
        return Run(
            exit_code=child or self._own_exit_code(summaries),
            child_exit_code=child,
            output_dir=path,
            files=tuple(files),
            summaries=tuple(summaries),
            warnings=tuple(self._warnings),
            errors=tuple(self._errors),
            stdout=out,
            stderr=err,
        )

    def _launch(
        self, native: Native, directory: RunDirectory, simulator: Path | None, *, capture: bool
    ) -> tuple[int, str, str]:
        handover: Path | None = None
        started = False
        try:
            handover = directory.write_config(self._handover(directory.path))
            environ = child_environment(
                self._environ,
                plugin=native.plugin.absolute(),
                config=handover,
                simulate=self._config.simulate,
                simulator=simulator,
            )
            result = run_child(self._command, environ, cwd=self._cwd, capture=capture)
            started = True
        finally:
            if not started:
                directory.abandon(handover)
        return result

    def _handover(self, output: Path) -> dict[str, object]:
        """Everything that the plugin needs, in one file: launchers of rocprof-sys rewrite other variables."""
        return {
            "schema": HANDOVER_SCHEMA,
            "events": self._config.events,
            "groups": [list(group) for group in self._config.groups],
            "output": str(output),
            "replay": self._config.replay,
            "formats": list(self._config.formats),
            "spawn_exporter": False,
            "quiet": self._config.quiet,
            "verbose": self._config.verbose,
        }

    def _launch_warnings(self) -> list[str]:
        """What is wrong but no reason to stop. Tokens of the list that cannot be used are named by the plugin."""
        warnings = []
        behind_launcher = application_name(self._command) != Path(self._command[0]).name
        if behind_launcher and self._environ.get(TOOL_VARIABLE):
            warnings.append(
                f"{Path(self._command[0]).name} rewrites {TOOL_VARIABLE}: of its entries only the plugin is loaded"
            )
        return warnings

    def _export(self, exporter: Path, directory: RunDirectory) -> tuple[list[dict[str, Any]], list[Path]]:
        summaries: list[dict[str, Any]] = []
        files: list[Path] = []
        journals = directory.journals()
        for journal in journals:
            try:
                export_journal(exporter, journal, self._config.formats)
                summaries.append(read_summary(journal))
            except OutputError as error:
                self._errors.append(str(error))
            files += output_files(journal, self._config.formats)
        if not journals:
            self._warnings.append(_nothing_captured(simulated=bool(self._config.simulate)))
        return summaries, files

    def _own_exit_code(self, summaries: list[dict[str, Any]]) -> ExitCode:
        """The exit code of a run whose application succeeded."""
        if self._errors:
            return ExitCode.OUTPUT_FAILED
        agents = [agent for summary in summaries for agent in summary.get("agents", ())]
        if agents and not any(agent.get("pass_count") for agent in agents):
            self._errors.append("none of the counters asked for could be read on any GPU: see the warnings")
            return ExitCode.PLAN_IMPOSSIBLE
        return ExitCode.OK


def _nothing_captured(*, simulated: bool) -> str:
    """Why there may be no journal."""
    causes = [
        "the plugin said above why it does not profile",
        "the application made no call to HIP, HSA or another ROCm runtime",
    ]
    if simulated:
        causes.append("it was not built against the simulated HIP (see: rocprof-sys-multipass sim-flags)")
    else:
        causes.append("its ROCm runtime has no rocprofiler-sdk 1.0 or newer that could load the plugin")
    causes.append("it ended by _exit or a signal before its first call")
    return "nothing was captured. Possible causes: " + "; ".join(causes)
