# SPDX-License-Identifier: MIT
"""One run from end to end: check, prepare, start the application, export what was captured.

Everything that can be found wrong is found before the application starts. After that nothing is raised: what went
wrong is in the result, beside what was saved.
"""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rocprofsys_multipass.config import (
    RUN_OPTIONS,
    Wording,
    expand_output,
    handover_document,
    launcher_rank,
    launcher_size,
    left_out_rank,
    unknown_variables,
    unused_settings,
)
from rocprofsys_multipass.config.values import COMPUTE
from rocprofsys_multipass.errors import ConfigError, UsageError
from rocprofsys_multipass.live import check_device_files
from rocprofsys_multipass.native import Native, find_native
from rocprofsys_multipass.rocprof_sys.command import cut_off, parse_command
from rocprofsys_multipass.run.afterwards import idle_filters, unasked_simulation
from rocprofsys_multipass.run.directory import RunDirectory, prepare
from rocprofsys_multipass.run.environment import RESOLVED_VARIABLE, TOOL_VARIABLE, child_environment
from rocprofsys_multipass.run.exit_code import own_exit_code
from rocprofsys_multipass.run.handover import Handover
from rocprofsys_multipass.run.hosted import Hosted, configure
from rocprofsys_multipass.run.journal_token import new_token
from rocprofsys_multipass.run.merging import merge_run, now_ns
from rocprofsys_multipass.run.patterns import PATTERN_OPTIONS, check_pattern
from rocprofsys_multipass.run.process import Ended, find_program, run_child
from rocprofsys_multipass.run.progress import progress_on
from rocprofsys_multipass.run.result import Run
from rocprofsys_multipass.run.saving import Saved
from rocprofsys_multipass.run.words import command_words
from rocprofsys_multipass.simulate import check_devices, simulated_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rocprofsys_multipass.config import RunConfig
    from rocprofsys_multipass.merge import MergeResult


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
    config, host = configure(words, given, environ, wording, cwd)
    return execute_config(words, config, environ, wording, host=host, cwd=cwd, capture=capture)


def execute_config(  # noqa: PLR0913 - as above
    command: Sequence[str],
    config: RunConfig,
    environ: Mapping[str, str],
    wording: Wording,
    *,
    host: Hosted | None = None,
    cwd: str | None = None,
    capture: bool = False,
    tell: Callable[[str], None] | None = None,
) -> Run:
    """As `execute`, with what `configure` made of the options.

    `tell` is called with each warning that is worth to be heard before the application starts; these are then in
    `Run.live_warnings`.
    """
    return _Runner(list(command), config, dict(environ), cwd, wording, host, tell).run(capture=capture)


class _Runner:
    def __init__(  # noqa: PLR0913, PLR0917 - as `execute_config`
        self,
        command: list[str],
        config: RunConfig,
        environ: dict[str, str],
        cwd: str | None,
        wording: Wording,
        host: Hosted | None,
        tell: Callable[[str], None] | None,
    ) -> None:
        self._host = host
        self._command = command
        self._config = config
        self._environ = environ
        self._cwd = cwd
        self._wording = wording
        self._token = new_token()
        self._warnings = unknown_variables(environ)
        self._tell = tell
        self._told: list[str] = []
        self._saved = Saved(config)
        self._merged: MergeResult | None = None

    def run(self, *, capture: bool) -> Run:
        native = find_native(self._environ)
        exporter = native.exporter
        for name in PATTERN_OPTIONS:
            check_pattern(getattr(self._config, RUN_OPTIONS[name].key), native, self._config.source(name))
        simulator = check_devices(self._config.simulate, native, self._config.source("simulate"))
        check_device_files(self._config.simulate, native, simulator, self._config.source("simulate"))
        if self._cwd is not None and not Path(self._cwd).is_dir():
            message = f"cwd: {self._cwd} is no folder: give one that is there; nothing was started"
            raise UsageError(message)
        find_program(self._command[0], self._environ, self._cwd)
        path, warnings = expand_output(self._config.output, self._environ)
        starts_ranks = parse_command(self._command).starts_ranks
        if left_out_rank(self._config.ranks, self._environ, starts_ranks=starts_ranks) is not None:
            self._warnings.clear()  # the ranks that are collected tell the same
            return self._run_left_out(path, simulator, capture=capture)
        self._warnings += warnings + self._launch_warnings()
        if self._host is not None:
            self._host.decide(self._config, self._wording)
            self._warnings += self._host.warnings
            if self._host.left_alone:
                return self._run_plain(path, simulator, capture=capture)
        self._warn_of_cut_off()
        rank = launcher_rank(self._environ)
        directory = prepare(
            path,
            overwrite=self._config.overwrite,
            rank=rank,
            ranks=launcher_size(self._environ),
            compute=COMPUTE in self._config.formats,
            wording=self._wording,
        )
        began = now_ns()
        handover, child = self._launch(native, directory, simulator, capture=capture)
        try:
            self._save(exporter, directory, handover, child, capture=capture)
        finally:
            handover.release()
        self._warnings += self._saved.warnings
        self._merge(path, began, rank)
        summaries, told = self._saved.summaries, self._saved.plugin_warnings
        self._warnings += idle_filters(self._config, self._wording, summaries, told)
        self._warnings += unasked_simulation(self._config, self._wording, summaries)
        own = own_exit_code(self._config, summaries, told, self._saved.errors)
        return self._result(path, child, own, capture=capture)

    def _run_plain(self, path: Path, simulator: Path | None, *, capture: bool) -> Run:
        """Start the command as the user wrote it, without the plugin."""
        environ = simulated_environment(self._environ, self._config.simulate, simulator)
        child = run_child(self._command, environ, cwd=self._cwd, capture=capture)
        return self._result(path, child, 0, capture=capture)

    def _run_left_out(self, path: Path, simulator: Path | None, *, capture: bool) -> Run:
        """Start the command for a rank that is not collected, where rocprof-sys has no list that the others take."""
        if self._host is None:
            return self._run_plain(path, simulator, capture=capture)
        self._host.decide(self._config, self._wording)
        self._host.notes.clear()
        with tempfile.TemporaryDirectory(prefix="rocprof-sys-multipass-", ignore_cleanup_errors=True) as folder:
            if not self._host.left_alone:
                # Without a copy it finds that the list is too long, and goes on.
                with contextlib.suppress(ConfigError, OSError):
                    self._command, self._environ = self._host.spare(self._environ, Path(folder))
            return self._run_plain(path, simulator, capture=capture)

    def _result(self, path: Path, child: Ended, own_exit_code: int, *, capture: bool) -> Run:
        said = self._saved.plugin_warnings
        return Run(
            exit_code=child.exit_code or own_exit_code,
            child_exit_code=child.exit_code,
            child_signal=child.signal,
            output_dir=path,
            files=tuple(self._saved.files),
            summaries=tuple(self._saved.summaries),
            warnings=tuple(dict.fromkeys(self._warnings + (said if capture else []))),
            live_warnings=(*self._told, *(() if capture else said)),
            notes=tuple(self._host.notes) if self._host else (),
            simulate=self._config.simulate,
            merged=self._merged,
            models=tuple(self._saved.models),
            errors=tuple(self._saved.errors),
            stdout=child.out,
            stderr=child.err,
        )

    def _launch(
        self, native: Native, directory: RunDirectory, simulator: Path | None, *, capture: bool
    ) -> tuple[Handover, Ended]:
        handover: Handover | None = None
        started = False
        try:
            document = handover_document(
                self._config, directory.path, host=socket.gethostname(), run_token=self._token, spawn_exporter=False
            )
            handover = directory.write_config(document | (self._host.handed_over() if self._host else {}))
            command, environ = self._command, self._environ
            if self._host is not None:
                command, environ = self._host.take(environ, directory, handover)
            environ = child_environment(
                environ,
                plugin=native.plugin.absolute(),
                config=handover.path,
                simulate=self._config.simulate,
                simulator=simulator,
            )
            result = run_child(command, environ, cwd=self._cwd, capture=capture)
            started = True
        finally:
            if not started:
                directory.abandon(handover)
        return handover, result

    def _launch_warnings(self) -> list[str]:
        """What is wrong but no reason to stop. Tokens of the list that cannot be used are named by the plugin."""
        return unused_settings(
            self._config, self._environ, self._wording.option("set"), behind_launcher=self._host is not None
        )

    def _warn_of_cut_off(self) -> None:
        """Where nothing of what makes the SDK load the plugin gets to the application. Told at once: a job is long."""
        if said := cut_off(parse_command(self._command), self._environ, (TOOL_VARIABLE, RESOLVED_VARIABLE)):
            text = (
                f"{said}: the application does not get the variables that bring this tool into it, so nothing will be "
                "collected: take it out (of srun: --export=ALL), or start this tool behind it"
            )
            if self._tell is None:
                self._warnings.append(text)
            else:
                self._tell(text)
                self._told.append(text)

    def _save(
        self, exporter: Path, directory: RunDirectory, handover: Handover, child: Ended, *, capture: bool
    ) -> None:
        with progress_on(None) if self._config.quiet else contextlib.nullcontext():
            journals = self._saved.save(exporter, directory, self._token, self._wording)
            if journals:
                rank, ranks = launcher_rank(self._environ), launcher_size(self._environ)
                self._saved.compute(directory, journals, alone=rank is None or ranks == 1)
        if journals is not None and not journals:
            self._saved.explain_nothing(directory, handover, self._environ, child, captured=capture)
        if journals is not None and (names := directory.left_over(journals)):
            self._saved.warnings.append(
                f"{directory.path} still holds files of an earlier run of other ranks ({', '.join(names)}): "
                "remove them before you verify or report the folder"
            )

    def _merge(self, run_dir: Path, began: int, rank: int | None) -> None:
        """Bring the counters into copies of what rocprof-sys wrote, where it ran too. What was collected stays."""
        if self._host is None or self._config.no_merge:
            return
        merging = merge_run(
            run_dir,
            self._saved.files,
            self._host.output_path,
            began,
            overwrite=self._config.overwrite,
            alone=rank is None,
            wording=self._wording,
        )
        self._warnings += merging.warnings
        self._saved.errors += merging.errors
        self._merged = merging.result
