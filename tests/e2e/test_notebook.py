# SPDX-License-Identifier: MIT
"""The notebook below examples/ runs from its first cell to its last, and shows the numbers that its page tells."""

from __future__ import annotations

import re

import nbformat
import pytest
from e2e_tools import ROOT
from nbclient import NotebookClient

FOLDER = ROOT / "examples" / "notebook"
ROW = re.compile(r"^\| `(\w+)` \| ([\d,]+) \| ([\d,]+) \|$", re.MULTILINE)


@pytest.fixture(scope="module")
def notebook() -> nbformat.NotebookNode:
    return nbformat.read(FOLDER / "counters.ipynb", as_version=4)


@pytest.fixture(scope="module")
def outputs(notebook: nbformat.NotebookNode, environment: dict[str, str]) -> list[nbformat.NotebookNode]:
    """What its cells show; a cell that fails fails the test."""
    client = NotebookClient(notebook.copy(), timeout=120, kernel_name="python3")
    client.execute(cwd=str(FOLDER), env=environment)
    return [output for cell in client.nb.cells for output in cell.get("outputs", ())]


def test_it_is_kept_without_outputs(notebook: nbformat.NotebookNode) -> None:
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.outputs for cell in code] == [[] for _ in code]
    assert {cell.execution_count for cell in code} == {None}
    assert {str(cell.metadata) for cell in notebook.cells} == {"{}"}
    assert set(notebook.metadata) == {"kernelspec", "language_info"}


def test_its_code_fits_a_page(notebook: nbformat.NotebookNode) -> None:
    lines = [line for cell in notebook.cells if cell.cell_type == "code" for line in cell.source.splitlines()]
    assert [line for line in lines if len(line) >= 88] == []


def test_its_table_has_the_numbers_of_its_page(outputs: list[nbformat.NotebookNode]) -> None:
    texts = [output.data["text/plain"] for output in outputs if output.output_type == "execute_result"]
    (table,) = (text for text in texts if text.startswith("kernel "))
    found = {line.split()[0]: [float(value) for value in line.split()[1:]] for line in table.splitlines()[2:]}
    wanted = ROW.findall((FOLDER / "README.md").read_text(encoding="utf-8"))
    assert len(wanted) == 4
    for counter, *values in wanted:
        assert found[counter] == [float(value.replace(",", "")) for value in values]


def test_it_draws_a_plot_and_complains_of_nothing(outputs: list[nbformat.NotebookNode]) -> None:
    assert sum("image/png" in output.get("data", {}) for output in outputs) == 1
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []
    said = "".join(output.text for output in outputs if output.get("name") == "stdout")
    assert "pass 1: " in said
    assert "matmul_tiled: same work exact" in said
