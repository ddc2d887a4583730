"""evaluate's `sacrebleu` for the real `evaluate.load`, counted by truebleu; see `truebleu.evaluate.script_path`."""

import datasets
import evaluate

import truebleu.evaluate


class Sacrebleu(evaluate.Metric):
    """The script that evaluate looks for: what goes in, and what comes out."""

    def _info(self):
        about = truebleu.evaluate.load("sacrebleu").info
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
        metric = truebleu.evaluate.load("sacrebleu")
        return metric.compute(predictions=predictions, references=references, **options)
