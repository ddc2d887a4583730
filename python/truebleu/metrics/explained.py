"""Signatures in words: what each field says.

>>> explained("chrF2++|#:1|c:mixed|e:yes|nc:6|nw:2|s:no|v:2.4.0")[:2]
[('chrF2++', 'the metric: chrF, beta 2'), ('nrefs:1', 'references of each segment: 1')]
"""

from truebleu._inputs import brief
from truebleu.errors import UnknownSignature
from truebleu.metrics.options import Field
from truebleu.metrics.published import LONG, in_full
from truebleu.normalization import names_in_order
from truebleu.signature import read_fields

# Words for each value of a field, `*` for any other; {n} is a whole number, {} any text. A metric that has a field of
# its own has the words there.
_MEANINGS = {
    "nrefs": "var=the number of references varies from segment to segment; *=references of each segment: {n}",
    "bs": "*=bootstrap resampling, resamples: {n}",
    "ar": "exact=approximate randomization, all ways to shuffle; *=approximate randomization, shuffles: {n}",
    "bs2": "*=two-sided bootstrap test, resamples: {n}",
    "sign": "exact=the sign test",
    "ties": "counted=shuffles with exactly the real difference were counted, which sacreBLEU does not",
    "seed": "*=the seed of the random numbers: {}",
    "docs": "*=whole documents were drawn, of this number: {n}",
    "runs": "*=several runs of each system, at most: {n}",
    "adjust": "holm=p-values were corrected for the number of pairs, as Holm does; "
    "bh=p-values were corrected for the number of pairs, as Benjamini and Hochberg do",
    "test": "*=the test set: {}",
    "lang": "*=the language pair: {}",
    "origlang": "*=only segments that were written in this language: {}",
    "subset": "*=only segments whose domain fits this pattern: {}",
    "refs": "*=references of the test set that are not the usual ones: {}",
    "only": "*=only some segments; how many, and a hash of their numbers: {}",
    "reseg": "*=the output was divided into the segments of the reference first, by this method: {}",
    "level": "doc=whole documents were scored; par=whole paragraphs were scored; all=everything was scored as one text",
    "empty": "keep=an empty reference beside a filled one has length 0; drop=an empty reference counts as missing",
    "textnorm": "*=these differences were removed from texts first: {}",
    "external": "*=the scores came from elsewhere, under this name: {}",
    "case": "mixed=upper and lower case differ; lc=texts were lower-cased",
    "tok": "none=texts were not tokenized; *=the tokenizer: {}",
    "eff": "yes=orders for which a text is too short are left out; no=orders count however short a text is",
    "smooth": "none=an order without matches is not smoothed; *=smoothing of an order without matches: {}",
    "order": "*=the longest n-grams: {n}",
    "nc": "*=the longest n-grams of characters: {n}",
    "nw": "0=n-grams of words do not count; *=the longest n-grams of words: {n}",
    "space": "yes=white space counts as a character; no=white space does not count",
    "min": "*=the shortest n-grams: {n}",
    "max": "*=the longest n-grams: {n}",
    "norm": "yes=texts were normalised as Tercom does; no=texts were not normalised; none=texts were not normalised; "
    "squad=texts were normalised as SQuAD does; *=texts were normalised first: {}",
    "punct": "yes=punctuation counts; no=punctuation was removed",
    "asian": "yes=each Chinese or Japanese character is a token; no=Chinese and Japanese have no tokens of their own",
    "stem": "no=words were compared as they are; *=words were compared by their stems: {}",
    "sents": "newline=each line of a text is a sentence; *=how sentences were found: {}",
    "measure": "*=which number is the score: {}",
    "squad": "*=the rules of SQuAD, version: {n}",
    "strip": "yes=white space at the ends was removed; no=white space at the ends counts",
    "weights": "equal=all edits cost the same; indel=a substitution costs an insertion and a deletion",
    "thr": "0=every similarity counts; *=similarities below this count as 0: {}",
    "len": "shortest=the reference length is that of the shortest reference",
    "version": "*=the program and its version: {}",
}


def explained(text: str) -> list[tuple[str, str]]:
    """Say what a signature means: its name, then `key:value` with the long key of each field, each with its words."""
    name, written = read_fields(text)
    own: dict[str, Field] = {}
    if "external" in written or "ext" in written:
        said, fields = name, {LONG.get(key, key): value for key, value in written.items()}
    else:
        # Scores of lines among themselves are of a metric too.
        plain, kind, fields = in_full(text.strip().removeprefix("self-"))
        own = {field.key: field for field in kind.fields}
        said = ", ".join([kind.label, *(f"{key} {value}" for key, value in kind.options_of_name(plain, []).items())])
        said += ", of each line with all others as references" if plain != name else ""
    unknown = [key for key in fields if key not in own and key not in {*LONG.values(), "len"}]
    if unknown:
        raise UnknownSignature(f"the signature has the field {brief(unknown[0])}, which is not known: {brief(text)}")
    if "textnorm" in fields:
        names_in_order("the signature", "textnorm", fields["textnorm"].split("+"))
    found = [(name, f"the metric: {said}")] if name else []
    for key, typed in fields.items():
        value = {"True": "yes", "False": "no"}.get(typed, typed)  # sacreBLEU 1
        if key in own and not value.startswith(("custom-", "signtestbleu")):
            own[key].options(value, [])  # raises if the metric cannot have it
        means = (own[key].means if key in own else "") or _MEANINGS.get(key, "*={}")
        found.append((f"{key}:{value}", _in_words(key, value, means)))
    return found


def _in_words(key: str, value: str, means: str) -> str:
    by_value = dict(one.split("=", 1) for one in means.split("; "))
    words = by_value.get(value, by_value.get("*", ""))
    if not words or ("{n}" in words and not value.isdecimal()):
        expected = " or ".join(by_value).replace("*", "a whole number")
        raise UnknownSignature(f"the signature has {key} {brief(value)}, expected {expected}")
    if key == "version":
        value = value.replace("truebleu-", "truebleu ") if value.startswith("truebleu") else f"sacreBLEU {value}"
    return words.replace("{n}", value).replace("{}", value)
