"""Signatures in words: what each field says.

>>> explained("chrF2++|#:1|c:mixed|e:yes|nc:6|nw:2|s:no|v:2.4.0")[:2]
[('chrF2++', 'the metric: chrF, beta 2'), ('nrefs:1', 'number of references per segment: 1')]
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
    "nrefs": "var=the number of references differs from segment to segment; *=number of references per segment: {n}",
    "bs": "*=bootstrap resampling, with this number of resamples: {n}",
    "ar": "exact=paired randomization test, over all ways to swap the outputs of two systems; "
    "*=paired randomization test, with this number of random swaps: {n}",
    "bs2": "*=two-sided paired bootstrap test, with this number of resamples: {n}",
    "sign": "exact=paired sign test",
    "ties": "counted=swaps that give exactly the real difference were counted, which sacreBLEU does not do",
    "tail": "bound=p-values that are too small for so many swaps are upper bounds",
    "seed": "*=seed of the random numbers: {}",
    "docs": "*=whole documents were drawn, not single segments. Number of documents: {n}",
    "strata": "*=units were drawn in each stratum, such as a test set, by itself. Number of strata: {n}",
    "runs": "*=systems were run several times. Largest number of runs: {n}",
    "adjust": "holm=p-values were corrected for the number of pairs, by Holm's method; "
    "bh=p-values were corrected for the number of pairs, by the method of Benjamini and Hochberg",
    "family": "all=p-values of all metrics were corrected together",
    "test": "*=name of the test set: {}",
    "lang": "*=language pair: {}",
    "origlang": "*=only segments that were written in this language were scored: {}",
    "subset": "*=only segments whose domain or annotation fits this pattern were scored: {}",
    "refs": "*=these references of the test set were used, which are not the usual ones: {}",
    "only": "*=only some segments were scored. How many, and a hash of their numbers: {}",
    "reseg": "*=the output was first divided into the segments of the reference, by this method: {}",
    "level": "doc=each document was scored as one text; par=each paragraph was scored as one text; "
    "all=everything was scored as one text; sys=there is one score for each system",
    "empty": "keep=an empty reference beside a filled one is a reference of length 0; "
    "drop=an empty reference beside a filled one counts as missing",
    "textnorm": "*=these differences were removed from output and references before scoring: {}",
    "external": "*=segment scores of another program, under this name: {}",
    "model": "*=the model that gave the scores: {}",
    "rev": "*=its revision, or the first digits of it: {}",
    "prec": "*=the precision it ran in: {}",
    "pkg": "*=the program that ran it: {}",
    "dir": "low=lower scores are better; low!=lower scores are better, against what the name says; "
    "high!=higher scores are better, against what the name says",
    "mqm": "*=what errors of MQM cost, by this set of weights: {}",
    "z": "raters=scores were standardized for each rater",
    "raters": "*=raters were taken as a sample of raters. Their number: {}",
    "missing": "pairs=some scores are missing. Each pair was tested on the segments that both systems have; "
    "drop=some scores are missing. Only segments that all systems have were tested; "
    "fit=some scores are missing. Differences were fitted from all scores, as effects of segments and systems; "
    "fit-dynamic=the same, where earlier scores decided which segments were scored",
    "case": "mixed=upper and lower case are different letters; lc=output and references were lower-cased first; "
    "fold=case was ignored; keep=upper and lower case are different letters; "
    "smart=case was ignored, but not in terms with inner capitals or digits",
    "tok": "none=texts were split at spaces only; *=tokenizer that split the texts into words: {}",
    "eff": "yes=n-gram orders for which a text is too short were left out; "
    "no=all n-gram orders count, even those for which a text is too short",
    "smooth": "none=no smoothing. If no n-gram of some order matches, the score is 0; "
    "*=smoothing method for n-gram orders without a match: {}",
    "order": "*=length of the longest n-grams that count: {n}",
    "nc": "*=length of the longest character n-grams that count: {n}",
    "nw": "0=word n-grams do not count, only characters; *=length of the longest word n-grams that count: {n}",
    "space": "yes=spaces count as characters; no=spaces were removed before characters were compared",
    "min": "*=length of the shortest n-grams that count: {n}",
    "max": "*=length of the longest n-grams that count: {n}",
    "norm": "yes=texts were normalised as Tercom does; no=texts were not normalised; none=texts were not normalised; "
    "squad=texts were normalised as SQuAD does; *=texts were normalised first, in this way: {}",
    "punct": "yes=punctuation counts; no=punctuation was removed first",
    "asian": "yes=each Chinese or Japanese character is a token; no=Chinese and Japanese are split at spaces only",
    "stem": "no=words were compared as they are; *=words were compared by their stems, which this stemmer gives: {}",
    "sents": "newline=each line of a text is a sentence; *=method that split texts into sentences: {}",
    "measure": "*=the score is this one of precision, recall and F: {}",
    "squad": "*=answers were compared by the rules of SQuAD, version {n}",
    "strip": "yes=spaces at both ends of a text were removed first; no=spaces at both ends of a text count",
    "weights": "equal=insertions, deletions and substitutions cost the same; "
    "indel=a substitution costs as much as an insertion and a deletion together",
    "thr": "0=every similarity counts as it is; *=a similarity below this counts as 0: {}",
    "terms": "refs=the references of a segment are the terms that are wanted there; "
    "*=number of terms in the glossary, and a hash of it: {}",
    "syn": "no=synonyms do not match; wn3.0=synonyms of WordNet 3.0 match; *=synonyms of this source match: {}",
    "alpha": "*=weight of precision in its mean with recall: {}",
    "beta": "*=power of the share of chunks in the penalty for another order of words: {}",
    "gamma": "*=largest penalty for another order of words: {}",
    "mode": "exact=translations of terms were looked for as they are; form=other forms of their words counted too; "
    "lemma=other forms of their words and words with the same lemmas counted too",
    "overlap": "longest=of terms that overlap in a source, the longest was wanted; "
    "all=terms that overlap in a source were all wanted",
    "comp": "yes=a term may be the last part of a word; no=a term is whole words",
    "avg": "document=the score is the mean over the terms of each segment; term=it is the share of all terms",
    "lemmas": "*=lemmas of words were told by this function: {}",
    "ifref": "any=a term counted if a reference has a translation of it; all=a term counted if all references have one",
    "like": "*=the rules are those of this shared task: {}",
    "len": "shortest=the reference length of a segment is that of its shortest reference",
    "version": "*=program that counted, and its version: {}",
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
