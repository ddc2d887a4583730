"""Records by a table of keys, columns of tables, and lines that are not scored: texts of our own, good and bad."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import truebleu
from dataset.caches import add_set
from truebleu.dataset.formats import format_of
from truebleu.dataset.pair_text import PairText, _unescaped, escaped
from truebleu.dataset.registry import parse
from truebleu.errors import InvalidTestSet, RegistryError

pytestmark = pytest.mark.usefixtures("own_cache")

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(["\\", "\\n", "\n\n", "a\nb"])
KEYS = {"src": "s", "ref": "refs.A", "docid": "d"}


def read(contents: dict[str, bytes], kind: str, pair: dict[str, Any], **keys: Any) -> dict[str, list[str]]:
    files = [{"path": name} for name in contents]
    one = {"name": "lab/a", "format": kind, "files": files, "pairs": {"en-de": pair}, **keys}
    (definition,) = parse({"schema": 1, "sets": [one]}, Path("."), "lab.json")
    return format_of(definition).read(definition, definition.pairs["en-de"], contents.__getitem__).fields


def records(*rows: Any) -> dict[str, bytes]:
    return {"a.jsonl": "".join(json.dumps(row) + "\n" for row in rows).encode()}


def by_keys(*rows: Any, **more: Any) -> dict[str, list[str]]:
    return read(records(*rows), "jsonl-keys", {"members": ["a.jsonl"], "keys": KEYS, **more})


def test_a_dot_leads_into_an_object_and_numbers_may_be_ids() -> None:
    row = {"s": "one", "refs": {"A": "eins", "B": "uno"}, "d": 7, "more": [1]}
    assert {"src": ["one"], "ref": ["eins"], "docid": ["7"]} == by_keys(row)


def test_records_are_chosen_by_their_values() -> None:
    rows = [{"s": str(at), "refs": {"A": "x"}, "to": "de" if at % 2 else "fr", "bad": at == 3} for at in range(6)]
    assert ["1", "5"] == by_keys(*rows, keep_if={"to": "de"}, skip_if={"bad": True})["src"]
    # All values of `skip_if` must be there, and what is absent is null.
    assert ["0", "2", "4"] == by_keys(*rows, skip_if={"to": "de", "no": None})["src"]


def test_members_follow_each_other() -> None:
    contents = {name: b'{"s": "%s", "t": "x"}\n' % name.encode() for name in ("a.jsonl", "b.jsonl")}
    pair = {"members": ["b.jsonl", "a.jsonl"], "keys": {"src": "s", "ref": "t"}}
    assert ["b.jsonl", "a.jsonl"] == read(contents, "jsonl-keys", pair)["src"]


@pytest.mark.parametrize(
    "row, message",
    [
        ([], "a.jsonl, line 1 should be an object"),
        ({"refs": {"A": "x"}}, "line 1: s should be text, got NoneType"),
        ({"s": 1, "refs": {"A": "x"}}, "line 1: s should be text, got int"),
        ({"s": "x", "refs": {"A": ["x"]}}, "line 1: refs.A should be text, got list"),
        ({"s": "x", "refs": {"A": 5}}, "line 1: refs.A should be text, got int"),
        ({"s": "x", "refs": {"A": "x"}, "d": True}, "line 1: d should be text, got bool"),
        ({"s": "\ud800", "refs": {"A": "x"}}, "line 1: s has half a surrogate pair"),
        ({"s": "x", "refs": "A"}, "en-de: no record has a reference"),
    ],
)
def test_records_that_cannot_be_read_are_named(row: Any, message: str) -> None:
    with pytest.raises(InvalidTestSet, match=message):
        by_keys(row)


def test_keys_without_a_source_or_a_reference_are_refused() -> None:
    for keys in ({"src": "s"}, {"ref": "s"}, {}):
        with pytest.raises(RegistryError, match="'keys' should have 'src' and a reference"):
            read(records({"s": "x"}), "jsonl-keys", {"members": ["a.jsonl"], "keys": keys})


@given(st.lists(TEXT, min_size=1, max_size=4))
def test_a_text_on_one_line_is_the_same_text_again(texts: list[str]) -> None:
    assert texts == [_unescaped(escaped(text)) for text in texts]
    assert not any("\n" in escaped(text) for text in texts)


def test_texts_with_line_breaks_come_back_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"s": "a\\n\nb", "refs": {"A": "c"}}, {"s": "\\", "refs": {"A": "d\r\n\ne"}}]
    pairs = {"en-de": {"members": ["a.jsonl"], "keys": {"src": "s", "ref": "refs.A"}}}
    path = add_set(tmp_path / "lab", "lab/d", "jsonl-keys", records(*rows), pairs, unit="document", paragraphs="\n\n")
    monkeypatch.setenv("TRUEBLEU_REGISTRY", str(path))
    opened = truebleu.testset("lab/d", "en-de")
    assert ["a\\n\nb", "\\"] == opened.source and [["c"], ["d\r", "e"]] == opened.paragraphs("ref")
    assert ["a.jsonl:1", "a.jsonl:2"] == opened.documents
    (pair_text,) = opened._pair_texts
    assert b"a\\\\n\\nb\n\\\\\n" == pair_text.path("src").read_bytes()
    again = PairText.__new__(PairText)
    again.__dict__.update(vars(pair_text), _columns=None)
    assert opened.source == again.lines("src") and opened.references == [again.lines("ref")]


def test_a_column_of_a_table_is_a_field() -> None:
    contents = {"a": b"x\ny\n", "b": b"u\nv\n", "t": b"id\tkind\nd:1\tnews\r\nd:2\tchat\r\n"}
    pair = {"members": ["a", "b"], "docid": "t", "domain": "t"}
    cut = {"docid": {"header": 1, "before": ":"}, "domain": {"header": 1, "column": -1}}
    fields = read(contents, "plain-text", pair, cut=cut)
    assert (["d", "d"], ["news", "chat"]) == (fields["docid"], fields["domain"])
    with pytest.raises(InvalidTestSet, match="t: line 2 has no column 2"):
        read(contents, "plain-text", pair, cut={"docid": {"header": 1, "column": 2}})


def test_lines_that_are_not_scored_must_fit_the_references() -> None:
    pair = {"members": ["a", "b"], "drop": "f"}
    marks = b"_IGNORE_FOR_EVAL_\n\n"
    assert {"src": ["y"], "ref": ["u"]} == read({"a": b"x\ny\n", "b": b"u\n", "f": marks}, "plain-text", pair)
    with pytest.raises(InvalidTestSet, match="f: the field 'ref' has 2 lines, expected 1"):
        read({"a": b"x\ny\n", "b": b"u\nv\n", "f": marks}, "plain-text", pair)
    with pytest.raises(InvalidTestSet, match="f: the field 'src' has 1 line, expected 2"):
        read({"a": b"x\n", "b": b"u\n", "f": marks}, "plain-text", pair)
    with pytest.raises(InvalidTestSet, match="f has the line 'no', expected _IGNORE_FOR_EVAL_ or nothing"):
        read({"a": b"x\ny\n", "b": b"u\n", "f": b"no\n\n"}, "plain-text", pair)
