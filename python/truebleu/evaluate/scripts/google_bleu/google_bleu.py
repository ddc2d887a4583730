"""evaluate's `google_bleu` for the real `evaluate.load`, counted by truebleu; see `truebleu.evaluate.script_path`."""

from truebleu.evaluate.scripts import base


class GoogleBleu(base.Script):
    """The metric that evaluate looks for."""

    counted_as = "google_bleu"
