# SPDX-License-Identifier: MIT
"""The run and its files."""

from __future__ import annotations

from rocprofsys_multipass.config import values
from rocprofsys_multipass.config.option import Option
from rocprofsys_multipass.config.output import DEFAULT_OUTPUT_FOLDER
from rocprofsys_multipass.config.table.making import flag

OUTPUT_FALLBACK = "ROCPROFSYS_OUTPUT_PATH"

FILES: tuple[Option, ...] = (
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
    flag(
        "overwrite",
        "remove the files of an earlier run in that folder",
        default_text="off, a folder with an earlier run is refused",
        readers=("wrapper",),
    ),
    flag(
        "force",
        "collect a list that was given to rocprof-sys even where it fits one pass",
        default_text="off, rocprof-sys is left alone then",
        readers=("wrapper",),
    ),
    flag(
        "strict",
        "end with exit code 4 when a counter that was asked for was not collected, or nothing was captured",
        default_text="off, warnings name what is left out",
        readers=("wrapper",),
    ),
    flag(
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
        allowed=values.RELEASES_TEXT,
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
    flag(
        "quiet",
        "no summary, only warnings and errors",
    ),
    flag(
        "verbose",
        "more about what is done, such as the plan of each GPU; with quiet too",
    ),
)
