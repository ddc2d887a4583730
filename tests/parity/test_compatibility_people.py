"""The entries of COMPATIBILITY.md about people's scores."""

import json
from pathlib import Path

import numpy as np

from truebleu.scores import ScoreTable, compare, read


def campaign(raters: int = 1, seed: int = 2) -> ScoreTable:
    """Two systems, between which only the luck of documents decides."""
    random, rows = np.random.default_rng(seed), []
    for document in range(20):
        luck = {name: random.normal(0, 12) for name in "ab"}
        for segment in range(10):
            for name in "ab":
                level = 60 + luck[name] + random.normal(0, 5)
                rows += [(name, f"{document}-{segment}", level + random.normal(), f"r{at}") for at in range(raters)]
    system, item, score, rater = (list(column) for column in zip(*rows, strict=True))
    documents = [name.partition("-")[0] for name in item]
    return ScoreTable.from_columns(system=system, item=item, score=score, metric="ESA", rater=rater, document=documents)


def test_218_documents_are_the_units() -> None:
    claims = {"segment": 0, "auto": 0}
    for seed in range(20):
        for unit in claims:
            claims[unit] += compare(campaign(seed=seed), unit=unit, n_samples=1000).metrics[0].pairs[0].significant
    assert claims["segment"] >= 10 > 4 >= claims["auto"]


def test_219_two_ratings_of_a_segment_are_one_score() -> None:
    table = campaign(raters=2)
    assert 200 == compare(table).n_segments == len(table.items)
    assert 800 == len(table)


def test_220_a_reset_concerns_one_rater(tmp_path: Path) -> None:
    def line(user: str, annotation: object) -> str:
        return json.dumps({"user_id": user, "item_i": 0, "item": [{"item_id": "d_###_0"}], "annotation": annotation})

    path = tmp_path / "campaign.jsonl"
    rated = [{"a": {"score": 50}}]
    path.write_text("\n".join([line("u", rated), line("v", rated), line("u", "__RESET__")]) + "\n", "utf-8")
    assert ("v",) == tuple(read(path).raters[code] for code in set(read(path).codes[3].tolist()))
