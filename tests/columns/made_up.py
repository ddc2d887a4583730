"""Made-up tables, and files of them."""

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

_TEXT = "the a grey heron stood there it flew away at noon over old water and nobody saw schön größer 鷺"
WORDS = _TEXT.split()


def table(rows: int, seed: int = 1) -> Any:
    """Two systems, two languages and a null; one reference, and a list of up to three."""
    draw = random.Random(seed)
    refs = [" ".join(draw.choices(WORDS, k=draw.randint(1, 12))) for _ in range(rows)]
    outputs = [" ".join(word if draw.random() < 0.8 else "x" for word in text.split()) for text in refs]
    columns = {
        "seg": list(range(rows)),
        "system": [draw.choice(["old", "new"]) for _ in range(rows)],
        "lang": [draw.choice(["de", "fr", None]) for _ in range(rows)],
        "mt": outputs,
        "other": [" ".join(draw.choices(WORDS, k=6)) for _ in range(rows)],
        "ref": refs,
        "refs": [[text, *draw.choices(refs, k=draw.randint(0, 2))] for text in refs],
    }
    return pa.table(columns)


def write_parts(folder: Path, parts: int, rows: int = 50) -> list[Any]:
    """Write `part-00.parquet` and so on, and give the tables."""
    found = []
    for at in range(parts):
        found.append(table(rows, seed=at))
        pq.write_table(found[-1], folder / f"part-{at:02}.parquet", row_group_size=20)
    return found
