# SPDX-License-Identifier: MIT
"""The packets of a merged trace that are not as they were: what becomes of each.

A slice goes by blanking its events: the packet stays with its interned names, flags and time, because later packets of
its sequence are read with them, and its time may be a difference that the next is counted from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final

from rocprofsys_multipass.trace.perfetto_merged import OWN
from rocprofsys_multipass.trace.rocprof_sys import dim3_of
from rocprofsys_multipass.trace.wire_fields import delimited, extended, fields, varint, without

_TRACK_EVENT: Final = 11  # TracePacket
_SERVICE_EVENT: Final = 69
_DEBUG_ANNOTATIONS: Final = 4  # TrackEvent
_FLOW_IDS: Final = 47
_TERMINATING_FLOW_IDS: Final = 48
_FIXED64: Final = 1  # wire type

Change = Callable[[bytes], bytes | None]  # of a packet's content; None: the packet is left out


def blank(content: bytes) -> bytes:
    """The packet without its event."""
    return without(content, _TRACK_EVENT)


def without_read_mark(content: bytes) -> bytes:
    """The packet without the mark that the recorder's buffers were read.

    After some, Perfetto's importer takes what came so far for complete, and drops earlier events that follow.
    """
    return without(content, _SERVICE_EVENT)


def drop(_: bytes) -> None:
    """The packet is left out: nothing is counted from it."""


def extended_event(content: bytes, more: bytes) -> bytes:
    """The packet with more in its event."""
    return extended(content, _TRACK_EVENT, more)


def without_arrow(content: bytes) -> bytes:
    """The packet without the flow that ends at its slice."""
    parts = []
    for number, start, inner, end in fields(content):
        kept = without(content[inner:end], _TERMINATING_FLOW_IDS) if number == _TRACK_EVENT else None
        parts.append(content[start:end] if kept is None else delimited(number, kept))
    return b"".join(parts)


def flow(identity: int) -> bytes:
    """A field of an event: an arrow begins at its slice."""
    return varint(_FLOW_IDS << 3 | _FIXED64) + identity.to_bytes(8, "little")


def annotation(classes: Any, name: str, value: int | str) -> bytes:  # noqa: ANN401  as perfetto_classes
    """A field of an event: an argument with its name in it, which needs no state of a sequence."""
    made = classes.DebugAnnotation(name=name)
    if isinstance(value, str):
        made.string_value = value
    else:
        made.uint_value = value
    return delimited(_DEBUG_ANNOTATIONS, made.SerializeToString(deterministic=True))


def arguments_of(classes: Any, content: bytes, keys: Sequence[str]) -> dict[str, object]:  # noqa: ANN401
    """The values in the event of a packet; `keys` are their names, in order."""
    annotations = classes.TracePacket.FromString(content).track_event.debug_annotations
    kinds = [one.WhichOneof("value") for one in annotations]
    return {key: getattr(one, kind) for key, one, kind in zip(keys, annotations, kinds, strict=True) if kind}


def copied_arguments(
    classes: Any,  # noqa: ANN401
    content: bytes,
    keys: Mapping[int, str],
    there: Mapping[str, object],
    leave_out: AbstractSet[str] = frozenset(),
) -> bytes:
    """The arguments in the event of a packet, as fields of an event that has those `there` already.

    One that the other event has with another value gets a name of its own.
    """
    copied = []
    for one in classes.TracePacket.FromString(content).track_event.debug_annotations:
        name, kind = keys.get(one.name_iid, "") if one.name_iid else one.name, one.WhichOneof("value")
        if name in leave_out or (name in there and _alike(there[name], getattr(one, kind or "uint_value"))):
            continue
        one.ClearField("name_iid")
        one.name = OWN + name if name in there else name
        copied.append(delimited(_DEBUG_ANNOTATIONS, one.SerializeToString(deterministic=True)))
    return b"".join(copied)


def _alike(theirs: object, ours: object) -> bool:
    return theirs == ours or (dim3_of(theirs) == dim3_of(ours) is not None)


def flows_of(classes: Any, content: bytes) -> Iterable[int]:  # noqa: ANN401
    """The arrows that begin at the slice of a packet."""
    return list(classes.TracePacket.FromString(content).track_event.flow_ids)


def renamed(classes: Any, suffix: str) -> Change:  # noqa: ANN401
    """The descriptor of a track with something behind its name."""

    def change(content: bytes) -> bytes:
        packet = classes.TracePacket.FromString(content)
        packet.track_descriptor.name += suffix
        return bytes(packet.SerializeToString(deterministic=True))

    return change


def below(classes: Any, parent: int) -> Change:  # noqa: ANN401
    """The descriptor of a track, below another."""

    def change(content: bytes) -> bytes:
        packet = classes.TracePacket.FromString(content)
        packet.track_descriptor.parent_uuid = parent
        return bytes(packet.SerializeToString(deterministic=True))

    return change


def remapped(classes: Any, sequences: Mapping[int, int], tracks: Mapping[int, int]) -> Change:  # noqa: ANN401
    """The packet on another sequence, its tracks with other ids."""

    def change(content: bytes) -> bytes:
        packet = classes.TracePacket.FromString(content)
        sequence = packet.trusted_packet_sequence_id
        packet.trusted_packet_sequence_id = sequences.get(sequence, sequence)
        if packet.HasField("track_descriptor"):
            d = packet.track_descriptor
            d.uuid = tracks.get(d.uuid, d.uuid)
            if d.HasField("parent_uuid"):
                d.parent_uuid = tracks.get(d.parent_uuid, d.parent_uuid)
        if packet.HasField("track_event") and packet.track_event.HasField("track_uuid"):
            event = packet.track_event
            event.track_uuid = tracks.get(event.track_uuid, event.track_uuid)
        return bytes(packet.SerializeToString(deterministic=True))

    return change
