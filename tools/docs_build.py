"""The documentation site: `make docs` writes it into `site/`.

First the pages are brought together in `target/docs`: those of `docs/`, the files at the root that belong to the site,
and the reference of the command line, made from the parsers. Links are rewritten, so that what is written once works on
GitHub and in the site. Then the site is built, and nothing may be amiss: a warning of the builder ends it.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path, PurePosixPath

from changelog import fragments, section
from docs_commands import reference
from docs_markdown import links

REPOSITORY = Path(__file__).resolve().parent.parent
STAGE = REPOSITORY / "target" / "docs"
BLOB = "https://github.com/truebleu/truebleu/blob/main/"

# Files at the root that are pages of the site, and their places there.
ROOT_PAGES = {
    "COMPATIBILITY.md": "project/compatibility.md",
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "CODE_OF_CONDUCT.md": "project/code-of-conduct.md",
    "bench/README.md": "project/benchmarks.md",
}
# In docs/reference/command-line.md, where the commands go.
COMMANDS_MARK = "<!-- the commands -->"


class DocsError(Exception):
    """The site cannot be built; the message says why."""


def main() -> int:
    """Build the site into the folder that the command line names."""
    parser = argparse.ArgumentParser(description="build the documentation site")
    parser.add_argument("folder", nargs="?", type=Path, default=REPOSITORY / "site", help="where it goes (default: site)")
    given = parser.parse_args()
    try:
        build(given.folder)
    except DocsError as error:
        print(f"docs: {error}", file=sys.stderr)
        return 1
    print(f"The site is in {given.folder}: open {given.folder / 'index.html'}")
    return 0


def build(folder: Path) -> None:
    """Build the site.

    Parameters
    ----------
    folder
        Where it goes; a site that is there already is replaced.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / "search").is_dir():
        raise DocsError(f"{folder} holds something that is not a site; name a folder that is empty or not there")
    stage(STAGE)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--clean", "--site-dir", str(folder.resolve())]
    # The notice that is silenced is about the end of mkdocs-material in May 2027: docs/dependencies.md has it.
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=REPOSITORY, env=quiet, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = [line for line in done.stdout.splitlines() if not line.startswith("INFO ")]
    if done.returncode or said:
        raise DocsError("the builder is not content:\n" + "\n".join(said or [done.stdout]))


def stage(folder: Path) -> None:
    """Bring the pages together.

    Parameters
    ----------
    folder
        Where they go; what is there is replaced.
    """
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(REPOSITORY / "docs", folder)
    for source in sorted((REPOSITORY / "docs").rglob("*.md")):
        place = source.relative_to(REPOSITORY).as_posix()
        _write(folder, place, source.read_text("utf-8"))
    for place in ROOT_PAGES:
        _write(folder, place, (REPOSITORY / place).read_text("utf-8"))


def site_place(path: str) -> str | None:
    """Tell where a file of the repository is in the site; None if it is not there.

    Parameters
    ----------
    path
        The path from the root of the repository.
    """
    if path in ROOT_PAGES:
        return ROOT_PAGES[path]
    return path.removeprefix("docs/") if path.startswith("docs/") else None


def _write(folder: Path, path: str, text: str) -> None:
    if path == "CHANGELOG.md":
        text = f"{text.rstrip()}\n\n{section('Unreleased', fragments(REPOSITORY))}"
    if path == "docs/reference/command-line.md":
        before, mark, after = text.partition(COMMANDS_MARK)
        if not mark:
            raise DocsError(f"{path} has no line {COMMANDS_MARK!r}, where the commands go")
        text = f"{before}{reference()}{after}"
    place = folder / str(site_place(path))
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(_with_links_of_the_site(path, text), "utf-8")


def _with_links_of_the_site(path: str, text: str) -> str:
    """Point links to where pages are in the site, and to GitHub where they are not."""
    here = PurePosixPath(path).parent
    home = PurePosixPath(str(site_place(path))).parent
    for link in sorted(links(text), key=lambda link: -link.start):
        target, hash_, anchor = link.target.partition("#")
        if not target or re.match(r"[a-z]+:", target):
            continue
        file = os.path.normpath(here / target).replace(os.sep, "/")
        place = site_place(file)
        if place is None and (REPOSITORY / file).exists():
            goal = BLOB + file
        elif place is None:
            raise DocsError(f"{path}:{link.line}: there is no file {file}, which a link names")
        else:
            goal = os.path.relpath(place, home).replace(os.sep, "/")
        text = text[: link.start] + goal + hash_ + anchor + text[link.start + len(link.target) :]
    return text


if __name__ == "__main__":
    sys.exit(main())
