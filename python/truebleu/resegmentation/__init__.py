"""Line breaks that need not match: a text is divided into the segments of its reference.

>>> from truebleu.resegmentation import resegment
>>> references = [["It rained.", "We stayed at home.", "The sun came."]]
>>> result = resegment("It rained. We stayed in. Then the sun came.", references)
>>> result.segments
['It rained.', 'We stayed in.', 'Then the sun came.']
"""

from truebleu.resegmentation.levels import LEVELS
from truebleu.resegmentation.segmentation import METHODS, Resegmented, resegment

__all__ = ["LEVELS", "METHODS", "Resegmented", "resegment"]
