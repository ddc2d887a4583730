"""Links of the Markdown sources, as GitHub follows them; nothing is built, and no network is needed."""

import doctest
import os
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import docs_markdown
from docs_build import ROOT_PAGES, DocsError, make_project, site_place
from docs_markdown import Link, anchors, links

REPOSITORY = Path(__file__).resolve().parents[2]
# Pages whose headings are made when the site is built: tests of the built site look at their anchors.
GENERATED = re.compile(r"docs/reference/")
# Addresses of our own files, which pages must use that are shown elsewhere too, such as the README on PyPI.
OURS = re.compile(
    r"https://(github\.com/truebleu/truebleu/(blob|tree|raw)|raw\.githubusercontent\.com/truebleu/truebleu)/main/"
)


def sources() -> list[Path]:
    found = [*REPOSITORY.glob("*.md"), *REPOSITORY.glob("bench/*.md"), *REPOSITORY.glob("changelog.d/*.md")]
    found += [*REPOSITORY.glob("docs/**/*.md"), *REPOSITORY.glob(".github/**/*.md")]
    return sorted(found)


def problem(page: Path, link: Link) -> str | None:
    target, _, anchor = link.target.partition("#")
    ours = OURS.match(target)
    if ours is not None:
        target = os.path.relpath(REPOSITORY / target[ours.end() :], page.parent)
    if re.match(r"[a-z]+:", target):
        parts = urlsplit(target)
        return (
            None
            if parts.scheme == "mailto" or (parts.scheme == "https" and "." in parts.netloc)
            else "no https address"
        )
    # A fragment becomes a part of CHANGELOG.md, so its links start from the root.
    start = REPOSITORY if page.parent.name == "changelog.d" and ours is None else page.parent
    file = Path(os.path.normpath(start / target)) if target else page
    if not file.exists():
        return "no such file"
    if anchor and file.suffix == ".md" and not GENERATED.match(file.relative_to(REPOSITORY).as_posix()):
        return None if anchor in anchors(file.read_text("utf-8")) else "no such heading"
    return None


@pytest.mark.parametrize("page", sources(), ids=lambda page: page.relative_to(REPOSITORY).as_posix())
def test_every_link_leads_somewhere_and_every_picture_has_words(page: Path) -> None:
    found = list(links(page.read_text("utf-8")))
    broken = [(link.line, link.target, problem(page, link)) for link in found if problem(page, link)]
    assert [] == broken
    assert [] == [(link.line, link.target) for link in found if link.alt is not None and len(link.alt) < 10]


def test_links_that_lead_nowhere_are_found() -> None:
    page = REPOSITORY / "docs" / "wer.md"
    text = "[a](no.md) [b](rouge.md#no) [c](http://x.org) [d](rouge.md) ![](img/report.png) `[e](no.md)`\n"
    expected = ["no such file", "no such heading", "no https address", None, None]
    assert expected == [problem(page, one) for one in links(text)]
    assert [None, None, None, None, ""] == [link.alt for link in links(text)]
    there, not_there = (f"[a](https://github.com/truebleu/truebleu/blob/main/docs/{name}.md)" for name in ("wer", "no"))
    assert [None, "no such file"] == [problem(page, one) for one in links(f"{there} {not_there}")]


def test_links_are_found_in_pictures_that_are_links_and_in_tags() -> None:
    text = '[![a picture](b.png)](c.md)\n<img src="d.png" alt="e"> <a href="f.md">g</a>\n```sh\n[h](i.md)\n```\n'
    assert {"b.png", "c.md", "d.png", "f.md"} == {link.target for link in links(text)}
    for link in links(text):
        assert text[link.start :].startswith(link.target)


def test_the_navigation_has_every_page() -> None:
    _, _, navigation = (REPOSITORY / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")
    named = re.findall(r"([\w/-]+\.md)$", navigation, re.M)
    pages = [path.relative_to(REPOSITORY / "docs").as_posix() for path in (REPOSITORY / "docs").rglob("*.md")]
    assert sorted([*pages, *ROOT_PAGES.values()]) == sorted(named)


def test_the_examples_of_the_reader_are_true() -> None:
    found = doctest.testmod(docs_markdown)
    assert found.attempted >= 2 and 0 == found.failed


def test_root_pages_are_there_and_their_links_are_rewritten(tmp_path: Path) -> None:
    make_project(tmp_path / "project")
    for path, place in ROOT_PAGES.items():
        text = (tmp_path / "project" / "docs" / place).read_text("utf-8")
        assert (REPOSITORY / path).read_text("utf-8").splitlines()[0] == text.splitlines()[0]
        for link in links(text):
            target = link.target.partition("#")[0]
            if target and not re.match(r"[a-z]+:", target):
                assert (tmp_path / "project" / "docs" / place).parent.joinpath(target).exists(), (path, link.target)
    assert "project/security.md" == site_place("SECURITY.md")
    assert site_place("Cargo.toml") is None


def test_a_link_that_leads_nowhere_ends_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import docs_build

    with pytest.raises(DocsError, match=r"docs/x\.md:1: there is no file docs/../no.md|there is no file no\.md"):
        docs_build._with_links_of_the_site("docs/x.md", "[a](../no.md)")
    assert "[a](https://github.com/truebleu/truebleu/blob/main/Cargo.toml)" == docs_build._with_links_of_the_site(
        "docs/x.md", "[a](../Cargo.toml)"
    )
    assert "[a](../project/compatibility.md#b)" == docs_build._with_links_of_the_site(
        "docs/cookbook/x.md", "[a](../../COMPATIBILITY.md#b)"
    )


def test_boxes_of_code_wrap_so_that_the_score_at_the_end_of_a_line_is_in_sight() -> None:
    sheet = (REPOSITORY / "docs/stylesheets/site.css").read_text("utf-8")
    (rules,) = re.findall(r"@media \(min-width: 48em\) \{\s*\.md-typeset pre > code \{([^}]*)\}", sheet)
    assert "white-space: pre-wrap;" in rules and "overflow-wrap: anywhere;" in rules
