# SPDX-License-Identifier: MIT
"""What the kernels of examples/matmul may cost, as tests: README.md beside it goes through them."""

from __future__ import annotations

from pathlib import Path

import pytest

import rocprofsys_multipass as mp
from rocprofsys_multipass.testing import RunTrace
from rocprofsys_multipass.testing.fixture import MultipassRun

COUNTERS = ["SQ_WAVES", "SQ_INSTS_VALU_FMA_F32", "SQ_INSTS_LDS", "TCC_HIT", "TCC_MISS", "FETCH_SIZE", "WRITE_SIZE"]

# For every test here. Without `simulate` the same tests run on a real GPU.
pytestmark = pytest.mark.multipass(simulate="gfx942", events=COUNTERS)


@pytest.fixture(scope="module")
def trace(multipass_module_run: MultipassRun, tmp_path_factory: pytest.TempPathFactory) -> RunTrace:
    """What one run recorded, of a product of two 64 x 64 matrices, naive and tiled."""
    source = Path(__file__).parents[1] / "matmul" / "matmul.cpp"
    return multipass_module_run([mp.testing.build_hip(source, tmp_path_factory.mktemp("matmul"))])


def test_the_run_can_be_trusted(trace: RunTrace) -> None:
    mp.assert_complete(trace)
    mp.assert_same_work(trace)
    mp.assert_no_double_count(trace)
    assert "naive 64x64: correct" in trace.run.stdout


def test_both_kernels_do_the_arithmetic_of_the_product_and_no_more(trace: RunTrace) -> None:
    mp.assert_counter(trace, "matmul", "SQ_INSTS_VALU_FMA_F32", 64 * 64)  # 64 waves, 64 multiplications each
    mp.assert_counter(trace, "matmul", "SQ_WAVES", 64)


def test_tiling_replaces_l2_traffic_by_lds(trace: RunTrace) -> None:
    naive = trace.dispatches("matmul_naive")[0].counter("TCC_HIT")
    mp.assert_counter(trace, "matmul_tiled", "TCC_HIT", (0, naive / 10))
    mp.assert_counter(trace, "matmul_tiled", "SQ_INSTS_LDS", lambda count: count > 0)


def test_no_more_memory_is_moved_than_the_matrices_have(trace: RunTrace) -> None:
    mp.assert_counter(trace, "matmul", "FETCH_SIZE", 32, rel=0.05)  # KB: two matrices of floats
    mp.assert_counter(trace, "matmul", "WRITE_SIZE", 16, rel=0.05)


def test_the_counters_take_two_passes(trace: RunTrace) -> None:
    mp.assert_passes(trace, 2)
