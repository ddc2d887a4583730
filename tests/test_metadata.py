"""What is published beside the code."""

import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))


def test_a_build_from_the_source_archive_has_the_compilers_settings() -> None:
    included = [one["path"] for one in PROJECT["tool"]["maturin"]["include"] if one["format"] == "sdist"]
    assert ".cargo/config.toml" in included
    assert all((REPOSITORY / path).is_file() for path in included)


def test_the_metadata_say_where_the_project_lives() -> None:
    assert {"Homepage", "Documentation", "Issues"} <= set(PROJECT["project"]["urls"])
