"""Every example of the pages on dialects prints what the page says."""

import contextlib
import io
import re

import pytest

from conftest import REPOSITORY

PAGES = ("nltk", "google-bleu", "token-ids", "evaluate", "accumulators", "dialects", "rouge")


@pytest.mark.parametrize("page", PAGES)
def test_examples_print_what_the_page_says(page: str) -> None:
    text = (REPOSITORY / "docs" / f"{page}.md").read_text("utf-8")
    examples = re.findall(r"```python\n(.*?)```\n+```text\n(.*?)```", text, re.S)
    assert examples
    for code, expected in examples:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, {})
        assert expected == printed.getvalue()
