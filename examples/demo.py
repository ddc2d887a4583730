"""The main job in one page: score three systems on the data that ships with truebleu."""

import time
from typing import Any

from truebleu import demo
from truebleu.metrics import BLEU, CHRF, TER, Metric, Score


def main() -> None:
    """Score each language pair, then look closer at one of them."""
    for pair in demo.PAIRS:
        show_pair(pair)
    show_domains("en-de")
    show_segments("en-de", "cedar")
    print("\nFrom the shell: .venv/bin/truebleu -t demo -l en-de -i atlas birch cedar -m bleu chrf ter --paired ar\n")


def show_pair(pair: str) -> None:
    """A table of systems and metrics with 95 % intervals, and the signatures to publish with it."""
    data = demo.load(pair)
    references = list(data.references.values())
    metrics = metrics_for(pair)
    started = time.perf_counter()
    table = {
        name: [metric.corpus_score(outputs, references, n_bootstrap=1000) for metric in metrics]
        for name, outputs in data.systems.items()
    }
    elapsed = time.perf_counter() - started
    print(f"\n{pair}: {len(data.sources)} segments, {len(references)} references, 1000 resamples, {elapsed:.2f} s\n")
    names = [score.name for score in next(iter(table.values()))]
    print(f"  {'system':8}" + "".join(f"{name:>18}" for name in names))
    for system, scores in table.items():
        print(f"  {system:8}" + "".join(f"{with_interval(score):>18}" for score in scores))
    print()
    for score in next(iter(table.values())):
        print(f"  {score.name:7} {score.signature}")


def metrics_for(pair: str) -> list[Metric[Any]]:
    """Chinese has no spaces: BLEU takes its tokenizer from the target language, TER needs to be told."""
    target = pair.split("-")[1]
    chinese = target == "zh"
    return [BLEU(trg_lang=target), CHRF(), CHRF(word_order=2), TER(normalized=chinese, asian_support=chinese)]


def with_interval(score: Score) -> str:
    """The score with half the width of its 95 % interval."""
    return f"{score.score:.1f} ± {score.to_dict()['confidence']['half_width']:.1f}"


def show_domains(pair: str) -> None:
    """Scores by domain, from rows: each text is counted once."""
    data = demo.load(pair)
    bleu = BLEU()
    references = list(data.references.values())
    stats = {name: bleu.stats(outputs, references) for name, outputs in data.systems.items()}
    print(f"\n{pair}, BLEU by domain\n")
    for domain in sorted(set(data.domains)):
        chosen = [at for at, name in enumerate(data.domains) if name == domain]
        scores = {name: bleu.score(rows.select(chosen)).score for name, rows in stats.items()}
        print(f"  {domain:14}" + "".join(f"{name} {score:5.1f}   " for name, score in scores.items()))


def show_segments(pair: str, system: str) -> None:
    """The segments that a system got most wrong."""
    data = demo.load(pair)
    outputs = data.systems[system]
    scores = CHRF().sentence_scores(outputs, list(data.references.values()))
    print(f"\n{pair}, the two worst segments of {system} by chrF\n")
    for at in scores.argsort()[:2]:
        print(f"  {scores[at]:5.1f}  source     {data.sources[at]}")
        print(f"         {system:10} {outputs[at]}")
        print(f"         reference  {data.references['A'][at]}\n")


if __name__ == "__main__":
    main()
