"""Prepare a release: ``make release VERSION=0.2.0`` sets the version everywhere and assembles the changelog.

`Cargo.toml` is the home of the version: maturin and the native module take it from there. `Cargo.lock`, `CITATION.cff`
and the examples of the documentation repeat it, so that they can be read without building anything. Nothing is
committed, tagged or published here; CONTRIBUTING.md says what follows.
"""

import argparse
import datetime
import re
import sys
from pathlib import Path

from changelog import REPOSITORY, ChangelogError, assemble, fragments, is_written, released

VERSION = re.compile(r"\d+\.\d+\.\d+")
# How a version is written where it is repeated; what is around it stays.
IN_CARGO = re.compile(r'(\[workspace\.package\]\nversion = ")[^"]*(")')
IN_LOCK = re.compile(r'(name = "truebleu-(?:core|python)"\nversion = ")[^"]*(")')
IN_CITATION = re.compile(r"(^version: )\S+()$", re.M)
IN_TEXT = re.compile(r"(\btruebleu[- ])\d+\.\d+\.\d+(\b)")
# A link of the README to a file beside it, and where such a file is when the README is shown elsewhere.
BESIDE = re.compile(r"(!?)(\[[^\]]*\]\()(?![a-z]+:|#)([^)]*\))")
PAGES = "https://github.com/truebleu/truebleu/blob/main/"
PICTURES = "https://raw.githubusercontent.com/truebleu/truebleu/main/"


class ReleaseError(Exception):
    """The release cannot be prepared as asked."""


def main() -> int:
    """Prepare the release that the command line names."""
    parser = argparse.ArgumentParser(description="set the version everywhere and assemble the changelog")
    parser.add_argument("version", nargs="?", default="", help="the version to be released, such as 0.2.0")
    parser.add_argument(
        "--whole-links", action="store_true", help="give README.md whole addresses, for what is built next"
    )
    parser.add_argument("--check-tag", action="store_true", help="change nothing: is v0.2.0 a tag to publish?")
    given = parser.parse_args()
    try:
        if given.whole_links:
            readme = REPOSITORY / "README.md"
            readme.write_text(whole_links(readme.read_text("utf-8")), "utf-8")
            return 0
        if given.check_tag:
            check_tag(REPOSITORY, given.version)
            return 0
        prepare(REPOSITORY, given.version, datetime.datetime.now(datetime.UTC).date())
    except (ReleaseError, ChangelogError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    print(f"truebleu {given.version} is prepared; look at `git diff`, then go on as CONTRIBUTING.md says")
    return 0


def current(repository: Path) -> str:
    """Read the version in its home, the workspace's ``Cargo.toml``.

    Parameters
    ----------
    repository
        The folder of ``Cargo.toml``.
    """
    found = re.search(r'\[workspace\.package\]\nversion = "([^"]*)"', (repository / "Cargo.toml").read_text("utf-8"))
    if found is None:
        raise ReleaseError("Cargo.toml: [workspace.package] does not begin with the version")
    return found[1]


def prepare(repository: Path, version: str, day: datetime.date) -> None:
    """Set the version everywhere, and assemble the changelog.

    Parameters
    ----------
    repository
        The folder to be changed.
    version
        The version to be released.
    day
        The day of the release.
    """
    if VERSION.fullmatch(version) is None:
        raise ReleaseError(f"expected a version such as 0.2.0, got {version!r}")
    before = current(repository)
    is_first = version == before and is_written(repository, version)
    if numbers(version) <= numbers(before) and not is_first:
        raise ReleaseError(f"{version} does not come after {before}, the version in Cargo.toml")
    assemble(repository, version, f"{day:%Y-%m-%d}")
    for path, pattern in repeated(repository):
        text = path.read_text("utf-8")
        path.write_text(pattern.sub(rf"\g<1>{version}\g<2>", text), "utf-8")
    citation = repository / "CITATION.cff"
    kept = re.sub(r"^date-released: .*\n", "", citation.read_text("utf-8"), flags=re.M)
    citation.write_text(f"{kept}date-released: {day:%Y-%m-%d}\n", "utf-8")


def whole_links(text: str) -> str:
    """Give a page's links to files beside it as whole addresses: a package index shows the page without those files.

    Parameters
    ----------
    text
        Markdown.
    """
    return BESIDE.sub(lambda link: f"{link[1]}{link[2]}{PICTURES if link[1] else PAGES}{link[3]}", text)


def check_tag(repository: Path, tag: str) -> None:
    """Check that a tag names the version of the repository, and that its changelog is assembled.

    Parameters
    ----------
    repository
        The folder of ``Cargo.toml``.
    tag
        The tag, ``v`` and the version.
    """
    version = current(repository)
    if tag != f"v{version}":
        raise ReleaseError(f"the tag is {tag}, expected v{version}, for the version in Cargo.toml is {version}")
    released(repository, version)
    if is_written(repository, version):
        raise ReleaseError(
            f"CHANGELOG.md calls {version} unreleased: `make release VERSION={version}` gives it its day"
        )
    if left := [path.name for kind in fragments(repository).values() for path in kind]:
        raise ReleaseError(f"changelog.d still holds {', '.join(left)}: `make release` assembles the changelog")


def repeated(repository: Path) -> list[tuple[Path, re.Pattern[str]]]:
    """List the files that say the version, each with how it is written there.

    Parameters
    ----------
    repository
        The folder of ``Cargo.toml``.
    """
    pages = [repository / "README.md", *sorted((repository / "docs").rglob("*.md"))]
    return [
        (repository / "Cargo.toml", IN_CARGO),
        (repository / "Cargo.lock", IN_LOCK),
        (repository / "CITATION.cff", IN_CITATION),
        *((page, IN_TEXT) for page in pages),
    ]


def numbers(version: str) -> list[int]:
    """Give the numbers of a version, which can be compared.

    Parameters
    ----------
    version
        Numbers with points between them.
    """
    return [int(part) for part in version.split(".")]


if __name__ == "__main__":
    sys.exit(main())
