# SPDX-License-Identifier: MIT
"""Perfetto traces: one of rocprof-sys with ours in it, and one of many processes."""
