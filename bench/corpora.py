"""The texts the benchmarks score: WMT22 where it is at hand (see `tools/real_texts.py`), generated text elsewhere.

A corpus is a list of segment pairs. It is made by concatenating every system of some language pairs, so
references come back once per system, and systems often agree to the letter. `describe` says how many texts
are distinct.
"""

from __future__ import annotations

import gzip
import itertools
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# The tests look for the same texts in the same places.
sys.path.append(str(Path(__file__).resolve().parents[1] / "tools"))
from real_texts import ADVICE as ADVICE
from real_texts import data_folder as data_folder
from real_texts import needed_wmt22 as needed_wmt22
from real_texts import wmt22_folder as wmt22_folder

LATIN = "latin"
CHINESE = "chinese"
CYRILLIC = "cyrillic"  # the Latin corpus, with Cyrillic letters in place of a to z

# The WMT22 pairs of each corpus, and the references used. English-Chinese has only 26,481 pairs, so its
# systems are scored twice, once against each reference.
WMT22_PAIRS = {
    LATIN: (("cs-en", "B"), ("en-de", "A"), ("liv-en", "A"), ("uk-en", "A")),
    CHINESE: (("en-zh", "A"), ("en-zh", "B")),
}

GENERATED_LINES = 5_600
GENERATED_SYSTEMS = 10


_CYRILLIC_LETTERS = {ord(first) + at: ord(other) + at for first, other in (("a", "а"), ("A", "А")) for at in range(26)}


@dataclass(frozen=True)
class Corpus:
    """Segment pairs, with the source line each of them translates."""

    origin: str
    hypotheses: list[str]
    references: list[str]
    lines: list[int]

    def __len__(self) -> int:
        return len(self.hypotheses)

    def sample(self, size: int) -> Corpus:
        """About `size` pairs: source lines at even distances in order of length, each with all its systems.

        Taking all systems of a line keeps the share of repeated texts, and with it the share that sacreBLEU's
        tokenizer finds in its cache: 60 % of WMT22, but 3 % of a sample of lone pairs, on which sacreBLEU
        would look too slow. The order of length keeps the mean length.
        """
        if size >= len(self):
            return self
        lengths = {line: len(text) for line, text in zip(self.lines, self.references, strict=True)}
        ordered = sorted(lengths, key=lambda line: (lengths[line], line))
        count = max(1, round(size * len(ordered) / len(self)))
        chosen = {ordered[(2 * i + 1) * len(ordered) // (2 * count)] for i in range(count)}
        return self._select([i for i, line in enumerate(self.lines) if line in chosen])

    def repeat(self, size: int) -> Corpus:
        """Exactly `size` pairs, going round as often as needed; every string is a new object."""
        indices = list(itertools.islice(itertools.cycle(range(len(self))), size))
        return self._select(indices).copy()

    def copy(self) -> Corpus:
        """The same texts in new string objects, so that two sides share nothing cached on a string."""
        hypotheses = [_clone(text) for text in self.hypotheses]
        references = [_clone(text) for text in self.references]
        return Corpus(self.origin, hypotheses, references, self.lines)

    def in_cyrillic(self) -> Corpus:
        """The same texts in Cyrillic letters: what another script costs, with all lengths and repetitions the same."""
        hypotheses, references = (
            [text.translate(_CYRILLIC_LETTERS) for text in texts] for texts in (self.hypotheses, self.references)
        )
        return Corpus(f"{self.origin} in Cyrillic letters", hypotheses, references, self.lines)

    def describe(self) -> str:
        distinct = set(zip(self.hypotheses, self.references, strict=True))
        return (
            f"{self.origin}: {len(self):,} pairs ({len(distinct):,} distinct; "
            f"{len(set(self.hypotheses)):,} distinct hypotheses, "
            f"{len(set(self.references)):,} distinct references), "
            f"{sum(map(len, self.hypotheses)) / len(self):.0f} characters a hypothesis"
        )

    def _select(self, indices: Sequence[int]) -> Corpus:
        return Corpus(
            self.origin,
            [self.hypotheses[i] for i in indices],
            [self.references[i] for i in indices],
            [self.lines[i] for i in indices],
        )


@dataclass(frozen=True)
class Task:
    """The systems of one shared task, with one reference."""

    origin: str
    systems: dict[str, list[str]]
    references: list[str]

    def __len__(self) -> int:
        return len(self.references)

    def first(self) -> list[str]:
        return next(iter(self.systems.values()))

    def head(self, segments: int, systems: int | None = None) -> Task:
        """The first segments of the first systems."""
        chosen = dict(itertools.islice(self.systems.items(), systems))
        return Task(self.origin, {name: texts[:segments] for name, texts in chosen.items()}, self.references[:segments])

    def copy(self) -> Task:
        """The same texts in new string objects."""
        systems = {name: [_clone(text) for text in texts] for name, texts in self.systems.items()}
        return Task(self.origin, systems, [_clone(text) for text in self.references])


TASK = ("en-de", "A")
TASK_SEGMENTS, TASK_SYSTEMS = 2_037, 9


@cache
def task() -> Task:
    """All English-German systems of WMT22, or as many generated ones."""
    folder = wmt22_folder()
    if folder is None:
        return _generated_task()
    pair, reference = TASK
    lang = pair.split("-")[1]
    paths = sorted((folder / "system-outputs").glob(f"generaltest2022.{pair}.hyp.*.{lang}.gz"))
    systems = {path.name.split(".hyp.")[1].removesuffix(f".{lang}.gz"): read(path) for path in paths}
    references = read(folder / "references" / f"generaltest2022.{pair}.ref.{reference}.{lang}.gz")
    return Task(f"WMT22 {pair}", systems, references)


def _generated_task() -> Task:
    corpus = generate(LATIN, TASK_SEGMENTS, TASK_SYSTEMS)
    starts = range(0, len(corpus), TASK_SEGMENTS)
    systems = {f"system {at}": corpus.hypotheses[start : start + TASK_SEGMENTS] for at, start in enumerate(starts)}
    return Task(corpus.origin, systems, corpus.references[:TASK_SEGMENTS])


@cache
def load(name: str) -> Corpus:
    """The corpus called `name` (LATIN, CHINESE or CYRILLIC), from WMT22 if its files are at hand."""
    if name == CYRILLIC:
        return load(LATIN).in_cyrillic()
    folder = wmt22_folder()
    return generate(name) if folder is None else _wmt22(folder, name)


def generate(name: str, lines: int = GENERATED_LINES, systems: int = GENERATED_SYSTEMS) -> Corpus:
    """Seeded text in the likeness of a shared task: each system is a damaged copy of the reference."""
    if name == CYRILLIC:
        return generate(LATIN, lines, systems).in_cyrillic()
    rng = random.Random(name)
    write, glue = (_latin_words, " ") if name == LATIN else (_chinese_words, "")
    vocabulary = write(rng)
    weights = list(itertools.accumulate(1 / (rank + 3) for rank in range(len(vocabulary))))
    drafts = [_sentence(rng, vocabulary, weights) for _ in range(lines)]
    hypotheses: list[str] = []
    for system in range(systems):
        damage = 0.08 + 0.03 * system
        hypotheses += [glue.join(_damage(rng, draft, vocabulary, weights, damage)) for draft in drafts]
    references = [glue.join(draft) for draft in drafts] * systems
    return Corpus("generated", hypotheses, references, list(range(lines)) * systems)


def _wmt22(folder: Path, name: str) -> Corpus:
    hypotheses: list[str] = []
    references: list[str] = []
    lines: list[int] = []
    starts: dict[str, int] = {}
    for pair, reference in WMT22_PAIRS[name]:
        lang = pair.split("-")[1]
        texts = read(folder / "references" / f"generaltest2022.{pair}.ref.{reference}.{lang}.gz")
        start = starts.setdefault(pair, max(lines, default=-1) + 1)
        for path in sorted((folder / "system-outputs").glob(f"generaltest2022.{pair}.hyp.*.{lang}.gz")):
            hypotheses += read(path)
            references += texts
            lines += range(start, start + len(texts))
    return Corpus("WMT22", hypotheses, references, lines)


def read(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n") for line in file]


def _clone(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "surrogatepass")


def _latin_words(rng: random.Random) -> list[str]:
    onsets = (*"bcdfghklmnprstvwzčšž", "st", "tr", "br", "sch")
    nuclei = (*"aeiouaeiouäöüáéí", "ou", "ei")
    codas = ("", "", "", *"nrstlß", "nd", "ng", "st")
    words = []
    for _ in range(6_000):
        syllables = 1 + int(3 * rng.random() ** 2)
        word = "".join(_pick(rng, onsets) + _pick(rng, nuclei) + _pick(rng, codas) for _ in range(syllables))
        words.append(word.capitalize() if rng.random() < 0.15 else word)
    extras = ("3.5", "1,000", "2022", "10-15", "U.S.", "don't", "(sic)", "&amp;", '"so"', "50%", "„ja“")
    for place, extra in enumerate(extras):
        words.insert(20 + 15 * place, extra)
    return words


def _chinese_words(rng: random.Random) -> list[str]:
    def word() -> str:
        length = 1 + int(2.5 * rng.random())
        return "".join(chr(0x4E00 + int(3_000 * rng.random() ** 2)) for _ in range(length))

    words = [word() for _ in range(6_000)]
    for place, extra in enumerate(("，", "、", "“好”", "2022", "3.5", "GDP ", "（", "）", "《", "》", "％")):
        words.insert(5 + 20 * place, extra)
    return words


def _sentence(rng: random.Random, vocabulary: list[str], weights: list[float]) -> list[str]:
    length = 3 + int(rng.expovariate(1 / 14))
    words = rng.choices(vocabulary, cum_weights=weights, k=length)
    stop = "。" if vocabulary[5] == "，" else "."
    return [*words[:-1], words[-1] + stop]


def _damage(
    rng: random.Random, words: list[str], vocabulary: list[str], weights: list[float], rate: float
) -> Iterator[str]:
    """The words again, some replaced, some dropped, some doubled, and now and then a short phrase moved."""
    if rng.random() < 2 * rate:
        start, size, shift = (int(choices * rng.random()) for choices in (len(words), 4, 6))
        end = start + 1 + size
        words = words[:start] + words[end : end + shift] + words[start:end] + words[end + shift :]
    for word in words:
        dice = rng.random() / rate
        if dice >= 1:
            yield word
        elif dice < 0.7:
            yield rng.choices(vocabulary, cum_weights=weights)[0]
        elif dice < 0.85:
            yield word
            yield word


def _pick(rng: random.Random, choices: Sequence[str]) -> str:
    return choices[int(rng.random() * len(choices))]


# Test sets of WMT with the documents of their segments and at least eight systems.
DOCUMENTED = (
    "newstest2021.de-fr",
    "newstest2021.is-en",
    "newstest2021.ru-en",
    "wmttest2022.en-hr",
    "wmttest2022.ru-en",
    "wmttest2023.ru-en",
    "wmttest2023.uk-en",
)


def documented() -> Iterator[tuple[str, list[str], list[list[str]], dict[str, list[str]]]]:
    """Test sets that say which document a segment is of: name, documents, one reference, systems."""
    from truebleu.dataset.formats import wmt_xml
    from truebleu.dataset.registry import Definition, Pair

    folder = data_folder()
    if folder is None:
        raise FileNotFoundError("no WMT test sets with documents at hand: name a folder of them in TRUEBLEU_TEST_DATA")
    for path in sorted((folder / "mirror").rglob("*.all.xml.gz")):
        name = path.name.removesuffix(".all.xml.gz")
        if name not in DOCUMENTED:
            continue
        content = gzip.decompress(path.read_bytes())
        definition, pair = Definition(name, "wmt_xml", "", (), {}), Pair(name.split(".")[1], (path.name,))
        columns = wmt_xml.read(definition, pair, lambda _, content=content: content)  # type: ignore[misc]
        texts = columns.fields
        reference = next(texts[field] for field in texts if field.startswith("ref"))
        # A system that lacks segments is none to compare with.
        systems = {one: texts[one] for one in columns.systems if all(texts[one])}
        yield name, texts["docid"], [reference], systems
