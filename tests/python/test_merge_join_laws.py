# SPDX-License-Identifier: MIT
"""What joining two runs keeps to, whatever was launched."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from random import Random

from hypothesis import assume, given
from hypothesis import strategies as st

from rocprofsys_multipass.merge.join.joined import Joined
from rocprofsys_multipass.merge.join.launches import Launches, Place, Shape
from rocprofsys_multipass.merge.join.match import match_launches

_SIZES = ((64, 1, 1), (128, 1, 1))
_PLACES = [Place(gpu, Shape(kernel, grid, _SIZES[0])) for gpu in (0, 1) for kernel in "ab" for grid in _SIZES]
programs = st.lists(st.sampled_from(_PLACES), min_size=1, max_size=20)


def run(launched: Sequence[Place], first: int = 1, step: int = 1) -> Launches:
    found = Launches(Path("run"))
    for n, place in enumerate(launched):
        found.add(first + step * n, place, 1, 100, counted=True)
    return found


def joined(join: Joined, host: Sequence[Place], own: Sequence[Place]) -> dict[Place, list[tuple[int, int]]]:
    """Positions of the launches in both programs, by place; ids are those of `run` with 1 and with 100, 3."""
    found = defaultdict(list)
    for there, here in join.pairs.items():
        place = host[(there - 100) // 3]
        assert own[here - 1] == place
        found[place].append(((there - 100) // 3, here - 1))
    return found


@given(programs)
def test_a_run_joined_with_itself_is_joined_whole(program: list[Place]):
    join = match_launches(run(program, 100, 3), run(program))
    assert dict(join.pairs) == {100 + 3 * n: n + 1 for n in range(len(program))}
    assert join.not_joined == ()
    assert sum(one.dispatches for one in join.inflation) == len(program)


@given(programs, st.randoms(use_true_random=False))
def test_the_order_of_different_launches_does_not_matter(program: list[Place], random: Random):
    other = list(program)
    random.shuffle(other)
    join = match_launches(run(other, 100, 3), run(program))
    assert (len(join.pairs), join.not_joined) == (len(program), ())
    for of_place in joined(join, other, program).values():
        assert of_place == sorted(of_place)
        assert [here for _, here in of_place] == sorted(here for _, here in of_place)


@given(program=programs, data=st.data(), there=st.booleans())
def test_a_launch_less_on_one_side_leaves_out_its_shape_and_no_other(
    program: list[Place], data: st.DataObject, *, there: bool
):
    gone = data.draw(st.integers(0, len(program) - 1))
    fewer = program[:gone] + program[gone + 1 :]
    host, own = (fewer, program) if there else (program, fewer)
    assume(host)
    join = match_launches(run(host, 100, 3), run(own))
    left = Counter(program)
    del left[program[gone]]
    assert {place: len(of) for place, of in joined(join, host, own).items()} == dict(left)
    assert [Place(one.device, one.shape) for one in join.not_joined] == [program[gone]]


@given(programs)
def test_without_gpus_a_shape_is_joined_where_one_gpu_has_it(program: list[Place]):
    blind = [Place(None, place.shape) for place in program]
    join = match_launches(run(blind, 100, 3), run(program))
    gpus = defaultdict(set)
    for place in program:
        gpus[place.shape].add(place.device)
    expected = {100 + 3 * n: n + 1 for n, place in enumerate(program) if len(gpus[place.shape]) == 1}
    assert dict(join.pairs) == expected
