# SPDX-License-Identifier: MIT
"""rocpd databases: one of rocprof-sys with ours in it, and one of many processes."""
