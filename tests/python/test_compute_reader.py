# SPDX-License-Identifier: MIT
"""tests/tools/compute_reader.py on directories written by hand: what ``analyze`` ends at, and what it takes in silence.

The second half is why our own directories leave out what is not whole.
"""

from __future__ import annotations

import csv
import gzip
import io
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest
from compute_reader import COLUMNS, INTEGERS, MAY_BE_EMPTY, SYSTEM, SYSTEM_INTEGERS, RefusedError, Value, read

READER = Path(__file__).parents[1] / "tools" / "compute_reader.py"

Row = dict[str, object]

SYSTEM_TEXT = """
version gpu_arch ip_blocks cu_per_gpu simd_per_cu se_per_gpu wave_size max_waves_per_cu num_xcd sqc_per_gpu
3 gfx942 SQ|LDS|SQC|TA|TD|TCP|TCC|SPI|CPC|CPF 304 4 32 64 32 8 160
total_l2_chan lds_banks_per_cu pipes_per_gpu num_hbm_channels num_memory_channels max_sclk max_mclk cur_sclk cur_mclk
128 32 4 128 128 2100 1300 2100 1300
"""
_LINES = [line.split() for line in SYSTEM_TEXT.strip().splitlines()]
SYSTEM_ROW: Row = {**dict(zip(*_LINES[:2], strict=True)), **dict(zip(*_LINES[2:], strict=True))}
LAUNCH: Row = dict(zip(INTEGERS, (0, 4, 7, 65536, 256, 0, 0, 16, 4, 32), strict=True))


def rows(
    number: int, values: Mapping[str, object], *, kernel: str = "axpy", duration: int = 1000, **other: object
) -> list[Row]:
    """A dispatch, a row for each counter."""
    start = 5_000_000_000
    own: Row = {
        "Dispatch_ID": number,
        "Kernel_Name": kernel,
        "Start_Timestamp": start,
        "End_Timestamp": start + duration,
    }
    launch = LAUNCH | own | other
    return [launch | {"Counter_Name": name, "Counter_Value": value} for name, value in values.items()]


def table(found: Iterable[Row], without: str = "") -> str:
    written = io.StringIO()
    found = [{name: value for name, value in row.items() if name != without} for row in found]
    writer = csv.DictWriter(written, list(found[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)
    return written.getvalue()


def write(
    folder: Path, counters: Iterable[Row], *, without: str = "", system: Row | None = None, config: str | None = None
) -> Path:
    """A directory that is read, but for what is asked for."""
    folder.mkdir(exist_ok=True)
    text = table(counters, without)
    (folder / "pmc_perf.csv").write_text(text, encoding="utf-8")
    (folder / "pmc_perf.csv.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    (folder / "sysinfo.csv").write_text(table([system or SYSTEM_ROW]), encoding="utf-8")
    said = "format_rocprof_output: rocpd\n" if config is None else config
    (folder / "profiling_config.yaml").write_text(said, encoding="utf-8")
    return folder


WHOLE = {
    "GRBM_GUI_ACTIVE": 8000,
    "SQ_BUSY_CU_CYCLES": 500,
    "SQ_LEVEL_WAVES_ACCUM": 64000,
    "SQ_INSTS": 320,
    "SQ_WAVES": 10,
    "SQ_WAVE_CYCLES": 5000,
    "TCC_HIT_sum": 75,
    "TCC_MISS_sum": 25,
}


def two_kernels() -> list[Row]:
    """Two kernels, three dispatches each."""
    made: list[Row] = []
    for number, (kernel, duration) in enumerate(zip("ababab", (100, 20, 300, 40, 500, 60), strict=True), 11):
        made += rows(number, WHOLE | {"TCC_HIT_sum": 25 * (number % 4)}, kernel=kernel, duration=duration)
    return made


def refusal(folder: Path, release: str = "3.3") -> str:
    with pytest.raises(RefusedError) as caught:
        read(folder, release)
    return str(caught.value)


def test_dispatches_are_numbered_anew_and_have_the_time_and_the_counters_of_their_rows(tmp_path: Path) -> None:
    """The order of the rows does not matter."""
    made = two_kernels()
    found = read(write(tmp_path / "a", made))
    assert [(one.number, one.kernel, one.duration, one.gpu) for one in found] == [
        (0, "a", 100, 0),
        (1, "b", 20, 0),
        (2, "a", 300, 0),
        (3, "b", 40, 0),
        (4, "a", 500, 0),
        (5, "b", 60, 0),
    ]
    assert found.dispatches[0].counters == WHOLE | {"TCC_HIT_sum": 75}
    assert found.dispatches[0].launch["Dispatch_ID"] == 11
    assert found.kernels() == [("a", 3, 900), ("b", 3, 120)]
    assert found.silently_averaged() == {}
    assert all((len(one.durations), one.repeated) == (1, frozenset()) for one in found)
    assert read(write(tmp_path / "b", reversed(made))) == found


def test_metrics_are_means_over_the_dispatches(tmp_path: Path) -> None:
    """By hand: hits 75, 0, 25 of kernel a with 25 misses; 64000 / (8000 / 8 XCDs) waves."""
    found = read(write(tmp_path / "a", two_kernels())).metrics("a")
    assert found == {
        "Kernel time (ns)": Value(300, 100, 500, 3),
        "L2 hit rate (%)": Value(pytest.approx((75 + 50 + 75) / 3), 50, 75, 3),
        "Wavefront occupancy": Value(64, 64, 64, 3),
        "Instructions per wave": Value(32, 32, 32, 3),
        "Wave cycles per wave": Value(2000, 2000, 2000, 3),
    }


def test_from_3_7_on_a_metric_is_the_ratio_of_sums(tmp_path: Path) -> None:
    """Of 99 of 100 and 0 of 900: 49.5 % before, 9.9 % since."""
    made = [
        *rows(1, {"TCC_HIT_sum": 99, "TCC_MISS_sum": 1}),
        *rows(2, {"TCC_HIT_sum": 0, "TCC_MISS_sum": 900}),
    ]
    folder = write(tmp_path / "a", made)
    before, since = (read(folder, release).metrics()["L2 hit rate (%)"] for release in ("3.3", "3.9"))
    assert (before.mean, since.mean) == (49.5, 9.9)
    assert (before.minimum, before.maximum, before.count) == (since.minimum, since.maximum, since.count) == (0, 99, 2)


def test_each_channel_has_a_hit_rate(tmp_path: Path) -> None:
    """Channel 127 is the last of eight XCDs with 16 banks."""
    made = rows(1, {"TCC_HIT[0]": 1, "TCC_MISS[0]": 3, "TCC_HIT[127]": 1, "TCC_MISS[127]": 1, "TCC_HIT[128]": 1})
    found = read(write(tmp_path / "a", made)).metrics()
    assert {name: value.mean for name, value in found.items() if "[" in name} == {
        "L2 hit rate[0] (%)": 25,
        "L2 hit rate[127] (%)": 50,
    }


def test_gpus_are_numbered_by_the_order_of_their_ids(tmp_path: Path) -> None:
    """Three GPUs, whose ids have gaps."""
    made = [*rows(1, WHOLE, GPU_ID=9), *rows(2, WHOLE, GPU_ID=2), *rows(3, WHOLE, GPU_ID=5)]
    assert [one.gpu for one in read(write(tmp_path / "a", made))] == [2, 0, 1]


def test_3_9_reads_the_compressed_table_alone_and_numbers_from_one(tmp_path: Path) -> None:
    """The other one is not looked at."""
    folder = write(tmp_path / "a", two_kernels())
    (folder / "pmc_perf.csv").write_text("nonsense", encoding="utf-8")
    assert [one.number for one in read(folder, "3.9")] == [1, 2, 3, 4, 5, 6]
    (folder / "pmc_perf.csv.gz").unlink()
    assert refusal(folder, "3.9") == "pmc_perf.csv.gz: not there"


# What analyze ends at.


@pytest.mark.parametrize("column", COLUMNS)
def test_a_missing_column_is_a_key_error(column: str, tmp_path: Path) -> None:
    """Of each of the fifteen."""
    folder = write(tmp_path / "a", two_kernels(), without=column)
    assert refusal(folder) == f"pmc_perf.csv: KeyError: {column!r}: there 0 times"


@pytest.mark.parametrize("column", SYSTEM)
def test_a_missing_column_of_the_system_is_a_key_error(column: str, tmp_path: Path) -> None:
    """version, gpu_arch, ip_blocks and fifteen numbers."""
    system = {name: value for name, value in SYSTEM_ROW.items() if name != column}
    folder = write(tmp_path / "a", two_kernels(), system=system)
    assert refusal(folder) == f"sysinfo.csv: KeyError: {column!r}: there 0 times"


def test_there_are_fifteen_columns_and_as_many_numbers_of_the_system() -> None:
    """As many as are known of 3.3.0."""
    assert (len(COLUMNS), len(SYSTEM_INTEGERS), len(MAY_BE_EMPTY)) == (15, 10, 5)


@pytest.mark.parametrize("column", SYSTEM_INTEGERS)
def test_an_empty_whole_number_of_the_system_ends_it(column: str, tmp_path: Path) -> None:
    """An empty clock or number of memory channels does not."""
    folder = write(tmp_path / "a", two_kernels(), system=SYSTEM_ROW | {column: ""})
    assert refusal(folder) == f"sysinfo.csv: {column}: '' is no number of anything"


def test_an_empty_clock_and_another_version_are_warnings(tmp_path: Path) -> None:
    """The analysis goes on."""
    folder = write(tmp_path / "a", two_kernels(), system=SYSTEM_ROW | {"max_mclk": "", "version": "2.0"})
    assert read(folder).warnings == ("sysinfo.csv: max_mclk: not known", "sysinfo.csv: version '2.0', not 3")


def test_3_9_wants_the_memory_channels_under_their_new_name(tmp_path: Path) -> None:
    """3.3 does not."""
    system = {name: value for name, value in SYSTEM_ROW.items() if name != "num_memory_channels"}
    folder = write(tmp_path / "a", two_kernels(), system=system)
    assert len(read(folder).dispatches) == 6
    assert refusal(folder, "3.9") == "sysinfo.csv: KeyError: 'num_memory_channels': there 0 times"


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ("", "profiling_config.yaml: holds nothing"),
        ("filter_blocks: []\n", "format_rocprof_output is None: each row would be a dispatch"),
        ("format_rocprof_output: csv\n", "format_rocprof_output is 'csv': each row would be a dispatch"),
        ("format_rocprof_output: rocpd\niteration_multiplexing: kernel\n", "gaps would be filled"),
    ],
)
def test_a_configuration_that_does_not_say_rocpd_makes_other_dispatches(config: str, text: str, tmp_path: Path) -> None:
    """3.3 ends with 0 on most of these, with almost all tables gone."""
    assert text in refusal(write(tmp_path / "a", two_kernels(), config=config))


def test_the_panels_that_are_shown_are_those_of_the_configuration(tmp_path: Path) -> None:
    """Numbers as text: a number ends it."""
    config = "format_rocprof_output: rocpd\nfilter_blocks: ['2', '17']\n"
    assert read(write(tmp_path / "a", two_kernels(), config=config)).panels == ("2", "17")
    config = config.replace("'2'", "2")
    assert "filter_blocks: (2, '17') are not all text" in refusal(write(tmp_path / "b", two_kernels(), config=config))


@pytest.mark.parametrize("name", ["pass_1/pmc_perf.csv", "old/SQ_WAVES.csv", "SQ_LEVEL_WAVES.csv", "a/b/c/SQ.csv"])
def test_other_tables_below_end_3_3(name: str, tmp_path: Path) -> None:
    """It walks the tree."""
    folder = write(tmp_path / "a", two_kernels())
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("x\n", encoding="utf-8")
    assert refusal(folder).startswith(f"{name}: ")


def test_other_files_do_no_harm(tmp_path: Path) -> None:
    """A side table, a text, results of other passes."""
    folder = write(tmp_path / "a", two_kernels())
    for name in ("dispatches.csv", "notes.txt", "results_0.csv"):
        (folder / name).write_text("x\n", encoding="utf-8")
    assert len(read(folder).dispatches) == 6


@pytest.mark.parametrize("name", ["pmc_perf.csv", "sysinfo.csv", "profiling_config.yaml"])
def test_a_missing_file_is_named(name: str, tmp_path: Path) -> None:
    """Of each of the three."""
    folder = write(tmp_path / "a", two_kernels())
    (folder / name).unlink()
    assert refusal(folder).startswith(f"{name}: not there")


def test_a_path_upwards_is_refused(tmp_path: Path) -> None:
    """Though it names a directory that is read otherwise."""
    folder = write(tmp_path / "a", two_kernels())
    assert "'..' is not taken" in refusal(folder / ".." / "a")


def test_two_points_anywhere_in_a_path_are_refused(tmp_path: Path) -> None:
    """In the name of a folder too."""
    assert "'..' is not taken" in refusal(write(tmp_path / "a..b", two_kernels()))


@pytest.mark.parametrize("architecture", ["gfx1100", "gfx942:sramecc+:xnack-"])
def test_an_architecture_without_panels_ends_it(architecture: str, tmp_path: Path) -> None:
    """A name with features is none that it knows."""
    folder = write(tmp_path / "a", two_kernels(), system=SYSTEM_ROW | {"gpu_arch": architecture})
    assert refusal(folder) == f"sysinfo.csv: gpu_arch: ModuleNotFoundError: soc_{architecture}"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"Kernel_Name": "N/A"}, "Kernel_Name: 'N/A' is not read as it is"),
        ({"Kernel_Name": "a,\rb"}, "Kernel_Name: 'a,\\rb' is not read as it is"),
        ({"Kernel_Name": "12"}, "Kernel_Name: a column of numbers"),
        ({"Kernel_Name": "True"}, "Kernel_Name: a column of numbers"),
        ({"Counter_Value": str(10**17)}, "Counter_Value: whole numbers that overflow"),
    ],
)
def test_what_pandas_makes_something_else_of_is_refused(change: Row, text: str, tmp_path: Path) -> None:
    """Dispatches that vanish, rows that split, -42 %."""
    assert text in refusal(write(tmp_path / "a", [row | change for row in rows(1, WHOLE)]))


def test_a_value_of_floating_point_keeps_others_from_overflowing(tmp_path: Path) -> None:
    """The column has one type."""
    made = [*rows(1, WHOLE), *rows(2, WHOLE | {"TCC_HIT_sum": 1e17, "TCC_MISS_sum": 1e17})]
    assert read(write(tmp_path / "a", made)).dispatches[1].counters["TCC_HIT_sum"] == 1e17


def test_a_busy_counter_of_zero_ends_the_analysis_of_all(tmp_path: Path) -> None:
    """One dispatch is enough."""
    made = [*two_kernels(), *rows(99, WHOLE | {"GRBM_GUI_ACTIVE": 0})]
    assert refusal(write(tmp_path / "a", made)) == "dispatch 6: GRBM_GUI_ACTIVE is 0"


def test_two_counters_that_never_meet_end_it(tmp_path: Path) -> None:
    """As where each pass is a dispatch. Where one of them is in no dispatch at all, it goes on."""
    apart = [*rows(1, {"GRBM_GUI_ACTIVE": 5}), *rows(2, {"SQ_BUSY_CU_CYCLES": 5})]
    assert "never in one dispatch" in refusal(write(tmp_path / "a", apart))
    assert len(read(write(tmp_path / "b", rows(1, {"GRBM_GUI_ACTIVE": 5}))).dispatches) == 1
    once = [*apart, *rows(3, {"GRBM_GUI_ACTIVE": 5, "SQ_BUSY_CU_CYCLES": 5})]
    assert len(read(write(tmp_path / "c", once)).dispatches) == 3


@pytest.mark.parametrize(
    ("column", "value", "text"),
    [
        ("SGPR", "", "SGPR: empty"),
        ("Grid_Size", "65536.0", "'65536.0' is no whole number"),
        ("Counter_Value", "many", "could not convert string to float"),
        ("Counter_Value", "nan", "'nan' is not read as it is"),
        ("Counter_Value", "inf", "a number without end"),
    ],
)
def test_a_cell_that_is_no_number_is_named(column: str, value: str, text: str, tmp_path: Path) -> None:
    """With its line."""
    (row,) = rows(1, {"SQ_WAVES": 1})
    found = refusal(write(tmp_path / "a", [row | {column: value}]))
    assert found.startswith("pmc_perf.csv: line 2: ")
    assert text in found


# What it takes in silence: why a writer has to be strict.


def test_two_processes_with_the_same_id_become_one_dispatch(tmp_path: Path) -> None:
    """The process is not in the key: values of the second, a time that is of neither, and nothing is said."""
    first = rows(1, {"SQ_WAVES": 10, "SQ_INSTS": 100}, duration=1000, PID=41)
    second = rows(1, {"SQ_WAVES": 20, "SQ_INSTS": 400}, duration=3000, PID=42)
    (one,) = read(write(tmp_path / "a", [*first, *second]))
    assert one.counters == {"SQ_WAVES": 20, "SQ_INSTS": 400}
    assert one.duration == 2000
    assert (one.durations, one.repeated) == ({1000, 3000}, {"SQ_WAVES", "SQ_INSTS"})


def test_with_numbers_of_their_own_they_stay_two(tmp_path: Path) -> None:
    """What our export does."""
    made = [*rows(0, {"SQ_WAVES": 10}, duration=1000), *rows(1, {"SQ_WAVES": 20}, duration=3000)]
    assert [(one.counters["SQ_WAVES"], one.duration) for one in read(write(tmp_path / "a", made))] == [
        (10, 1000),
        (20, 3000),
    ]


def test_a_dispatch_that_lacks_half_of_its_counters_changes_means_without_a_word(tmp_path: Path) -> None:
    """Three dispatches with 10 %, 10 % and 100 % hits: 40 %, and 10 % where the third lost its counters."""
    few, all_of_it = {"TCC_HIT_sum": 10, "TCC_MISS_sum": 90}, {"TCC_HIT_sum": 100, "TCC_MISS_sum": 0}
    both = [*rows(1, WHOLE | few), *rows(2, WHOLE | few)]
    whole = read(write(tmp_path / "whole", [*both, *rows(3, WHOLE | all_of_it)]))
    half = {name: value for name, value in WHOLE.items() if not name.startswith("TCC")}
    partial = read(write(tmp_path / "partial", [*both, *rows(3, half)]))
    assert whole.metrics()["L2 hit rate (%)"] == Value(40, 10, 100, 3)
    assert partial.metrics()["L2 hit rate (%)"] == Value(10, 10, 10, 2)
    assert whole.kernels() == partial.kernels()
    assert (whole.silently_averaged(), partial.silently_averaged()) == ({}, {"TCC_HIT_sum": 2, "TCC_MISS_sum": 2})


def test_times_of_passes_make_a_time_that_no_pass_had(tmp_path: Path) -> None:
    """Of three passes with 1, 1 and 4 counters, 3.3 shows the time of the one with the most counters."""
    made = [
        *rows(1, {"A": 1}, duration=100),
        *rows(1, {"B": 1}, duration=200),
        *rows(1, {"C": 1, "D": 1, "E": 1, "F": 1}, duration=900),
    ]
    folder = write(tmp_path / "a", made)
    assert [read(folder, release).dispatches[0].duration for release in ("3.3", "3.9")] == [900, 100]


def test_a_counter_that_comes_twice_has_its_last_value(tmp_path: Path) -> None:
    """Whichever pass that was."""
    made = [*rows(1, {"SQ_WAVES": 10}), *rows(1, {"SQ_WAVES": 12})]
    (one,) = read(write(tmp_path / "a", made))
    assert (one.counters, one.repeated) == ({"SQ_WAVES": 12}, {"SQ_WAVES"})


def test_times_as_a_spreadsheet_writes_them_take_the_kernels_away(tmp_path: Path) -> None:
    """Start and end are the same then."""
    made = rows(1, WHOLE, Start_Timestamp="8.1097E+14", End_Timestamp="8.1097E+14")
    found = read(write(tmp_path / "a", made))
    assert (found.dispatches[0].duration, found.kernels()) == (0, [])


@pytest.mark.parametrize(
    ("made", "code", "text"),
    [
        (two_kernels, 0, "kernel 0: 3 x, 900 ns: a\n"),
        (lambda: rows(1, {"GRBM_GUI_ACTIVE": 0}), 1, "refused: dispatch 0"),
    ],
)
def test_by_hand_it_prints_what_it_read(made: Callable[[], list[Row]], code: int, text: str, tmp_path: Path) -> None:
    """And ends with 1 where nothing is read."""
    folder = write(tmp_path / "a", made())
    done = subprocess.run([sys.executable, READER, folder], capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert text in done.stdout + done.stderr
