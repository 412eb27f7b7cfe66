# SPDX-License-Identifier: MIT
"""The commands, one per module."""
