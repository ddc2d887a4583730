"""Moses' tokens: facts of what its tokenizer does, sacremoses where it is installed, and scores that are named."""

import pytest

import truebleu
from truebleu import demo
from truebleu.reconciliation.moses import tokenized

TEXTS = {language: demo.load(pair) for language, pair in (("de", "en-de"), ("es", "en-es"))}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("Yes.", "Yes ."),
        ("  two  spaces ", "two spaces"),
        ("1,000 or 1, 2, and three,", "1,000 or 1 , 2 , and three ,"),
        ("Wait... no", "Wait ... no"),
        ("Mr. Oak met J. Ash. He left.", "Mr. Oak met J. Ash . He left ."),
        ("at 5 p.m. today", "at 5 p.m. today"),
        ("No. 5 is here. No. Really", "No. 5 is here . No . Really"),
        ("it's the boys' 1990's", "it &apos;s the boys &apos; 1990 &apos;s"),
        ('a-b "c" (d) [e] <f> g|h & i', "a-b &quot; c &quot; ( d ) &#91; e &#93; &lt; f &gt; g &#124; h &amp; i"),
        ("snake_case 5% @x", "snake _ case 5 % @ x"),
    ],
)
def test_english_tokens(text: str, expected: str) -> None:
    assert expected == tokenized(text)


def test_german_tokens() -> None:
    assert "am 3. Mai , z. B. ca. 5 , Peter &apos; s Auto ." == tokenized(
        "am 3. Mai, z. B. ca. 5, Peter's Auto.", False
    )


@pytest.mark.parametrize("language", ["en", "de"])
def test_tokens_are_those_of_sacremoses(language: str) -> None:
    sacremoses = pytest.importorskip("sacremoses", reason="an oracle that is not always installed")
    tokenizer, texts = sacremoses.MosesTokenizer(language), TEXTS["de"]
    lines = texts.sources if language == "en" else [*texts.references["A"], *texts.systems["atlas"]]
    other = [line for line in lines if tokenizer.tokenize(line, return_str=True) != tokenized(line, language == "en")]
    assert len(other) <= 0.01 * len(lines), other


@pytest.mark.parametrize(
    ("tokenize", "profile"), [("13a", None), ("none", "multi-bleu.perl on text that Moses has tokenized")]
)
def test_scores_of_moses_tokens_are_named(tokenize: str, profile: str | None) -> None:
    # In English, apostrophes cling to what follows.
    hypotheses, references = TEXTS["de"].sources, [text.replace("the", "this") for text in TEXTS["de"].sources]
    moses = [[tokenized(text) for text in texts] for texts in (hypotheses, references)]
    score = truebleu.BLEU(tokenize=tokenize, force=True).corpus_score(moses[0], [moses[1]]).score
    found = truebleu.reconcile(hypotheses, [references], f"{score:.4f}").explanations[0]
    assert profile == found.profile and "tokenized by Moses (English)" in [change.says for change in found.changes]
