# SPDX-License-Identifier: MIT
"""Serves one trace to one Perfetto UI, on this machine only.

What keeps others out: it listens on 127.0.0.1; the address has a part that nobody can guess, because other users of a
machine reach its 127.0.0.1 too; pages of other origins get nothing; neither does a page that had its own name resolved
to this machine (DNS rebinding), whose requests name another host. Nothing but the trace has an address.

The UI asks with one plain GET and keeps what it got (google/perfetto @ ec5d16b1, ui/src/frontend/trace_url_handler.ts):
no ranges, and no second request when the page is loaded again. Some browsers ask before whether a page of the network
may reach this machine (https://wicg.github.io/private-network-access/): they are told so.
"""

from __future__ import annotations

import errno
import secrets
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import BinaryIO, Final
from urllib.parse import quote, urlsplit

from rocprofsys_multipass.errors import LaunchError

ADDRESS: Final = "127.0.0.1"
_HOSTS: Final = (ADDRESS, "localhost")  # by any port: a tunnel may have another at its near end
_METHODS: Final = "GET, HEAD, OPTIONS"
_LOOK_S: Final = 0.05  # how often a server looks whether it is to end
_REQUEST_TIMEOUT_S: Final = 60  # for a client that says or takes nothing


class TraceServer:
    """A server that runs; made by `serving`."""

    def __init__(self, server: _Server) -> None:
        self._server = server

    @property
    def port(self) -> int:
        """From which it serves."""
        return self._server.server_port

    @property
    def url(self) -> str:
        """Where the trace is."""
        return f"http://{ADDRESS}:{self.port}{self._server.path}"

    def wait(self, seconds: float) -> bool:
        """Whether somebody fetched all of the trace within this time."""
        return self._server.fetched.wait(min(seconds, threading.TIMEOUT_MAX))


@contextmanager
def serving(files: Sequence[Path], name: str, origin: str, port: int) -> Iterator[TraceServer]:
    """Serves `files`, one behind the other, as one file called `name`, to pages of `origin`.

    Appended traces of one machine are a trace. `port` 0 takes any that is free. Requests are answered on threads of
    their own.

    Raises:
        LaunchError: the port cannot be had.
    """
    path = f"/{secrets.token_urlsafe(12)}/{quote(name, safe='')}"
    try:
        server = _Server((ADDRESS, port), files, path, origin)
    except OSError as error:
        raise _no_port(port, error) from error
    thread = threading.Thread(target=server.serve_forever, args=(_LOOK_S,), name="trace server", daemon=True)
    thread.start()
    try:
        yield TraceServer(server)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(ThreadingHTTPServer):
    """What the handler of a request needs to know."""

    def __init__(self, address: tuple[str, int], files: Sequence[Path], path: str, origin: str) -> None:
        self.files = files
        self.path = path
        self.origin = origin
        self.fetched = threading.Event()
        super().__init__(address, _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = _REQUEST_TIMEOUT_S

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class calls it so
        """Nothing: a person waits for one line."""

    def do_OPTIONS(self) -> None:
        """May a page of that origin ask?"""
        if not self._is_allowed():
            return
        self._start(HTTPStatus.NO_CONTENT)
        self.send_header("Allow", _METHODS)
        self.send_header("Access-Control-Allow-Methods", _METHODS)
        if self.headers.get("Access-Control-Request-Private-Network") == "true":
            self.send_header("Access-Control-Allow-Private-Network", "true")
        self.end_headers()

    def do_HEAD(self) -> None:
        """What GET would send."""
        self._answer(with_body=False)

    def do_GET(self) -> None:
        """The trace."""
        self._answer(with_body=True)

    def _answer(self, *, with_body: bool) -> None:
        if not self._is_allowed():
            return
        with ExitStack() as opened:
            try:
                files = [opened.enter_context(path.open("rb")) for path in self.server.files]
                sizes = [file.seek(0, 2) for file in files]
            except OSError as error:
                self.send_error(HTTPStatus.GONE, f"{error.filename}: {error.strerror}")
                return
            self._start(HTTPStatus.OK)
            self.send_header("Content-Type", "application/octet-stream")
            self.send_header("Content-Length", str(sum(sizes)))
            self.end_headers()
            if with_body and self._send(files):
                self.server.fetched.set()

    def _send(self, files: Sequence[BinaryIO]) -> bool:
        """Whether the client took it all."""
        try:
            for file in files:
                file.seek(0)
                shutil.copyfileobj(file, self.wfile, 1 << 20)
        except OSError:  # closed, or silent for too long
            return False
        return True

    def _start(self, status: HTTPStatus) -> None:
        self.send_response(status)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Access-Control-Allow-Origin", self.server.origin)
        self.send_header("Vary", "Origin")

    def _is_allowed(self) -> bool:
        """Whether the request is for the trace and from nobody else's page; refused where it is not."""
        if not _is_this_machine(self.headers.get("Host", "")):
            self.send_error(HTTPStatus.FORBIDDEN, "this is not that host")
        elif self.headers.get("Origin", self.server.origin) != self.server.origin:
            self.send_error(HTTPStatus.FORBIDDEN, "not for pages of this origin")
        elif self.path != self.server.path:
            self.send_error(HTTPStatus.NOT_FOUND)
        else:
            return True
        return False


def _is_this_machine(host: str) -> bool:
    try:
        return urlsplit(f"//{host}").hostname in _HOSTS
    except ValueError:
        return False


def _no_port(port: int, error: OSError) -> LaunchError:
    if error.errno == errno.EADDRINUSE:
        return LaunchError(
            f"port {port} of {ADDRESS} is in use, perhaps by another `open` or by a trace_processor: end that; "
            "another port (--port) does only for a UI of your own that may read from it"
        )
    return LaunchError(f"port {port} of {ADDRESS} cannot be had ({error.strerror}): choose another by --port")
