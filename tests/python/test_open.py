# SPDX-License-Identifier: MIT
"""``open``: which trace, what it is served to, what not, and how it ends."""

from __future__ import annotations

import re
import socket
import urllib.error
import urllib.request
import webbrowser
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from fake_native import Cli
from open_tools import opening, write_summary, write_trace

from rocprofsys_multipass.errors import ExitCode, LaunchError, TraceError, UsageError
from rocprofsys_multipass.trace.model import Interval
from rocprofsys_multipass.viewer import (
    TraceFile,
    TraceServer,
    Ui,
    choose,
    link,
    queries,
    query,
    serving,
    startup_commands,
)

UI = "https://ui.perfetto.dev"


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """A small one."""
    path = tmp_path / "a b#1%.pftrace"
    write_trace(path)
    return path


@pytest.fixture
def display(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is one."""
    monkeypatch.setenv("DISPLAY", ":99")


def ask(url: str, method: str = "GET", **headers: str) -> urllib.request.addinfourl:
    """The answer; ``Access_Control=`` is the header ``Access-Control``."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return urllib.request.urlopen(urllib.request.Request(url, method=method, headers=named), timeout=20)


def status(url: str, method: str = "GET", **headers: str) -> int:
    try:
        with ask(url, method, **headers) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


def test_the_trace_is_served_to_the_ui_and_the_command_ends_when_it_was_fetched(trace: Path) -> None:
    with opening(trace) as command:
        with ask(command.trace, Origin=UI) as answer:
            assert answer.read() == trace.read_bytes()
            assert answer.headers["Access-Control-Allow-Origin"] == UI
        assert command.code.result() == ExitCode.OK
    assert command.address.startswith(f"{UI}/#!/?url=http://127.0.0.1:")
    assert urlsplit(command.trace).path.endswith("/a%20b%231%25.pftrace")
    assert "a b#1%.pftrace" in command.err.getvalue()


def test_a_question_about_the_trace_is_no_fetch(trace: Path) -> None:
    with opening(trace) as command:
        with ask(command.trace, "HEAD") as answer:
            assert (answer.read(), answer.headers["Content-Length"]) == (b"", str(trace.stat().st_size))
        with ask(command.trace, "OPTIONS", Access_Control_Request_Private_Network="true", Origin=UI) as answer:
            assert answer.status == 204
            assert answer.headers["Access-Control-Allow-Private-Network"] == "true"
        assert not command.code.done()
        ask(command.trace).close()


def test_nothing_else_has_an_address(trace: Path) -> None:
    (trace.parent / "other").write_text("secret")
    with opening(trace) as command:
        server = command.trace.removesuffix(urlsplit(command.trace).path)
        folder, _, name = command.trace.rpartition("/")
        others = ["/", "/status", f"/{name}", "/other", "/../other", "/%2e%2e/other", f"{trace.parent}/other"]
        found = {path: status(server + path) for path in others}
        found |= {path: status(f"{folder}/{path}") for path in ("", "other", "../other", f"{folder}/x/../other")}
        assert {path: code for path, code in found.items() if code != 404} == {}
        assert status(f"{command.trace}?x=1") == 404
        assert not command.code.done()
        ask(command.trace).close()


def test_the_address_of_a_trace_cannot_be_guessed(trace: Path) -> None:
    with serving([trace], "x", UI, 0) as one, serving([trace], "x", UI, 0) as other:
        assert urlsplit(one.url).path != urlsplit(other.url).path


def test_requests_that_come_by_another_name_or_from_another_page_are_refused(trace: Path) -> None:
    with opening(trace) as command:
        assert status(command.trace, Host="evil.example:9001") == 403
        assert status(command.trace, Host="127.0.0.1.evil.example") == 403
        assert status(command.trace, Host="[oops") == 403
        assert status(command.trace, Origin="https://evil.example") == 403
        assert status(command.trace, Origin="null") == 403
        assert status(command.trace, "OPTIONS", Origin="https://evil.example") == 403
        assert not command.code.done()
        assert status(command.trace, Host="localhost:9002") == 200  # the near end of a tunnel


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_there_is_nothing_to_change(trace: Path, method: str) -> None:
    with serving([trace], "x", UI, 0) as server:
        assert status(server.url, method) == 501


def test_a_client_that_leaves_before_the_end_has_not_fetched_the_trace(tmp_path: Path) -> None:
    large = tmp_path / "large.pftrace"
    write_trace(large)
    with large.open("r+b") as file:
        file.truncate(1 << 26)  # more than the buffers of a connection hold
    with serving([large], "x", UI, 0) as server:
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            client.sendall(f"GET {urlsplit(server.url).path} HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n".encode())
            assert client.recv(16).startswith(b"HTTP/1.0 200")
        assert not server.wait(0.2)
        with ask(server.url) as answer:
            assert len(answer.read()) == 1 << 26
        assert server.wait(20)


def test_a_trace_that_was_removed_meanwhile_is_gone(trace: Path) -> None:
    with serving([trace], "x", UI, 0) as server:
        trace.unlink()
        assert status(server.url) == 410
        assert not server.wait(0)


def test_a_port_that_is_taken_is_an_error_that_says_what_to_do(trace: Path, cli: Cli) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, out, err = cli("open", trace, "--no-browser", "--port", str(port))
    assert (code, out) == (ExitCode.LAUNCH_FAILED, "")
    assert f"port {port} of 127.0.0.1 is in use" in err
    assert "end that" in err


def test_a_trace_that_nobody_fetches_is_given_up(trace: Path, cli: Cli) -> None:
    code, out, err = cli("open", trace, "--no-browser", "--port", "0", "--timeout", "0.01")
    assert code == ExitCode.LAUNCH_FAILED
    assert out.startswith(f"{UI}/#!/?url=")
    assert "within 0.01 seconds" in err


def test_without_a_browser_the_way_from_another_machine_is_told(trace: Path, cli: Cli) -> None:
    _, out, err = cli("open", trace, "--no-browser", "--port", "0", "--timeout", "0.01")
    port = urlsplit(out.partition("url=")[2]).port
    assert f"ssh -L {port}:127.0.0.1:{port} {socket.gethostname()}" in err


@pytest.mark.parametrize("ui", ["http://127.0.0.1:10000", "http://localhost:10000/"])
def test_a_ui_of_this_machine_needs_a_tunnel_too(trace: Path, cli: Cli, ui: str) -> None:
    _, out, err = cli("open", trace, "--ui", ui, "--no-browser", "--port", "0", "--timeout", "0.01")
    port = urlsplit(out.partition("url=")[2]).port
    assert f"ssh -L {port}:127.0.0.1:{port} -L 10000:127.0.0.1:10000 {socket.gethostname()}\n" in err


@pytest.mark.usefixtures("display")
def test_ctrl_c_ends_quietly(trace: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(TraceServer, "wait", interrupt)
    code, _, err = cli("open", trace, "--no-browser", "--port", "0")
    assert code == ExitCode.OK
    assert "error" not in err


@pytest.mark.usefixtures("display")
def test_the_browser_gets_the_address_that_is_printed(trace: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    monkeypatch.setattr(webbrowser, "open_new_tab", lambda address: started.append(address) or True)
    _, out, err = cli("open", trace, "--port", "0", "--timeout", "0.01")
    assert started == [out.strip()]
    assert "ssh" not in err


def test_without_a_display_no_browser_is_started(trace: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(webbrowser, "open_new_tab", lambda _: pytest.fail("a browser for terminals was started"))
    _, _, err = cli("open", trace, "--port", "0", "--timeout", "0.01")
    assert "ssh -L" in err


def test_a_trace_that_is_too_large_for_a_browser_is_served_with_a_warning(tmp_path: Path, cli: Cli) -> None:
    large = tmp_path / "large.pftrace"
    write_trace(large)
    with large.open("r+b") as file:
        file.truncate((2 << 30) + 1)  # without a byte on the disk
    code, out, err = cli("open", large, "--no-browser", "--port", "0", "--timeout", "0.01")
    assert code == ExitCode.LAUNCH_FAILED
    assert out.startswith(UI)
    assert f"trace_processor_shell --httpd {large}" in err


# What a path means.


def test_the_processes_of_a_run_are_served_as_one_trace_in_order_of_their_clocks(tmp_path: Path) -> None:
    written = {rank: write_trace(tmp_path / f"multipass-rank{rank}.pftrace", 30 - rank) for rank in (0, 1, 2)}
    with opening(tmp_path) as command:
        with ask(command.trace) as answer:
            assert answer.read() == written[2] + written[1] + written[0]
        assert command.code.result() == ExitCode.OK
    assert command.trace.endswith(f"/{tmp_path.name}-3-processes.pftrace")
    assert re.findall(r"\(rank (\d)\)", command.err.getvalue()) == ["0", "1", "2"]


def test_of_many_processes_only_some_are_named(tmp_path: Path) -> None:
    for rank in range(12):
        write_trace(tmp_path / f"multipass-rank{rank}.pftrace")
    with opening(tmp_path) as command:
        ask(command.trace).close()
    assert command.err.getvalue().splitlines()[7:9] == ["multipass-rank7.pftrace (rank 7)", "and 4 more"]


def test_a_process_is_chosen_by_its_rank_or_its_pid(tmp_path: Path) -> None:
    for rank in (0, 1):
        path = tmp_path / f"multipass-rank{rank}.pftrace"
        write_trace(path)
        write_summary(path, pid=100 + rank, rank=rank, host="node", agents=[{}, {}])
    other = tmp_path / "multipass-7.pftrace"
    write_trace(other)
    one = TraceFile(tmp_path / "multipass-rank1.pftrace", 101, 1, "node", 2)
    assert choose(tmp_path, rank=1) == [one]
    assert choose(tmp_path, pid=101) == [one]
    assert choose(tmp_path, pid=7) == [TraceFile(other, 7)]
    with pytest.raises(UsageError, match=r"no trace for --rank 3; there are: .*multipass-rank1\.pftrace \(rank 1, pid"):
        choose(tmp_path, rank=3)


def test_traces_of_several_machines_are_not_put_on_one_page(tmp_path: Path) -> None:
    for rank in (0, 1):
        path = tmp_path / f"multipass-rank{rank}.pftrace"
        write_trace(path)
        write_summary(path, pid=100, rank=rank, host=f"node{rank}")
    with pytest.raises(UsageError, match=r"clocks are not related: choose by --rank.*on node1"):
        choose(tmp_path)
    assert [one.rank for one in choose(tmp_path, rank=0)] == [0]


@pytest.mark.parametrize("start", [b"\x1f\x8b\x08\x00", b"PK\x03\x04", b'{"traceEvents": []}', b"[]"])
def test_traces_of_others_come_in_forms_of_their_own(tmp_path: Path, start: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(start)
    assert choose(path) == [TraceFile(path)]


def test_what_is_no_trace_is_refused_with_what_to_do(tmp_path: Path) -> None:
    database = tmp_path / "multipass-7.db"
    database.write_bytes(b"SQLite format 3\0" + bytes(100))
    with pytest.raises(UsageError, match=r"is a database.*export \S+multipass-7\.journal"):
        choose(database)
    write_trace(tmp_path / "multipass-7.pftrace")
    with pytest.raises(UsageError, match=r"is a database.*: give \S+multipass-7\.pftrace$"):
        choose(database)
    write_summary(tmp_path / "multipass-7.pftrace", schema=1)
    with pytest.raises(UsageError, match=r"is a summary.*: give \S+multipass-7\.pftrace$"):
        choose(tmp_path / "multipass-7.json")
    readings = tmp_path / "readings-7.json"
    readings.write_text('{\n "schema": 1,\n "processes": []}')
    with pytest.raises(
        UsageError, match=r"readings-7\.json is a summary or a table of a run, .*: give the run directory$"
    ):
        choose(readings)
    text = tmp_path / "text"
    text.write_text("nothing")
    with pytest.raises(TraceError, match="neither a journal nor a Perfetto trace"):
        choose(text)


def test_a_run_without_traces_says_how_to_make_them(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has no \.pftrace"):
        choose(tmp_path)
    (tmp_path / "multipass-7.journal").touch()
    with pytest.raises(UsageError, match=r"export \S+ --format perfetto"):
        choose(tmp_path)


# The address.


def test_the_address_is_one_that_a_ui_understands() -> None:
    """It decodes both once; what is common in names of traces stays readable."""
    ui = Ui.at(UI)
    commands = [{"id": "dev.perfetto.RunQuery", "args": ["a b"]}]
    assert link(ui, "http://127.0.0.1:9001/k/a-1.pftrace", []) == f"{UI}/#!/?url=http://127.0.0.1:9001/k/a-1.pftrace"
    assert link(ui, "http://127.0.0.1:9001/k/a%20b", []).endswith("9001/k/a%2520b")
    assert link(ui, "http://127.0.0.1:9001/x", [], Interval(5, 9)).endswith("9001/x&ts=5&dur=4")
    wanted = "&startupCommands=%5B%7B%22id%22%3A%22dev.perfetto.RunQuery%22%2C%22args%22%3A%5B%22a%20b%22%5D%7D%5D"
    assert link(ui, "http://127.0.0.1:9001/k/x", commands).endswith(wanted)


@pytest.mark.parametrize(
    ("address", "page", "origin"),
    [
        (UI, f"{UI}/", UI),
        (f"{UI}/v52.0-abc/", f"{UI}/v52.0-abc/", UI),
        ("HTTPS://UI.Perfetto.dev:443", f"{UI}/", UI),
        ("http://127.0.0.1:10000/index.html#!/x", "http://127.0.0.1:10000/index.html", "http://127.0.0.1:10000"),
        ("http://[::1]:80/ui", "http://[::1]/ui/", "http://[::1]"),
    ],
)
def test_an_origin_is_written_as_a_browser_writes_it(address: str, page: str, origin: str) -> None:
    assert Ui.at(address) == Ui(page, origin)


@pytest.mark.parametrize("address", ["ui.perfetto.dev", "ftp://x", "http://", "http://x:99999", "/a/folder"])
def test_what_is_no_address_of_a_ui_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match="is no address"):
        Ui.at(address)


def test_processes_and_gpus_are_opened_and_lanes_pinned_where_they_cannot_be_mistaken() -> None:
    one = TraceFile(Path("a"), pid=42, gpus=1)
    expand_gpus = {"id": "dev.perfetto.ExpandTracksByRegex", "args": [r"^GPU \d+ \[", "name"]}
    pin = {"id": "dev.perfetto.PinTracksByRegex", "args": [r"^Queue \d+", "name"]}
    assert startup_commands([one], []) == [
        {"id": "dev.perfetto.ExpandTracksByRegex", "args": [" (?:42)$", "name"]},
        expand_gpus,
        pin,
    ]
    assert pin not in startup_commands([TraceFile(Path("a"), pid=42, gpus=2)], [])
    two = startup_commands([one, TraceFile(Path("b"), pid=43, gpus=1)], [])
    assert (two[0]["args"][0], pin in two) == (" (?:42|43)$", False)
    assert startup_commands([TraceFile(Path("a"))], []) == [expand_gpus]


# Queries.


def test_a_ready_query_is_run_by_the_ui(trace: Path) -> None:
    with opening(trace, "--query", "outcomes") as command:
        ask(command.trace).close()
    wanted = query("outcomes")
    assert command.commands[-1] == {"id": "dev.perfetto.RunQueryAndShowTab", "args": [wanted.sql, wanted.title]}


def test_the_ready_queries_are_listed_with_their_titles(cli: Cli) -> None:
    code, out, _ = cli("open", "--list-queries")
    assert code == ExitCode.OK
    assert [tuple(line.split(None, 1)) for line in out.splitlines()] == [(one.name, one.title) for one in queries()]
    assert {"kernel-counters", "replay-cost", "pass-agreement", "outcomes"} <= {one.name for one in queries()}


def test_the_ready_queries_are_those_of_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "perfetto.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"```sql\n(.*?)```", page, re.DOTALL)) == sorted(one.sql for one in queries())
    assert [one.name for one in queries() if f": `{one.name}`\n" not in page and f"? `{one.name}`\n" not in page] == []


def test_a_slip_in_the_name_of_a_query_is_answered_with_the_name(trace: Path, cli: Cli) -> None:
    code, _, err = cli("open", trace, "--query", "replay-costs")
    assert code == ExitCode.USAGE
    assert "did you mean replay-cost?" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "no trace was named"),
        (("--port", "70000"), "a port is from 0, any that is free, to 65535"),
        (("--port", "-1"), "a port is from 0, any that is free, to 65535"),
        (("--timeout", "0"), "a number of seconds above 0"),
        (("--timeout", "nan"), "a number of seconds above 0"),
        (("--ui", "perfetto"), "is no address"),
        (("--ui", "http://a b"), "is no address"),
    ],
)
def test_a_wrong_command_line_is_told(trace: Path, cli: Cli, words: tuple[str, ...], said: str) -> None:
    code, _, err = cli("open", *([trace] if words else []), *words)
    assert code == ExitCode.USAGE
    assert said in err


def test_a_time_beyond_that_of_the_system_is_as_long_as_it_can_be(trace: Path) -> None:
    with opening(trace, "--timeout", "1e300") as command:
        with ask(command.trace) as answer:
            answer.read()
        assert command.code.result() == ExitCode.OK


def test_a_port_of_others_cannot_be_had(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("socketserver.TCPServer.server_bind", refuse)
    with pytest.raises(LaunchError, match=r"port 80 of .* cannot be had"), serving([trace], "x", UI, 80):
        pass
