# SPDX-License-Identifier: MIT
"""One run from end to end: check, prepare, start the application, export what was captured.

Everything that can be found wrong is found before the application starts. After that nothing is raised: what went
wrong is in the result, beside what was saved.
"""

from __future__ import annotations

import os
import socket
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rocprofsys_multipass.config import (
    PYTHON,
    RUN_OPTIONS,
    Wording,
    application_name,
    expand_output,
    given_of,
    handover_document,
    launcher_rank,
    resolve_run,
    unknown_variables,
    unused_settings,
)
from rocprofsys_multipass.errors import ExitCode, MultipassError, OutputError, UsageError
from rocprofsys_multipass.live import check_device_files
from rocprofsys_multipass.native import Native, find_native, read_messages
from rocprofsys_multipass.run.directory import RunDirectory, prepare
from rocprofsys_multipass.run.environment import TOOL_VARIABLE, child_environment
from rocprofsys_multipass.run.export import (
    Exported,
    export_journal,
    is_early_end,
    is_loss,
    output_files,
    plugin_warnings,
    read_summary,
)
from rocprofsys_multipass.run.handover import Handover
from rocprofsys_multipass.run.journal_token import new_token
from rocprofsys_multipass.run.patterns import PATTERN_OPTIONS, check_pattern
from rocprofsys_multipass.run.process import Ended, find_program, run_child
from rocprofsys_multipass.run.tables import write_tables
from rocprofsys_multipass.run.writers import writer_of
from rocprofsys_multipass.simulate import check_devices

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocprofsys_multipass.config import RunConfig

_PLUGIN_SAYS = "rocprof-sys-multipass"  # begins each line of the plugin on stderr
_REGISTER = "ROCPROFILER_REGISTER_ENABLED"
_REFUSED = "the program runs unprofiled: "  # begins the plugin's one line of why it withdraws
_NOTHING_COLLECTED = "nothing was collected: none of the counters asked for can be read on any GPU of this run"


@dataclass(frozen=True)
class Run:
    """What a run left behind.

    `exit_code` is what the command ends with: the application's own when it failed, else one of `ExitCode`.
    `summaries` has one summary (schema 1) per process that used a GPU, `files` all files of the run. `child_signal` is
    the number of the signal that ended the application, 0 when none did. `stdout` and `stderr` are empty unless they
    were captured. `warnings` are those that nobody has seen yet; what the plugin wrote to the application's own stderr
    while that was not captured is in `live_warnings`.
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
    child_signal: int = 0
    live_warnings: tuple[str, ...] = ()

    @property
    def summary(self) -> dict[str, Any] | None:
        """The summary of the first process; None when no process used a GPU."""
        return self.summaries[0] if self.summaries else None


def run(  # noqa: PLR0913 - the options of a run, by keyword only
    command: Sequence[str | os.PathLike[str]],
    *,
    config: str | os.PathLike[str] | None = None,
    events: str | Sequence[str] | None = None,
    simulate: str | Sequence[str] | None = None,
    output: str | os.PathLike[str] | None = None,
    overwrite: bool | None = None,
    replay: str | None = None,
    sentinel: str | Sequence[str] | None = None,
    formats: str | Sequence[str] | None = None,
    groups: Sequence[str | Sequence[str]] | None = None,
    sets: str | Sequence[str] | None = None,
    kernel_include: str | None = None,
    kernel_exclude: str | None = None,
    range: str | int | Sequence[str | int] | None = None,  # noqa: A002 - the option's name
    gpus: str | int | Sequence[str | int] | None = None,
    roctx: bool | None = None,
    roctx_include: str | None = None,
    roctx_exclude: str | None = None,
    selected_regions: bool | None = None,
    no_replay: str | None = None,
    replay_everything: bool | None = None,
    max_replays: str | int | None = None,
    warm_up_pass: bool | None = None,
    timing_pass: bool | None = None,
    permute_groups: bool | None = None,
    quiet: bool | None = None,
    verbose: bool | None = None,
    env: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    capture: bool = False,
) -> Run:
    """Run an application and collect `events` for every kernel it launches.

    Args:
        command: the application and its arguments.
        config: a YAML file with options; those given here, and variables, beat it.
        events: counters, as a list or in the grammar of ``ROCPROFSYS_ROCM_EVENTS``.
        simulate: simulated devices in place of the GPUs: "gfx942", or several.
        output: folder for the files; ``%pid% %ppid% %rank% %hostname% %env{NAME}%`` are expanded.
        overwrite: remove the files of an earlier run in that folder.
        replay: "auto", "kernel", "rotate" or "off".
        sentinel: what the passes of a launch are compared by: "auto", "none", or counters.
        formats: of "perfetto", "rocpd", "csv" and "json"; default: the first two.
        groups: counters that must be read in one pass, each a list or a text "A,B".
        sets: sets of metrics whose counters are collected too; `report` shows the metrics. No `events` are needed then.
        kernel_include: count only in kernels whose demangled name this regular expression is found in.
        kernel_exclude: do not count in kernels whose demangled name this one is found in.
        range: count only in these launches of each kernel, from 1: 1, "1-3", "1,4-6".
        gpus: count only on these GPUs, from 0: 1, "0,2-3", [0, 2].
        roctx: count only inside of roctx ranges of the application.
        roctx_include: count only inside of roctx ranges in whose message this regular expression is found.
        roctx_exclude: do not count inside of roctx ranges in whose message this one is found.
        selected_regions: count only after roctxProfilerResume, until roctxProfilerPause.
        no_replay: do not replay kernels whose demangled name this regular expression is found in.
        replay_everything: replay the kernels of the built-in list of collectives and runtime kernels too.
        max_replays: replay each kernel so many times, for each grid and work-group on a GPU.
        warm_up_pass: run each replayed launch once more first, of which nothing is measured.
        timing_pass: run each replayed launch once more without counters; its times are those of the launch.
            With one of these two, passes are never said to have done the same work.
        permute_groups: let the passes of alike launches take the groups of counters in turn.
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
    _refuse_text(command)
    given = given_of(
        {
            "config": config,
            "events": events,
            "groups": groups,
            "sets": sets,
            "kernel_include": kernel_include,
            "kernel_exclude": kernel_exclude,
            "range": range,
            "gpus": gpus,
            "roctx": roctx,
            "roctx_include": roctx_include,
            "roctx_exclude": roctx_exclude,
            "selected_regions": selected_regions,
            "no_replay": no_replay,
            "replay_everything": replay_everything,
            "max_replays": max_replays,
            "warm_up_pass": warm_up_pass,
            "timing_pass": timing_pass,
            "permute_groups": permute_groups,
            "replay": replay,
            "sentinel": sentinel,
            "simulate": simulate,
            "output": output,
            "overwrite": overwrite,
            "formats": formats,
            "quiet": quiet,
            "verbose": verbose,
        }
    )
    environ = os.environ if env is None else env
    return execute(command, given, environ, PYTHON, cwd=None if cwd is None else os.fspath(cwd), capture=capture)


def execute(  # noqa: PLR0913 - what is run, how, and for whom
    command: Sequence[str | os.PathLike[str]],
    given: Mapping[str, Any],
    environ: Mapping[str, str],
    wording: Wording,
    *,
    cwd: str | None = None,
    capture: bool = False,
) -> Run:
    """As `run`, with the options by their names in `config.RUN_OPTIONS`, and messages in the caller's words."""
    words = command_words(command, wording)
    config = resolve_run(words, given, environ, wording)
    return execute_config(words, config, environ, wording, cwd=cwd, capture=capture)


def execute_config(  # noqa: PLR0913 - as above
    command: Sequence[str],
    config: RunConfig,
    environ: Mapping[str, str],
    wording: Wording,
    *,
    cwd: str | None = None,
    capture: bool = False,
) -> Run:
    """As `execute`, with options that are resolved already."""
    return _Runner(list(command), config, dict(environ), cwd, wording).run(capture=capture)


def command_words(command: Sequence[str | os.PathLike[str]], wording: Wording) -> list[str]:
    """The words of a command line.

    Raises:
        UsageError: there are none.
    """
    words = [os.fspath(word) for word in command]
    if not words:
        message = f"no application was given: {wording.give_application}"
        raise UsageError(message)
    return words


def _refuse_text(command: object) -> None:
    """A text is a sequence of its letters, which is never meant."""
    if isinstance(command, (str, bytes, os.PathLike)):
        words = command.split() if isinstance(command, str) else [os.fsdecode(command)]
        message = f"command is not a list: give the application and its arguments as one, such as run({words!r}, ...)"
        raise UsageError(message)


class _Runner:
    def __init__(
        self, command: list[str], config: RunConfig, environ: dict[str, str], cwd: str | None, wording: Wording
    ) -> None:
        self._command = command
        self._config = config
        self._environ = environ
        self._cwd = cwd
        self._wording = wording
        self._token = new_token()
        self._warnings = unknown_variables(environ)
        self._plugin_warnings: list[str] = []
        self._errors: list[str] = []
        self._summaries: list[dict[str, Any]] = []
        self._files: list[Path] = []

    def run(self, *, capture: bool) -> Run:
        native = find_native(self._environ)
        exporter = native.exporter
        for name in PATTERN_OPTIONS:
            check_pattern(getattr(self._config, RUN_OPTIONS[name].key), native, self._config.source(name))
        simulator = check_devices(self._config.simulate, native, self._config.source("simulate"))
        check_device_files(self._config.simulate, native, simulator, self._config.source("simulate"))
        find_program(self._command[0], self._environ, self._cwd)
        path, warnings = expand_output(self._config.output, self._environ)
        self._warnings += warnings + self._launch_warnings()
        rank = launcher_rank(self._environ)
        directory = prepare(path, overwrite=self._config.overwrite, rank=rank, wording=self._wording)
        handover, child = self._launch(native, directory, simulator, capture=capture)
        try:
            self._save(exporter, directory, handover, child, capture=capture)
        finally:
            handover.release()
        self._warnings += self._no_launch_counted()
        own_exit_code = self._own_exit_code(self._summaries)
        said = self._plugin_warnings
        return Run(
            exit_code=child.exit_code or own_exit_code,
            child_exit_code=child.exit_code,
            child_signal=child.signal,
            output_dir=path,
            files=tuple(self._files),
            summaries=tuple(self._summaries),
            warnings=tuple(dict.fromkeys(self._warnings + (said if capture else []))),
            live_warnings=() if capture else tuple(said),
            errors=tuple(self._errors),
            stdout=child.out,
            stderr=child.err,
        )

    def _launch(
        self, native: Native, directory: RunDirectory, simulator: Path | None, *, capture: bool
    ) -> tuple[Handover, Ended]:
        handover: Handover | None = None
        started = False
        try:
            handover = directory.write_config(
                handover_document(
                    self._config,
                    directory.path,
                    host=socket.gethostname(),
                    run_token=self._token,
                    spawn_exporter=False,
                )
            )
            environ = child_environment(
                self._environ,
                plugin=native.plugin.absolute(),
                config=handover.path,
                simulate=self._config.simulate,
                simulator=simulator,
            )
            result = run_child(self._command, environ, cwd=self._cwd, capture=capture)
            started = True
        finally:
            if not started:
                directory.abandon(handover)
        return handover, result

    def _launch_warnings(self) -> list[str]:
        """What is wrong but no reason to stop. Tokens of the list that cannot be used are named by the plugin."""
        behind_launcher = application_name(self._command) != Path(self._command[0]).name
        warnings = unused_settings(self._config, self._environ, behind_launcher=behind_launcher)
        if behind_launcher and self._environ.get(TOOL_VARIABLE):
            warnings.append(
                f"{Path(self._command[0]).name} rewrites {TOOL_VARIABLE}: of its entries only the plugin is loaded"
            )
        return warnings

    def _save(
        self, exporter: Path, directory: RunDirectory, handover: Handover, child: Ended, *, capture: bool
    ) -> None:
        """Export what was captured. The application may have done anything to the folder meanwhile."""
        if not directory.path.is_dir():
            self._errors.append(
                f"the output folder {directory.path} was removed or renamed while the application ran, and what was "
                f"captured with it: give {self._wording.give_output} that the application leaves alone"
            )
            return
        try:
            journals = directory.journals(self._token)
            for journal in journals:
                self._export(exporter, journal)
        except OSError as error:
            self._errors.append(f"the output folder {directory.path} cannot be read any more: {error}")
            return
        if not journals:
            self._warnings.append(
                _nothing_captured(self._environ, self._config.simulate, stderr=child.err if capture else None)
            )
            self._errors += _refusals(child.err) or filter(None, [directory.fault(handover)])
        if names := directory.left_over(journals):
            self._warnings.append(
                f"{directory.path} still holds files of an earlier run of other ranks ({', '.join(names)}): "
                "remove them before you verify or report the folder"
            )

    def _export(self, exporter: Path, journal: Path) -> None:
        size = journal.stat().st_size
        exported = export_journal(exporter, journal, self._config.formats)
        if any(map(is_early_end, exported.warnings)):
            if (writer := writer_of(journal)) is not None:
                self._warnings.append(
                    f"{journal}: process {writer} still runs and is recorded; its outputs hold what it had done until "
                    f"now: when it has ended, complete them with rocprof-sys-multipass recover {journal.parent}"
                )
                exported = replace(
                    exported, warnings=tuple(text for text in exported.warnings if not is_early_end(text))
                )
            elif journal.stat().st_size != size:  # it ended meanwhile
                exported = export_journal(exporter, journal, self._config.formats)
        self._warnings += exported.warnings
        if exported.error:
            self._errors.append(exported.error)
        else:
            self._read_summary(journal, exported)
        try:
            write_tables(journal, self._config.formats)
        except MultipassError as error:
            self._errors.append(str(error))
        self._files += output_files(journal, self._config.formats)

    def _read_summary(self, journal: Path, exported: Exported) -> None:
        try:
            summary = read_summary(journal)
        except OutputError as error:
            self._errors.append(str(error))
            return
        self._summaries.append(summary)
        for text in plugin_warnings(summary, journal, exported):
            if is_loss(text):
                self._errors.append(f"{journal}: {text}")
            else:
                self._plugin_warnings.append(text)

    def _no_launch_counted(self) -> list[str]:
        """That the filters left nothing to count, as a pattern with a slip does; there may be no more to see of it."""
        config = self._config
        filters = {
            "kernel-include": config.kernel_include,
            "kernel-exclude": config.kernel_exclude,
            "range": config.range,
            "gpus": config.gpus,
            "roctx-include": config.roctx_include,
            "roctx-exclude": config.roctx_exclude,
        }
        flags = {"roctx": config.roctx, "selected-regions": config.selected_regions}
        given = [f"{self._wording.option(name)} {value!r}" for name, value in filters.items() if value]
        given += [self._wording.option(name) for name, on in flags.items() if on]
        counts = [summary["dispatches"] for summary in self._summaries]
        seen = sum(count["seen"] for count in counts)
        reasons = Counter[str]()
        for count in counts:
            reasons.update(count.get("filtered_reasons", {"": count["filtered"]}))
        left_out = sum(reasons.values()) - reasons["no_counters"]  # which is the GPU's, not the user's
        told = any("no launch was collected" in text for text in self._plugin_warnings)
        if told or not given or not seen or seen != left_out:
            return []
        warning = f"no counter was read: with {' and '.join(given)} none of {seen} launches was to be counted"
        if config.kernel_include or config.kernel_exclude:
            warning += "; rocprof-sys-multipass report shows the names of kernels that patterns are searched in"
        return [warning]

    def _own_exit_code(self, summaries: list[dict[str, Any]]) -> ExitCode:
        """The exit code of a run whose application succeeded."""
        if self._errors:
            return ExitCode.OUTPUT_FAILED
        agents = [agent for summary in summaries for agent in summary.get("agents", ())]
        if agents and not any(agent.get("pass_count") for agent in agents):
            self._errors.append(_NOTHING_COLLECTED)
            return ExitCode.PLAN_IMPOSSIBLE
        return ExitCode.OK


def _refusals(stderr: str) -> list[str]:
    """Why the plugin did not profile, where its words were captured."""
    return [text for text in read_messages(stderr).errors if text.startswith(_REFUSED)]


def _nothing_captured(environ: Mapping[str, str], simulate: str, *, stderr: str | None) -> str:
    """Why there may be no journal. `stderr` None: it was not captured, so whether the plugin spoke is not known."""
    causes = []
    if stderr is not None and f"{_PLUGIN_SAYS}: " in stderr:
        causes.append("the plugin said on stderr why it does not profile")
    if environ.get(_REGISTER, "").strip().lower() in ("0", "off", "no", "false"):
        causes.append(f"{_REGISTER}={environ[_REGISTER]} keeps the runtime from loading any tool: unset it")
    if tools := environ.get(TOOL_VARIABLE):
        causes.append(f"{TOOL_VARIABLE}={tools} brings other tools, which may keep the plugin out: unset it")
    causes.append("the application made no call to HIP, HSA or another ROCm runtime")
    if simulate:
        causes.append("it was not built against the simulated HIP (see: rocprof-sys-multipass sim-flags)")
    else:
        causes.append("its ROCm runtime has no rocprofiler-sdk 1.0 or newer that could load the plugin")
    causes.append("it ended by _exit or a signal before its first call")
    lead = "Possible causes" if stderr is not None else "Unless the plugin said above why, possible causes"
    doctor = "rocprof-sys-multipass doctor" + (f" --simulate {simulate}" if simulate else "")
    return f"nothing was captured. {lead}: {'; '.join(causes)}; see: {doctor}"
