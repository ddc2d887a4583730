"""Second names of flags work, and the help leaves them out."""

import pytest

from truebleu.cli.main import main

SECOND = ("--hyp-column", "--ref-column", "--parquet", "--paired-bs", "--paired-ar", "-pbs", "-parn", "-pbsn")


def test_the_help_leaves_out_second_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["--help"])
    words = capsys.readouterr().out.replace(",", " ").split()
    assert set() == {*words} & {*SECOND} and {"--hyp-field", "--paired", "--paired-n"} <= {*words}


def test_second_names_work(capsys: pytest.CaptureFixture[str]) -> None:
    outputs = []
    for words in (("--paired-bs", "-pbsn", "20"), ("--paired", "bs", "--paired-n", "20")):
        assert 0 == main(["-t", "demo", "-l", "en-de", "-i", "atlas", "birch", *words])
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
