# SPDX-License-Identifier: MIT
"""Faults of the journal of a run."""

from __future__ import annotations

import struct

from broken_run import BrokenRun, faults

FAULTS, fault = faults()


@fault(
    """
    error parity journal: dispatch 4
    error perfetto-run pftrace: rocm_multipass_run, dispatches
    error summary json: dispatches
    error summary json: readings
    error tables readings: dispatch 4
    error tables readings: process N, outcomes
    error verdicts json: kernels_agreement, kernel 1 of agent 1, {cache|clock|dispatches|outcomes|replayed|time|work}
    """
)
def a_dispatch_is_gone_from_the_journal(run: BrokenRun) -> None:
    with run.journal() as journal:
        gone = journal.frame_of(4)
        for later in journal.frames[journal.frames.index(gone) :]:
            if later.HasField("checkpoint"):
                later.checkpoint.dispatches -= 1
        journal.frames.remove(gone)
        journal.frames[-1].end.dispatches -= 1


@fault(
    """
    error duplicates journal: dispatch 4
    error perfetto-run pftrace: rocm_multipass_run, dispatches
    error summary json: dispatches
    error summary json: readings
    error tables readings: process N, outcomes
    error verdicts json: kernels_agreement, kernel 1 of agent 1, {cache|clock|dispatches|outcomes|replayed|time|work}
    """
)
def a_dispatch_is_twice_in_the_journal(run: BrokenRun) -> None:
    with run.journal() as journal:
        frame = journal.frame_of(4)
        journal.frames.insert(journal.frames.index(frame), frame)
        journal.frames[-1].end.dispatches += 1


@fault(
    """
    error complete journal: dispatch 4
    error parity journal: dispatch 4, pass 2
    error perfetto-arguments pftrace: dispatch 4, executions
    error summary json: readings
    error tables readings: dispatch 4, {duration_spread|passes|same_cache}
    error tables readings: dispatch 4, pass 2, {GRBM_GUI_ACTIVE|SQ_INSTS_VALU|TCC_BUSY|TCC_HIT|TCC_MISS|\
        TCC_TAG_STALL}
    error verdicts json: kernels_agreement, kernel 1 of agent 1, {cache|time}
    """
)
def a_pass_is_gone_from_the_journal(run: BrokenRun) -> None:
    with run.journal() as journal:
        del journal.dispatch(4).passes[2]


@fault(
    """
    error duplicates journal: dispatch 4, pass 2
    error perfetto-arguments pftrace: dispatch 4, executions
    error summary json: readings
    error tables readings: dispatch 4, {duration_spread|passes}
    error tables readings: dispatch 4, pass 2, {GRBM_GUI_ACTIVE|SQ_INSTS_VALU|TCC_BUSY|TCC_HIT|TCC_MISS|\
        TCC_TAG_STALL}
    error verdicts json: kernels_agreement, kernel 1 of agent 1, time
    """
)
def a_pass_is_twice_in_the_journal(run: BrokenRun) -> None:
    with run.journal() as journal:
        passes = journal.dispatch(4).passes
        passes.insert(2, passes[2])


@fault(
    """
    error parity journal: dispatch 4, pass 2, TCC_HIT
    error tables readings: dispatch 4, pass 2, TCC_HIT
    """
)
def a_value_is_another_in_the_journal_only(run: BrokenRun) -> None:
    with run.journal() as journal:
        journal.dispatch(4).passes[2].values[journal.position(4, 2, "TCC_HIT")] += 1


@fault(
    """
    error complete journal: dispatch 4, pass 2, TCC_HIT
    error parity journal: dispatch 4, pass 2, TCC_HIT
    error summary json: readings
    error tables readings: dispatch 4, pass 2, TCC_HIT
    error tables readings: dispatch 4, passes[2].status
    """
)
def a_value_is_gone_from_the_journal(run: BrokenRun) -> None:
    with run.journal() as journal:
        one, at = journal.dispatch(4).passes[2], journal.position(4, 2, "TCC_HIT")
        del one.values[at]
        del one.counters[at]


@fault(
    """
    error parity journal: dispatch 4, pass 2, {TCC_BUSY|TCC_HIT}
    error tables readings: dispatch 4, pass 2, {TCC_BUSY|TCC_HIT}
    warning ratios journal: dispatch 4, TCC_HIT
    """
)
def a_value_is_of_another_counter_in_the_journal(run: BrokenRun) -> None:
    with run.journal() as journal:
        one = journal.dispatch(4).passes[2]
        a, b = journal.position(4, 2, "TCC_HIT"), journal.position(4, 2, "TCC_BUSY")
        one.values[a], one.values[b] = one.values[b], one.values[a]


@fault(
    """
    error outcome journal: dispatch 4
    error parity journal: dispatch 4, pass {2|3}
    error parity journal: dispatch 4, pass {2|3}, {TCC_BUSY|TCC_EA0_WRREQ_DRAM|TCC_HIT|TCC_MISS|TCC_NORMAL_EVICT|\
        TCC_TAG_STALL|WRITE_SIZE}
    error tables readings: dispatch 4, pass {2|3}, {TCC_BUSY|TCC_EA0_WRREQ_DRAM|TCC_HIT|TCC_MISS|TCC_NORMAL_EVICT|\
        TCC_TAG_STALL|WRITE_SIZE}
    error tables readings: dispatch 4, {passes[2].end|passes[2].group|passes[2].start|passes[3].end|\
        passes[3].group|passes[3].start}
    error times journal: dispatch 4, pass 3
    """
)
def passes_of_a_dispatch_are_swapped_in_the_journal(run: BrokenRun) -> None:
    with run.journal() as journal:
        one, other = journal.dispatch(4).passes[2], journal.dispatch(4).passes[3]
        setattr(one, "pass", 3)
        setattr(other, "pass", 2)


@fault(
    """
    error complete journal: dispatch 4, pass 2, {TCC_EA0_WRREQ_DRAM|TCC_NORMAL_EVICT|WRITE_SIZE}
    error complete journal: dispatch 4, pass 3, {TCC_BUSY|TCC_HIT|TCC_MISS|TCC_TAG_STALL}
    error outcome journal: dispatch 4
    error parity journal: dispatch 4, pass {2|3}
    error planned journal: dispatch 4, pass 2, {TCC_BUSY|TCC_HIT|TCC_MISS|TCC_TAG_STALL}
    error planned journal: dispatch 4, pass 3, {TCC_EA0_WRREQ_DRAM|TCC_NORMAL_EVICT|WRITE_SIZE}
    error tables readings: dispatch 4, {passes[2].group|passes[2].status|passes[3].group|passes[3].status}
    """
)
def passes_have_the_groups_of_each_other_in_the_journal(run: BrokenRun) -> None:
    with run.journal() as journal:
        one, other = journal.dispatch(4).passes[2], journal.dispatch(4).passes[3]
        one.group, other.group = other.group, one.group


@fault(
    """
    error parity db: dispatch 4, pass 2
    error tables readings: dispatch 4, {duration_spread|passes[2].end|passes[2].start}
    error times journal: dispatch 4, pass 2
    error verdicts json: kernels_agreement, kernel 1 of agent 1, {clock|time}
    """
)
def times_of_a_pass_are_swapped_in_the_journal(run: BrokenRun) -> None:
    with run.journal() as journal:
        one = journal.dispatch(4).passes[2]
        one.start_ns, one.end_ns = one.end_ns, one.start_ns


@fault(
    """
    error parity journal: dispatch 4, pass 2
    error tables readings: dispatch 4, {duration_spread|passes[2].end}
    error times journal: dispatch 4, pass 3
    error verdicts json: kernels_agreement, kernel 1 of agent 1, time
    warning queue-order journal: dispatch {7|10}
    """
)
def a_pass_ends_with_the_last_dispatch_in_the_journal(run: BrokenRun) -> None:
    with run.journal() as journal:
        journal.dispatch(4).passes[2].end_ns = journal.dispatch(12).passes[4].end_ns


@fault(
    """
    error parity journal: dispatch 4, pass {0..4}
    error tables readings: dispatch 4, {end|passes[0].end|passes[0].start|passes[1].end|passes[1].start|\
        passes[2].end|passes[2].start|passes[3].end|passes[3].start|passes[4].end|passes[4].start|start}
    warning queue-order journal: dispatch {7|10}
    warning times-of-run journal: dispatch 4, pass {0..4}
    """
)
def times_of_the_journal_are_of_the_wall_clock(run: BrokenRun) -> None:
    with run.journal() as journal:
        late = journal.run.realtime_ns - journal.run.boottime_ns
        for one in journal.dispatch(4).passes:
            one.start_ns += late
            one.end_ns += late


@fault(
    """
    error clocks pftrace
    warning clocks journal
    """
)
def clocks_of_the_journal_were_not_read_together(run: BrokenRun) -> None:
    with run.journal() as journal:
        journal.run.boottime_ns += 3_600_000_000_000


@fault(
    """
    error parity journal: dispatch 4
    error perfetto-arguments pftrace: dispatch 4, kernel_id
    error rocpd-names db: dispatch 4
    error tables readings: dispatch 4, kernel
    error verdicts json: kernels_agreement, {kernel 1 of agent 1|kernel 3 of agent 1}, {cache|clock|dispatches|\
        outcomes|replayed|time|work}
    warning outliers journal: dispatch 4, {TCC_EA0_WRREQ_DRAM|TCC_NORMAL_WRITEBACK|WRITE_SIZE}
    """
)
def a_dispatch_is_of_another_kernel_in_the_journal(run: BrokenRun) -> None:
    with run.journal() as journal:
        journal.dispatch(4).kernel = journal.kernel_like("histogram").id


@fault(
    """
    error geometry journal: dispatch 4
    error parity journal: dispatch 4
    error perfetto-arguments pftrace: dispatch 4, grid_size
    error tables readings: dispatch 4, grid
    """
)
def a_dispatch_has_no_work_in_the_journal(run: BrokenRun) -> None:
    with run.journal() as journal:
        del journal.dispatch(4).grid[:]
        journal.dispatch(4).grid.extend((0, 1, 1))


@fault(
    """
    error parity journal: dispatch 4
    error perfetto-arguments pftrace: dispatch 4, queue
    error tables readings: dispatch 4, queue_id
    """
)
def a_dispatch_is_of_another_queue_in_the_journal(run: BrokenRun) -> None:
    with run.journal() as journal:
        journal.dispatch(4).queue_id += 1


@fault(
    """
    error outcome journal: dispatch 4
    error parity journal: dispatch 4
    error summary json: dispatches
    error tables readings: dispatch 4, {outcome|reason}
    error tables readings: process N, {outcomes|reasons}
    error verdicts json: kernels_agreement, kernel 1 of agent 1, outcomes
    """
)
def the_outcome_is_another_in_the_journal(run: BrokenRun) -> None:
    with run.journal() as journal:
        journal.dispatch(4).outcome = "declined"
        journal.dispatch(4).reason = "graph"


@fault(
    """
    error gpus db: GPU 0
    error perfetto-run pftrace: rocm_multipass_run, plan
    error planned journal: dispatch {1..12}, pass 2, TCC_HIT
    error summary json: agents[0]
    error tables readings: process N, agents[0].passes
    """
)
def a_counter_is_gone_from_the_plan_of_the_journal(run: BrokenRun) -> None:
    with run.journal() as journal:
        journal.gpu.plan.passes[2].counters.remove("TCC_HIT")


@fault(
    """
    error tables csv: dispatch 4, pass 2, SQ_INSTS_VALU
    error tables csv: dispatch 4, same_work
    error tables readings: dispatch 4, pass 2, SQ_INSTS_VALU
    error tables readings: dispatch 4, same_work
    error verdicts json: kernels_agreement, kernel 1 of agent 1, {inputs_restored|work}
    warning agreement journal: dispatch 4, SQ_INSTS_VALU
    """
)
def sentinels_disagree_in_every_file(run: BrokenRun) -> None:
    with run.journal() as journal:
        journal.dispatch(4).passes[2].values[journal.position(4, 2, "SQ_INSTS_VALU")] = 3.0
    with run.trace() as trace:
        trace.pulse("SQ_INSTS_VALU", 2, 4)[0].track_event.double_counter_value = 3.0
    run.sql(
        "UPDATE rocpd_replay_pmc~ SET value = 3 WHERE replay_pass_id = (SELECT id FROM rocpd_replay_pass WHERE "
        "dispatch_id = 4 AND replay_pass = 2) AND pmc_id = (SELECT id FROM rocpd_info_pmc WHERE name = 'SQ_INSTS_VALU')"
    )


@fault(
    """
    error parity journal: dispatch 12
    error perfetto-run pftrace: rocm_multipass_run, dispatches
    error summary json: capture
    error summary json: dispatches
    error summary json: readings
    error tables readings: dispatch 12
    error tables readings: process N, {closed|outcomes}
    error verdicts json: kernels_agreement, kernel 3 of agent 1, {cache|clock|dispatches|outcomes|replayed|time|work}
    warning journal-whole journal
    """
)
def the_journal_is_cut(run: BrokenRun) -> None:
    run.bytes_changed("journal", lambda data: data[:-30])


@fault(
    """
    warning journal-whole journal
    """
)
def the_journal_has_garbage_behind_its_end(run: BrokenRun) -> None:
    run.bytes_changed("journal", lambda data: data + b"garbage" * 9)


@fault(
    """
    error journal-whole journal
    error parity journal: dispatch 4
    error perfetto-run pftrace: rocm_multipass_run, dispatches
    error summary json: dispatches
    error summary json: readings
    error tables readings: dispatch 4
    error tables readings: process N, outcomes
    error verdicts json: kernels_agreement, kernel 1 of agent 1, {cache|clock|dispatches|outcomes|replayed|time|work}
    """
)
def a_byte_of_the_journal_is_another(run: BrokenRun) -> None:
    with run.journal() as journal:
        payload = journal.frame_of(4).SerializeToString()
    run.bytes_changed("journal", lambda data: data.replace(payload, payload[:-1] + bytes([payload[-1] ^ 1])))


@fault(
    """
    error readable journal
    """
)
def the_journal_is_of_a_newer_format(run: BrokenRun) -> None:
    run.bytes_changed("journal", lambda data: data[:8] + struct.pack("<I", 3) + data[12:])


@fault(
    """
    error parity journal
    error tables readings: process N, guid
    """
)
def the_journal_is_of_another_run(run: BrokenRun) -> None:
    with run.journal() as journal:
        journal.run.guid = "01a22b1c-0000-7000-8000-000000000000"


@fault(
    """
    error journal-whole journal
    """
)
def the_journal_says_that_more_was_written(run: BrokenRun) -> None:
    with run.journal() as journal:
        journal.frames[-1].end.dispatches += 1


@fault(
    """
    warning zeros journal: GPU 0, {GRBM_GUI_ACTIVE|SQ_INSTS_VALU}
    """
)
def a_counter_is_zero_in_every_pass(run: BrokenRun) -> None:
    run.only("journal")
    with run.journal() as journal:
        for number in range(1, 13):
            for k, one in enumerate(journal.dispatch(number).passes):
                for counter in ("SQ_INSTS_VALU", "GRBM_GUI_ACTIVE"):
                    one.values[journal.position(number, k, counter)] = 0.0


@fault(
    """
    warning ratios journal: dispatch 1, TCC_HIT
    """
)
def a_part_is_more_than_the_whole_of_another_pass(run: BrokenRun) -> None:
    """rocm-systems PR #9324: 207 %."""
    run.only("journal")
    with run.journal() as journal:
        for number in (1, 4):
            whole = journal.dispatch(number).passes[0].values[journal.position(number, 0, "TCC_REQ")]
            journal.dispatch(number).passes[2].values[journal.position(number, 2, "TCC_HIT")] = 2.07 * whole


@fault(
    """
    warning journal-whole journal
    warning possible-values journal: dispatch 4, pass 2, TCC_HIT
    """
)
def a_value_is_no_number(run: BrokenRun) -> None:
    run.only("journal")
    with run.journal() as journal:
        journal.dispatch(4).passes[2].values[journal.position(4, 2, "TCC_HIT")] = -1.0
        journal.dispatch(4).passes[2].values[journal.position(4, 2, "TCC_BUSY")] = float("inf")


@fault(
    """
    warning queue-order journal: dispatch 7
    """
)
def times_of_a_dispatch_are_those_of_another(run: BrokenRun) -> None:
    """Of the same kernel, so that nothing else tells."""
    run.only("journal")
    with run.journal() as journal:
        for one, other in zip(journal.dispatch(4).passes, journal.dispatch(7).passes, strict=True):
            one.start_ns, other.start_ns = other.start_ns, one.start_ns
            one.end_ns, other.end_ns = other.end_ns, one.end_ns
