"""A study: systems, references and metrics in, and every number of a report out, computed once when it is asked for.

One module holds one subject: `inputs` what a study is made of, `groups` the breakdown by domain, document or length,
`ngrams` what one system says and another does not, `segments` the scores of single segments, `provenance` what was
read and by which versions, `study` the object that holds them together. Nothing here knows how a report looks.
"""

from truebleu._lazy import attach

__getattr__, __dir__ = attach(__name__)
