"""The pictures of the documentation show what the commands print today, and are small."""

import json
import os
import re
from pathlib import Path

import pytest

from docs_pictures import (
    IMAGES,
    NOTES,
    PLOTS,
    REPORTS,
    TERMINALS,
    drawn_from,
    lines_of_command,
    lines_of_picture,
    main,
    without_version,
)


@pytest.mark.skipif(os.name != "posix", reason="there are no pseudo-terminals here")
@pytest.mark.parametrize("name", TERMINALS)
def test_a_terminal_shows_what_its_command_prints(name: str) -> None:
    shown = lines_of_picture((IMAGES / f"{name}.svg").read_text("utf-8"))
    printed = lines_of_command(TERMINALS[name])
    assert f"$ {TERMINALS[name].command}" == printed[0] and len(printed) > 2
    assert without_version(printed) == without_version(shown), "run `make pictures`"


@pytest.mark.parametrize("name", PLOTS)
def test_a_figure_is_what_its_command_draws(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    committed = (IMAGES / f"{name}.svg").read_text("utf-8")
    (version,) = re.findall(r"Matplotlib v([\w.]+),", committed)
    if matplotlib.__version__ != version:
        pytest.skip(f"drawn by matplotlib {version}, and {matplotlib.__version__} draws other lines")
    monkeypatch.setattr("docs_pictures.IMAGES", tmp_path)
    monkeypatch.setattr("sys.argv", ["docs_pictures.py", name])
    assert 0 == main()
    assert committed == (tmp_path / f"{name}.svg").read_text("utf-8"), "run `make pictures`"


def test_the_report_looks_as_it_was_photographed() -> None:
    assert dict.fromkeys(REPORTS, drawn_from()) == json.loads((IMAGES / NOTES).read_text("utf-8")), (
        "run `make pictures`"
    )


def test_pictures_are_all_there_small_and_self_contained() -> None:
    names = {f"{name}.svg" for name in (*TERMINALS, *PLOTS)} | {f"{name}.png" for name in REPORTS}
    files = {path.name: path for path in IMAGES.iterdir()}
    by_hand = {"favicon.svg", "units.svg", NOTES}  # bench/units_picture.py needs texts that are not here
    assert names | by_hand == set(files), "what no script makes cannot be made again"
    assert sum(path.stat().st_size for path in files.values()) < 1_500_000
    for path in files.values():
        if path.suffix == ".svg":
            loads = re.findall(r"(?:href=\"|url\([\"']?|src=\"|@import )(?!#)([^\"')]+)", path.read_text("utf-8"))
            assert [] == loads, path.name


def test_an_unknown_name_is_an_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["docs_pictures.py", "terminal-nothing"])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert 2 == stopped.value.code
    assert "there is no picture terminal-nothing" in capsys.readouterr().err
