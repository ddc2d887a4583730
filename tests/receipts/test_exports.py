"""What others read of a receipt, read by their own libraries."""

import csv
import io
import json
from typing import Any

import pytest
import yaml
from huggingface_hub import EvalResult, ModelCard, parse_eval_result_entries

import truebleu
from receipts.forging import made
from truebleu import evaluate
from truebleu.errors import FileFormatError, OptionError
from truebleu.receipts.exports import EXPORTS, Wanted, as_yaml, export, into_card

WANTED = Wanted("acme/wmt", "", "my/model", "https://example.org/atlas")
CARDS = {
    "empty": "",
    "no front matter": "# Model\n\nText.\n",
    "front matter": "---\nlicense: mit  # really\ntags: [a,   b]\n---\n# Model\n",
    "empty front matter": "---\n---\n# Model\n",
    "carriage returns": "---\r\nlicense: mit\r\n---\r\n# Model\r\n",
    "results": (
        "---\nmodel-index:\n- name: other\n  results:\n  - task:\n      type: translation\n    dataset:\n"
        "      name: x\n      type: x\n    metrics:\n    - type: bleu\n      value: 12.5\nlicense: mit\n---\nText\n"
    ),
}


@pytest.mark.parametrize("card", CARDS.values(), ids=CARDS)
def test_a_model_card_is_read_by_the_hub_and_the_rest_stays(card: str) -> None:
    receipt = made()
    text = into_card(card, receipt, WANTED, "README.md")
    rest = card.split("---")[-1]
    assert text.endswith(rest) and text == into_card(text, receipt, WANTED, "README.md")
    results: list[EvalResult] = ModelCard(text).data.eval_results
    mine = [one for one in results if one.dataset_type == "acme/wmt"]
    expected = {entry["fingerprint"]["metric"].lower(): entry for entry in receipt.about["metrics"]}
    assert {key: entry["score"] for key, entry in expected.items()} == {
        one.metric_type: one.metric_value for one in mine
    }
    for one in mine:
        entry = expected[one.metric_type]
        assert {"signature": entry["signature"], "receipt": receipt.digest} == one.metric_args
        assert ("translation", "demo en-de", "en-de", "test") == (
            one.task_type, one.dataset_name, one.dataset_config, one.dataset_split,
        )  # fmt: skip
        assert receipt.about["test_set"]["content"] == one.dataset_revision
        assert "https://example.org/atlas" == one.source_url
    assert [12.5] * ("value: 12.5" in card) == [one.metric_value for one in results if one not in mine]
    for line in card.splitlines():
        assert line in text


def test_a_card_that_cannot_be_added_to_is_left_alone() -> None:
    with pytest.raises(FileFormatError, match=r"README\.md: its model-index has no list of results"):
        into_card("---\nmodel-index: []\n---\n", made(), WANTED, "README.md")


def test_eval_results_are_read_by_the_hub() -> None:
    receipt = made()
    entries = parse_eval_result_entries(yaml.safe_load(export(receipt, "eval-results", WANTED)))
    assert [one["score"] for one in receipt.about["metrics"]] == [entry.value for entry in entries]
    assert {("acme/wmt", "en-de", receipt.digest, "https://example.org/atlas", "truebleu receipt")} == {
        (one.dataset_id, one.task_id, one.verify_token, one.source_url, one.source_name) for one in entries
    }
    assert (entries[1].notes or "").startswith("chrF2++|nrefs:1|")
    without = parse_eval_result_entries(yaml.safe_load(export(receipt, "eval-results", Wanted("acme/wmt"))))
    assert {None} == {one.source_name for one in without}  # a name without an address is refused there
    with pytest.raises(OptionError, match="give --dataset-id"):
        export(receipt, "eval-results", Wanted())


def test_metrics_and_params_are_flat() -> None:
    receipt = made()
    scores = {entry["name"]: entry["score"] for entry in receipt.about["metrics"]}
    assert {"bleu": scores["bleu"], "chrf2pp": scores["chrf++"], "ter": scores["ter"]} == receipt.to_metrics()
    params = receipt.to_params()
    assert receipt.digest == params["receipt"] and "demo" == params["test_set.name"]
    assert all(isinstance(value, str) for value in params.values())
    assert {"metrics": receipt.to_metrics(), "params": params} == json.loads(export(receipt, "mlflow", WANTED))
    assert {"summary": receipt.to_metrics(), "config": params} == json.loads(export(receipt, "wandb", WANTED))


def test_evaluate_gets_what_its_module_returns() -> None:
    demo = truebleu.testset("demo", "en-de", refs="A")
    texts, (references,) = demo.systems["atlas"], demo.references
    receipt = made()
    options: dict[str, dict[str, Any]] = {"sacrebleu": {}, "chrf": {"word_order": 2}, "ter": {}}
    for module, more in options.items():
        expected = evaluate.load(module).compute(predictions=texts, references=references, **more)
        assert expected == receipt.to_evaluate(module)
    assert set(options) == set(json.loads(export(receipt, "evaluate", WANTED)))
    with pytest.raises(OptionError, match="module is 'bleu', expected one of sacrebleu, chrf, ter"):
        receipt.to_evaluate("bleu")
    bleu = truebleu.Receipt.make(["a"], [["a"]], truebleu.BLEU())
    with pytest.raises(OptionError, match="has no score that the module ter computes"):
        bleu.to_evaluate("ter")


def test_scores_that_evaluate_has_no_module_for_are_refused() -> None:
    receipt = truebleu.Receipt.make(["a b"], [["a b"]], [truebleu.GLEU(), truebleu.WER()])
    with pytest.raises(OptionError, match="scores of gleu, wer, and evaluate has no module for them, only sacrebleu"):
        export(receipt, "evaluate", WANTED)


def test_csv_has_a_line_for_each_metric_and_no_formulas() -> None:
    receipt = truebleu.Receipt.make(["a b c d"], [["a b c d"]], truebleu.BLEU(), system="=SUM(A1)", n_bootstrap=5)
    (line,) = csv.DictReader(io.StringIO(export(receipt, "csv", WANTED)))
    assert ("'=SUM(A1)", "1", "BLEU") == (line["system"], line["segments"], line["metric"])
    assert receipt.about["metrics"][0]["score"] == float(line["score"])
    assert receipt.digest == line["receipt"] and line["mean"]


def test_every_format_is_text_that_ends_with_a_line_break() -> None:
    assert all(export(made(), name, WANTED).endswith("\n") for name in EXPORTS)
    with pytest.raises(OptionError, match="to is 'xml'"):
        export(made(), "xml", WANTED)


@pytest.mark.parametrize(
    "text",
    ["yes", "No", "null", "1.5", "0x10", "2020-01-01", "a: b", "# x", "- x", "é\u2028\x85", '"', "a\\", "", " x", "~"],
)
def test_yaml_gives_back_what_it_was_given(text: str) -> None:
    value = {"key": text, text or "empty": [text, {"inner": text, "none": None, "number": 1.5, "list": []}]}
    assert value == yaml.safe_load("\n".join(as_yaml(value)))
