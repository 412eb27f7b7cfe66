# SPDX-License-Identifier: MIT
"""Stands for: the options of rocprof-sys-run and rocprof-sys-sample, one table for both.

After ROCm/rocm-systems projects/rocprofiler-systems source/lib/core/argparse.cpp and source/bin/rocprof-sys-sample
@1b1610fc; `since` 2026: the tables of options that replaced them. The values of domain flags (--rocm=hip,kernel) are
inferred from examples in the help of 2026.
"""

from __future__ import annotations

from dataclasses import dataclass

MANY = 1 << 30


@dataclass(frozen=True)
class Option:
    """`most` 1 with `least` 0 is a switch, which may have a value. `weak`: does not touch what this line changed."""

    names: tuple[str, ...]
    variables: tuple[str, ...]
    least: int = 0
    most: int = 1
    join: str = ","
    weak: bool = False
    since: int = 2025
    choices: tuple[str, ...] = ()


def _switch(names: str, *variables: str, since: int = 2025) -> Option:
    return Option(tuple(names.split()), tuple(f"ROCPROFSYS_{one}" for one in variables), since=since)


def _values(  # noqa: PLR0913 - a table of keywords
    names: str, *variables: str, least: int = 1, most: int = 1, join: str = ",", weak: bool = False, since: int = 2025
) -> Option:
    return Option(tuple(names.split()), tuple(f"ROCPROFSYS_{one}" for one in variables), least, most, join, weak, since)


OPTIONS = (
    _switch("--monochrome", "MONOCHROME"),
    _switch("--debug", "DEBUG"),
    _values("-v --verbose", "VERBOSE"),
    _values("--log-level", "LOG_LEVEL", since=2026),
    _values("-c --config", "CONFIG_FILE", most=MANY, join=":"),
    _values("-o --output", "OUTPUT_PATH", "OUTPUT_PREFIX", most=2),
    _switch("-T --trace", "TRACE"),
    _switch("-L --trace-legacy", "TRACE_LEGACY", since=2026),
    _switch("-P --profile", "PROFILE"),
    _switch("-F --flat-profile", "PROFILE", "FLAT_PROFILE"),
    _values("-S --sample", "USE_SAMPLING", least=0, most=2),
    _switch("-H --host", "USE_PROCESS_SAMPLING", "CPU_FREQ_ENABLED"),
    _switch("-D --device", "USE_PROCESS_SAMPLING", "USE_AMD_SMI"),
    _values("-w --wait", "TRACE_DELAY", "SAMPLING_DELAY", "CAUSAL_DELAY", weak=True),
    _values("-d --duration", "TRACE_DURATION", "SAMPLING_DURATION", "CAUSAL_DURATION", weak=True),
    _values("--periods", "TRACE_PERIODS", most=MANY, join=" ", weak=True),
    _values("--selected-regions", "SELECTED_REGIONS", since=2026),
    _values("--rank-filter-id", "RANK_FILTER_ID", least=0, since=2026),
    _values("--rank-filter-output", "RANK_FILTER_OUTPUT", least=0, since=2026),
    _values("-I --include", "INCLUDE", most=MANY),
    _values("-E --exclude", "EXCLUDE", most=MANY),
    _values("-l --launcher", "LAUNCHER"),
    _values("--trace-file", "PERFETTO_FILE"),
    _values("--trace-buffer-size", "PERFETTO_BUFFER_SIZE_KB"),
    _values("--trace-fill-policy", "PERFETTO_FILL_POLICY"),
    _values("--trace-wait", "TRACE_DELAY"),
    _values("--trace-duration", "TRACE_DURATION"),
    _values("--trace-periods", "TRACE_PERIODS", most=MANY),
    _values("--trace-clock-id", "TRACE_PERIOD_CLOCK_ID"),
    _values("--profile-format", "PROFILE_FORMAT", most=3),
    _values("--profile-diff", "INPUT_PATH", "INPUT_PREFIX", most=2),
    _values("--process-freq", "PROCESS_SAMPLING_FREQ"),
    _values("--process-wait", "PROCESS_SAMPLING_DELAY"),
    _values("--process-duration", "SAMPLING_PROCESS_DURATION"),
    _values("--cpus", "SAMPLING_CPUS", most=MANY),
    _values("--gpus", "SAMPLING_GPUS", most=MANY),
    _values("-f --freq --sampling-freq", "SAMPLING_FREQ"),
    _values("-t --tids", "SAMPLING_TIDS", most=MANY, join=", "),
    _values("--sampling-wait", "SAMPLING_DELAY"),
    _values("--sampling-duration", "SAMPLING_DURATION"),
    _values("--cputime --sample-cputime", "SAMPLING_CPUTIME", least=0, most=MANY),
    _values("--realtime --sample-realtime", "SAMPLING_REALTIME", least=0, most=MANY),
    _values("--sample-overflow", "SAMPLING_OVERFLOW", least=0, most=MANY),
    _values("-C --cpu-events", "PAPI_EVENTS", most=MANY),
    _values("-G --gpu-events", "ROCM_EVENTS", most=MANY, since=2026),
    # Of the settings' own long options, whose values are joined by a blank (add_group_arguments).
    _values("--rocm-events", "ROCM_EVENTS", most=MANY, join=" "),
    _values("--rocm-domains", "ROCM_DOMAINS", most=MANY, join=" "),
    _values("--perfetto-annotations", "PERFETTO_ANNOTATIONS", least=0),
    _values("--time-output", "TIME_OUTPUT", least=0),
    _values("--use-pid", "USE_PID", least=0),
    _switch("--use-rocpd", "USE_ROCPD"),
    _switch("-i --inlines", "SAMPLING_INCLUDE_INLINES"),
    Option(("--hsa-interrupt",), ("HSA_ENABLE_INTERRUPT",), least=1),
    _switch("--fork", "FORK"),
    # The domains of 2026 are words with an optional `=`.
    Option(("--preset",), ("STANDIN_PRESET",), least=1, since=2026),
    _values("--rocm", "ROCM_DOMAINS", least=0, since=2026),
    _values("--gpu", "USE_AMD_SMI", least=0, since=2026),
    _values("--cpu", "USE_SAMPLING", least=0, since=2026),
    _values("--parallel", "PARALLEL", least=0, since=2026),
    _values("--output-format", "OUTPUT_FORMAT", most=MANY, since=2026),
)
