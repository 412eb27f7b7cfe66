# SPDX-License-Identifier: MIT
"""Hands traces of this machine to a Perfetto UI in a browser: which ones, how they are served, with what link."""

from rocprofsys_multipass.viewer.choice import TraceFile, choose, times_of
from rocprofsys_multipass.viewer.link import PORT, PUBLIC_UI, Ui, link, startup_commands
from rocprofsys_multipass.viewer.queries import Query, queries, query
from rocprofsys_multipass.viewer.server import TraceServer, serving

__all__ = [
    "PORT",
    "PUBLIC_UI",
    "Query",
    "TraceFile",
    "TraceServer",
    "Ui",
    "choose",
    "link",
    "queries",
    "query",
    "serving",
    "startup_commands",
    "times_of",
]
