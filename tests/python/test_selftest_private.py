# SPDX-License-Identifier: MIT
"""What tells who or where is taken out of texts, and nothing that tells what was found."""

from __future__ import annotations

import getpass
import socket
from pathlib import Path

import pytest
from doctor_tools import make_machine
from hypothesis import given
from hypothesis import strategies as st

from rocprofsys_multipass.doctor.machine import Machine
from rocprofsys_multipass.doctor.selftest.private import Veil


@pytest.fixture
def veil(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Veil:
    monkeypatch.setattr(socket, "gethostname", lambda: "node-17.cluster.example")
    monkeypatch.setattr(getpass, "getuser", lambda: "zaphod")
    return Veil(make_machine(tmp_path, USER="zaphod", HOSTNAME="login1"))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("built by /opt/rocm-6.2/bin/hipcc", "built by <path>"),
        ("cannot open /home/zaphod/my app/x: denied", "cannot open <path> app/x: denied"),
        ("'/data/projects/secret/run.json'", "'<path>'"),
        ("~/secret/a.txt is there", "<path> is there"),
        ("1.4.1, /home/zaphod/lib/librocprofiler-sdk.so.1", "1.4.1, .../librocprofiler-sdk.so.1"),
        ("searched: /a/b:/c/d", "searched: <path>"),
        ("from http://build.example/zaphod/log", "from http:/<path>"),
        ("host node-17.cluster.example, node-17 and login1", "host <host>, <host> and <host>"),
        ("of user Zaphod, in zaphod_scratch", "of user <user>, in <user>_scratch"),
        ("GPU-a1a8afb6bdc4cbd2 at 0x7f12ab34cd56", "<number> at <number>"),
        ("a1b2c3d4-0000-1111-2222-333344445555", "<number>"),
        ("HSA_TOOLS_LIB=abc is set", "HSA_TOOLS_LIB=<value> is set"),
        ("at 10.1.22.3:8080", "at <address>:8080"),
    ],
)
def test_who_and_where_is_replaced(veil: Veil, text: str, left: str) -> None:
    assert veil.text(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "SQ_WAVES is exact: as launched (up to 64) in 30 readings of 6 launches",
        "ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED (39)",
        "rocprofiler-sdk 1.4.1 and/or SDK 1.0.0, 25.8 GB, 2.3 s, 1/2",
        "kit_few(unsigned int*)",
        "the kit ran on simulated GPUs, gfx942,gfx942",
    ],
)
def test_what_was_found_stays(veil: Veil, text: str) -> None:
    assert veil.text(text) == text


def test_folders_with_blanks_are_found_where_they_are_known(tmp_path: Path) -> None:
    home = tmp_path / "home of Ford Prefect"
    assert Veil(Machine({}, home=home)).text(f"'{home}/a/b' is none") == "'<path>' is none"


def test_every_text_of_a_document_is_looked_at(veil: Veil) -> None:
    document = {"a": ["/x/y", {"b": "zaphod", "n": 1.5, "none": None}], "zaphod": True}
    assert veil.texts(document) == {"a": ["<path>", {"b": "<user>", "n": 1.5, "none": None}], "zaphod": True}


@given(
    before=st.text(max_size=20), after=st.text(max_size=20), user=st.from_regex(r"[a-z][a-z0-9_-]{2,9}", fullmatch=True)
)
def test_no_text_around_it_keeps_a_home_folder(before: str, after: str, user: str) -> None:
    home = Path("/home") / user
    text = Veil(Machine({"USER": user}, home=home)).text(f"{before}{home}{after}")
    assert str(home) not in text
