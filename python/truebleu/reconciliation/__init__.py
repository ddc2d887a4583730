"""Which settings give a printed number, and why two numbers differ.

>>> import truebleu
>>> found = truebleu.reconcile(["The tide came in"], [["the tide came in"]], "100.0")
>>> found.explanations[0].profile
'sacreBLEU -lc'
"""

from truebleu.reconciliation.bleu import Bleu
from truebleu.reconciliation.chrf import Chrf
from truebleu.reconciliation.explanations import Attribution, Change, Explanation, Reconciliation
from truebleu.reconciliation.family import FAMILIES
from truebleu.reconciliation.meteor import Meteor
from truebleu.reconciliation.reconciler import attribute, reconcile
from truebleu.reconciliation.ter import Ter

FAMILIES.update(bleu=Bleu(), chrf=Chrf(), ter=Ter(), meteor=Meteor())

__all__ = ["Attribution", "Change", "Explanation", "Reconciliation", "attribute", "reconcile"]
