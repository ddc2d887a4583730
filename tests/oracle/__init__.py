"""A slow, obvious second opinion on BLEU, chrF, TER and the tokenizers.

Written from a description of behaviour alone, with no thought for speed, so that
where truebleu and sacreBLEU disagree there is a third voice to ask. Nothing here
imports truebleu, and nothing here is imported by it.

    text.py          whitespace, splitting
    tokenizers.py    none, char, 13a, zh, intl, and TER's own
    bleu.py chrf.py  rows and scores
    ter.py           beam edit distance, shift search, rows and scores
"""
