"""What the command looks at in passing, without being asked: D301 to D304 in a sample, in less than a millisecond.

The rules themselves know more: `truebleu.doctor.patterns` is made of the words below and of what only patterns can
tell. To load it takes longer than all this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from truebleu._counts import number_of

# What a decoder leaves behind: marks of subwords, before a space or anywhere; and special tokens.
SUBWORD_MARKS = ("@@ ", "@@\n", "\u2581", "<0x")
SPECIAL_TOKENS = (
    *(f"<{word}>" for word in ("s", "/s", "unk", "pad", "eos", "bos", "mask")),
    *(f"<{word}>" for word in ("S", "/S", "UNK", "PAD", "EOS", "BOS", "MASK")),
    *(f"[{word}]" for word in ("UNK", "PAD", "CLS", "SEP", "MASK", "INST", "/INST")),
    "\u2047", "<<SYS>>", "<</SYS>>", "<think>", "</think>", "<start_of_turn>", "<end_of_turn>",
)  # fmt: skip
_BEGINNINGS = (*SPECIAL_TOKENS, "<|", "<extra_id_")

# First and last letters of scripts without spaces between words, and the tokenizer that fits.
_UNSPACED = (
    ("\u3041", "\u30ff", "ja-mecab"), ("\u3400", "\u9fff", "zh"), ("\u0e01", "\u0fbc", "flores200 or char"),
    ("\u1000", "\u109f", "flores200 or char"), ("\u1780", "\u17d3", "flores200 or char"),
)  # fmt: skip

# From so many segments on BLEU itself warns of tokenized text, because it counts them all.
_MANY = 100


def doubts_of_form(
    segments: Sequence[str], streams: Sequence[Sequence[str | None]], split_at_spaces: Sequence[str]
) -> Iterator[str]:
    """Say what is doubtful about the form of a system, from a sample."""
    ours = "\n".join(segments) + "\n"
    theirs = "\n".join([text or "" for stream in streams for text in stream]) + "\n"
    if split_at_spaces and (fitting := _unspaced(theirs)):
        yield f"the references have no spaces between words, and {' and '.join(split_at_spaces)}; use {fitting}"
    if len(segments) < _MANY and ours.count(" ,") + ours.count(" .") >= 20:
        (marks, gaps), (their_marks, their_gaps) = _detached(ours), _detached(theirs)
        if marks >= 20 <= their_marks and gaps >= max(20, 0.3 * marks) and their_gaps < 0.1 * their_marks:
            yield f"{100 * gaps / marks:.0f} % of commas and full stops have a space before them; is it tokenized?"
    for what, known in (("subword marks", SUBWORD_MARKS), ("special tokens", _BEGINNINGS)):
        met = [mark for mark in known if mark in ours]
        found = list(_extra(met, segments, streams)) if met else []
        if len(found) >= max(1, min(3, 0.02 * len(segments))):
            looked_at = f"{len(found)} of {number_of(len(segments), 'segment')} looked at"
            yield f"{looked_at} have {what} ({found[0].strip()}) that the references lack; 'truebleu doctor' tells more"


def _extra(marks: Sequence[str], segments: Sequence[str], streams: Sequence[Sequence[str | None]]) -> Iterator[str]:
    """A mark of each segment that has one which none of its references has."""
    for text, *others in zip(segments, *streams, strict=True):
        here = [mark for mark in marks if mark in f"{text}\n" and not any(mark in f"{other}\n" for other in others)]
        yield from here[:1]


def _detached(text: str) -> tuple[int, int]:
    """How many commas and full stops end something, and how many of them have a space before them."""
    ends = (", ", ",\n", ". ", ".\n")
    return sum(map(text.count, ends)), sum(text.count(f" {end}") for end in ends)


def _unspaced(text: str) -> str:
    """The tokenizer for a text in a script without spaces between words; nothing for other texts."""
    # Such letters take three bytes, and most texts are done with here.
    if len(text.encode("utf-8", "replace")) < 1.4 * len(text):
        return ""
    letters = [letter for letter in text[:: max(1, len(text) // 2000)] if letter.isalpha()]
    shares = [(sum(first <= letter <= last for letter in letters), fitting) for first, last, fitting in _UNSPACED]
    if sum(share for share, _ in shares) < 0.3 * max(len(letters), 1):
        return ""
    # Japanese has Han beside its kana.
    return "ja-mecab" if shares[0][0] >= 0.1 * len(letters) else max(shares)[1]
