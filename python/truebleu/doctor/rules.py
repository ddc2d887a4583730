"""The table of rules, in the order of their codes."""

from __future__ import annotations

from truebleu.doctor import alignment, content, form, language, lengths, references, shape, style
from truebleu.doctor.rule import Rule, from_both, from_either

_WITHOUT = "Without them"

RULES: tuple[Rule, ...] = (
    Rule("D101", "numbers of lines differ", shape.counts),
    Rule("D102", "references grouped the other way", shape.transposed),
    Rule("D103", "one reference twice", shape.reference_twice, minimum=3),
    Rule("D104", "the hypotheses are the reference", shape.reference_as_hypothesis, minimum=3),
    Rule("D105", "the source in place of a translation", shape.source_as_text, minimum=3, sources=True),
    Rule("D106", "another file format", shape.other_format, minimum=3),
    Rule("D107", "missing values", shape.missing_values),
    Rule("D108", "line breaks inside segments", shape.line_breaks),
    Rule("D109", "two systems with one output", shape.same_system, minimum=3),
    Rule("D201", "lines shifted", alignment.drifted, "repair", "lines", minimum=10, cured="With the lines moved"),
    Rule("D202", "lines in another order", alignment.reordered, minimum=10),
    Rule("D203", "unrelated files", alignment.unrelated, minimum=10),
    Rule("D301", "tokenizer does not fit the script", form.tokenizer_misfit, "other"),
    Rule("D302", "tokenized text", form.tokenized, repair="detok"),
    Rule("D303", "subword marks", form.subwords, "repair", "subwords", cured="Joined"),
    Rule("D304", "special tokens", form.specials, "repair", "specials", cured="Without them"),
    Rule("D305", "HTML entities and escapes", form.entities, "repair", "entities", cured="Decoded"),
    Rule("D306", "HTML tags", form.tags, "repair", "tags", cured="Without them"),
    Rule("D307", "text in the wrong encoding", form.mojibake, "repair", "mojibake", cured="Restored"),
    Rule("D308", "letters lost in decoding", form.replacements, "rest", cured="Without these segments"),
    Rule("D309", "invisible characters", form.invisible, "repair", "spaces", cured="Without them"),
    Rule(
        "D310", "composed and decomposed letters", form.decomposed, "repair", "nfc",
        alarm=from_both(3, 0.01), style=True, cured="Composed on both sides",
    ),
    Rule("D311", "case lost", form.case, "other", cured="Without case on both sides, up to"),
    Rule("D321", "style of quotes", style.quotes, "repair", "quotes", style=True, cured="Folded on both sides"),
    Rule("D322", "style of dashes", style.dashes, "repair", "dashes", style=True, cured="Folded on both sides"),
    Rule("D323", "full and half width", style.width, "repair", "width", style=True, cured="Folded on both sides"),
    Rule("D324", "kinds of spaces", style.spaces, "repair", "spaces", style=True, cured="Folded on both sides"),
    Rule("D401", "empty output", content.empty, "rest", cured=_WITHOUT),
    Rule("D402", "source copied", content.source_copied, "rest", sources=True, cured=_WITHOUT),
    Rule("D403", "wrong script", content.wrong_script, "rest", alarm=from_either(5, 0.01), cured=_WITHOUT),
    Rule(
        "D404", "wrong language", content.wrong_language, "rest",
        minimum=language.FEWEST_SEGMENTS, alarm=from_either(5, 0.01), cured=_WITHOUT,
    ),
    Rule("D405", "loop", content.loops, "rest", cured=_WITHOUT),
    Rule("D406", "one output for many inputs", content.same_output, "rest", cured=_WITHOUT),
    Rule("D407", "truncated output", lengths.truncated, "rest", alarm=from_both(3, 0.005), cured=_WITHOUT),
    Rule("D408", "output far too long", lengths.too_long, "rest", alarm=from_both(3, 0.005), cured=_WITHOUT),
    Rule("D409", "all output too short or too long", lengths.all_odd, minimum=lengths.FEWEST_SEGMENTS),
    Rule("D410", "chat preamble", content.preambles, "repair", "preamble", cured="Without these words"),
    Rule("D411", "refusal", content.refusals, "rest", cured=_WITHOUT),
    Rule("D412", "trailing remark", content.remarks, "repair", "postnote", cured="Without these words"),
    Rule("D413", "Markdown", content.markdown, "repair", "fences", cured="Without it"),
    Rule("D414", "boilerplate", content.boilerplate, "rest", cured=_WITHOUT),
    Rule("D415", "source and translation", content.source_and_translation, "rest", sources=True, cured=_WITHOUT),
    Rule("D501", "reference leak", references.leaked, "rest", cured=_WITHOUT),
    Rule("D502", "empty references", references.empty_references),
    Rule(
        "D503", "odd references", lengths.odd_references, "rest",
        alarm=from_both(3, 0.005), sources=True, cured=_WITHOUT,
    ),
    Rule("D504", "repeated segments", references.repeated_segments),
)  # fmt: skip
