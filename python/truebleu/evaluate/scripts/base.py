"""What the scripts for the real `evaluate.load` share; see `truebleu.evaluate.script_path`.

Each script is loaded as a file of its own, and the first metric in it is taken: so it imports this module, and not the
class, and adds a class with the name of its metric.
"""

import datasets
import evaluate

import truebleu.evaluate


class Script(evaluate.Metric):
    """A metric of evaluate that truebleu counts."""

    counted_as: str

    def _info(self):
        about = truebleu.evaluate.load(self.counted_as).info
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=about.description,
            citation=about.citation,
            inputs_description=about.inputs_description,
            features=[
                datasets.Features({"predictions": text, "references": datasets.Sequence(text)}),
                datasets.Features({"predictions": text, "references": text}),
            ],
            reference_urls=list(about.reference_urls),
        )

    def _compute(self, predictions, references, **options):
        metric = truebleu.evaluate.load(self.counted_as)
        return metric.compute(predictions=predictions, references=references, **options)
