"""The reference: every public name of Python, and every flag of every command, is in the built site."""

import logging
import re
from importlib import import_module
from pathlib import Path

import pytest
from tests.docs.site_pages import inventory, pages

import truebleu
from docs_commands import flag_names, parsers, shown
from truebleu.metrics import METRICS

PACKAGE = Path(truebleu.__file__).parent
TOOLS = Path(__file__).resolve().parents[2] / "tools"
# What no user imports: the command, its results on their way to text, and what other modules are made of.
INTERNAL = {"cli", "drift", "glance", "report", "resample", "runners", "version"}


def public_modules() -> list[str]:
    """Whatever stands in the package and has no underscore: a new module is explained, or is named above."""
    found = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    return ["truebleu", *(f"truebleu.{name}" for name in sorted(found - INTERNAL) if not name.startswith("_"))]


def public_names(module: str) -> list[str]:
    """The names that a module offers: those it lists, or else what is defined in it."""
    if module == "truebleu.torch":  # cannot be imported without torch
        return ["TextMetric"]
    here = import_module(module)
    if hasattr(here, "__all__"):
        return list(here.__all__)
    return [name for name, one in vars(here).items() if name[0] != "_" and getattr(one, "__module__", "") == module]


def test_the_public_modules_are_those_we_know() -> None:
    assert {"truebleu", "truebleu.metrics", "truebleu.spark", "truebleu.errors"} < set(public_modules())
    assert "BLEU" in public_names("truebleu") and "Study" in public_names("truebleu")
    assert 46 <= len(public_names("truebleu.errors"))


def test_every_public_name_is_explained(site: Path) -> None:
    known = inventory(site)
    offered = {module: public_names(module) for module in public_modules()}
    assert all(offered.values())
    missing = [f"{module}.{name}" for module, names in offered.items() for name in names]
    missing = [name for name in missing if name not in known]
    assert [] == missing, "add a line '::: NAME' to a page of docs/reference/api"


def test_every_metric_of_torch_is_named(site: Path) -> None:
    said = pages(site)["reference/api/torch.html"].codes
    codes = set().union(*said.values())
    assert [] == [name for name in METRICS if f"truebleu.torch.{name}" not in codes]


def test_every_explanation_says_something(site: Path) -> None:
    """Lazy names that griffe could not follow would have a heading and nothing else."""
    text = pages(site)["reference/api/significance.html"].sections["truebleu.significance.compare"]
    assert "higher_is_better" in text or "Parameters" in text
    assert "hypothes" in text.lower() or "systems" in text


def test_examples_and_literal_blocks_become_code() -> None:
    pytest.importorskip("griffe", reason="no reader of docstrings: pip install truebleu[docs]")
    from docs_docstrings import mended

    assert "One.\n\n```pycon\n>>> 1 + 1\n2\n```\n\nTwo." == mended("One.\n\n>>> 1 + 1\n2\n\nTwo.")
    assert "A tree:\n\n    a\n" == mended("A tree::\n\n    a\n")
    assert "\n    a\n" == mended("::\n\n    a\n")


def test_docstrings_of_the_reference_can_be_parsed(caplog: pytest.LogCaptureFixture) -> None:
    """The builder does not pass on what its reader of docstrings says, such as a parameter that there is not."""
    griffe = pytest.importorskip("griffe", reason="no reader of docstrings: pip install truebleu[docs]")
    caplog.set_level(logging.WARNING, logger="griffe")
    extensions = griffe.load_extensions(str(TOOLS / "docs_docstrings.py"))
    package = griffe.load(
        "truebleu",
        search_paths=[str(PACKAGE.parent)],
        extensions=extensions,
        docstring_parser="numpy",
        resolve_aliases=True,
    )
    parsed = 0
    for module in public_modules():
        for name in public_names(module):
            one = package[f"{module}.{name}".removeprefix("truebleu.")]
            one = one.final_target if one.is_alias else one
            for each in (one, *(one.members.values() if one.is_class else ())):
                if not each.is_alias and each.docstring is not None and not each.name.startswith("_"):
                    parsed += len(each.docstring.parsed)
    assert parsed > 500
    assert [] == [record.getMessage() for record in caplog.records if record.name.startswith("griffe")]


def test_every_flag_of_every_command_is_on_the_page(site: Path) -> None:
    page = pages(site)["reference/command-line.html"]
    missing = []
    for command, parser in parsers().items():
        section = command.replace(" ", "-")
        said = re.sub(r"\s+", " ", page.sections[section])
        for action in (one for _, actions in shown(parser) for one in actions):
            words = (action.help or "") % {**vars(action), "prog": command}
            plain = re.sub(r"\s+", " ", words).strip().replace("`", "")
            missing += [f"{command} {name}" for name in flag_names(action) if name not in page.codes[section]]
            missing += [f"{command}: {plain}"] if plain[1:].rstrip(".") not in said else []
    assert [] == missing


def test_choices_and_defaults_are_on_the_page(site: Path) -> None:
    said = re.sub(r"\s+", " ", pages(site)["reference/command-line.html"].sections["truebleu"])
    assert "References per line, separated by tabs. Default: 1." in said
    assert all(f" {name}" in said for name in ("13a", "intl", "flores200"))
