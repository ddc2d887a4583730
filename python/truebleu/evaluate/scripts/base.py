"""What the scripts for the real `evaluate.load` share; see `truebleu.evaluate.script_path`.

Each script is loaded as a file of its own, and the first metric in it is taken: so it imports this module, and not the
class, and adds a class with the name of its metric.
"""

import datasets
import evaluate

import truebleu.evaluate


def _as_features(shape):
    """What evaluate calls the plain types of a module: names, lists of one, and dicts."""
    if isinstance(shape, dict):
        return {key: _as_features(value) for key, value in shape.items()}
    return datasets.Sequence(_as_features(shape[0])) if isinstance(shape, list) else datasets.Value(shape)


class Script(evaluate.Metric):
    """A metric of evaluate that truebleu counts."""

    counted_as: str

    def _info(self):
        about = truebleu.evaluate.load(self.counted_as).info
        return evaluate.MetricInfo(
            description=about.description,
            citation=about.citation,
            inputs_description=about.inputs_description,
            features=[datasets.Features(_as_features(shape)) for shape in about.features],
            reference_urls=list(about.reference_urls),
        )

    def _compute(self, predictions, references, **options):
        metric = truebleu.evaluate.load(self.counted_as)
        return metric.compute(predictions=predictions, references=references, **options)
