"""The entry of COMPATIBILITY.md about judges. GEMBA asks a hosted model, so only our side runs."""

from pathlib import Path

from judges.asking import judge, units
from judges.server import judging, says


def test_250_a_judge_is_asked_three_times_at_one_temperature_and_never_guessed_for(tmp_path: Path) -> None:
    with judging(otherwise=says("I'd say 85")) as server:
        (found,) = judge(server.url, tmp_path, units("text"))
        assert (None, 3) == (found.score, len(server.calls))
        assert {0.0} == {call.body["temperature"] for call in server.calls}
