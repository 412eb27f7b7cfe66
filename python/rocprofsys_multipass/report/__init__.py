# SPDX-License-Identifier: MIT
"""Reports. A reporter gets data and a stream; it opens no file and decides nothing about where its text goes.

::

    render_terminal(open_trace("out"), sys.stdout, kernel="axpy")
"""

from rocprofsys_multipass.report.findings import render_findings
from rocprofsys_multipass.report.plain import render_csv, render_json, render_markdown
from rocprofsys_multipass.report.terminal import render_terminal

__all__ = ["render_csv", "render_findings", "render_json", "render_markdown", "render_terminal"]
