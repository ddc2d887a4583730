"""evaluate's `cer` for the real `evaluate.load`, counted by truebleu; see `truebleu.evaluate.script_path`."""

from truebleu.evaluate.scripts import base


class Cer(base.Script):
    """The metric that evaluate looks for."""

    counted_as = "cer"
