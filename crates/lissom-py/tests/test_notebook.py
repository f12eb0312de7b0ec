"""The notebook runs from its first cell to its last, and shows pictures."""

import base64
import json
import pathlib
import shutil
import subprocess
import sys

import pytest

NOTEBOOK = pathlib.Path(__file__).resolve().parents[1] / "notebooks" / "motion.ipynb"


def test_the_notebook_runs_and_shows_pictures(tmp_path):
    pytest.importorskip("nbconvert")
    # It writes files beside itself.
    copy = shutil.copy(NOTEBOOK, tmp_path)
    words = ["-m", "nbconvert", "--to", "notebook", "--execute", "--output", "ran.ipynb", copy]
    ran = subprocess.run([sys.executable, *words], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    cells = json.loads((tmp_path / "ran.ipynb").read_text())["cells"]
    outputs = [output.get("data", {}) for cell in cells for output in cell.get("outputs", [])]
    pictures = [base64.b64decode(data["image/png"]) for data in outputs if "image/png" in data]
    assert len(pictures) >= 3
    for picture in pictures:
        assert picture.startswith(b"\x89PNG") and len(picture) > 5000


def test_the_notebook_is_stored_without_outputs():
    for cell in json.loads(NOTEBOOK.read_text())["cells"]:
        assert not cell.get("outputs")
