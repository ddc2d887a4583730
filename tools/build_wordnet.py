"""Write WordNet's synonyms as METEOR asks for them, from the data files of Princeton's WordNet 3.0.

python tools/build_wordnet.py DEB|FOLDER

Debian's package wordnet-base has the files; its own licence and packaging are left out. Of a synset METEOR needs the
names of one word in small letters, and the words that lead to them: see `crates/core/src/wordnet.rs`, which reads the
file. The same files always give the same content.
"""

import re
import subprocess
import sys
import tempfile
import zlib
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "python" / "truebleu" / "data" / "wordnet30.bin"
PARTS = ("noun", "verb", "adj", "adv")

# The rules by which WordNet finds the base of a word; `wordnet.rs` has the same.
RULES = {
    "noun": "s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y",
    "verb": "s: ies:y es:e es: ed:e ed: ing:e ing:",
    "adj": "er: est: er:e est:e",
    "adv": "",
}


def synsets(folder: Path, part: str) -> list[list[str]]:
    """Give the names of each synset of a part of speech, without the markers of an adjective's place."""
    rows = [line.split() for line in _lines(folder / f"data.{part}")]
    names = [row[4 : 4 + 2 * int(row[3], 16) : 2] for row in rows]
    return [[re.sub(r"\((a|p|ip)\)$", "", name) for name in row] for row in names]


def exceptions(folder: Path, part: str) -> dict[str, list[str]]:
    """Give the bases of irregular forms."""
    rows = [line.split() for line in _lines(folder / f"{part}.exc")]
    return {row[0]: row[1:] for row in rows}


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text("latin-1").splitlines() if not line.startswith(" ")]


def sections(folder: Path) -> list[bytes]:
    """Make the sections of the file."""
    own: dict[str, int] = defaultdict(int)
    groups: list[list[tuple[list[str], list[str]]]] = []
    for at, part in enumerate(PARTS):
        found = set()
        # An irregular form of one word may have a base of several, which is then a word that leads to names.
        irregular = exceptions(folder, part).items()
        longer = {base for form, bases in irregular if "_" not in form for base in bases if "_" in base}
        for names in synsets(folder, part):
            single = {name for name in names if "_" not in name}
            small = {name for name in single if name == name.lower()}
            for name in small:
                own[name] |= 1 << at
            others = {name.lower() for name in single} - small | longer.intersection(map(str.lower, names))
            if small and len(small | others) > 1:
                found.add((tuple(sorted(small)), tuple(sorted(others))))
        groups.append([(list(small), list(others)) for small, others in sorted(found)])
    listed = {name for part_groups in groups for members in part_groups for side in members for name in side}
    words = sorted({*own, *listed})
    numbers = {word: number for number, word in enumerate(words)}
    made = [*_shortened(words), bytes(own[word] for word in words)]
    for part, part_groups in zip(PARTS, groups, strict=True):
        made += _grouped(part_groups, numbers)
        made.append(_irregular(exceptions(folder, part), RULES[part], numbers))
    return made


def _shortened(words: list[str]) -> list[bytes]:
    """Write sorted words as how much each shares with the one before, and the rest."""
    shared = [_shared(before, word) for before, word in zip(["", *words], words, strict=False)]
    rests = "".join(f"{word[length:]}\n" for word, length in zip(words, shared, strict=True))
    return [bytes(shared), rests.encode()]


def _shared(before: str, word: str) -> int:
    pairs = enumerate(zip(before, word, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(before), len(word)))


def _grouped(groups: list[tuple[list[str], list[str]]], numbers: dict[str, int]) -> list[bytes]:
    """Write groups as how many names and how many other words each has, and the numbers of both."""
    members = sorted((sorted(numbers[name] for name in small), [numbers[name] for name in others])
                     for small, others in groups)  # fmt: skip
    firsts = [small[0] for small, _ in members]
    steps = [
        number - before
        for small, others in members
        for side in (small, [0, *others])
        for before, number in pairwise(side)
    ]
    return [
        bytes(len(small) for small, _ in members),
        bytes(len(others) for _, others in members),
        _numbers(number - before for before, number in zip([0, *firsts], firsts, strict=False)),
        _numbers(steps),
    ]


def _numbers(numbers: Iterable[int]) -> bytes:
    """Write numbers in as many bytes of seven bits as each needs, the lowest first."""
    written = bytearray()
    for number in numbers:
        while number > 127:
            written.append(number & 127 | 128)
            number >>= 7
        written.append(number)
    return bytes(written)


def _irregular(forms: dict[str, list[str]], rules: str, numbers: dict[str, int]) -> bytes:
    """Write a line for each form whose bases are not those that the rules find: the form and its bases."""
    lines = []
    for form, bases in sorted(forms.items()):
        pairs = [rule.split(":") for rule in rules.split()]
        ruled = {form[: -len(suffix)] + ending for suffix, ending in pairs if form.endswith(suffix)}
        if {base for base in bases if base in numbers} != {base for base in ruled if base in numbers}:
            lines.append(" ".join([form, *(base for base in bases if base in numbers)]))
    return "".join(f"{line}\n" for line in lines).encode()


def main() -> None:
    """Read the package or folder that is named, and write the file."""
    source = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as unpacked:
        if source.is_file():
            subprocess.run(["dpkg", "-x", source, unpacked], check=True)
            source = Path(unpacked) / "usr" / "share" / "wordnet"
        packed = [zlib.compress(section, 9) for section in sections(source)]
    # Each by itself, which makes the file smaller; before each stands its length in four bytes.
    DATA.write_bytes(b"".join(len(section).to_bytes(4, "little") + section for section in packed))
    print(f"{DATA.stat().st_size} bytes")


if __name__ == "__main__":
    main()
