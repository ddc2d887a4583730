"""The table of rules, in the order of their codes."""

from __future__ import annotations

from truebleu.doctor import content, references
from truebleu.doctor.rule import Rule

RULES: tuple[Rule, ...] = (*content.RULES, *references.RULES)
