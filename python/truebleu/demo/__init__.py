"""The demo data: three language pairs, two references, three invented systems.

`truebleu.testset("demo", "en-de")` reads them too, with all that a test set can do.

>>> demo = load("en-de")
>>> len(demo.sources), list(demo.references), list(demo.systems)
(240, ['A', 'B'], ['atlas', 'birch', 'cedar'])
"""

from typing import NamedTuple

PAIRS = ("en-de", "en-es", "en-zh")


class DemoSet(NamedTuple):
    """The segments of one language pair, by column."""

    docids: list[str]
    domains: list[str]
    sources: list[str]
    references: dict[str, list[str]]
    systems: dict[str, list[str]]


def load(pair: str) -> DemoSet:
    """Read the demo segments of a language pair.

    Parameters
    ----------
    pair
        One of `PAIRS`.
    """
    from truebleu.dataset.sets import testset

    data = testset("demo", pair, refs="all")
    labels = [field.removeprefix("ref:") for field in data.references_used]
    references = dict(zip(labels, data.references, strict=True))
    return DemoSet(data.documents, data.domains, data.source, references, dict(data.systems))
