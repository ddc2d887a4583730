"""The doctor: are these texts worth a score, and what does each fault of them cost?

`diagnose` looks for faults that make scores meaningless: shifted lines, a tokenizer that does not fit, subword marks,
encoding damage, untranslated or truncated output, words to the user. Each finding says where, how sure, what to do and
how many points it costs. Each check is in the report: it passed, it found something, or it was not made, with the
reason.

One module holds one subject: `finding` what a report is, `corpus` what a rule may ask, `rules` the table of rules,
`explain` which finding makes another needless, `prices` the points, `repairs` the cures.
"""

from truebleu._lazy import attach

__getattr__, __dir__ = attach(__name__)
