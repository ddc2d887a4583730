"""A check of the doctor that truebleu does not have, to show what a new one costs: this file, and a line in `RULES`."""

from collections.abc import Iterator

from truebleu.doctor.case import Case
from truebleu.doctor.rule import Fault, many


def shouted(corpus: Case) -> Iterator[Fault]:
    """Find texts that end in three exclamation marks."""
    places = [at for at, text in enumerate(corpus.hypotheses) if text.endswith("!!!")]
    if places:
        yield Fault(lambda count: f"{many(count, 'text shouts', 'texts shout')}.", places)
