"""truebleu against sacreBLEU 2.6.0: the same numbers to the last bit, the same text to the last letter."""

import pytest

# Only test modules get readable assertions unasked.
pytest.register_assert_rewrite("parity.compare")
