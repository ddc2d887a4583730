"""Line breaks that need not match: a text is divided into the segments of its reference.

>>> from truebleu.resegmentation import resegment
>>> references = [["It rained.", "We stayed at home.", "The sun came."]]
>>> result = resegment("It rained. We stayed in. Then the sun came.", references)
>>> result.segments
['It rained.', 'We stayed in.', 'Then the sun came.']
"""

from typing import TYPE_CHECKING

from truebleu._lazy import attach
from truebleu.resegmentation.names import LEVELS, METHODS

if TYPE_CHECKING:
    from truebleu.resegmentation.segmentation import Resegmented as Resegmented
    from truebleu.resegmentation.segmentation import resegment as resegment

# The command reads names from here, and must not wait for arrays.
_LAZY = {"Resegmented": "truebleu.resegmentation.segmentation", "resegment": "truebleu.resegmentation.segmentation"}
__all__ = ["LEVELS", "METHODS"]
__all__ += _LAZY
__getattr__, __dir__ = attach(__name__, _LAZY)
