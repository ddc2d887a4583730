"""Texts whose line breaks differ from those of the reference: they are divided into the segments of the reference.

>>> from truebleu.resegmentation import resegment
>>> references = [["It rained.", "We stayed at home.", "The sun came."]]
>>> result = resegment("It rained. We stayed in. Then the sun came.", references)
>>> result.segments
['It rained.', 'We stayed in.', 'Then the sun came.']
"""

from truebleu._lazy import attach

__getattr__, __dir__ = attach(__name__)
