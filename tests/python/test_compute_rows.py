# SPDX-License-Identifier: MIT
"""The rows of an export for rocprofiler-compute: columns, numbers, times, names and channels."""

from __future__ import annotations

import gzip
import io
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from compute_tools import by_dispatch, content, export, exported, group, launch, rows, run_of, write_journal
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pandas._libs.parsers import STR_NA_VALUES
from trace_tools import Execution

from rocprofsys_multipass.compute.names import readable_name
from rocprofsys_multipass.compute.rows import number_text
from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.trace import journal_pb2 as pb
from rocprofsys_multipass.trace.tidy import cell

QUICK = settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
PAIRS = (("DIMENSION_INSTANCE", 16), ("DIMENSION_XCC", 8))


def test_a_dispatch_has_a_row_for_each_counter_with_its_identity_and_the_times_of_pass_0(tmp_path: Path):
    directory = exported(tmp_path, run_of(launch(7, 1000, grid=(64, 4, 2), workgroup=(32, 2, 1))))
    assert (directory / "pmc_perf.csv").read_text(encoding="utf-8") == (
        "GPU_ID,Dispatch_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,"
        "Kernel_Name,Start_Timestamp,End_Timestamp,Kernel_ID,Counter_Name,Counter_Value\n"
        '0,0,512,64,4096,16,24,8,16,"axpy(float*, int)",1000,1100,1,GRBM_GUI_ACTIVE,80\n'
        '0,0,512,64,4096,16,24,8,16,"axpy(float*, int)",1000,1100,1,SQ_BUSY_CU_CYCLES,40\n'
        '0,0,512,64,4096,16,24,8,16,"axpy(float*, int)",1000,1100,1,SQ_INSTS,1007\n'
        '0,0,512,64,4096,16,24,8,16,"axpy(float*, int)",1000,1100,1,SQ_WAVES,512\n'
    )


@pytest.mark.parametrize(("release", "first"), [("3.3", 0), ("3.6", 0), ("3.9", 1)])
def test_numbers_are_dense_and_begin_where_analyze_of_the_release_does(tmp_path: Path, release: str, first: int):
    run = run_of(launch(3), group(5, 0), launch(9))
    directory = exported(tmp_path, run, release=release)
    assert list(by_dispatch(directory)) == [first, first + 1]
    side = [(one["Dispatch_ID"], one["dispatch_id"]) for one in rows(directory, "dispatches.csv")]
    assert side == [(str(first), "3"), ("", "5"), (str(first + 1), "9")]


def test_only_3_9_has_the_packed_table_and_it_is_the_same(tmp_path: Path):
    run = run_of(launch(1), launch(2))
    assert not (exported(tmp_path / "a", run, release="3.6") / "pmc_perf.csv.gz").exists()
    directory = exported(tmp_path / "b", run, release="3.9")
    packed = (directory / "pmc_perf.csv.gz").read_bytes()
    assert gzip.decompress(packed) == (directory / "pmc_perf.csv").read_bytes()
    assert packed[3:8] == b"\0\0\0\0\0"  # no name, no time


def test_times_are_those_of_the_timing_pass_where_the_run_had_one(tmp_path: Path):
    directory = exported(tmp_path, run_of(launch(1, timing=(50, 77)), extras=("timing_pass",)))
    assert {(one["Start_Timestamp"], one["End_Timestamp"]) for one in rows(directory)} == {("50", "77")}


def test_memory_that_is_asked_for_at_the_launch_counts_too(tmp_path: Path):
    def edit(one: pb.Frame) -> None:
        if one.HasField("dispatch") and one.dispatch.dispatch_id == 2:
            one.dispatch.group_segment_size = 4096 + 1024

    directory = exported(tmp_path, run_of(launch(1), launch(2)), edit)
    assert [one["LDS_Per_Workgroup"] for one in rows(directory)] == ["4096"] * 4 + ["5120"] * 4


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (-5.0, "-5"),
        (1e12 - 1, "999999999999"),
        (1e12, "1000000000000.0"),
        (-1e12, "-1000000000000.0"),
        (2.0**53, "9007199254740992.0"),
        (1e17, "1e+17"),
        (1e300, "1e+300"),
        (0.1, "0.1"),
        (1e-7, "1e-07"),
    ],
)
def test_small_whole_numbers_are_integers_and_all_others_floating_point(value: float, text: str):
    assert float(number_text(value)) == value
    assert number_text(value) == text


def test_a_huge_value_makes_all_of_them_floating_point_for_pandas_and_changes_no_other(tmp_path: Path):
    run = run_of(launch(1, waves=1e17), launch(2, waves=2.0**53 - 1), launch(3, waves=7))
    frame = pd.read_csv(exported(tmp_path, run) / "pmc_perf.csv")
    assert frame["Counter_Value"].dtype == "float64"
    assert list(frame["Counter_Value"][frame["Counter_Name"] == "SQ_WAVES"]) == [1e17, 2.0**53 - 1, 7]
    hits = frame["Counter_Value"].max()
    assert 100 * hits / (hits + hits) == 50  # what integers of 64 bits make -42 of


@QUICK
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_value_comes_back_as_it_was(value: float):
    assert float(number_text(value)) == value


MADE_READABLE = {
    **{
        name: f"{name}()"
        for name in (
            *("#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>"),
            *("N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
            *("True", "TRUE", "false", "1e5", "12", " 3 ", "+inf"),
        )
    },
    "carriage\rreturn": "carriage\N{SYMBOL FOR CARRIAGE RETURN}return",
    "both\r\n": "both\N{SYMBOL FOR CARRIAGE RETURN}\n",
    "x\0y": "x\N{SYMBOL FOR NULL}y",
    "\x1b[31m": "\N{SYMBOL FOR ESCAPE}[31m",
}
HOSTILE = [
    *MADE_READABLE,
    'f(char const*, "x")',
    "a,b",
    'say "hi"',
    "two\nlines",
    'before\\"quote',
    "end\\",
    "größe<λ>",
    "'single'",
    " space ",
    "=1+1",
    "none of them",
    "tab\there",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_of_kernels_come_back_from_csv_and_pandas(tmp_path: Path, name: str):
    run = run_of(launch(1, kernel=name), launch(2, kernel="other"))
    directory = exported(tmp_path, run)
    expected = MADE_READABLE.get(name, name)
    assert [one["Kernel_Name"] for one in rows(directory)] == [expected] * 4 + ["other"] * 4
    assert [one["kernel"] for one in rows(directory, "dispatches.csv")] == [expected, "other"]
    frame = pd.read_csv(directory / "pmc_perf.csv")
    assert list(frame["Kernel_Name"]) == [expected] * 4 + ["other"] * 4
    assert list(frame.groupby(["Dispatch_ID", "Kernel_Name"]).size()) == [4, 4]
    assert frame["Counter_Value"].dtype == "int64"


@QUICK
@given(st.text(min_size=1).filter(lambda name: name.isprintable() and not name.strip().replace("_", "").isnumeric()))
def test_any_name_comes_back_from_csv(tmp_path: Path, name: str):
    directory = exported(tmp_path, run_of(launch(1, kernel=f"{name}(int)")))
    assert {one["Kernel_Name"] for one in rows(directory)} == {f"{name}(int)"}


def test_every_text_that_is_no_value_for_pandas_is_a_name_behind_parentheses():
    assert {name for name in STR_NA_VALUES if readable_name(name) != f"{name}()"} == set()


@settings(deadline=None, max_examples=200)
@given(st.text(alphabet='0123456789+-.eEinfINFxX_ tru\r\0\n",#/<>', max_size=8) | st.text(max_size=8))
def test_a_column_of_one_name_is_text_for_pandas_and_comes_back(name: str):
    shown = readable_name(name)
    frame = pd.read_csv(io.BytesIO(f"name,one\n{cell(shown)},1\n".encode()))
    assert list(frame["name"]) == [shown]


def test_a_name_that_is_no_unicode_shows_its_bytes():
    assert readable_name("f\udcff\udc80") == "f\\udcff\\udc80"


def test_kernels_whose_names_become_the_same_stay_two_and_the_notes_say_what_they_are(tmp_path: Path):
    names = ("a\rb", "a\N{SYMBOL FOR CARRIAGE RETURN}b", "null", "null()", "a\rb")
    directory = exported(tmp_path, run_of(*(launch(k, kernel=name) for k, name in enumerate(names, 1))))
    shown = [one["kernel"] for one in rows(directory, "dispatches.csv")]
    assert shown == ["a␍b", "a␍b #2", "null()", "null() #2", "a␍b"]
    assert [one["Kernel_Name"] for one in rows(directory)] == [name for name in shown for _ in range(4)]
    assert (
        "Kernels with names that analyze would not read as they are, or that another kernel has here:\n"
        "  'a␍b' is 'a\\rb'\n  'a␍b #2' is 'a␍b'\n  'null()' is 'null'\n  'null() #2' is 'null()'\n"
    ) in (directory / "notes.txt").read_text(encoding="utf-8")


def test_launch_shapes_of_kernels_whose_names_become_the_same_stay_two(tmp_path: Path):
    run = run_of(launch(1, kernel="null"), launch(2, kernel="null()"))
    directory = exported(tmp_path, run, kernel_medians=True)
    assert [(one["kernel"], one["launches"]) for one in rows(directory, "dispatches.csv")] == [
        ("null()", "1"),
        ("null() #2", "1"),
    ]


@pytest.mark.parametrize(
    ("mangled", "demangled", "expected"),
    [
        ("_Z1fv.kd", "f()", "f()"),
        ("_Z1fv.kd", "f() [clone .kd]", "f()"),
        ("axpy.kd", "", "axpy"),
        ("axpy.kd", "axpy.kd", "axpy"),
        ("", "", "()"),
    ],
)
def test_the_descriptor_is_no_part_of_a_name(tmp_path: Path, mangled: str, demangled: str, expected: str):
    def edit(one: pb.Frame) -> None:
        if one.HasField("kernel"):
            one.kernel.name, one.kernel.demangled = mangled, demangled

    assert {one["Kernel_Name"] for one in rows(exported(tmp_path, run_of(launch(1)), edit))} == {expected}


def test_another_pass_with_known_counters_changes_no_row(tmp_path: Path):
    run = run_of(launch(1), launch(2, 5000))
    more = replace(
        run,
        plan=(*run.plan, ("SQ_INSTS", "SQ_WAVES")),
        sentinels=(*run.sentinels, ("SQ_WAVES",)),
        launches=tuple(
            replace(d, executions=(*d.executions, Execution(2, 9000, 9999, {"SQ_INSTS": 3.0, "SQ_WAVES": 9.0})))
            for d in run.launches
        ),
    )
    one, other = exported(tmp_path / "a", run), exported(tmp_path / "b", more)
    assert (one / "pmc_perf.csv").read_bytes() == (other / "pmc_perf.csv").read_bytes()


# --- channels -------------------------------------------------------------------------------------------------------


def channelled(kept: list[float] | dict[int, float], dimensions: tuple[tuple[str, int], ...] = PAIRS):
    """A capture that reads TCC_HIT with single instances."""
    of = launch(1)
    passes = (
        of.executions[0],
        replace(of.executions[1], values={"SQ_INSTS": 5.0, "TCC_HIT": 640.0}, instances={"TCC_HIT": kept}),
    )
    return run_of(
        replace(of, executions=passes),
        plan=(("GRBM_GUI_ACTIVE", "SQ_BUSY_CU_CYCLES", "SQ_WAVES"), ("SQ_INSTS", "TCC_HIT")),
        sentinels=(),
        dimensions={"TCC_HIT": dimensions},
        keeps_instances=True,
    )


def test_a_channel_is_the_instance_of_an_xcc(tmp_path: Path):
    directory = exported(tmp_path, channelled([float(k) for k in range(128)]))
    values = by_dispatch(directory)[0]
    assert values["TCC_HIT"] == 640
    assert [values[f"TCC_HIT[{k}]"] for k in range(128)] == list(range(128))
    assert "TCC_HIT[128]" not in values


def test_the_order_of_the_dimensions_decides_where_a_channel_stands(tmp_path: Path):
    directory = exported(tmp_path, channelled([float(k) for k in range(128)], PAIRS[::-1]))
    values = by_dispatch(directory)[0]
    # xcc * 16 + instance has the position instance * 8 + xcc
    assert [values[f"TCC_HIT[{k}]"] for k in (0, 1, 15, 16, 17, 127)] == [0, 8, 120, 1, 9, 127]


def test_without_channels_there_are_no_rows_for_them(tmp_path: Path):
    directory = exported(tmp_path, channelled([1.0] * 128), channels=False)
    assert set(by_dispatch(directory)[0]) == {
        *("GRBM_GUI_ACTIVE", "SQ_BUSY_CU_CYCLES", "SQ_INSTS", "SQ_WAVES", "TCC_HIT")
    }


@pytest.mark.parametrize(
    "dimensions",
    [
        (("DIMENSION_INSTANCE", 32), ("DIMENSION_XCC", 4)),
        (("DIMENSION_INSTANCE", 16), ("DIMENSION_SHADER_ENGINE", 8)),
        (("DIMENSION_INSTANCE", 16),),
        (),
    ],
)
def test_other_dimensions_make_no_channels_but_a_warning(tmp_path: Path, dimensions: tuple[tuple[str, int], ...]):
    journal = write_journal(tmp_path / "a.journal", channelled([1.0] * 4, dimensions))
    done = export(journal, tmp_path / "compute")
    assert len(by_dispatch(done.models[0].path)[0]) == 5
    (warning,) = done.warnings
    assert warning.startswith("gfx942: no rows for channels of TCC_HIT (")


def test_a_dispatch_that_lacks_a_channel_is_left_out(tmp_path: Path):
    run = channelled({k: 1.0 for k in range(128) if k not in (3, 100)})
    whole = channelled([2.0] * 128).launches[0]
    directory = exported(tmp_path, replace(run, launches=(*run.launches, replace(whole, id=2))))
    assert "--instances sum to do without channels" in (directory / "notes.txt").read_text(encoding="utf-8")
    assert [one["why_not"] for one in rows(directory, "dispatches.csv")] == [
        "incomplete: no value of TCC_HIT[3], TCC_HIT[100]",
        "",
    ]
    assert by_dispatch(directory)[0]["TCC_HIT[3]"] == 2


def test_channels_of_a_capture_without_instances_are_refused(tmp_path: Path):
    journal = write_journal(tmp_path / "a.journal", run_of(launch(1)))
    with pytest.raises(UsageError, match=r"a\.journal: it has no single instances.*run with --instances keep"):
        export(journal, tmp_path / "compute", channels=True)
    assert content(tmp_path).keys() == {"a.journal"}


def test_a_capture_with_instances_beside_one_without_makes_no_channels(tmp_path: Path):
    run = channelled([1.0] * 128)
    one = write_journal(tmp_path / "a.journal", run)
    other = write_journal(tmp_path / "b.journal", replace(run_of(launch(1)), pid=9, guid="g"))
    done = export((one, other), tmp_path / "compute")
    assert not [name for name in by_dispatch(done.models[0].path)[0] if "[" in name]
    assert any("no rows for channels, since not all captures have single instances" in text for text in done.warnings)


def test_rows_stand_in_order_of_number_and_counter(tmp_path: Path):
    run = channelled([1.0] * 128)
    run = replace(run, launches=(replace(run.launches[0], id=9), replace(run.launches[0], id=2)))
    directory = exported(tmp_path, run)
    order = [(int(one["Dispatch_ID"]), one["Counter_Name"]) for one in rows(directory)]
    assert order == sorted(order)
    assert len(order) == 2 * (5 + 128)


def test_lines_end_with_a_line_feed_alone(tmp_path: Path):
    directory = exported(tmp_path, run_of(launch(1)))
    assert all(b"\r" not in data for data in content(directory).values())
