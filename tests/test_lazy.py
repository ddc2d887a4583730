"""Names that are imported when they are first asked for."""

import subprocess
import sys
from importlib import import_module

import pytest

from truebleu._lazy import attach

pytestmark = pytest.mark.interpreter


def test_a_name_is_imported_when_it_is_asked_for() -> None:
    # A module that nobody needs: under `make coverage`, those of coverage.py are there from the start.
    code = (
        "import sys; from truebleu._lazy import attach; get, names = attach('x', {'rgb_to_hsv': 'colorsys'})\n"
        "assert 'colorsys' not in sys.modules and ['rgb_to_hsv'] == names()\n"
        "assert (0.0, 0.0, 1.0) == get('rgb_to_hsv')(1.0, 1.0, 1.0) and 'colorsys' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_unknown_name_is_an_attribute_error_that_names_the_module() -> None:
    get, _ = attach("truebleu.x", {})
    with pytest.raises(AttributeError, match=r"module 'truebleu\.x' has no attribute 'nothing'"):
        get("nothing")


@pytest.mark.parametrize("name", ["truebleu", "truebleu.dataset", "truebleu.significance", "truebleu.utils"])
def test_every_lazy_name_is_there_and_listed(name: str) -> None:
    package = import_module(name)
    names = getattr(package, "__all__", None) or ["DATASETS", "SUBSETS", "get_source_file", "print_test_set"]
    for one in names:
        assert one in dir(package) and getattr(package, one) is not None
