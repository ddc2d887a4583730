"""The files that the pages' commands work on: a small table, from the demo set that ships with truebleu.

Every page gets `COMMON`; a page that wants other files under these names, or more of them, has an entry in `PAGES`.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from xml.sax.saxutils import escape

import truebleu
from reconciliation.f8 import HYPOTHESES, A, B

DEMO = truebleu.testset("demo", "en-de")
ATLAS, BIRCH, CEDAR = (DEMO.systems[name] for name in ("atlas", "birch", "cedar"))
FIRST, SECOND = DEMO.references

Files = dict[str, Iterable[object]]


def records(system: str) -> list[str]:
    """The demo set, one JSON object a segment."""
    rows = zip(DEMO.source, DEMO.systems[system], FIRST, SECOND, DEMO.documents, DEMO.domains, strict=True)
    return [
        json.dumps(
            {"system": system, "lang": "de", "src": src, "mt": mt, "ref": one, "refs": [one, two], "domain": domain}
        )
        for src, mt, one, two, _, domain in rows
    ]


def by_document() -> list[str]:
    """What a system says of each document, as JSON lines."""
    texts: dict[str, list[str]] = {}
    for document, text in zip(DEMO.documents, ATLAS, strict=True):
        texts.setdefault(document, []).append(text)
    return [json.dumps({"doc_id": name, "hypothesis": " ".join(lines)}) for name, lines in texts.items()]


def runs(nested: bool = False) -> list[str]:
    """What two models answer, as an evaluation of language models keeps it: one object for each model and segment."""
    found = []
    for model, texts in (("ferry", ATLAS), ("heron", BIRCH)):
        rows = zip(DEMO.source, texts, FIRST, DEMO.documents, DEMO.domains, strict=True)
        for at, (src, text, ref, document, domain) in enumerate(rows):
            answer = None if at == 7 else [{"message": {"content": text}}]
            output = {"choices": answer} if nested else {"output": text}
            about = {"reference": ref, "doc_id": document, "domain": domain}
            found.append(json.dumps({"id": at, "model": model, "prompt": src} | output | about))
    return found


def predictions(system: Iterable[str]) -> list[str]:
    """The same in the form that MetricX writes, where lower is better."""
    return [json.dumps({"prediction": round(25 * (1 - score), 4)}) for score in segment_scores(system)]


def ratings() -> list[str]:
    """Made-up ratings of two systems by people, one in five missing."""
    rows = ["system,segment,metric,score"]
    for system, texts in (("a", ATLAS), ("b", BIRCH)):
        scores = enumerate(segment_scores(texts), 1)
        rows += [f"{system},{at},ESA,{'' if at % 5 == len(system) else round(100 * score)}" for at, score in scores]
    return rows


def segment_scores(system: Iterable[str]) -> list[float]:
    """Stand-ins for the scores of a learned metric."""
    return [round(score / 100, 4) for score in truebleu.CHRF().sentence_scores(list(system), [FIRST])]


def rated(name: str) -> list[str]:
    """Made-up scores of six systems, the last three of which mix two of the others: of people, or of a metric."""
    texts = [ATLAS, BIRCH, CEDAR, [*ATLAS[:120], *CEDAR[120:]], [*BIRCH[:80], *CEDAR[80:]], [*CEDAR[:60], *ATLAS[60:]]]
    lines = []
    for at, (system, text) in enumerate(zip("ABCDEF", texts, strict=True)):
        for segment, score in enumerate(truebleu.CHRF().sentence_scores(text, [FIRST])):
            noise = (37 * segment + 11 * at * segment) % 20 / 10 - 1  # without a generator
            made = {
                "people": None if segment % 8 == 7 else -max(0, round((75 - score) / 12 + noise)),
                "COMET": round(0.5 + score / 250 + noise / 40, 4),
                "MetricX-24": round(max(0.0, (100 - score) / 8 - 2 * noise), 3),
                "chrF": round(truebleu.CHRF().sentence_score(text[segment], [SECOND[segment]]).score, 2),
            }[name]
            lines.append(f"system-{system}\t{made}")
    return lines


def documents() -> list[str]:
    """The domain and the document of each segment."""
    return [f"{domain}\t{document}" for domain, document in zip(DEMO.domains, DEMO.documents, strict=True)]


COMMON: Files = {
    "ref.txt": FIRST,
    "refA.txt": FIRST,
    "refB.txt": SECOND,
    "refs.txt": FIRST,
    "src.txt": DEMO.source,
    "system.txt": ATLAS,
    "summaries.txt": ATLAS,
    "a.txt": ATLAS,
    "b.txt": BIRCH,
    "c.txt": CEDAR,
    "base.txt": BIRCH,
    "new.txt": ATLAS,
    "ids.txt": DEMO.documents,
    "labels.txt": DEMO.domains,
}

COMMAND_LINE: Files = {
    "out.jsonl": [*records("atlas"), *records("birch")],
    "documents.jsonl": by_document(),
    "runs.jsonl": runs(),
    "chat.jsonl": runs(nested=True),
    "llm.txt": [" ".join(ATLAS[at : at + 2]) for at in range(0, 240, 2)],
    "short.txt": [*ATLAS[:99], *ATLAS[101:]],
    "out.txt": [" ".join(ATLAS)],
    "hard.txt": ["3-20", "77, 81"],
    "outputs/a.txt": ATLAS,
    "outputs/b.txt": BIRCH,
    "outputs/c.txt": CEDAR,
    **{f"{name}{run}": texts for name, texts in (("a", ATLAS), ("b", BIRCH)) for run in (1, 2, 3)},
    "a.scores": segment_scores(ATLAS),
    "b.scores": segment_scores(BIRCH),
    "a.metricx.jsonl": predictions(ATLAS),
    "b.metricx.jsonl": predictions(BIRCH),
    "people.csv": ratings(),
}

OWN_SET: Files = {"src.en": DEMO.source, "ref1.de": FIRST, "ref2.de": SECOND, "docs.txt": DEMO.documents}

PAGES: dict[str, Files] = {
    "docs/agree.md": {
        "en-de.mqm.seg.score": rated("people"),
        "en-de.docs": documents(),
        **{f"{name}.seg.score": rated(name) for name in ("COMET", "MetricX-24", "chrF")},
    },
    "docs/command-line.md": COMMAND_LINE,
    "docs/documents.md": COMMAND_LINE,
    "docs/scores.md": {
        "comet.json": [
            json.dumps(
                {
                    f"out/{name}.txt": [{"COMET": score} for score in segment_scores(texts)]
                    for name, texts in (("a", ATLAS), ("b", BIRCH))
                }
            )
        ],
        "a.mine": segment_scores(ATLAS),
        "b.mine": segment_scores(BIRCH),
    },
    "docs/doctor.md": {"system.txt": [f"{text} <unk>" if at % 20 == 0 else text for at, text in enumerate(ATLAS)]},
    "docs/reconcile.md": {"s.txt": HYPOTHESES, "refA.txt": A, "refB.txt": B},
    "docs/wer.md": {"heron-ref.txt": ["no one saw the heron"], "heron.txt": ["nobody saw a heron"]},
    "docs/rouge.md": {"one.txt": ATLAS, "two.txt": BIRCH},
    "docs/self-bleu.md": {"samples.txt": [*ATLAS, *BIRCH, *CEDAR, *FIRST, *SECOND]},
    "docs/dropin.md": {
        "program.py": ["import sacrebleu", "assert sacrebleu.truebleu_version"],
        "tests/test_it.py": ["import sacrebleu", "def test_it():", "    assert sacrebleu.truebleu_version"],
    },
    "docs/report.md": {
        "topics.txt": DEMO.domains,
        "runs.jsonl": runs(),
        "a.comet": segment_scores(ATLAS),
        "b.comet": segment_scores(BIRCH),
    },
    "docs/receipts.md": {"sys.txt": ATLAS, "README.md": ["---", "language: de", "---", "# A model"]},
    "docs/coming-from/shared-tasks.md": OWN_SET
    | {"submissions/a.txt": ATLAS, "submissions/b.txt": BIRCH, "submissions/c.txt": CEDAR},
    "docs/store.md": OWN_SET
    | {
        "news.jsonl": [json.dumps({"src": src, "ref": ref}) for src, ref in zip(DEMO.source, FIRST, strict=True)],
        "news.tsv": [f"{d}\t{s}\t{r}\t-" for d, s, r in zip(DEMO.documents, DEMO.source, FIRST, strict=True)],
    },
}


def parquet(folder: Path) -> None:
    """Tables of two systems, in a folder `data`, and the totals of each."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from truebleu import columns

    (folder / "data").mkdir()
    for at, system in enumerate(("atlas", "birch"), 1):
        lines = [json.loads(line) for line in records(system)]
        pq.write_table(pa.Table.from_pylist(lines), folder / "data" / f"{at}.parquet")
        totals = columns.totals(
            pa.Table.from_pylist(lines), truebleu.BLEU(), hypothesis="mt", references="ref", by="system"
        )
        totals.save(folder / f"t{at}.parquet")


def sgm(folder: Path) -> None:
    """Source, references and two systems as NIST's SGM."""
    for name, (tag, texts) in {
        "source": ("srcset", [DEMO.source]),
        "reference": ("refset", [FIRST, SECOND]),
        "testoutput": ("tstset", [ATLAS]),
        "baseline": ("tstset", [BIRCH]),
    }.items():
        lines = [f'<{tag} setid="demo" srclang="en" trglang="de">']
        for at, column in enumerate(texts):
            lines += [f'<doc docid="all" sysid="{name}{at}">']
            lines += [f'<seg id="{number}">{escape(text)}</seg>' for number, text in enumerate(column, 1)]
            lines += ["</doc>"]
        (folder / f"{name}.sgm").write_text("\n".join([*lines, f"</{tag}>", ""]), "utf-8")


def stand_ins(folder: Path) -> None:
    """Modules in the place of large packages, with the same calls; each says why."""
    shutil.copytree(Path(__file__).parent / "stand_ins", folder, dirs_exist_ok=True)


def key(folder: Path) -> None:
    """A key to sign with, and the file that says whose it is."""
    home = Path(os.environ["HOME"]) / ".ssh"
    home.mkdir()
    make = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(home / "id_ed25519")]
    subprocess.run(make, check=True)
    public = (home / "id_ed25519.pub").read_text("utf-8")
    (folder / "allowed").write_text(f"ann@example.org {public}", "utf-8")


def learned(folder: Path) -> None:
    """A runner without a model in the place of the real ones, and a folder with the files of a checkpoint."""
    from tests.runners.doubles import double, model

    double(folder).rename(folder / "python-with-comet")
    model(folder)


MADE: dict[str, tuple[Callable[[Path], None], ...]] = {
    "docs/command-line.md": (parquet,),
    "docs/columns.md": (parquet,),
    "docs/coming-from/clusters.md": (parquet,),
    "docs/sign-test.md": (sgm,),
    "docs/receipts.md": (key, stand_ins),
    "docs/neural.md": (learned,),
    "docs/coming-from/comet.md": (learned,),
    "docs/cookbook/jupyter.md": (stand_ins,),
    "docs/cookbook/experiment-trackers.md": (stand_ins,),
}


# Programs that come with the system, on most systems.
NEEDED = {"docs/receipts.md": ("ssh-keygen",)}


def write(page: str, folder: Path) -> None:
    """Put the files of a page into a folder."""
    for name, lines in (COMMON | PAGES.get(page, {})).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    for make in MADE.get(page, ()):
        make(folder)
