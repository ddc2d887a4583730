"""Line breaks that need not match: a text is divided into the segments of its reference.

>>> from truebleu.resegmentation import resegment
>>> references = [["It rained.", "We stayed at home.", "The sun came."]]
>>> result = resegment("It rained. We stayed in. Then the sun came.", references)
>>> result.segments
['It rained.', 'We stayed in.', 'Then the sun came.']
"""

from truebleu._lazy import attach

__getattr__, __dir__ = attach(__name__)
