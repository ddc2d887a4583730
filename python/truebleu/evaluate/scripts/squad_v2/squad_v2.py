"""evaluate's `squad_v2` for the real `evaluate.load`, counted by truebleu; see `truebleu.evaluate.script_path`."""

from truebleu.evaluate.scripts import base


class SquadV2(base.Script):
    """The metric that evaluate looks for."""

    counted_as = "squad_v2"
