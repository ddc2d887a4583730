"""From what a user names to a setting: the name of a tool, a signature, or a metric."""

from __future__ import annotations

from typing import Any, NamedTuple

from truebleu._inputs import brief, check_text
from truebleu.errors import OptionError
from truebleu.metrics import Metric
from truebleu.metrics.names import made, metric_names
from truebleu.metrics.published import parse_signature
from truebleu.reconciliation.family import FAMILIES, Profile, Setting, all_profiles, names


def of_tools(names: tuple[str, ...]) -> list[Profile]:
    """List the profiles of some tools."""
    found: dict[Profile, None] = {}
    for name in names:
        wanted = " ".join(check_text("reconcile: tools", name, "the name of a tool").lower().split())
        some = [one for one in all_profiles() if wanted in (one.tool.lower(), one.name.lower())]
        if not some:
            raise OptionError(f"reconcile: there is no tool {brief(name)}; known are {_tools()}")
        found |= dict.fromkeys(some)
    return list(found)


def _tools() -> str:
    return ", ".join(dict.fromkeys(one.tool for one in all_profiles()))


class Known(NamedTuple):
    """A setting that somebody named, its title, and notes about what cannot be scored."""

    setting: Setting
    title: str
    notes: tuple[str, ...] = ()
    references: str | None = None  # how many a signature says
    metric: Metric[Any] | None = None  # where it was one, or a signature


def known_setting(given: str | Metric[Any], what: str = "start") -> Known:
    """Find the setting of a profile's name, of a signature, or of a metric."""
    given = made(given) if isinstance(given, str) and given.lower() in metric_names() else given
    if isinstance(given, Metric):
        return Known(_setting_of(given), given.label, metric=given)
    text = check_text(f"reconcile: {what}", given, "a signature, the name of a tool, or a metric")
    for profile in all_profiles():
        if " ".join(text.lower().split()) == profile.name.lower():
            return Known(profile.setting, profile.title)
    if not any(sign in text for sign in "|+:"):
        raise OptionError(
            f"reconcile: {what} is {brief(text)}, which is neither a tool nor a signature; tools are {_tools()}"
        )
    try:
        read = parse_signature(text)
        metric = read.make()
    except OptionError as error:
        raise OptionError(f"reconcile: {what}: {error}") from error
    shown = {key: value for key, value in read.context.items() if key != "nrefs"}
    notes = [*(f"{key}:{value} cannot be scored" for key, value in shown.items()), *read.notes]
    setting = _setting_of(metric)
    notes += [note for option, note in setting.family.silent.items() if read.options.get(option)]
    return Known(setting, text, tuple(notes), read.context.get("nrefs"), metric)


def _setting_of(metric: Metric[Any]) -> Setting:
    if "," in metric.normalize:
        raise OptionError(f"reconcile: normalize is {metric.normalize!r}, expected one normalisation at most")
    for name, family in FAMILIES.items():
        if isinstance(metric, family.metric):
            return Setting(name).having({**family.values_of(metric), "text": metric.normalize or "as is"})
    raise OptionError(f"reconcile: the metric is {metric.name}, expected {names('or')}")
