"""Every number that a figure shows is the study's, and the same study gives the same bytes."""

from __future__ import annotations

import builtins
import re
import struct
import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import REPOSITORY
from truebleu import BLEU, TER, Study, demo, plot
from truebleu.errors import MissingDependency, OptionError, OutputExists, TooFew, TruebleuError
from truebleu.study.plot.plan import KINDS, Plan, make_plan, number, read_look, visible

pytest.importorskip("matplotlib", reason="figures need the extra plot")
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

METRICS = ("bleu", "ter")


def made(systems: Mapping[str, list[str]] | None = None, **options: Any) -> Study:
    data = demo.load("en-de")
    given = data.systems if systems is None else systems
    options = {"labels": {"domain": data.domains}, "n_samples": 200, "n_confidence": 100} | options
    return Study(given, list(data.references.values()), [BLEU(), TER()], **options)


@pytest.fixture(scope="module")
def study() -> Study:
    return made()


def artists(ax: Any, name: str) -> list[Any]:
    """Everything drawn whose mark is this name, or this name and a number."""
    found = [one for one in ax.get_children() if re.fullmatch(rf"{name}(-\d+)*", str(one.get_gid()))]
    return sorted(found, key=lambda one: [int(part) for part in re.findall(r"\d+", one.get_gid())])


def points(ax: Any, name: str) -> list[float]:
    return [float(x) for one in artists(ax, name) for x in one.get_xdata()]


def texts(ax: Any, name: str) -> list[str]:
    return [one.get_text() for one in artists(ax, name)]


def rows(ax: Any) -> list[str]:
    return [one.get_text() for one in ax.get_yticklabels()]


# The numbers.


@pytest.mark.parametrize("baseline", [None, "cedar"])
@pytest.mark.parametrize("metric", METRICS)
def test_a_ranking_shows_the_differences_and_intervals_of_the_pairs(metric: str, baseline: str | None) -> None:
    study = made(baseline=baseline)
    ax = study.plot("ranking", metric=metric)
    names = study.ranking(metric)
    first = baseline or names[0]
    assert names == rows(ax)
    assert study.comparison is not None
    found = next(one for one in study.comparison.metrics if one.key == metric)
    pairs = {(pair.system, pair.baseline): pair for pair in found.pairs}
    others = [name for name in names if name != first]
    deltas, intervals, filled = [], [], []
    for name in others:
        is_turned = (name, first) not in pairs
        pair = pairs[(first, name) if is_turned else (name, first)]
        assert pair.interval is not None
        deltas.append(-pair.delta if is_turned else pair.delta)
        intervals.append(sorted(-end if is_turned else end for end in pair.interval))
        filled.append(pair.significant)
    assert deltas == points(ax, "difference")
    assert intervals == [sorted(one.get_xdata()) for one in artists(ax, "interval")]
    assert filled == [one.get_markerfacecolor() != "white" for one in artists(ax, "difference")]
    assert [names.index(first)] == list(artists(ax, "reference")[0].get_ydata())
    scores = [study.scores[metric][name].score for name in names]
    assert ["score", *(f"{score:.1f}" for score in scores)] == [
        one.get_text() for one in ax.texts if "score" in one.get_gid()
    ]


def test_a_ranking_names_rank_ranges_and_cuts_clusters(study: Study) -> None:
    ax = study.plot("ranking")
    assert ["rank", "1", "2", "3"] == [one.get_text() for one in ax.texts if "rank-" in one.get_gid()]
    assert [0.5, 1.5] == sorted(one.get_ydata()[0] for one in artists(ax, "cluster"))


def test_a_ranking_without_a_test_shows_scores() -> None:
    study = made(test="none")
    ax = study.plot("ranking", metric="TER")
    assert [study.scores["TER"][name].score for name in study.ranking("TER")] == points(ax, "scores")
    one = made({"atlas": demo.load("en-de").systems["atlas"]})
    assert [one.scores["BLEU"]["atlas"].score] == points(one.plot("ranking"), "scores")


@pytest.mark.parametrize("metric", METRICS)
def test_pairs_show_each_difference_twice_with_its_sign(study: Study, metric: str) -> None:
    ax = study.plot("pairs", metric=metric)
    names = study.ranking(metric)
    assert study.comparison is not None
    found = next(one for one in study.comparison.metrics if one.key == metric)
    assert 6 == len(artists(ax, "pair"))
    gain = to_rgb("#0072b2")
    for pair in found.pairs:
        for row, column, delta in ((pair.system, pair.baseline, pair.delta), (pair.baseline, pair.system, -pair.delta)):
            place = f"{names.index(row)}-{names.index(column)}"
            (text,) = texts(ax, f"text-{place}")
            assert number(delta, [50.0], sign=True) == text.split("\n")[0]
            assert pair.significant == ("*" in text)
            (cell,) = artists(ax, f"pair-{place}")
            tint = to_rgb(cell.get_facecolor())
            is_blue = tint[2] > tint[0]
            assert gain[2] > gain[0] and pair.significant and is_blue == (row == pair.winner)


@pytest.mark.parametrize("systems", [None, ("cedar", "birch")])
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("labels", ["domain", "length"])
def test_groups_show_paired_differences(study: Study, metric: str, labels: str, systems: Any) -> None:
    ax = study.plot("groups", metric=metric, labels=labels, systems=systems)
    a, b = systems or study.pair
    found = study.groups(labels).pair(metric, a, b)
    assert [group.delta for group in found.groups] == points(ax, "difference")
    intervals = [end for group in found.groups if group.interval for end in group.interval]
    assert intervals == points(ax, "interval")
    assert [found.delta] * 2 == points(ax, "whole-set")
    shown = [f"{group.label} ({group.n_segments}{', few' if group.n_segments < 30 else ''})" for group in found.groups]
    assert shown == rows(ax)


def test_of_very_many_groups_the_largest_differences_are_drawn() -> None:
    study = made(labels={"part": [str(at // 4) for at in range(240)]}, n_confidence=0)
    found = study.groups("part").pair("BLEU", *(study.pair or ("", ""))).groups
    smallest = sorted(abs(group.delta) for group in found)[:20]
    drawn = points(study.plot("groups"), "difference")
    assert [group.delta for group in found if abs(group.delta) not in smallest] == drawn


@pytest.mark.parametrize("metric", METRICS)
def test_an_ecdf_has_the_scores_of_all_segments(study: Study, metric: str) -> None:
    ax = study.plot("ecdf", metric=metric)
    segments = study.segments(metric)
    assert 3 == len(artists(ax, "line"))
    for name, line in zip(segments.systems, artists(ax, "line"), strict=True):
        assert np.sort(segments.of(name)).tolist() == list(line.get_xdata()[1:])
        assert [at / 240 for at in range(1, 241)] == pytest.approx(list(line.get_ydata()[1:]), abs=1e-12)


@pytest.mark.parametrize("metric", METRICS)
def test_a_scatter_has_a_point_for_each_segment_on_its_side(study: Study, metric: str) -> None:
    ax = study.plot("scatter", metric=metric, systems=["birch", "atlas"])
    segments = study.segments(metric)
    drawn = [one.get_offsets() for one in artists(ax, "points")]
    assert segments.signs("birch", "atlas") == tuple(len(part) for part in drawn)
    expected = sorted(zip(segments.of("atlas"), segments.of("birch"), strict=True))
    assert expected == sorted(tuple(point) for part in drawn for point in part.tolist())
    better = drawn[0][:, 1] > drawn[0][:, 0]
    assert (better if metric == "bleu" else ~better).all()


@pytest.mark.parametrize("metric", METRICS)
def test_lines_by_length_have_the_scores_of_the_buckets(study: Study, metric: str) -> None:
    ax = study.plot("length", metric=metric)
    found = study.groups("length").scores[metric]
    for line, groups in zip(artists(ax, "line"), found.values(), strict=True):
        assert [group.score for group in groups] == list(line.get_ydata())
    drawn = sorted(tuple(one.get_ydata()) for one in artists(ax, "interval"))
    ranges = [
        (group.mean - group.half_width, group.mean + group.half_width)
        for groups in found.values()
        for group in groups
        if group.mean is not None and group.half_width is not None
    ]
    assert sorted(ranges) == drawn
    assert [f"{label}\n({n})" for label, n in study.groups("length").groups] == [
        one.get_text() for one in ax.get_xticklabels()
    ]


@pytest.mark.parametrize("metric", METRICS)
def test_differences_are_in_order_from_gain_to_loss(study: Study, metric: str) -> None:
    ax = study.plot("difference", metric=metric, systems=["atlas", "cedar"])
    segments = study.segments(metric)
    values = [float(y) for one in artists(ax, "differences") for y in one.get_ydata()]
    expected = sorted((float(one) for one in segments.difference("atlas", "cedar") if one), reverse=metric == "bleu")
    assert expected == values
    better, worse, _ = segments.signs("atlas", "cedar")
    assert f"atlas better:\n{better} ({better / 240:.0%})" in [one.get_text() for one in ax.texts]
    assert f"cedar better:\n{worse} ({worse / 240:.0%})" in [one.get_text() for one in ax.texts]


def test_of_many_systems_two_lines_are_told_apart_and_the_others_counted() -> None:
    data = demo.load("en-de")
    study = made({f"{name}{at}": texts for name, texts in data.systems.items() for at in range(3)}, test="none")
    for kind in ("ecdf", "length"):
        ax = study.plot(kind)
        assert [*(study.pair or ()), "7 others"] == [one.get_text() for one in ax.get_legend().get_texts()]
        thin = [one for one in artists(ax, "line") if one.get_linewidth() < 1]
        assert 7 == len(thin) and 9 == len(artists(ax, "line"))


def test_numbers_have_a_real_minus_and_no_negative_zero() -> None:
    assert ["−1.2", "+1.2", "0.0", "0.841"] == [
        number(-1.24, [40.0]), number(1.24, [40.0], sign=True), number(-0.01, [40.0]), number(0.8412, [0.9]),
    ]  # fmt: skip


def test_scores_far_away_are_counted_and_do_not_set_the_axis() -> None:
    assert (-3.0, 103.0, "") == visible(np.linspace(0, 100, 500))
    low, high, said = visible(np.append(np.linspace(0, 100, 500), 5000))
    assert low < 0 and 100 < high < 200 and "1 beyond the axis" == said
    assert (4.0, 6.0, "") == visible(np.array([5.0, 5.0]))


# Files.


@pytest.mark.parametrize("form", ["pdf", "svg", "png"])
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_can_be_opened_in_each_format(kind: str, form: str, study: Study, tmp_path: Path) -> None:
    plot.save(study, kind, tmp_path / f"x.{form}", size="9x7.5")
    content = (tmp_path / f"x.{form}").read_bytes()
    if form == "pdf":
        assert content.startswith(b"%PDF-") and content.rstrip().endswith(b"%%EOF")
        assert b"/FontFile2" in content and b"/Type3" not in content and b"CreationDate" not in content
    elif form == "svg":
        root = ElementTree.fromstring(content)
        assert "{http://www.w3.org/2000/svg}svg" == root.tag and b"<dc:date>" not in content
        assert 9 * 72 / 2.54 == pytest.approx(float(root.attrib["width"].removesuffix("pt")), abs=0.01)
        assert colors(content)
    else:
        assert b"\x89PNG\r\n\x1a\n" == content[:8]
        assert (int(9 / 2.54 * 300), int(7.5 / 2.54 * 300)) == struct.unpack(">II", content[16:24])
    assert [f"x.{form}"] == [path.name for path in tmp_path.iterdir()]


SAME = [(kind, "svg") for kind in KINDS] + [("ranking", "pdf"), ("difference", "pdf"), ("scatter", "png")]


@pytest.mark.parametrize(("kind", "form"), SAME)
def test_gray_has_no_colour_and_the_same_bytes_twice(kind: str, form: str, study: Study, tmp_path: Path) -> None:
    for name in ("a", "b"):
        plot.save(study, kind, tmp_path / f"{name}.{form}", gray=True, metric="TER")
    content = (tmp_path / f"a.{form}").read_bytes()
    assert content == (tmp_path / f"b.{form}").read_bytes()
    assert form != "svg" or [] == colors(content)


def colors(svg: bytes) -> list[str]:
    """The colours of a picture that are no shade of grey."""
    text = svg.decode("utf-8")
    assert "rgb(" not in text and "<image" not in text
    found = set(re.findall(r"(?:fill|stroke|color): *(#[0-9a-f]{3,6}|[a-z]+)", text)) - {"none", "url"}
    return [color for color in found if len(set(to_rgb(color))) > 1]


@pytest.mark.parametrize(("size", "width"), [("acl1", 7.7), ("acl2", 16)])
def test_sizes_of_the_acl_have_its_widths(size: str, width: float, study: Study) -> None:
    figure = study.plot("ranking", size=size).figure
    assert width == pytest.approx(figure.get_size_inches()[0] * 2.54)


@pytest.fixture(scope="module")
def long_names() -> Study:
    data = demo.load("en-de").systems
    return made({f"a-rather-long-name-of-{name}": texts for name, texts in data.items()}, n_confidence=10)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("size", "metric"), [("acl1", "ter"), ("acl2", "bleu")])
def test_all_text_is_inside_the_figure(kind: str, size: str, metric: str, long_names: Study) -> None:
    figure: Any = long_names.plot(kind, metric=metric, size=size).figure
    figure.draw_without_rendering()
    drawn, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert 0 <= drawn.x0 and 0 <= drawn.y0 and drawn.x1 <= width and drawn.y1 <= height


def test_the_users_settings_do_not_change_the_file(study: Study, tmp_path: Path) -> None:
    import matplotlib

    plot.save(study, "ranking", tmp_path / "a.svg")
    with matplotlib.rc_context({"font.size": 30, "axes.grid": True, "svg.hashsalt": "other", "text.usetex": True}):
        plot.save(study, "ranking", tmp_path / "b.svg")
        assert 30 == matplotlib.rcParams["font.size"]
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_a_figure_is_drawn_on_the_axes_of_the_user(study: Study) -> None:
    left, right = Figure().subplots(1, 2)
    assert left is study.plot("ecdf", ax=left) and left.lines and not right.lines
    with pytest.raises(TruebleuError, match=r"Study.plot: ax is of type int, expected axes of matplotlib"):
        study.plot("ecdf", ax=5)  # type: ignore[arg-type]


NAMES = ("系统甲", "النظام", "$x^2_$", "_hidden", "a\x01\n\u202eb\ud800", "<b>&amp;\"'", "\\frac{", "x" * 300)


@pytest.mark.parametrize("kind", KINDS)
def test_names_of_any_script_are_only_text(kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    source = [texts[:40] for texts in demo.load("en-de").systems.values()]
    references = [stream[:40] for stream in demo.load("en-de").references.values()]
    study = Study(
        [(name, source[at % 3]) for at, name in enumerate(NAMES)], references, BLEU(),
        labels={"set": [NAMES[at % len(NAMES)] for at in range(40)]}, n_samples=20, n_confidence=20,
    )  # fmt: skip
    with warnings.catch_warnings(), caplog.at_level("WARNING", logger="truebleu"):
        warnings.simplefilter("error")
        plot.save(study, kind, tmp_path / "x.svg", size="acl2")
        if kind == "ranking":
            plot.save(study, kind, tmp_path / "x.pdf", size="acl2")
    ElementTree.fromstring((tmp_path / "x.svg").read_bytes())
    assert {"truebleu"} >= {one.name for one in caplog.records}
    assert [] == [message for message in caplog.messages if "too small" in message]


def test_letters_without_a_font_are_told_once(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    data = demo.load("en-de").systems
    study = made({"\U000e0fff\u0bf5": data["atlas"], "b": data["birch"]}, test="none")
    with caplog.at_level("WARNING", logger="truebleu"):
        for _ in range(2):
            plot.save(study, "ecdf", tmp_path / "x.svg")
    assert 1 == len([one for one in caplog.records if "letters that no installed font has" in one.getMessage()])


def test_shortened_names_stay_different(study: Study) -> None:
    plan: Plan = make_plan(study, "ranking", look=read_look("acl1", 8, False))
    names = [f"a-long-prefix-{at}-and-a-long-suffix-that-is-common" for at in range(12)]
    short = plan.short(names)
    assert 12 == len(set(short)) and max(map(len, short)) < len(names[0])


# What is refused, before anything is counted.


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"kind": "pie"}, OptionError, "kind is 'pie', expected one of 'ranking', 'pairs'"),
        ({"metric": "COMET"}, OptionError, "metric is 'COMET', expected one of 'bleu', 'ter'"),
        ({"size": "acl3"}, OptionError, "size is 'acl3', expected acl1, acl2, or centimetres from 2 to 100, as in 8x6"),
        ({"size": "1x500"}, OptionError, "size is '1x500'"),
        ({"size": 5}, OptionError, "size is 5"),
        ({"font_size": 0}, OptionError, "font_size is 0, expected points from 3 to 40"),
        ({"font_size": float("nan")}, OptionError, "font_size is nan"),
        ({"gray": "no"}, TruebleuError, "gray is the plain string 'no', expected True or False"),
        ({"labels": "domain"}, OptionError, "labels is 'domain', and kind='ranking' has no groups"),
        ({"kind": "groups", "labels": "topic"}, OptionError, "labels is 'topic', expected one of 'domain', 'length'"),
        ({"systems": ["atlas"]}, OptionError, r"systems is \['atlas'\], and kind='ranking' shows all systems"),
        ({"kind": "scatter", "systems": ["atlas"]}, OptionError, "expected two systems, A and B"),
        ({"kind": "scatter", "systems": ["atlas", "atlas"]}, OptionError, "expected two systems, A and B"),
        ({"kind": "ecdf", "systems": ["oak"]}, OptionError, "systems is 'oak', expected one of 'atlas'"),
        ({"kind": "ecdf", "systems": []}, OptionError, "expected one to 6 different systems"),
        ({"path": "x.gif"}, OptionError, "the path of the figure is .*x.gif, expected a name in .pdf, .svg, .png"),
        ({"path": "x"}, OptionError, "expected a name in .pdf, .svg, .png"),
        ({"path": "folder.pdf"}, OutputExists, "is a folder"),
        ({"path": 5}, TruebleuError, "path is 5"),
    ],
)
def test_what_cannot_be_drawn_is_refused_before_counting(
    arguments: dict[str, Any], error: type[Exception], message: str, tmp_path: Path
) -> None:
    (tmp_path / "folder.pdf").mkdir()
    study = made()
    given = {"kind": "ranking", "path": "x.pdf"} | arguments
    path = tmp_path / given.pop("path") if isinstance(given["path"], str) else given.pop("path")
    with pytest.raises(error, match=message):
        plot.save(study, given.pop("kind"), path, **given)
    assert "rows" not in vars(study) and ["folder.pdf"] == [one.name for one in tmp_path.iterdir()]


@pytest.mark.parametrize("kind", ["pairs", "groups", "scatter", "difference"])
def test_one_system_cannot_be_compared(kind: str) -> None:
    study = made({"atlas": demo.load("en-de").systems["atlas"]})
    with pytest.raises(TooFew, match=f"kind='{kind}' compares systems, and there is only 'atlas'"):
        study.plot(kind)
    assert "rows" not in vars(study)


def test_pairs_need_a_test_and_two_segments() -> None:
    with pytest.raises(OptionError, match="kind='pairs' shows a test of all pairs, and the study has test='none'"):
        made(test="none").plot("pairs")
    with pytest.raises(TooFew, match="takes two segments or documents"):
        Study({"a": ["x"], "b": ["y"]}, [["x"]]).plot("pairs")
    with pytest.raises(TooFew, match="takes two segments or documents"):
        made(documents=["one"] * 240).plot("pairs")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "pairs"])
def test_one_segment_can_be_drawn(kind: str, tmp_path: Path) -> None:
    plot.save(Study({"a": ["x y"], "b": ["y z"]}, [["x y"]], BLEU()), kind, tmp_path / "x.png")


def test_without_matplotlib_the_error_says_what_to_install(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == "matplotlib":
            raise ImportError("No module named 'matplotlib'")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingDependency, match=r'plots need matplotlib \(.*\): pip install "truebleu\[plot\]"'):
        study.plot("ranking")


def test_what_is_there_stays_where_drawing_fails(study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.pdf").write_text("before")
    monkeypatch.setattr(Figure, "savefig", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        plot.save(study, "ranking", tmp_path / "x.pdf")
    assert "before" == (tmp_path / "x.pdf").read_text() and 1 == len(list(tmp_path.iterdir()))


def test_too_small_a_figure_is_told(study: Study, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("WARNING", logger="truebleu"):
        plot.save(study, "pairs", tmp_path / "x.pdf", size="2x2", font_size=20)
    assert ["the figure is too small for its text: choose a larger size, or smaller letters"] == caplog.messages


def test_the_guide_has_every_kind() -> None:
    guide = (REPOSITORY / "docs" / "plots.md").read_text("utf-8")
    assert set(KINDS) == set(re.findall(r"^truebleu plot (\w+) ", guide, re.M))
