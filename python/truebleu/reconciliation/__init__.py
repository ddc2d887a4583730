"""Which settings give a number that somebody printed, and why two numbers differ.

>>> import truebleu
>>> found = truebleu.reconcile(["The tide came in"], [["the tide came in"]], "100.0")
>>> found.explanations[0].profile
'sacreBLEU -lc'
"""

from truebleu.reconciliation.reconciler import attribute, reconcile
from truebleu.reconciliation.results import Attribution, Change, Explanation, Reconciliation

__all__ = ["Attribution", "Change", "Explanation", "Reconciliation", "attribute", "reconcile"]
