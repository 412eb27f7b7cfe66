# SPDX-License-Identifier: MIT
"""The message classes of Perfetto traces, which the package `perfetto` brings.

Loaded when a trace is read: that takes 0.2 s, and fails where protobuf is older than what these classes were made for
(6.31.1 from perfetto 0.56 on; PyPI perfetto 0.56.0 and 0.59.1). Journals and databases are read without them.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from rocprofsys_multipass.errors import TraceError

_MODULE: Final = "perfetto.protos.perfetto.trace.perfetto_trace_pb2"
_FIX: Final = "run `pip install --upgrade perfetto protobuf`; the journal and the database of a run are read without"


def classes_for(path: Path) -> Any:  # noqa: ANN401  the package has no types
    """The module with the classes, to read `path`. TraceError: it cannot be loaded; which versions there are."""
    try:
        return import_module(_MODULE)
    except Exception as error:  # ImportError, and what protobuf raises of versions and of descriptors
        reason = f"{type(error).__name__}: {error}"
        packages = f"the Python package perfetto ({_version('perfetto')}) with protobuf ({_version('protobuf')})"
        raise TraceError(f"{path}: cannot be read by {packages}: {reason}; {_FIX}") from error


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
