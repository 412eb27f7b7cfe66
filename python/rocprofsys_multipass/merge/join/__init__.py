# SPDX-License-Identifier: MIT
"""Which dispatch of one run is which of another run of the same program."""
