"""The table of learned metrics agrees with itself and with what is known of their names."""

import re
from pathlib import Path

import pytest
from tests.runners.doubles import model

from truebleu.errors import OptionError
from truebleu.metrics import COMET, find
from truebleu.metrics.known import known
from truebleu.metrics.names import made
from truebleu.runners.families import (
    BERTSCORE_MODELS,
    FAMILIES,
    MODELS,
    OWN,
    RUNNERS,
    LearnedFamily,
    PinnedModel,
    family_of,
    why_not,
)

PINNED = {name: model for name, model in MODELS.items() if model.is_pinned}
TESTED = {script: {one.package: one.tested for one in RUNNERS[script].requirements} for script in OWN}


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_has_a_script_and_the_texts_of_a_unit(name: str) -> None:
    family = FAMILIES[name]
    assert name == family.name
    assert family.script in OWN
    assert "hyp" in family.fields
    assert [field for field in ("src", "hyp", "ref") if field in family.fields] == list(family.fields)


@pytest.mark.parametrize("name", ["comet", "cometkiwi", "xcomet-qe", "metricx", "metricx-qe", "bertscore"])
def test_the_model_of_a_family_has_a_direction_elsewhere(name: str) -> None:
    found = known(FAMILIES[name].label) or known(FAMILIES[name].model.name)
    assert found is not None
    assert found.higher == (not name.startswith("metricx"))
    assert not {"higher", "low", "high"} & {*LearnedFamily._fields, *PinnedModel._fields}


@pytest.mark.parametrize("name", PINNED)
def test_a_pin_is_a_whole_revision_and_whole_digests(name: str) -> None:
    model = PINNED[name]
    assert model.is_pinned
    assert re.fullmatch("[0-9a-f]{40}", model.revision)
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in model.files.values())


def test_no_two_files_have_the_same_digest() -> None:
    digests = [digest for model in PINNED.values() for digest in model.files.values()]
    assert len(set(digests)) == len(digests)


def test_a_model_without_published_digests_has_no_pin() -> None:
    unpinned = {family.model.name for family in FAMILIES.values() if not family.model.is_pinned}
    assert unpinned == {
        "Unbabel/XCOMET-XL", "Unbabel/wmt20-comet-qe-da", "Unbabel/unite-mup", "bert-base-multilingual-cased",
        "google/metricx-23-xl-v2p0", "google/metricx-23-qe-xl-v2p0",
    }  # fmt: skip
    assert not {model for model, _ in BERTSCORE_MODELS.values()} & set(PINNED)


@pytest.mark.parametrize("script", OWN)
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


@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if model.families])
def test_a_listed_model_is_known_by_its_name(name: str) -> None:
    computes = MODELS[name].families
    assert {*computes} <= {*FAMILIES} and len({FAMILIES[one].script for one in computes}) == 1
    assert [one.family.name for one in (find(f"{family}={name}") for family in computes)] == [*computes]
    found = known(FAMILIES[computes[0]].label, name)
    assert found is not None and found.higher == ("metricx" not in name)


@pytest.mark.parametrize(
    ("asked", "found", "takes"),
    [
        ("comet=Unbabel/XCOMET-XL", "xcomet", "src+ref"),
        ("comet=Unbabel/wmt20-comet-da@abc", "comet", "src+ref"),
        ("comet=Unbabel/wmt20-comet-qe-da", "comet-qe", "src"),
        ("comet=./wmt21-comet-qe-mqm", "comet-qe", "src"),
        ("comet=Unbabel/wmt23-cometkiwi-da-xl", "cometkiwi", "src"),
        ("comet=Unbabel/unite-mup", "unite", "src+ref"),
        ("comet=my/own", "comet", "src+ref"),
        ("metricx=google/metricx-23-large-v2p0", "metricx23", "ref"),
        ("metricx=google/metricx-23-qe-xxl-v2p0", "metricx23-qe", "src"),
        ("metricx=./metricx-23-mine", "metricx23", "ref"),
        ("metricx-qe=./metricx-23-mine", "metricx23-qe", "src"),
        ("metricx23=./metricx-23-mine", "metricx23", "ref"),
        ("cometkiwi=Unbabel/XCOMET-XXL", "xcomet-qe", "src"),
        ("metricx23=my/own", "metricx23", "ref"),
        ("metricx24=my/own", "metricx", "src+ref"),
        ("metricx24-qe=google/metricx-24-hybrid-xxl-v2p6", "metricx-qe", "src"),
    ],
)
def test_a_model_decides_what_it_reads(asked: str, found: str, takes: str) -> None:
    metric = made(asked)
    assert (found, takes) == (metric.family.name, metric.inputs)  # type: ignore[attr-defined]
    assert metric.options.get("prompt") == {"metricx": "24", "metricx23": "23"}.get(found.removesuffix("-qe"))  # type: ignore[attr-defined]


def test_a_checkpoint_without_references_is_told_by_its_class(tmp_path: Path) -> None:
    folder = model(tmp_path)
    assert "comet" == family_of("comet", str(folder))
    (folder / "hparams.yaml").write_text("class_identifier: referenceless_regression_metric\n")
    assert "comet-qe" == family_of("comet", str(folder)) == family_of("comet", str(folder / "checkpoints/model.ckpt"))
    assert "COMET-QE" == find(f"comet={folder}").label


def test_a_model_that_compares_with_references_is_not_taken_without() -> None:
    for asked in ("cometkiwi=Unbabel/wmt22-comet-da", "metricx-qe=google/metricx-23-xl-v2p0"):
        with pytest.raises(OptionError, match=r"compares with references; name it as (comet|metricx23)="):
            find(asked)
    with pytest.raises(OptionError, match=r"is a model of UniTE: find\('unite'\) makes it"):
        COMET("Unbabel/unite-mup")


def test_a_model_that_is_stored_in_half_precision_stays_so() -> None:
    stored = "google/metricx-24-hybrid-large-v2p6-bfloat16"
    assert "bf16" == made(f"metricx={stored}").precision and "fp32" == made("metricx").precision  # type: ignore[attr-defined]
