# SPDX-License-Identifier: MIT
"""Takes out of texts what tells who or where: the report of the self-test is made to be given away.

The first wall is that the report has no member for such things. This is the second, for texts that others wrote, such
as the words of an SDK: names of host and user, folders, absolute paths and serial numbers are replaced.
"""

from __future__ import annotations

import getpass
import re
import socket
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocprofsys_multipass.doctor.machine import Machine

_USER_VARIABLES = ("USER", "LOGNAME", "SUDO_USER", "USERNAME")
_HOST_VARIABLES = ("HOSTNAME", "HOST", "SLURMD_NODENAME")
_SHORTEST = 2  # characters of a name that is looked for in texts

# A name of a shared library tells which one it is, not where: it may stay.
_PATH = re.compile(r"(?<![\w<>.])~?(?:/[\w.+@%:=~-]+)*/(?P<last>[\w.+@%=~-]+)/?")
_LIBRARY = re.compile(r"lib[\w+-]+\.so[\d.]*")
_SERIAL = re.compile(r"\b(?:GPU-|0x)?[0-9a-fA-F]{8,}(?:-[0-9a-fA-F]{4,})*\b")
_ADDRESS = re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}\b(?!\.\d)")
_ASSIGNED = re.compile(r"\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)=\S+")


class Veil:
    """Replaces them. What is looked for is known from the start."""

    def __init__(self, machine: Machine) -> None:
        """Look up the names of this machine and its user."""
        host = socket.gethostname()
        hosts = [host, host.partition(".")[0], *(machine.value(name) for name in _HOST_VARIABLES)]
        users = [_user(), machine.home.name, *(machine.value(name) for name in _USER_VARIABLES)]
        folders = [str(machine.home), _here(), tempfile.gettempdir()]
        # Folders first: names may be parts of them, and they may hold blanks, which no pattern of paths finds.
        self._places = sorted({one for one in folders if len(one) > _SHORTEST}, key=len, reverse=True)
        self._known: dict[str, str] = {}  # a recording has the same few words very often
        self._names = [*_as_words(hosts, "<host>"), *_as_words(users, "<user>")]

    def text(self, text: str) -> str:
        """The text without them."""
        if text not in self._known:
            self._known[text] = self._replaced(text)
        return self._known[text]

    def _replaced(self, text: str) -> str:
        for place in self._places:
            text = text.replace(place, "/folder")
        text = _ASSIGNED.sub(r"\1=<value>", text)
        text = _PATH.sub(_last_of, text)
        for pattern, instead in self._names:
            text = pattern.sub(instead, text)
        text = _SERIAL.sub("<number>", text)
        return _ADDRESS.sub("<address>", text)

    def texts(self, found: Any) -> Any:  # noqa: ANN401 - of a JSON document
        """The same for each text of a document but its names of members."""
        if isinstance(found, str):
            return self.text(found)
        if isinstance(found, dict):
            return {name: self.texts(value) for name, value in found.items()}
        if isinstance(found, list | tuple):
            return [self.texts(value) for value in found]
        return found


def _as_words(names: Iterable[str], instead: str) -> list[tuple[re.Pattern[str], str]]:
    found = sorted({one for one in names if len(one) >= _SHORTEST}, key=len, reverse=True)
    return [(re.compile(rf"(?<![A-Za-z0-9]){re.escape(one)}(?![A-Za-z0-9])", re.IGNORECASE), instead) for one in found]


def _last_of(match: re.Match[str]) -> str:
    return f".../{match['last']}" if _LIBRARY.fullmatch(match["last"]) else "<path>"


def _here() -> str:
    try:
        return str(Path.cwd())
    except OSError:  # it was removed
        return ""


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # nobody knows it
        return ""
