"""Paired tests of the command beside sacreBLEU's: what stands in the table, and what standard error adds."""

import json

import pytest

from cli.conftest import SYSTEMS, Files, as_sacrebleu


def write_differing(files: Files, count: int, segments: int = 100) -> list[str]:
    """Two systems that differ in so many segments, all in favour of one."""
    references = [f"the heron {at} stood by the pond" for at in range(segments)]
    system = [f"the heron {at} sat at the pond" for at in range(segments)]
    for name, lines in {"ref": references, "a": system, "b": references[:count] + system[count:]}.items():
        files.write(f"ties-{name}", "".join(f"{line}\n" for line in lines))
    return ["ties-ref", "-i", "ties-a", "ties-b", "--paired-ar"]


def test_the_command_keeps_sacrebleus_number_and_says_on_standard_error_where_it_misleads(files: Files) -> None:
    typed = write_differing(files, 5)
    found, theirs = files.ours(*typed, "-f", "sacrebleu-json"), files.theirs_now(*typed, "-f", "json")
    assert json.loads(theirs.out) == json.loads(as_sacrebleu(found.out))
    assert 1 == len([line for line in found.err.splitlines() if "p = 0.0001" in line and "p = 0.0625" in line])
    told = json.loads(files.ours(*typed, "-f", "json").out)
    assert (1 / 10_001, 0.0625) == (told[1]["p_value"], told[1]["p_value_with_ties"])
    assert "ar:10000|seed" in told[1]["signature"]
    ours = json.loads(files.ours(*typed, "--correction", "none", "-f", "json").out)
    assert 0.0625 == ours[1]["p_value"] and "ar:exact" in ours[1]["signature"]
    assert "p_value_with_ties" not in ours[1]


@pytest.mark.parametrize("form", ["ar:10000|seed:12345", "ar:20000|ties:counted|seed:12345", "ar:exact"])
def test_like_knows_the_three_forms(files: Files, form: str) -> None:
    signature = f"BLEU|nrefs:1|{form}|case:mixed|eff:no|tok:13a|smooth:exp|version:truebleu-0.1.0"
    found = files.ours("ref1.de", "-i", f"{SYSTEMS[0]}.de", "--like", signature)
    assert 0 == found.code and found.out == files.ours("ref1.de", "-i", f"{SYSTEMS[0]}.de").out
