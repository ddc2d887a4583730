"""The blocks of the page, read back by plain code, and the tokens that cuts give."""

import json
import re
import zlib
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from truebleu import BLEU, CHRF, GLEU, TER, Study, _core, demo
from truebleu._packing import pack_planes
from truebleu.study.page.cuts import LISTED, find_cuts, pack_cuts
from truebleu.study.page.payload import Payload, begin, script
from truebleu.study.page.payload import pack as finish_packing

# Any character at all, those that JSON, HTML and JavaScript fear among them.
TEXT = st.text(st.characters(), max_size=12) | st.sampled_from(
    [
        "",
        " ",
        "a\nb\tc",
        "\ud800",
        "\udc00\ud800",
        "</script><!--",
        "\u2028&amp;\u2029",
        "😀, (x).",
        "İΣ ΟΔΟΣ, x",
        "\x00\x1c\x85",
    ]
)


def pack(study: Study, texts: bool = True) -> Payload:
    with ThreadPoolExecutor(1) as beside:
        return finish_packing(study, begin(study, beside, texts=texts))


def block(payload: Payload, name: str) -> bytes:
    return zlib.decompress(b64decode(payload.blocks[name], validate=True))


def read_rows(cells: bytes, layout: list[dict[str, Any]], n: int, systems: int) -> NDArray[np.float64]:
    columns: list[NDArray[Any]] = []
    at = 0
    for one in layout:
        shape = (n, 1 if one["shared"] else systems)
        size = shape[0] * shape[1]
        part = cells[at : at + size * one["planes"]]
        at += len(part)
        if one["planes"] == 8:
            columns.append(np.frombuffer(part, "<f8").reshape(shape))
            continue
        coded = [sum(part[size * plane + cell] << 8 * plane for plane in range(one["planes"])) for cell in range(size)]
        rest = np.array([-(code + 1) // 2 if code % 2 else code // 2 for code in coded], float).reshape(shape)
        columns.append(rest if one["base"] is None else rest + columns[one["base"]])
    assert at == len(cells)
    return np.stack([np.broadcast_to(column, (n, systems)) for column in columns])


def read_numbers(data: bytes) -> list[int]:
    numbers, number, shift = [], 0, 0
    for byte in data:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(number)
            number, shift = 0, 0
    return numbers


def read_tokens(texts: list[str | None], data: bytes, listed: list[list[str]]) -> list[list[str]]:
    numbers, lists = iter(read_numbers(data)), iter(listed)
    found = []
    for text in texts:
        count = next(numbers)
        if count == LISTED:
            found.append(next(lists))
            continue
        at, cuts = 0, set()
        for _ in range(count - 1):
            at += next(numbers)
            cuts.add(at)
        found.append(cut(text or "", cuts))
    assert [] == [*numbers, *lists]
    return found


def cut(text: str, cuts: set[int]) -> list[str]:
    """Cut each word after so many UTF-16 units of the text without white space."""
    tokens, seen = [], 0
    for word in text.split():
        token = ""
        for character in word:
            token += character
            seen += len(character.encode("utf-16-le", "surrogatepass")) // 2
            if seen in cuts:
                tokens.append(token)
                token = ""
        tokens.append(token)
    return tokens


@settings(deadline=None, max_examples=150)
@given(st.lists(TEXT, min_size=1, max_size=6), st.booleans())
def test_cuts_give_the_tokens_of_the_tokenizer(texts: list[str], lowercase: bool) -> None:
    for tokenize in ("13a", "zh", "intl", "char", "none"):
        metric = BLEU(tokenize=tokenize, lowercase=lowercase)
        tokens = metric.tokens(texts)
        found = read_tokens([*texts], *pack_cuts(texts, metric))
        assert tokens == ([[token.lower() for token in one] for one in found] if lowercase else found)


def test_nearly_all_texts_have_cuts_and_no_lists() -> None:
    for pair, tokenize in (("en-de", "13a"), ("en-zh", "zh"), ("en-es", "intl")):
        texts = demo.load(pair).systems["atlas"]
        metric = BLEU(tokenize=tokenize)
        data, listed = pack_cuts(texts, metric)
        assert [] == listed
        assert metric.tokens(texts) == read_tokens([*texts], data, listed)


@settings(deadline=None, max_examples=100)
@given(
    st.lists(TEXT, min_size=1, max_size=6),
    st.sampled_from(["13a", "zh", "intl", "char", "none"]),
    st.sampled_from([(1, 1), (200, 2)]),
)
def test_the_core_finds_the_cuts_that_python_finds(texts: list[str], tokenize: str, size: tuple[int, int]) -> None:
    times, threads = size  # many texts are more than one thread takes at a time
    texts = texts * times
    tokenizer = BLEU(tokenize=tokenize)
    given = [find_cuts(text, tokens) for text, tokens in zip(texts, tokenizer.tokens(texts), strict=True)]
    for packed, cuts in zip(_core.cuts(texts, tokenize, threads), given, strict=True):
        assert packed is None or [len(cuts or ()) + 1, *(np.diff(cuts or [], prepend=0))] == read_numbers(packed)


@pytest.mark.parametrize(
    ("text", "tokens", "cuts"),
    [
        ("", [], []),
        ("Hi, you.", ["Hi", ",", "you", "."], [2, 6]),
        ("😀!", ["😀", "!"], [2]),
        ("&amp;", ["&"], None),
        ("a b", ["ab"], None),
        ("HI", ["hi"], []),
    ],
)
def test_cuts_are_places_inside_words(text: str, tokens: list[str], cuts: list[int] | None) -> None:
    assert cuts == find_cuts(text, tokens)


def test_a_long_word_has_its_cut_in_several_bytes() -> None:
    text = "x" * 40_000 + "."
    data, listed = pack_cuts([text], BLEU())
    assert (4, []) == (len(data), listed)
    assert [2, 40_000] == read_numbers(data)


NUMBERS = st.integers(0, 300) | st.integers(0, 2**29 - 1) | st.floats(allow_nan=False) | st.just(-0.0)


@settings(deadline=None, max_examples=200)
@given(arrays.arrays(np.float64, st.tuples(*[st.integers(1, 4)] * 3), elements=st.integers(0, 300) | NUMBERS))
def test_rows_come_back_bit_for_bit(columns: NDArray[np.float64]) -> None:
    layout, cells = pack_planes(columns)
    found = read_rows(cells, layout, *columns.shape[1:])
    assert columns.tobytes() == found.tobytes()


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_a_study_comes_back(data: st.DataObject) -> None:
    n, names = (
        data.draw(st.integers(1, 4)),
        data.draw(st.lists(st.text(st.characters(), min_size=1), min_size=1, max_size=3, unique=True)),
    )
    texts = st.lists(TEXT, min_size=n, max_size=n)
    systems = {name: data.draw(texts) for name in names}
    references, sources = [data.draw(texts), data.draw(texts)], data.draw(st.none() | texts)
    topics = data.draw(texts)
    study = Study(
        systems, references, [BLEU(), CHRF(), TER(), GLEU()],
        sources=sources, labels={"topic": topics}, test="none", n_confidence=0,
    )  # fmt: skip
    payload = pack(study)
    assert not re.search("[<>&\u2028\u2029]", payload.meta)
    meta = json.loads(payload.meta)
    assert (n, names, sources is not None, 2) == (meta["n"], meta["systems"], meta["sources"], meta["references"])
    streams = [*([sources] if sources else []), *references, *systems.values()]
    assert [text for segment in zip(*streams, strict=True) for text in segment] == json.loads(
        block(payload, "tb-texts")
    )
    for at, (key, rows) in enumerate(study.rows.items()):
        found = read_rows(block(payload, f"tb-rows-{at}"), meta["metrics"][at]["layout"], n, len(names))
        expected = np.stack([stats.rows.T for stats in rows.values()], axis=-1)
        assert np.ascontiguousarray(expected).tobytes() == found.tobytes(), key
    codes = np.frombuffer(block(payload, "tb-labels-0"), "<u4")
    assert topics == [meta["labels"][0]["values"][code] for code in codes]


def demo_study() -> Study:
    data = demo.load("en-de")
    return Study(
        data.systems,
        list(data.references.values()),
        [BLEU(), CHRF(), TER()],
        sources=data.sources,
        seed=1,
        n_samples=50,
    )


def test_the_same_study_gives_the_same_bytes() -> None:
    assert pack(demo_study()) == pack(demo_study())


def test_without_texts_no_segment_is_in_any_block() -> None:
    study = demo_study()
    payload = pack(study, texts=False)
    assert {"tb-rows-0", "tb-rows-1", "tb-rows-2", "tb-numbers"} == set(payload.blocks)
    whole = payload.meta.encode() + b"".join(block(payload, name) for name in payload.blocks)
    for text in (*study.inputs.systems["atlas"], *study.inputs.references[0]):
        assert text.encode() not in whole


def test_a_metric_without_a_formula_in_the_page_gives_its_segments() -> None:
    class Mine(BLEU):
        """A metric whose formula the page cannot know."""

    data = demo.load("en-de")
    study = Study(data.systems, list(data.references.values()), {"mine": Mine()}, test="none", n_confidence=0)
    payload = pack(study)
    about = json.loads(payload.meta)["metrics"][0]
    assert ("", ["score"]) == (about["kind"], about["columns"])
    found = read_rows(block(payload, "tb-rows-0"), about["layout"], 240, 3)
    assert study.segments("mine").scores.T.tolist() == found[0].tolist()


def test_the_script_makes_no_markup_of_text_and_asks_nobody() -> None:
    program = script()
    for word in (
        "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "sessionStorage",
        "fetch(", "XMLHttpRequest", "http:", "https:", "</script", "<!--",
    ):  # fmt: skip
        assert word not in program, word
    # Notes are kept under the digest of the report, since on a disk all pages share one store; nothing else is kept.
    assert [
        "localStorage.getItem(`truebleu ${data.meta.digest}`",
        "localStorage.setItem(`truebleu ${live.data.meta.digest}`",
    ] == re.findall(r"localStorage[^)},]*}`", program)
