"""evaluate's `meteor` for the real `evaluate.load`, counted by truebleu; see `truebleu.evaluate.script_path`."""

from truebleu.evaluate.scripts import base


class Meteor(base.Script):
    """The metric that evaluate looks for."""

    counted_as = "meteor"
