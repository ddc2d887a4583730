"""The doctor: can a score of these texts be trusted, and how many points does each fault cost?

`diagnose` looks for faults that make scores meaningless: shifted lines, a tokenizer that does not fit, subword marks,
encoding damage, untranslated or truncated output, words to the user. Each finding says where the fault is, what to do
and how many points it costs. The report has each check: it passed, it found something, or it was not made, with the
reason.

One module holds one subject: `finding` the report, `corpus` the texts and the numbers that rules use, `rules` the table
of rules, `explain` which finding makes another one superfluous, `prices` the points, `repairs` the repairs.
"""

from truebleu._lazy import attach

__getattr__, __dir__ = attach(__name__)
