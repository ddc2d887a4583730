"""Studies for the tests of the page, made of the demo set and of generated text."""

import json
from pathlib import Path

from truebleu import BLEU, CHRF, TER, Study, demo
from truebleu.scores import ErrorSpan

HOSTILE = [json.loads(line) for line in Path(__file__).with_name("hostile.txt").read_text("ascii").splitlines()]
# A name cannot be empty or white space alone, and names differ.
NAMES = [text for text in dict.fromkeys(HOSTILE) if text.strip()]


def demo_study(pair: str = "en-de", **options: object) -> Study:
    data, target = demo.load(pair), pair.partition("-")[2]
    chosen = {"labels": {"domain": data.domains, "docid": data.docids}, "title": f"demo {pair}", "language": target}
    metrics = [BLEU(trg_lang=target), CHRF(), TER()]
    return Study(data.systems, list(data.references.values()), metrics, sources=data.sources, **(chosen | options))  # type: ignore[arg-type]


def hostile_study() -> Study:
    """Every string as a source, a reference, an output and a label; some as names of systems and sets of labels."""
    texts = HOSTILE
    systems = {
        NAMES[at]: [text if index % (at + 2) else f"{text} x{at}" for index, text in enumerate(texts)]
        for at in range(12)
    }
    labels = {NAMES[20]: texts, NAMES[21]: [f"{text[:9]}" for text in texts]}
    references = [[f"{text} r" for text in texts], list(texts)]
    return Study(
        systems, references, [BLEU(), CHRF()],
        sources=texts, labels=labels, title=texts[0], n_confidence=100, baseline=NAMES[0],
    )  # fmt: skip


def right_to_left_study() -> Study:
    """Arabic, Hebrew and Persian with names, digits and joiners between."""
    stems = ["مرحبا بالعالم", "שלום עולם", "می‌خواهم Berlin 2024 بروم", "قال John Smith: نعم", "המחיר 12.50 EUR כולל"]
    references = [f"{stem} {number}" for number in range(12) for stem in stems]
    systems = {
        "first": references[:-5] + [text[:-1] for text in references[-5:]],
        "second": [text.replace(" ", "  ", 1) if number % 2 else text[::2] for number, text in enumerate(references)],
    }
    return Study(systems, [references], [BLEU(), CHRF()], sources=[f"Hello {n}" for n in range(60)], language="ar")


def marked_study(**options: object) -> Study:
    """Errors in the demo set: of two raters, over each other, in sources, without a place, and with hostile words."""
    data = demo.load("en-de")
    spans: dict[str, list[list[ErrorSpan]]] = {name: [[] for _ in data.sources] for name in data.systems}
    for at, text in enumerate(data.systems["atlas"][:40]):
        spans["atlas"][at] = [
            ErrorSpan(0, 5, "minor", "Fluency/Grammar", rater="r1"),
            ErrorSpan(3, min(12, len(text)), "major", "Accuracy/Mistranslation", rater="r2"),
            ErrorSpan(0, 4, "critical", HOSTILE[at % len(HOSTILE)], 0.91, in_source=True, rater="r1"),
        ][: at % 4]
        spans["birch"][at] = [ErrorSpan(2, 6, "neutral", "", 0.25), ErrorSpan(-1, -1, "major", "Omission")][: at % 3]
    spans["birch"][7] = [ErrorSpan(0, 3, "major", "Style", quote=HOSTILE[1] or "other words")]
    references = list(data.references.values())
    usual = {"language": "de", "n_samples": 100, "n_confidence": 20, "labels": {"domain": data.domains}}
    return Study(
        data.systems, references, [BLEU(), CHRF()], sources=data.sources, spans={"MQM": spans}, **(usual | options)
    )  # type: ignore[arg-type]
