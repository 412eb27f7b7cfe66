# SPDX-License-Identifier: MIT
"""The style of the HTML report: one text, inside the page, for bright and dark screens and for paper."""

from __future__ import annotations

from typing import Final

# Colours of passes, distinguishable with the common kinds of colour blindness; the number stands in each bar too.
EXTRA_COLOUR: Final = "#8a8a8a"  # of executions without counters
PASS_COLOURS: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6bb1", "#7a7a00")

STYLE: Final = """
:root { color-scheme: light dark; --line: #8884; --dim: #777; --back: #8881; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.35rem; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2.2rem 0 .5rem; border-bottom: 1px solid var(--line); }
p, ul { margin: .3rem 0; }
ul { padding-left: 1.2rem; }
.dim { color: var(--dim); }
.warning { color: #b35900; }
code { font: .92em ui-monospace, monospace; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .15rem .7rem .15rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { font-weight: 600; }
th.text, td.text { text-align: left; white-space: normal; }
tbody tr:hover { background: var(--back); }
details { margin: .4rem 0; }
summary { cursor: pointer; padding: .2rem 0; }
details > .wide { margin: .2rem 0 .8rem 1.1rem; }
.outcomes { display: flex; height: .8rem; border-radius: .2rem; overflow: hidden; margin: .4rem 0; max-width: 40rem; }
.replayed { background: #2a8f4f; } .single_pass { background: #67b587; } .declined { background: #d9a400; }
.filtered { background: #999; } .incomplete { background: #c0392b; }
.bar { position: relative; height: 1.5rem; background: var(--back); border-radius: .2rem; overflow: hidden; }
.bar span { position: absolute; height: 100%; min-width: 1px; text-align: center; color: #fff; font-size: .8rem; }
.bar span { line-height: 1.5rem; }
.line { display: grid; grid-template-columns: minmax(10rem, 22rem) 1fr 6rem; gap: .8rem; align-items: center; }
.line > :last-child { text-align: right; }
"""
