# SPDX-License-Identifier: MIT
"""What is known of rocprof-sys from the outside: its command lines, its settings and the names of its files."""
