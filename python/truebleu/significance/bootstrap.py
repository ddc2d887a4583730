"""Bootstrap resampling (Koehn, 2004) with NumPy's random stream and sacreBLEU's seed rules.

The same seed draws the same segments as sacreBLEU. Sums are exact here and in 32-bit floats there, so means and
intervals agree to the printed digits, not to the last bit.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from truebleu.errors import OptionError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truebleu.metrics.base import Engine

_DEFAULT_SEED = "12345"


def seed_from_environment() -> tuple[int | None, str]:
    """The seed that `SACREBLEU_SEED` asks for (None: a different one each time), and its text for the signature."""
    text = os.environ.get("SACREBLEU_SEED", _DEFAULT_SEED)
    if text.lower() == "none":
        return None, "none"
    try:
        seed = int(text)
    except ValueError:
        seed = -1
    if seed < 0:
        raise OptionError(f"SACREBLEU_SEED is {text!r}, expected a whole number from 0, or 'none'")
    return seed, text.lower()


def resampled_scores(engine: Engine, rows: NDArray[np.float64], samples: int, seed: int | None) -> NDArray[np.float64]:
    """The scores of `samples` corpora of the same size, drawn from the rows with replacement."""
    import numpy as np

    generator = np.random.default_rng(seed)
    segments = len(rows)
    totals = np.empty((samples, rows.shape[1]))
    for sample in totals:
        drawn = generator.choice(segments, size=segments, replace=True)
        sample[:] = np.bincount(drawn, minlength=segments) @ rows
    return np.frombuffer(engine.score_rows(totals.ravel().tolist()))
