"""Receipts: small files with which other people can check a score, and compare with a system without its texts.

>>> from truebleu import BLEU, Receipt
>>> receipt = Receipt.make(["a b c d"], [["a b c d"]], [BLEU()], system="mine")
>>> receipt
<receipt of mine: 1 segment, BLEU = 100.00>
>>> receipt.verify(references=[["a b c d"]]).levels
{1: True, 2: True, 3: True}
"""

from truebleu.receipts.receipt import Receipt
from truebleu.receipts.verification import Verification

__all__ = ["Receipt", "Verification"]
