"""The changelog, from its fragments: ``make changelog`` shows what the next release will say.

A fragment is ``changelog.d/<slug>.<kind>.md``, one or two sentences for a user. `tools/release.py` assembles them into
``CHANGELOG.md`` and takes them away.
"""

import argparse
import re
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent

# In the order of the changelog: first what can move a number.
KINDS = {
    "score": "Scores",
    "added": "Added",
    "changed": "Changed",
    "fixed": "Fixed",
    "removed": "Removed",
}
# Releases stand below this line of CHANGELOG.md, the newest first.
MARK = "<!-- releases -->\n"
# In the place of the day, in the title of a section that was written by hand before its release.
UNRELEASED = "(unreleased)"


class ChangelogError(Exception):
    """A fragment or the changelog is not what it should be."""


def main() -> int:
    """Print the draft, or the section of a release that the command line names."""
    parser = argparse.ArgumentParser(description="show the changelog of the next release, from its fragments")
    parser.add_argument("version", nargs="?", help="show what CHANGELOG.md says of this version instead")
    given = parser.parse_args()
    try:
        draft = released(REPOSITORY, given.version) if given.version else section("Unreleased", fragments(REPOSITORY))
        print(draft, end="")
    except ChangelogError as error:
        print(f"changelog: {error}", file=sys.stderr)
        return 1
    return 0


def fragments(repository: Path) -> dict[str, dict[Path, str]]:
    """Read the fragments: for each kind, the text of each file.

    Parameters
    ----------
    repository
        The folder that holds ``changelog.d``.
    """
    found: dict[str, dict[Path, str]] = {kind: {} for kind in KINDS}
    for path in sorted((repository / "changelog.d").iterdir()):
        if path.name == "README.md":
            continue
        named = re.fullmatch(r"[a-z0-9-]+\.([a-z]+)\.md", path.name)
        if named is None or named[1] not in KINDS:
            raise ChangelogError(f"{path.name}: expected the name <slug>.<kind>.md, with a kind of {', '.join(KINDS)}")
        text = " ".join(path.read_text("utf-8").split())
        if sentences(text) not in (1, 2):
            raise ChangelogError(f"{path.name}: expected one or two sentences, got {sentences(text)}")
        found[named[1]][path] = text
    return found


def sentences(text: str) -> int:
    """Count the sentences of a text; a point inside of code ends none.

    Parameters
    ----------
    text
        The text of a fragment, on one line.
    """
    plain = re.sub(r"`[^`]*`", "x", text)
    return len([part for part in re.split(r"[.!?][\"”»)]*(?:\s+|$)", plain) if part])


def section(title: str, found: dict[str, dict[Path, str]]) -> str:
    """Write the section of one release in Markdown.

    Parameters
    ----------
    title
        The version, with the day of its release.
    found
        The fragments, as `fragments` gives them.
    """
    parts = [f"## {title}\n"]
    for kind, heading in KINDS.items():
        if found[kind]:
            parts.append(f"### {heading}\n")
            parts.append("".join(f"- {text}\n" for text in found[kind].values()))
    return "\n".join(parts)


def released(repository: Path, version: str) -> str:
    """Give the section of a release from ``CHANGELOG.md``.

    Parameters
    ----------
    repository
        The folder that holds ``CHANGELOG.md``.
    version
        The version of the release.
    """
    text = (repository / "CHANGELOG.md").read_text("utf-8")
    found = re.search(rf"^## {re.escape(version)} \(.*?(?=^## |\Z)", text, re.M | re.S)
    if found is None:
        raise ChangelogError(f"CHANGELOG.md has no section of version {version}")
    return found[0]


def is_written(repository: Path, version: str) -> bool:
    """Whether ``CHANGELOG.md`` has a section by hand of a version that is still to be released."""
    return f"\n## {version} {UNRELEASED}\n" in (repository / "CHANGELOG.md").read_text("utf-8")


def assemble(repository: Path, version: str, day: str) -> None:
    """Move the fragments into ``CHANGELOG.md``, as the newest release, or to the end of the section written by hand."""
    found, by_hand = fragments(repository), is_written(repository, version)
    if not any(found.values()) and not by_hand:
        raise ChangelogError("changelog.d holds no fragment, so there is nothing to release")
    path = repository / "CHANGELOG.md"
    before, mark, after = path.read_text("utf-8").partition(MARK)
    if not mark:
        raise ChangelogError(f"CHANGELOG.md has no line {MARK.strip()!r}, below which the releases stand")
    newest = section(f"{version} ({day})", found)
    if by_hand:
        old = released(repository, version)
        written = old.replace(UNRELEASED, f"({day})", 1)
        changes = newest.partition("\n")[2]
        after = after.replace(old, f"{written.rstrip()}\n{changes}" if changes else written)
        path.write_text(f"{before}{mark}{after}", "utf-8")
    else:
        path.write_text(f"{before}{mark}\n{newest}{after}", "utf-8")
    for kind in found.values():
        for fragment in kind:
            fragment.unlink()


if __name__ == "__main__":
    sys.exit(main())
