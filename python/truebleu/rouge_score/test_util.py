"""The paths in `rouge_score.test_util`. Neither package brings the files; put rouge-score's `testdata` there."""

import os

_FOLDER = os.path.join(os.path.dirname(__file__), "testdata")
TARGETS_FILE, PREDICTIONS_FILE, LARGE_TARGETS_FILE, LARGE_PREDICTIONS_FILE, DELIMITED_FILE, PYROUGE_DIR = (
    os.path.join(_FOLDER, name)
    for name in (
        "target.txt", "prediction.txt", "target_large.txt", "prediction_large.txt", "delimited.txt", "pyrouge_files",
    )
)  # fmt: skip


def get_text(fname: str) -> str:
    """Read a file."""
    with open(fname, encoding="utf-8") as stream:
        return stream.read()
