"""What pages say beside their code blocks: tables, figures, fields and links that have another home."""

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

import truebleu
from conftest import REPOSITORY
from docs.blocks import blocks
from test_layers import LAYERS
from truebleu.cli.main import COMMANDS, load
from truebleu.metrics import METRICS
from truebleu.signature import SHORT_FORMS
from truebleu.significance.signtestbleu import signtestbleu

DOCS = REPOSITORY / "docs"
README = (REPOSITORY / "README.md").read_text("utf-8")


def rows(page: Path, head: str) -> list[list[str]]:
    """The rows of the table of a page that has this head."""
    after = page.read_text("utf-8").split(head + "\n", 1)[1]
    found = re.match(r"\|[-:| ]+\|\n((?:\|.*\n)+)", after)
    assert found, head
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in found[1].splitlines()]


def test_the_first_screen_of_the_readme_works_in_a_checkout_and_scores_and_compares() -> None:
    first = list(blocks("\n".join(README.splitlines()[:50])))
    assert ["sh", "python", "console"] == [block.language for block in first]
    makefile = (REPOSITORY / "Makefile").read_text("utf-8")
    for line in first[0].text.splitlines():
        assert re.search(rf"^{line.split()[1]}:", makefile, re.M), line


def test_links_of_the_readme_work_in_a_checkout() -> None:
    links = re.findall(r"\]\(([^)]*)\)", README)
    assert len(links) > 20
    for link in links:
        assert (REPOSITORY / link.partition("#")[0]).is_file(), link


def test_the_readme_quotes_the_false_claims_that_were_measured() -> None:
    measured = dict((line[0], float(line[2])) for line in rows(DOCS / "calibration.md", _CLAIMS))
    quoted = re.findall(r"\*\*(\d+) %\*\*", README)
    ours, theirs = measured["randomization (`ar`, the default)"], measured["sacreBLEU's bootstrap (`bs`)"]
    assert [f"{theirs:.0f}", f"{ours:.0f}"] == quoted


_CLAIMS = (
    "| test | BLEU, level 0.01 | BLEU, level 0.05 | chrF, level 0.01 | chrF, level 0.05 "
    "| mean, level 0.01 | mean, level 0.05 |"
)


def test_the_readme_quotes_the_medians_of_the_benchmark() -> None:
    measured = {line[0]: line[4] for line in rows(REPOSITORY / "bench" / "README.md", _HEAD)}
    jobs = {
        "BLEU (13a)": "BLEU 13a corpus",
        "chrF": "chrF corpus",
        "TER": "TER corpus",
        "BLEU with 2,000 bootstrap resamples": "BLEU with 2,000 resamples",
    }
    quoted = {name: text for name, text in rows(REPOSITORY / "README.md", "| | sacreBLEU 2.6.0 takes |")}
    assert set(jobs) == set(quoted)
    for name, job in jobs.items():
        median = float(measured[job].removesuffix("×").replace(",", ""))
        assert f"{median:,.0f} times as long" == quoted[name]


_HEAD = "| job | must | aim | measured | median | ours, µs/segment | peer, µs/segment | segments |  |"


def test_the_worked_example_is_counted_right() -> None:
    page = DOCS / "explanation" / "bleu.md"
    texts = {
        (segment, side): tokens.split(" · ")
        for segment, side, tokens, _ in rows(page, "| segment | | tokens | length |")
    }
    lengths = [int(line[3]) for line in rows(page, "| segment | | tokens | length |")]
    assert [len(tokens) for tokens in texts.values()] == lengths
    hypotheses, references = ([" ".join(texts[at, side]) for at in "12"] for side in ("hypothesis", "reference"))
    bleu = truebleu.BLEU(tokenize="none")
    whole = bleu.corpus_score(hypotheses, [references])
    parts = [bleu.corpus_score([one], [[other]]) for one, other in zip(hypotheses, references, strict=True)]
    for order, (_, *cells) in enumerate(rows(page, "| order | segment 1 | segment 2 | together | precision |")):
        counted = [f"{score.counts[order]} of {score.totals[order]}" for score in (*parts, whole)]
        assert cells == [*counted, f"{whole.precisions[order]:.1f}"]
    text = page.read_text("utf-8")
    mean = (0.9 * 0.625 * 0.5 * 0.5) ** 0.25
    assert f"fourth root is {mean:.4f}" in text and f"exp(−0.1) = {whole.bp:.4f}" in text
    assert f"100 · {whole.bp:.4f} · {mean:.4f} = **{whole.score:.2f}**" in text


def test_every_field_of_a_signature_is_explained() -> None:
    said: dict[str, set[str]] = {}
    text = (DOCS / "explanation" / "signatures.md").read_text("utf-8")
    for keys, short in re.findall(r"^\| (`[^|]*?) \|([^|]*)\|", text, re.M):
        shorts = re.findall(r"`([^`]*)`", short)
        for at, key in enumerate(re.findall(r"`([^`]*)`", keys)):
            said[key] = set(shorts[at : at + 1] if "," in keys else shorts)
    legacy = signtestbleu(["a"], ["b"], [["a"]])
    written = {key: {short} for key, short in SHORT_FORMS.items()}
    for metric in METRICS.values():
        for field in metric.fields:
            written.setdefault(field.key, set()).add(field.short)
    for item in str(legacy.signature).split("|"):
        written.setdefault(item.partition(":")[0], set())
    assert written == said


def test_the_floors_of_the_architecture_are_those_that_are_enforced() -> None:
    order = {name: floor for floor, layer in enumerate(LAYERS) for name in layer}
    heights = [
        {order[name] for name in re.findall(r"`(\w+)`", modules)}
        for _, modules, _ in rows(DOCS / "architecture.md", "| floor | modules | what it is for |")
    ]
    assert all(len(floor) == 1 for floor in heights)
    assert sorted(heights, key=min) == heights
    shown = set(re.findall(r"`(\w+)`", (DOCS / "architecture.md").read_text("utf-8")))
    packages = {path.parent.name for path in (REPOSITORY / "python" / "truebleu").glob("*/__init__.py")}
    assert packages <= shown


def test_the_workflow_of_the_cookbook_fits_and_its_steps_run(tmp_path: Path, shell: Path) -> None:
    from docs.material import write

    page = "docs/cookbook/github-actions.md"
    write(page, shell)
    (block,) = [one for one in blocks((REPOSITORY / page).read_text("utf-8")) if one.language == "yaml"]
    file = tmp_path / "quality.yml"
    file.write_text(block.text, "utf-8")
    schema = ["check-jsonschema", "--builtin-schema", "vendor.github-workflows", str(file)]
    subprocess.run(schema, check=True, capture_output=True)
    (shell / "translate.sh").write_text('#!/bin/sh\ntest -r "$1" && cat a.txt\n')
    (shell / "translate.sh").chmod(0o755)
    said = tmp_path / "said.json"
    gh = f"#!{sys.executable}\nimport json, sys\njson.dump(sys.argv[1:], open({str(said)!r}, 'w'))\n"
    (tmp_path / "bin" / "gh").write_text(gh)
    (tmp_path / "bin" / "gh").chmod(0o755)
    (job,) = yaml.safe_load(block.text)["jobs"].values()
    steps = [step for step in job["steps"] if "run" in step]
    assert len(steps) >= 4
    for step in steps:
        env = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"), **{key: "17" for key in step.get("env", {})}}
        subprocess.run(
            ["bash", "-e", "-c", step["run"]], cwd=shell, check=True, capture_output=True, env=os.environ | env
        )
    assert ["pr", "comment", "17"] == json.loads(said.read_text())[:3]
    assert (
        "| Baseline: base.txt |"
        in (shell / "table.md").read_text("utf-8")
        == (tmp_path / "summary.md").read_text("utf-8")
    )


# Options in the prose that belong to other programs, or to sacreBLEU alone.
OF_OTHERS = {
    *("--no-index", "--find-links", "--archives", "--edit-last", "--runtime-env-json", "--eval-bleu"),
    *("--pairs", "--write", "--lenient", "--no-children", "--speed", "--capacity", "--rounds"),
    *("--batch_size", "--gpus", "--input_file", "--lang", "--model", "--model_name_or_path", "--only_system", "--qe"),
    *("--rescale_with_baseline", "--to_json"),
}


def options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """All options of a parser and of its commands."""
    for action in parser._actions:
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from options(command)


def test_every_option_that_is_named_exists() -> None:
    known = set(OF_OTHERS) | {"--debug"}
    for name in ("", *COMMANDS):
        known |= set(options(load(name).parser()))
    unknown = {
        f"{path.relative_to(REPOSITORY)}: {option}"
        for path in [REPOSITORY / "README.md", *DOCS.rglob("*.md")]
        for span in re.findall(r"(?<!`)`([^`\n]+)`(?!`)", path.read_text("utf-8"))
        for option in re.findall(r"(?<!\S)--[a-z][\w-]*", span)
        if option not in known
    }
    assert set() == unknown


def test_every_page_can_be_reached_from_the_index() -> None:
    reached, waiting = set(), [DOCS / "index.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or not page.is_file():
            continue
        reached.add(page)
        links = re.findall(r"\]\(([^)#\s]+\.md)", page.read_text("utf-8"))
        waiting += [(page.parent / link).resolve() for link in links if not link.startswith("http")]
    pages = {path for path in DOCS.rglob("*.md") if "reference" not in path.parts}
    assert set() == pages - reached
