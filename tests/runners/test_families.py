"""The table of learned metrics agrees with itself and with what is known of their names."""

import re

import pytest

from truebleu.metrics.known import known
from truebleu.runners.families import (
    BERTSCORE_MODELS,
    FAMILIES,
    MODELS_WITH_PINS,
    REQUIREMENTS,
    LearnedFamily,
    PinnedModel,
    why_not,
)

TESTED = {script: {one.package: one.tested for one in needed} for script, needed in REQUIREMENTS.items()}


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_has_a_script_and_the_texts_of_a_unit(name: str) -> None:
    family = FAMILIES[name]
    assert name == family.name
    assert family.script in REQUIREMENTS
    assert "hyp" in family.fields
    assert [field for field in ("src", "hyp", "ref") if field in family.fields] == list(family.fields)


@pytest.mark.parametrize("name", ["comet", "cometkiwi", "xcomet-qe", "metricx", "metricx-qe", "bertscore"])
def test_the_model_of_a_family_has_a_direction_elsewhere(name: str) -> None:
    found = known(FAMILIES[name].label) or known(FAMILIES[name].model.name)
    assert found is not None
    assert found.higher == (not name.startswith("metricx"))
    assert not {"higher", "low", "high"} & {*LearnedFamily._fields, *PinnedModel._fields}


@pytest.mark.parametrize("name", MODELS_WITH_PINS)
def test_a_pin_is_a_whole_revision_and_whole_digests(name: str) -> None:
    model = MODELS_WITH_PINS[name]
    assert model.is_pinned
    assert re.fullmatch("[0-9a-f]{40}", model.revision)
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in model.files.values())


def test_no_two_files_have_the_same_digest() -> None:
    digests = [digest for model in MODELS_WITH_PINS.values() for digest in model.files.values()]
    assert len(set(digests)) == len(digests)


def test_a_model_without_published_digests_has_no_pin() -> None:
    unpinned = {family.model.name for family in FAMILIES.values() if not family.model.is_pinned}
    assert unpinned == {"Unbabel/XCOMET-XL", "bert-base-multilingual-cased"}
    assert not {model for model, _ in BERTSCORE_MODELS.values()} & set(MODELS_WITH_PINS)


@pytest.mark.parametrize("script", REQUIREMENTS)
def test_nothing_is_known_against_the_tested_versions(script: str) -> None:
    assert why_not(script, TESTED[script]) == ""


@pytest.mark.parametrize(
    ("script", "package", "version"),
    [
        ("comet", "transformers", "5.0.0rc1"),
        ("comet", "setuptools", "81"),
        ("comet", "setuptools", "84.0.0"),
        ("metricx", "transformers", "5.23.0"),
    ],
)
def test_versions_that_fail_are_named(script: str, package: str, version: str) -> None:
    told = why_not(script, TESTED[script] | {package: version})
    assert f"{package} {version}" in told
    assert TESTED[script][package] in told


def test_bertscore_runs_with_transformers_5() -> None:
    assert why_not("bertscore", TESTED["bertscore"] | {"transformers": "5.23.0"}) == ""


def test_a_missing_package_is_named() -> None:
    assert why_not("comet", {"transformers": "5.0"}) == "it has no unbabel-comet; tested is 2.2.7"
