# SPDX-License-Identifier: MIT
"""The options of a run: one table, from which everything that names an option is made.

From it come the options of ``run``, the variables, the keys of a YAML file, the keywords of `rocprofsys_multipass.run`,
``config init``, ``config check``, ``config explain``, and the table in docs/formats/config.md. An option ``--name`` is
the variable ``ROCPROFSYS_MULTIPASS_NAME`` and the key ``name``, with ``_`` for ``-``.
"""

from __future__ import annotations

from rocprofsys_multipass.config import limits, values
from rocprofsys_multipass.config.option import PREFIX, Option, Reader
from rocprofsys_multipass.config.output import DEFAULT_OUTPUT_FOLDER
from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.metrics import panel_architectures
from rocprofsys_multipass.spelling import nearest

EVENTS_FALLBACK = "ROCPROFSYS_ROCM_EVENTS"
OUTPUT_FALLBACK = "ROCPROFSYS_OUTPUT_PATH"


def _flag(
    name: str,
    summary: str,
    *,
    default_text: str = "off",
    readers: tuple[Reader, ...] = ("wrapper", "plugin"),
    needs_replay: bool = False,
) -> Option:
    """One that is off unless it is given."""
    return Option(
        name=name,
        kind="flag",
        summary=summary,
        parse=values.flag,
        allowed="on, off",
        default=False,
        default_text=default_text,
        example="off",
        readers=readers,
        needs_replay=needs_replay,
    )


def _pattern(  # noqa: PLR0913 - what such options differ in
    name: str,
    summary: str,
    *,
    default_text: str,
    example: str,
    searched_in: str = "the demangled name",
    needs_replay: bool = False,
) -> Option:
    """A regular expression that chooses kernels or ranges."""
    return Option(
        name=name,
        kind="text",
        summary=summary,
        parse=values.check_pattern,
        allowed=f"a regular expression, searched in {searched_in}" if searched_in else "a regular expression",
        default="",
        default_text=default_text,
        example=example,
        readers=("wrapper", "plugin"),
        metavar="RE",
        needs_replay=needs_replay,
    )


OPTIONS: tuple[Option, ...] = (
    Option(
        name="config",
        kind="text",
        summary="a YAML file with options",
        parse=values.nonempty,
        allowed="the path of a file; the command line and variables beat what is in it",
        default="",
        default_text="none",
        example="multipass.yaml",
        readers=("wrapper",),
        metavar="FILE",
        in_file=False,
    ),
    Option(
        name="events",
        kind="list",
        summary="the counters to collect",
        parse=values.text,
        allowed="NAME, or NAME:device=N for one GPU, with commas, semicolons or blanks between them",
        default="",
        default_text=f"those of {EVENTS_FALLBACK}, or what a launcher of rocprof-sys is given; without any or a set, "
        "nothing is started",
        example="[SQ_WAVES, FETCH_SIZE, WRITE_SIZE]",
        readers=("wrapper", "plugin"),
        metavar="LIST",
        repeatable=True,
        fallback=EVENTS_FALLBACK,
    ),
    Option(
        name="group",
        kind="groups",
        summary="counters that must be read in one pass",
        parse=values.groups,
        allowed="names with commas between them; several groups with semicolons",
        default=(),
        default_text="none",
        example="[[SQ_WAVES, SQ_BUSY_CYCLES]]",
        readers=("wrapper", "plugin"),
        metavar="A,B",
        repeatable=True,
        keyword="groups",
        alias="groups",
    ),
    Option(
        name="set",
        kind="list",
        summary="metrics to collect the counters of",
        parse=values.sets,
        allowed=f"sets of metrics: {', '.join(values.SETS)}, several with commas",
        default=(),
        default_text="none",
        example="[memory, cache]",
        readers=("wrapper", "plugin"),
        metavar="NAME[,NAME...]",
        repeatable=True,
        keyword="sets",
        alias="sets",
    ),
    Option(
        name="compute-panels",
        kind="list",
        summary="panels of rocprofiler-compute to collect the counters of, those of a metric in one pass",
        parse=values.compute_panels,
        allowed=f"all, or some of {', '.join(map(str, values.COMPUTE_PANELS))}, with commas; on "
        f"{' and '.join(panel_architectures())}",
        default=(),
        default_text="none",
        example="[2, 7, 17]",
        readers=("wrapper", "plugin"),
        metavar="all|N[,N...]",
    ),
    Option(
        name="instances",
        kind="text",
        summary="what is recorded of the instances of a counter, such as the channels of the L2 cache",
        parse=values.instances,
        allowed="sum; keep, the sum and the value of each, which takes more room",
        default=values.INSTANCES[0],
        default_text=values.INSTANCES[0],
        example="keep",
        readers=("wrapper", "plugin"),
        metavar="sum|keep",
    ),
    _pattern(
        "kernel-include",
        "count only in kernels whose name this is found in",
        default_text="every kernel",
        example="'axpy|transpose'",
    ),
    _pattern(
        "kernel-exclude",
        "do not count in kernels whose name this is found in, included or not",
        default_text="no kernel",
        example="'^init_'",
    ),
    Option(
        name="range",
        kind="list",
        summary="count only in these launches of each kernel",
        parse=values.launch_range,
        allowed="numbers from 1 and spans of them: 1, [1-3] or 1,4-6",
        default="",
        default_text="every launch",
        example="1,4-6",
        readers=("wrapper", "plugin"),
        metavar="R",
        unit="launches of one kernel, from 1",
    ),
    Option(
        name="gpus",
        kind="list",
        summary="count only on these GPUs",
        parse=values.gpus,
        allowed="numbers from 0 and spans of them: 0 or 0,2-3; as in NAME:device=N",
        default="",
        default_text="every GPU",
        example="0,2-3",
        readers=("wrapper", "plugin"),
        metavar="N",
        unit="ordinals of GPUs by SDK node id, from 0",
    ),
    Option(
        name="ranks",
        kind="list",
        summary="collect only in the processes of these ranks",
        parse=values.ranks,
        allowed="numbers from 0 and spans of them: 0,8 or 0-3; a process to which no launcher gave a rank is collected",
        default="",
        default_text="every process",
        example="0,8",
        readers=("wrapper", "plugin"),
        metavar="R",
        unit="ranks of the launcher, from 0",
    ),
    _flag(
        "roctx",
        "count only inside of roctx ranges of the program",
    ),
    _pattern(
        "roctx-include",
        "count only inside of roctx ranges in whose message this is found",
        default_text="everywhere",
        example="'^solve'",
        searched_in="",
    ),
    _pattern(
        "roctx-exclude",
        "do not count inside of roctx ranges in whose message this is found, included or not",
        default_text="nowhere",
        example="'warm.?up'",
        searched_in="",
    ),
    _flag(
        "selected-regions",
        "count only after the program has called roctxProfilerResume, until it calls roctxProfilerPause",
        default_text="off; the program begins unpaused",
    ),
    Option(
        name="replay",
        kind="text",
        summary="how often each kernel runs",
        parse=values.replay,
        allowed=(
            "auto (once per pass where that is safe, within a budget; else as rotate), kernel (once per pass where "
            "that is safe, without a budget), rotate (once; each launch reads the counters of one pass, in turn), "
            "off (once; only the first pass is read)"
        ),
        default="auto",
        default_text="auto",
        example="auto",
        readers=("wrapper", "plugin"),
        metavar="MODE",
    ),
    _pattern(
        "no-replay",
        "do not replay kernels whose name this is found in, nor those of the built-in list; they run once",
        default_text=(
            "the built-in list alone: collectives (nccl, rccl, msccl, rocshmem, DevKernel) and kernels of the HIP "
            "runtime (__amd_rocclr_)"
        ),
        example="'^spin_'",
        needs_replay=True,
    ),
    _flag(
        "replay-everything",
        "replay kernels of the built-in list too",
        needs_replay=True,
    ),
    Option(
        name="max-replays",
        kind="text",
        summary="replay each kernel so many times, for each grid and work-group on a GPU; then it runs once",
        parse=limits.max_replays,
        allowed="a number from 1, or none",
        default=None,
        default_text="3 with --replay auto, none with --replay kernel",
        example="10",
        readers=("wrapper", "plugin"),
        metavar="N",
        unit="launches",
        needs_replay=True,
    ),
    Option(
        name="replay-budget",
        kind="list",
        summary="the wall time that replays may take in all, copies of memory included; then each kernel runs once",
        parse=limits.replay_budget,
        allowed="a duration (500ms, 90s, 5m, 1h), a share of the wall time so far (10%), both with a comma, of which "
        "the larger counts, or none",
        default=None,
        default_text="60s,10% with --replay auto, none with --replay kernel",
        example="5m",
        readers=("wrapper", "plugin"),
        metavar="TIME|PERCENT",
        needs_replay=True,
    ),
    Option(
        name="unsafe",
        kind="list",
        summary="replay in spite of these reasons not to, at the risk of wrong results of the program",
        parse=limits.unsafe,
        allowed=f"{', '.join(limits.SAFETY_REASONS)}, several with commas, or all; each is told of in docs/safety.md",
        default=(),
        default_text="none",
        example="[managed_memory]",
        readers=("wrapper", "plugin"),
        metavar="NAME[,NAME...]",
        repeatable=True,
        needs_replay=True,
    ),
    Option(
        name="host-memory",
        kind="text",
        summary="how much of the host's memory copies of GPU memory may take",
        parse=limits.host_memory,
        allowed="a size (512MB, 64GB, 64GiB)",
        default=None,
        default_text="what cgroup and machine have left",
        example="64GB",
        readers=("wrapper", "plugin"),
        metavar="SIZE",
        needs_replay=True,
    ),
    _flag(
        "warm-up-pass",
        (
            "run each replayed launch once more first, of which nothing is measured, so that all passes are warm; "
            "whether passes did the same work is then unknown, unless they differ"
        ),
        needs_replay=True,
    ),
    _flag(
        "timing-pass",
        (
            "run each replayed launch once more without counters: its times are those of the launch; "
            "whether passes did the same work is then unknown, unless they differ"
        ),
        default_text="off, the times are those of pass 0",
        needs_replay=True,
    ),
    _flag(
        "permute-groups",
        "let the passes of alike launches take the groups of counters in turn, so that none is always first",
        default_text="off, pass k reads group k",
        needs_replay=True,
    ),
    Option(
        name="sentinel",
        kind="list",
        summary="what the passes of a launch are compared by: counters that are read in all passes with room for them",
        parse=values.sentinel,
        allowed="auto, none, or NAME,... as in events; auto takes one of work, one of time and one of the L2 cache",
        default="auto",
        default_text="auto",
        example="[SQ_INSTS_VALU, TCC_MISS]",
        readers=("wrapper", "plugin"),
        metavar="auto|none|NAME,...",
        needs_replay=True,
    ),
    Option(
        name="simulate",
        kind="list",
        summary="simulated GPUs in place of real ones",
        parse=values.text,
        allowed="names such as gfx942, or paths of device files, with commas between them",
        default="",
        default_text="none, real GPUs; a program that is linked with the simulator has a gfx942, with a warning",
        example="[gfx942]",
        readers=("wrapper", "simulator"),
        metavar="DEVICE[,DEVICE...]",
    ),
    Option(
        name="output",
        kind="text",
        summary="the folder for the files of the run",
        parse=values.text,
        allowed="a path; %pid% %ppid% %rank% %hostname% %env{NAME}% are expanded",
        default="",
        default_text=f"that of {OUTPUT_FALLBACK}, else {DEFAULT_OUTPUT_FOLDER}/<application>",
        example="results/%hostname%",
        readers=("wrapper", "plugin"),
        metavar="DIR",
        short="-o",
        fallback=OUTPUT_FALLBACK,
    ),
    _flag(
        "overwrite",
        "remove the files of an earlier run in that folder",
        default_text="off, a folder with an earlier run is refused",
        readers=("wrapper",),
    ),
    _flag(
        "force",
        "collect a list that was given to rocprof-sys even where it fits one pass",
        default_text="off, rocprof-sys is left alone then",
        readers=("wrapper",),
    ),
    _flag(
        "strict",
        "end with exit code 4 when a counter that was asked for was not collected, or nothing was captured",
        default_text="off, warnings name what is left out",
        readers=("wrapper",),
    ),
    _flag(
        "no-merge",
        "make no copies of rocprof-sys's trace and database with the counters in them",
        default_text="off, a run under a launcher of rocprof-sys ends with a merge",
        readers=("wrapper",),
    ),
    Option(
        name="format",
        kind="list",
        summary="what is written",
        parse=values.formats,
        allowed="perfetto (.pftrace), rocpd (.db), and tables of the readings: csv, csv-wide, json, parquet; compute "
        "(folders for rocprof-compute analyze); several with commas",
        default=values.DEFAULT_FORMATS,
        default_text=",".join(values.DEFAULT_FORMATS),
        example="[perfetto, rocpd]",
        readers=("wrapper", "plugin"),
        metavar="LIST",
        keyword="formats",
    ),
    Option(
        name="compute-release",
        kind="text",
        summary="which release of rocprofiler-compute the output compute is for",
        parse=values.compute_release,
        allowed="3.3, 3.6 (to 3.8), 3.9 (and later)",
        default=values.COMPUTE_RELEASES[0],
        default_text=values.COMPUTE_RELEASES[0],
        example="3.9",
        readers=("wrapper",),
        metavar="RELEASE",
    ),
    Option(
        name="layout",
        kind="text",
        summary="where the database has the readings of single passes",
        parse=values.layout,
        allowed="canonical, in the .db itself; strict, in a file beside it (<name>-replay.db), for readers that take "
        "no table or view but those of rocpd's schema",
        default=values.DEFAULT_LAYOUT,
        default_text=values.DEFAULT_LAYOUT,
        example="strict",
        readers=("wrapper", "plugin"),
        metavar="NAME",
    ),
    Option(
        name="trace-counters",
        kind="text",
        summary="the counters of the Perfetto trace, which make most of it",
        parse=values.trace_counters,
        allowed="all; none, then it has times only, and counters are in the database",
        default=values.TRACE_COUNTERS[0],
        default_text=values.TRACE_COUNTERS[0],
        example="none",
        readers=("wrapper", "plugin"),
        metavar="WHICH",
    ),
    _flag(
        "quiet",
        "no summary, only warnings and errors",
    ),
    _flag(
        "verbose",
        "more about what is done, such as the plan of each GPU; with quiet too",
    ),
)

RUN_OPTIONS: dict[str, Option] = {option.name: option for option in OPTIONS}
FILE_OPTIONS: dict[str, Option] = {
    key: option for option in OPTIONS if option.in_file for key in (option.key, option.alias) if key
}
"""The keys of a YAML file, aliases too."""

OTHER_VARIABLES: dict[str, str] = {
    "RESOLVED": "the hand-over file for a plugin that runs without 'run', as config check --resolved writes it",
    "NATIVE": "the folder of the compiled parts, in place of those of the package",
    "STALL_SECONDS": "after how many seconds a replay that stands still is named: 0 to 86400, 0 for never; default: 10",
    "TRACE_PROCESSOR": "Perfetto's trace_processor_shell, which verify then has look at the trace, too",
    "RECORD": "the new file to which the plugin writes what the SDK calls in it, for reports and tests",
    "SIM_COST": "what work takes at least on the clock of the simulated machine: copies of memory, kernels",
    "SIM_FAULTS": "faults of the simulated SDK, in which it departs from what is documented",
    "SIM_TRUTH": "the CSV file to which the simulator adds what each execution counted",
}
"""The variables of the prefix that are no options of a run, without it."""

SECTIONS: dict[str, tuple[str, ...]] = {
    "what is counted": ("events", "set", "compute-panels", "group", "sentinel", "instances"),
    "which launches are counted": (
        "kernel-include",
        "kernel-exclude",
        "range",
        "gpus",
        "ranks",
        "roctx",
        "roctx-include",
        "roctx-exclude",
        "selected-regions",
    ),
    "how launches are replayed": (
        "replay",
        "no-replay",
        "replay-everything",
        "max-replays",
        "replay-budget",
        "unsafe",
        "host-memory",
        "warm-up-pass",
        "timing-pass",
        "permute-groups",
    ),
    "the run and its files": (
        "config",
        "simulate",
        "output",
        "overwrite",
        "force",
        "strict",
        "no-merge",
        "format",
        "compute-release",
        "layout",
        "trace-counters",
        "quiet",
        "verbose",
    ),
}
"""The options as people look for them; each is in one section."""


def find_option(word: str) -> Option:
    """The option that `word` names in any of its forms: option, variable, key, keyword.

    Raises:
        UsageError: there is none; the message has the nearest.
    """
    names = {
        form: option
        for option in OPTIONS
        for form in (option.alias, option.python, option.key, option.name, option.variable)
        if form
    }
    bare = word.lstrip("-")
    if bare in names:
        return names[bare]
    close = nearest(bare.lower().removeprefix(PREFIX.lower()), names)
    hint = f"did you mean {names[close].name}? " if close else ""
    message = f"'{word}' is no option of a run: {hint}known are {', '.join(RUN_OPTIONS)}"
    raise UsageError(message)
