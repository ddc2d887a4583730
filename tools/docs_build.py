"""The documentation site: `make docs` writes it into `site/`.

First a project is made in `target/docs`: the pages of `docs/`, the files at the root that belong to the site, and the
reference of the command line, made from the parsers. Links are rewritten, so that what is written once works on GitHub
and in the site. Then the site is built, and nothing may be amiss: a warning of the builder ends it.
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
PROJECT = REPOSITORY / "target" / "docs"
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
_LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
# In docs/reference/command-line.md, where the commands go; what follows is for those who read the source.
COMMANDS_MARK = "<!-- the commands -->"


class DocsError(Exception):
    """The site cannot be built; the message says why."""


def main() -> int:
    """Build the site into the folder that the command line names."""
    parser = argparse.ArgumentParser(description="build the documentation site")
    parser.add_argument(
        "folder", nargs="?", type=Path, default=REPOSITORY / "site", help="where it goes (default: site)"
    )
    given = parser.parse_args()
    try:
        build(given.folder)
    except DocsError as error:
        print(f"docs: {error}", file=sys.stderr)
        return 1
    print(f"The site is in {given.folder}: open {given.folder / 'index.html'}")
    return 0


def build(folder: Path, project: Path = PROJECT) -> None:
    """Build the site.

    Parameters
    ----------
    folder
        Where it goes; a site that is there already is replaced.
    project
        A folder for what it is made of; what is there is replaced.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / "objects.inv").is_file():
        raise DocsError(f"{folder} holds something that is not a site; name a folder that is empty or not there")
    make_project(project)
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    done = subprocess.run(command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode or "No issues found" not in done.stdout:
        said = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout).partition("Traceback (most recent")[0]
        raise DocsError(f"the builder is not content:\n{said}")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.move(project / "site", folder)


def make_project(project: Path) -> None:
    """Bring together what the site is made of.

    Parameters
    ----------
    project
        Where it goes; what is there is replaced.
    """
    shutil.rmtree(project, ignore_errors=True)
    pages = project / "docs"
    shutil.copytree(REPOSITORY / "docs", pages)
    shutil.copytree(REPOSITORY / "tools", project / "tools", ignore=_LEFT_OUT)
    shutil.copytree(REPOSITORY / "python", project / "python", ignore=_LEFT_OUT)
    shutil.copy(REPOSITORY / "mkdocs.yml", project)
    for source in sorted((REPOSITORY / "docs").rglob("*.md")):
        _write(pages, source.relative_to(REPOSITORY).as_posix(), source.read_text("utf-8"))
    for path in ROOT_PAGES:
        _write(pages, path, (REPOSITORY / path).read_text("utf-8"))


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
        before, mark, _ = text.partition(COMMANDS_MARK)
        if not mark:
            raise DocsError(f"{path} has no line {COMMANDS_MARK!r}, where the commands go")
        text = f"{before}{reference()}\n"
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
