# SPDX-License-Identifier: MIT
"""`rocprofsys_multipass.run`: a run asked for in Python."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from rocprofsys_multipass.config import PYTHON, given_of
from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.run.result import Run
from rocprofsys_multipass.run.runner import execute


def run(  # noqa: PLR0913 - the options of a run, by keyword only
    command: Sequence[str | os.PathLike[str]],
    *,
    config: str | os.PathLike[str] | None = None,
    events: str | Sequence[str] | None = None,
    simulate: str | Sequence[str] | None = None,
    output: str | os.PathLike[str] | None = None,
    overwrite: bool | None = None,
    force: bool | None = None,
    strict: bool | None = None,
    no_merge: bool | None = None,
    replay: str | None = None,
    sentinel: str | Sequence[str] | None = None,
    formats: str | Sequence[str] | None = None,
    layout: str | None = None,
    trace_counters: str | None = None,
    compute_release: str | None = None,
    groups: Sequence[str | Sequence[str]] | None = None,
    sets: str | Sequence[str] | None = None,
    compute_panels: str | int | Sequence[str | int] | None = None,
    instances: str | None = None,
    kernel_include: str | None = None,
    kernel_exclude: str | None = None,
    range: str | int | Sequence[str | int] | None = None,  # noqa: A002 - the option's name
    gpus: str | int | Sequence[str | int] | None = None,
    ranks: str | int | Sequence[str | int] | None = None,
    roctx: bool | None = None,
    roctx_include: str | None = None,
    roctx_exclude: str | None = None,
    selected_regions: bool | None = None,
    no_replay: str | None = None,
    replay_everything: bool | None = None,
    max_replays: str | int | None = None,
    replay_budget: str | Sequence[str] | None = None,
    unsafe: str | Sequence[str] | None = None,
    host_memory: str | None = None,
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
        force: collect a list that was given to rocprof-sys even where it fits one pass, for which rocprof-sys is else
            left alone.
        strict: make it an error (exit code 4) when a counter asked for was not collected, or nothing was captured.
        no_merge: make no copies of rocprof-sys's trace and database, where `command` is a launcher of it; see `merge`.
        replay: "auto", "kernel", "rotate" or "off".
        sentinel: what the passes of a launch are compared by: "auto", "none", or counters.
        formats: of "perfetto", "rocpd", "csv", "csv-wide", "json", "parquet" and "compute"; default: the first
            two.
        layout: of the database: "canonical" (default), or "strict": the readings of passes in a file beside it.
        trace_counters: of the Perfetto trace: "all" (default), or "none": times only, the counters are in the database.
        compute_release: of rocprofiler-compute, for which "compute" is written: "3.3" (default), "3.6", "3.9".
        groups: counters that must be read in one pass, each a list or a text "A,B".
        sets: sets of metrics whose counters are collected too; `report` shows the metrics. No `events` are needed then.
        compute_panels: panels of rocprofiler-compute whose counters are collected too: "all", 2, "2,7,17", [2, 7, 17].
        instances: "sum" (default), or "keep": the values of single instances of a counter are recorded too.
        kernel_include: count only in kernels whose demangled name this regular expression is found in.
        kernel_exclude: do not count in kernels whose demangled name this one is found in.
        range: count only in these launches of each kernel, from 1: 1, "1-3", "1,4-6".
        gpus: count only on these GPUs, from 0: 1, "0,2-3", [0, 2].
        ranks: collect only in processes of these ranks, from 0: 0, "0,8", [0, 8].
        roctx: count only inside of roctx ranges of the application.
        roctx_include: count only inside of roctx ranges in whose message this regular expression is found.
        roctx_exclude: do not count inside of roctx ranges in whose message this one is found.
        selected_regions: count only after roctxProfilerResume, until roctxProfilerPause.
        no_replay: do not replay kernels whose demangled name this regular expression is found in.
        replay_everything: replay the kernels of the built-in list of collectives and runtime kernels too.
        max_replays: replay each kernel so many times, for each grid and work-group on a GPU; "none": each time.
        replay_budget: the wall time that replays may take: "90s", a share of the wall time "10%", "90s,10%", "none".
        unsafe: reasons not to replay that do not hold: "managed_memory", a list of such, or "all" (docs/safety.md).
        host_memory: how much of the host's memory copies of GPU memory may take: "64GB".
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
            "compute_panels": compute_panels,
            "instances": instances,
            "kernel_include": kernel_include,
            "kernel_exclude": kernel_exclude,
            "range": range,
            "gpus": gpus,
            "ranks": ranks,
            "roctx": roctx,
            "roctx_include": roctx_include,
            "roctx_exclude": roctx_exclude,
            "selected_regions": selected_regions,
            "no_replay": no_replay,
            "replay_everything": replay_everything,
            "max_replays": max_replays,
            "replay_budget": replay_budget,
            "unsafe": unsafe,
            "host_memory": host_memory,
            "warm_up_pass": warm_up_pass,
            "timing_pass": timing_pass,
            "permute_groups": permute_groups,
            "replay": replay,
            "sentinel": sentinel,
            "simulate": simulate,
            "output": output,
            "overwrite": overwrite,
            "force": force,
            "strict": strict,
            "no_merge": no_merge,
            "formats": formats,
            "layout": layout,
            "trace_counters": trace_counters,
            "compute_release": compute_release,
            "quiet": quiet,
            "verbose": verbose,
        }
    )
    environ = os.environ if env is None else env
    _refuse_values(environ)
    return execute(command, given, environ, PYTHON, cwd=None if cwd is None else os.fspath(cwd), capture=capture)


def _refuse_values(environ: Mapping[str, object]) -> None:
    """Of variables that are no text, as a number is that was meant to be one."""
    for name, value in environ.items():
        if not isinstance(value, str):
            message = f"env: {name!r}: {value!r} is no text: give {str(value)!r} where that is meant"
            raise UsageError(message)


def _refuse_text(command: object) -> None:
    """A text is a sequence of its letters, which is never meant."""
    if isinstance(command, (str, bytes, os.PathLike)):
        words = command.split() if isinstance(command, str) else [os.fsdecode(command)]
        message = f"command is not a list: give the application and its arguments as one, such as run({words!r}, ...)"
        raise UsageError(message)
