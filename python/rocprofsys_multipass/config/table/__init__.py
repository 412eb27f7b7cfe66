# SPDX-License-Identifier: MIT
"""The options of a run by section, in the order in which people are shown them; `config.schema` puts them together."""
