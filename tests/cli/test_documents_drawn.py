"""Documents in every command: what is drawn, what the table says of it, and sacreBLEU's interval unless asked."""

import json

from cli.conftest import SYSTEMS, Files

A, B, _ = (f"{name}.de" for name in SYSTEMS)


def test_the_unit_of_a_test(files: Files) -> None:
    files.write("documents", "".join(f"doc{at // 3}\n" for at in range(80)))
    words = ("ref1.de", "-i", A, B, "--paired-all")
    for flag in ("--docids", "--documents"):
        found = files.ours(*words, flag, "documents")
        assert "|docs:27|" in found.out and "27 documents were drawn and swapped whole." in found.out
    plain, asked = files.ours(*words), files.ours(*words, "--docids", "documents", "--unit", "segment")
    assert plain.out == asked.out and "docs:" not in plain.out
    assert "Segments were taken as independent." in plain.out and "can be wrong in 8 to 16 % of cases" in plain.out
    assert "docs:" in files.ours("ref1.de", "-i", A, B, "--paired", "sign", "--docids", "documents").out
    # The unit makes a test ours, which counts ties; sacreBLEU's has no such flag.
    assert "ties:counted" in files.ours("ref1.de", "-i", A, B, "--paired", "ar", "--unit", "segment").out
    refused = files.ours(*words, "--unit", "document")
    assert 2 == refused.code and "nothing tells the document of each segment" in refused.err
    assert 2 == files.ours("ref1.de", "-i", A, "--unit", "document").code
    assert 2 == files.ours(*words, "--level", "document", "--docids", "documents", "--unit", "document").code


def test_intervals_by_documents_where_they_are_asked_for(files: Files) -> None:
    files.write("documents", "".join(f"doc{at // 3}\n" for at in range(80)))
    words = ("ref1.de", "-i", A, "-ci", "-m", "bleu", "ter")
    plain, asked = (json.loads(files.ours(*words, *more, "-f", "json").out) for more in ((), ("--docids", "documents")))
    for one, other in zip(plain, asked, strict=True):
        assert one["score"] == other["score"] and one["confidence"] != other["confidence"]
        assert "docs" not in one["settings"] and "27" == other["settings"]["docs"]
    grouped = ("--breakdown", "documents", "--docids", "documents")
    assert "docs:27" in files.ours("ref1.de", "-i", A, "-ci", *grouped).out


def test_a_test_set_tells_its_documents(files: Files) -> None:
    demo = ("-t", "demo", "-l", "en-de", "-i", *SYSTEMS[:2])
    by_documents, by_segments = (json.loads(files.ours(*demo, "--paired-all", *more, "-f", "json").out)
                                 for more in ((), ("--unit", "segment")))  # fmt: skip
    assert by_documents["n_documents"] and by_segments["n_documents"] is None
    interval = files.ours(*demo[:5], SYSTEMS[0], "-ci")
    assert files.ours(*demo[:5], SYSTEMS[0], "-ci", "--unit", "segment").out == interval.out
    assert "docs" not in interval.out and f"by its {by_documents['n_documents']} documents it is" in interval.err
    asked = files.ours(*demo[:5], SYSTEMS[0], "-ci", "--unit", "document").out
    assert f"docs:{by_documents['n_documents']}" in asked


def test_a_field_of_records_tells_documents(files: Files) -> None:
    texts = [(files.folder / name).read_text("utf-8").splitlines() for name in ("ref1.de", A, B)]
    rows = [
        json.dumps({"ref": r, "a": a, "b": b, "doc": at // 3}) for at, (r, a, b) in enumerate(zip(*texts, strict=True))
    ]
    files.write("docs.jsonl", "".join(f"{row}\n" for row in rows))
    words = ("docs.jsonl", "--hyp-field", "a", "b", "--ref-field", "ref", "--paired-all", "--docids", "doc")
    assert "|docs:27|" in files.ours(*words).out
