# SPDX-License-Identifier: MIT
"""The rank of this process in a parallel job, as its launcher tells it by a variable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocprofsys_multipass.config.values import contains

if TYPE_CHECKING:
    from collections.abc import Mapping

# Open MPI, PMIx, Hydra (MPICH, Intel MPI), MVAPICH2, Cray PALS, Flux, Slurm. Slurm comes last: a batch script has
# SLURM_PROCID=0 in all the processes that another launcher starts in it. The plugin names its files by the same list
# (library/tool/process_info.cpp, compared by a test).
RANK_VARIABLES = (
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "MV2_COMM_WORLD_RANK",
    "PALS_RANKID",
    "FLUX_TASK_RANK",
    "SLURM_PROCID",
)

_BATCH_RANK = "SLURM_PROCID"
_STEP = "SLURM_STEP_ID"  # which srun sets and the batch script does not have

# Of the launchers that tell it, by what tells the rank.
_SIZE_VARIABLES = {
    "OMPI_COMM_WORLD_RANK": "OMPI_COMM_WORLD_SIZE",
    "PMI_RANK": "PMI_SIZE",
    "MV2_COMM_WORLD_RANK": "MV2_COMM_WORLD_SIZE",
    "FLUX_TASK_RANK": "FLUX_JOB_SIZE",
    "SLURM_PROCID": "SLURM_NTASKS",
}

_MAX_RANK = 2**32 - 1  # what the plugin's 32 bits hold
_MAX_DIGITS = len(str(_MAX_RANK))


def launcher_rank(environ: Mapping[str, str]) -> int | None:
    """The rank, or None outside a launcher and where the variable holds no number from 0 to 2^32 - 1."""
    return _number(next((environ[name] for name in RANK_VARIABLES if environ.get(name)), ""))


def launcher_size(environ: Mapping[str, str]) -> int | None:
    """The number of ranks, as the launcher that told the rank tells it; None where it does not."""
    rank = next((name for name in RANK_VARIABLES if environ.get(name)), "")
    return _number(environ.get(_SIZE_VARIABLES.get(rank, ""), ""))


def _number(value: str) -> int | None:
    digits = value.lstrip("0") or value[:1]
    if not (value.isascii() and value.isdigit()) or len(digits) > _MAX_DIGITS:
        return None
    number = int(digits)
    return number if number <= _MAX_RANK else None


def left_out_rank(ranks: str, environ: Mapping[str, str], *, starts_ranks: bool) -> int | None:
    """The rank of this process where a list of ranks leaves it out; None where it does not.

    Nor does it where the ranks are those of processes that are still to be started: by the command line
    (`starts_ranks`), or by one in a batch script, which seems to have the rank 0. Then each is chosen by the plugin.
    """
    rank = launcher_rank(environ)
    if not ranks or rank is None or contains(ranks, rank) or starts_ranks:
        return None
    first = next(name for name in RANK_VARIABLES if environ.get(name))
    return None if first == _BATCH_RANK and not environ.get(_STEP) else rank
